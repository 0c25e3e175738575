//! Bringing something into view, so that the user sees what is meant, and so that it is there at all.

use egui::{Align, Response, Ui, Vec2, style::ScrollAnimation};
use pling_core::{
    act::{Code, Refusal, Target},
    model::{RecordId, RegionPath},
    snapshot::Availability,
};

use crate::{
    collect::{Key, Registry, Scope, SeenSource, SeenWidget, share_inside},
    declare::Record,
};

/// Rows of a source that are looked at in one pass: about a millisecond's worth.
const SLICE: usize = 4096;
/// Passes that scrolling may take. Nested scroll areas need a few for each level.
const PASSES: u32 = 40;
/// Passes in which a record may be drawn nowhere, after its source was scrolled or when it has none.
const ABSENT_PASSES: u32 = 4;
/// The share of a widget or record that must be inside the viewport for a user to see it.
const ENOUGH: f32 = 0.5;

/// Brings a target into view.
#[derive(Debug)]
pub(crate) struct Reveal {
    target: Target,
    lookup: Lookup,
    passes: u32,
    absent: u32,
    outcome: Option<Result<(), Refusal>>,
}

/// Where a record stands in a source.
#[derive(Debug)]
enum Lookup {
    /// Its row is drawn, or no record is aimed at.
    NotNeeded,
    /// The rows before `cursor` are other records.
    Searching {
        source: Option<String>,
        cursor: usize,
        len: usize,
    },
    /// It is the row `index`.
    At { source: String, index: usize },
    /// The source has no such record.
    Missing,
}

impl Reveal {
    pub(crate) fn new(target: Target, registry: &Registry) -> Self {
        let drawn = target
            .record
            .as_ref()
            .is_none_or(|id| record_share(registry, &target.region, id).is_some());
        let lookup = if drawn {
            Lookup::NotNeeded
        } else {
            Lookup::Searching {
                source: None,
                cursor: 0,
                len: usize::MAX,
            }
        };
        Self {
            target,
            lookup,
            passes: 0,
            absent: 0,
            outcome: None,
        }
    }

    pub(crate) fn outcome(&mut self) -> Option<Result<(), Refusal>> {
        self.outcome.take()
    }

    fn is_target_source(&self, region: &RegionPath) -> bool {
        region.is_within(&self.target.region) || self.target.region.is_within(region)
    }

    pub(crate) fn at_source(&mut self, seen: &SeenSource, record: &mut dyn FnMut(usize) -> Record) {
        let Some(wanted) = self.target.record.clone() else {
            return;
        };
        if !self.is_target_source(&seen.region) {
            return;
        }
        let Lookup::Searching { source, cursor, len } = &mut self.lookup else {
            return;
        };
        if source.get_or_insert_with(|| seen.id.clone()) != &seen.id {
            return;
        }
        *len = seen.len;
        let end = cursor.saturating_add(SLICE).min(seen.len);
        let found = (*cursor..end).find(|index| record(*index).id() == Some(&wanted));
        *cursor = end;
        if let Some(index) = found {
            self.lookup = Lookup::At {
                source: seen.id.clone(),
                index,
            };
        } else if end >= seen.len {
            self.lookup = Lookup::Missing;
        }
    }

    pub(crate) fn index_of(&mut self, id: &str, find: impl FnOnce(&RecordId) -> Option<usize>) {
        let searching = match &self.lookup {
            Lookup::Searching { source, .. } => source.as_deref() == Some(id),
            _ => false,
        };
        if let (true, Some(record)) = (searching, &self.target.record) {
            self.lookup = match find(record) {
                Some(index) => Lookup::At {
                    source: id.to_owned(),
                    index,
                },
                None => Lookup::Missing,
            };
        }
    }

    pub(crate) fn row_to_show(&self, id: &str) -> Option<usize> {
        match &self.lookup {
            Lookup::At { source, index } if source == id => Some(*index),
            _ => None,
        }
    }

    /// Scrolls the widget itself to the middle, as long as it cannot be seen.
    pub(crate) fn at_widget(&mut self, seen: &SeenWidget, response: &Response) {
        let aimed = self.target.action.as_ref() == Some(&seen.key.action)
            && self.target.region == seen.key.region
            && self.target.record == seen.key.record;
        if aimed && share_inside(response.rect, response.interact_rect) < 1.0 {
            response.scroll_to_me_animation(Some(Align::Center), ScrollAnimation::none());
        }
    }

    /// Scrolls to a record or region that is aimed at as such.
    pub(crate) fn at_scope_end(&mut self, around: &RegionPath, scope: &Scope, response: &Response) {
        if self.target.action.is_some() {
            return;
        }
        let aimed = match scope {
            Scope::Record { id, .. } => self.target.record.as_ref() == Some(id) && *around == self.target.region,
            Scope::Region { path, .. } => self.target.record.is_none() && *path == self.target.region,
        };
        if aimed && share_inside(response.rect, response.interact_rect) < 1.0 {
            response.scroll_to_me_animation(Some(Align::Center), ScrollAnimation::none());
        }
    }

    /// A kept pass shows how far it is.
    pub(crate) fn kept(&mut self, registry: &Registry) {
        self.passes += 1;
        if matches!(self.lookup, Lookup::Missing) {
            let message = "the list has no record of this id";
            self.outcome = Some(Err(Refusal::new(Code::UnknownRecord, message)));
            return;
        }
        if let Lookup::Searching { cursor, len, source } = &self.lookup
            && source.is_some()
            && cursor < len
        {
            self.passes = 0;
            return;
        }
        match self.share(registry) {
            Some(share) if share >= ENOUGH => self.outcome = Some(Ok(())),
            Some(_) => self.absent = 0,
            None => self.absent += 1,
        }
        if self.outcome.is_none() && (self.passes > PASSES || self.absent > ABSENT_PASSES) {
            let message = "it could not be brought into view";
            self.outcome = Some(Err(Refusal::new(Code::Unavailable, message).because("offscreen")));
        }
    }

    /// The share of the target that can be seen; `None`: it is not drawn.
    fn share(&self, registry: &Registry) -> Option<f32> {
        let Target {
            action, region, record, ..
        } = &self.target;
        match (action, record) {
            (Some(action), record) => {
                let key = Key {
                    action: action.clone(),
                    region: region.clone(),
                    record: record.clone(),
                };
                let seen = registry.last_seen(&key);
                let seen = seen.first()?;
                let Some(widget) = &seen.widget else { return Some(1.0) };
                // What is hidden or covered will not get better by scrolling: the check says why.
                if !matches!(seen.availability, Availability::Available | Availability::Offscreen) {
                    return Some(1.0);
                }
                Some(share_inside(widget.rect, widget.interact_rect))
            }
            (None, Some(record)) => record_share(registry, region, record),
            (None, None) => {
                let facts = registry.snapshot()?.region(region)?;
                // A region larger than the viewport is in view when its part is.
                Some(if facts.visible > 0.0 { 1.0 } else { 0.0 })
            }
        }
    }
}

fn record_share(registry: &Registry, region: &RegionPath, id: &RecordId) -> Option<f32> {
    let snapshot = registry.snapshot()?;
    let facts = snapshot
        .records
        .iter()
        .find(|facts| facts.record.id == *id && facts.region == *region)?;
    Some(facts.visible)
}

/// Scrolls a region by most of what is in view.
#[derive(Debug)]
pub(crate) struct Scroll {
    region: RegionPath,
    direction: Vec2,
    passes: u32,
    scrolled: bool,
}

impl Scroll {
    /// `direction`: `up`, `down`, `left` or `right`.
    pub(crate) fn new(region: RegionPath, direction: &str) -> Option<Self> {
        let direction = match direction {
            "up" => Vec2::new(0.0, 1.0),
            "down" => Vec2::new(0.0, -1.0),
            "left" => Vec2::new(1.0, 0.0),
            "right" => Vec2::new(-1.0, 0.0),
            _ => return None,
        };
        Some(Self {
            region,
            direction,
            passes: 0,
            scrolled: false,
        })
    }

    /// Inside a record of the region: inside its scroll area, if it has one.
    pub(crate) fn within(&mut self, around: &RegionPath, ui: &Ui) {
        if !self.scrolled && around.is_within(&self.region) {
            self.scrolled = true;
            let most = ui.clip_rect().size() * 0.8;
            ui.scroll_with_delta_animation(self.direction * most, ScrollAnimation::none());
        }
    }

    /// A region without records is scrolled by what is around it.
    pub(crate) fn at_scope_end(&mut self, scope: &Scope, parent: &Ui) {
        if matches!(scope, Scope::Region { path, .. } if *path == self.region) && !self.scrolled {
            self.scrolled = true;
            let most = parent.clip_rect().size() * 0.8;
            parent.scroll_with_delta_animation(self.direction * most, ScrollAnimation::none());
        }
    }

    pub(crate) fn kept(&mut self) {
        self.passes += 1;
    }

    /// The offset is applied in the pass after, and drawn in the next.
    pub(crate) fn is_over(&self) -> bool {
        self.passes >= 3
    }

    pub(crate) fn scrolled(&self) -> bool {
        self.scrolled
    }
}
