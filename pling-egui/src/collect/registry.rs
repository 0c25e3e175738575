//! What was seen last, viewport by viewport, and what is not there any more.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use egui::{Id, IdSet, ViewportId};
use pling_core::{
    model::{Action, RegionPath},
    snapshot::{ActionFacts, Availability, Snapshot},
};

use super::{Key, WidgetRef, assemble::ViewportFacts, facts::WidgetFacts};
use crate::act::Windows;

/// How many actions that are not drawn any more are remembered.
const REMEMBERED: usize = 32;

/// What was seen last.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    viewports: BTreeMap<u64, (ViewportId, ViewportFacts)>,
    /// Fields that once hid what is written in them.
    secrets: Vec<Key>,
    revision: u64,
    snapshot: Option<Arc<Snapshot>>,
    /// Actions of the last snapshot, once for each region.
    present: Vec<(Arc<Action>, RegionPath)>,
    /// Actions that were there before, oldest first, with the revision in which each was seen last.
    gone: VecDeque<(Arc<Action>, RegionPath, u64)>,
}

/// How a widget was seen last.
#[derive(Clone, Debug)]
pub(crate) struct LastSeen {
    pub(crate) viewport: ViewportId,
    pub(crate) widget: Option<WidgetRef>,
    pub(crate) facts: WidgetFacts,
    pub(crate) inline: bool,
    pub(crate) availability: Availability,
}

impl Registry {
    /// Takes the facts of a kept pass and makes the page's snapshot.
    pub(crate) fn keep(&mut self, viewport: ViewportId, mut facts: ViewportFacts, windows: &Windows) -> Arc<Snapshot> {
        // The root first: it holds what the page as a whole is about.
        let order = |id: ViewportId| if id == ViewportId::ROOT { 0 } else { id.0.value() };
        if let Some((_, before)) = self.viewports.get(&order(viewport)) {
            facts.remember_inputs(before);
        }
        for secret in facts.secrets() {
            if !self.secrets.contains(secret) {
                self.secrets.push(secret.clone());
            }
        }
        if !self.secrets.is_empty() {
            facts.withhold(&self.secrets);
        }
        self.viewports.insert(order(viewport), (viewport, facts));
        self.viewports.retain(|_, (id, _)| windows.is_open(*id));

        self.revision += 1;
        let mut snapshot = Snapshot::new(self.revision);
        for (_, facts) in self.viewports.values() {
            facts.add_to(&mut snapshot);
        }
        self.remember(&mut snapshot);
        let snapshot = Arc::new(snapshot);
        self.snapshot = Some(Arc::clone(&snapshot));
        snapshot
    }

    /// The last snapshot.
    pub(crate) fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.snapshot.as_ref()
    }

    /// How the widgets of a declaration were seen last; more than one is ambiguous.
    pub(crate) fn last_seen(&self, key: &Key) -> Vec<&LastSeen> {
        let facts = self.viewports.values().flat_map(|(_, facts)| &facts.widgets);
        facts.filter(|(seen, _)| seen == key).map(|(_, last)| last).collect()
    }

    /// Whether another declared widget, elsewhere, has the egui id of this one. One may be declared several times.
    pub(crate) fn shares_id(&self, seen: &LastSeen) -> bool {
        let Some(widget) = &seen.widget else { return false };
        let mut others = self.viewports.values().flat_map(|(_, facts)| &facts.widgets);
        others.any(|(_, other)| {
            let same = |other: &&WidgetRef| other.id == widget.id && !other.rect.intersect(widget.rect).is_positive();
            other.viewport == seen.viewport && other.widget.as_ref().filter(same).is_some()
        })
    }

    /// Every declared widget as it was seen last.
    #[cfg(feature = "panel")]
    pub(crate) fn widgets(&self) -> impl Iterator<Item = &(Key, LastSeen)> {
        self.viewports.values().flat_map(|(_, facts)| &facts.widgets)
    }

    /// Lists what was here before and is not drawn now, as long as the page is the same one.
    fn remember(&mut self, snapshot: &mut Snapshot) {
        if self.snapshot.as_ref().is_some_and(|last| last.page != snapshot.page) {
            self.present.clear();
            self.gone.clear();
        }
        let place = |action: &Action, region: &RegionPath| Id::unique((&action.id, region));
        let mut now = IdSet::default();
        let mut present = Vec::new();
        for facts in &snapshot.actions {
            if now.insert(place(&facts.action, &facts.region)) {
                present.push((Arc::clone(&facts.action), facts.region.clone()));
            }
        }
        let is_gone = |action: &Action, region: &RegionPath| !now.contains(&place(action, region));
        self.gone.retain(|(action, region, _)| is_gone(action, region));
        let since = snapshot.revision - 1;
        for (action, region) in std::mem::replace(&mut self.present, present) {
            if is_gone(&action, &region) {
                self.gone.push_back((action, region, since));
            }
        }
        while self.gone.len() > REMEMBERED {
            self.gone.pop_front();
        }
        for (action, region, since) in &self.gone {
            let mut facts = ActionFacts::new(Arc::clone(action));
            facts.region = region.clone();
            facts.availability = Availability::NotDrawn { since: *since };
            snapshot.actions.push(facts);
        }
    }
}
