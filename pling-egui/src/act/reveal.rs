//! Bringing something into view, so that the user sees what is meant, and so that it is there at all.

use std::sync::Arc;

use egui::{Align, Rect, Response, Ui, style::ScrollAnimation};
use pling_core::{
    act::{Code, Refusal, Target},
    model::{RecordId, RegionPath},
    snapshot::{Availability, Snapshot},
};

use super::{
    Errand,
    lookup::{Found, Lookup},
    queue::{Job, Next, Page, Reply, Round},
};
use crate::collect::{Key, Registry, Scope, SeenWidget, share_inside};

/// Rounds that scrolling may take. Nested scroll areas need a few for each level.
const ROUNDS: u32 = 40;
/// Rounds in which a record may be drawn nowhere, after its source was scrolled or when it has none.
const ABSENT_ROUNDS: u32 = 4;
/// Rounds after which a part in view is all there will be, as of a text field higher than its scroll area.
const STUCK_ROUNDS: u32 = 4;
/// The share of a widget or record that must be inside the viewport for a user to see it.
const ENOUGH: f32 = 0.5;

/// Brings a target into view.
#[derive(Debug)]
pub(crate) struct Reveal {
    target: Target,
    /// Where its record stands in a source; `None` where it is drawn, or no record is aimed at.
    lookup: Option<Lookup>,
    /// Where the target was drawn in this pass.
    drawn: Option<Rect>,
    round: Round,
    rounds: u32,
    absent: u32,
    /// The share seen last, and for how many rounds.
    stuck: (f32, u32),
    outcome: Option<Result<(), Refusal>>,
}

impl Reveal {
    pub(crate) fn new(target: Target, registry: &Registry) -> Self {
        let mut reveal = Self {
            target,
            lookup: None,
            drawn: None,
            round: Round::default(),
            rounds: 0,
            absent: 0,
            stuck: (0.0, 0),
            outcome: None,
        };
        let id = reveal.target.record.as_ref();
        if id.is_some_and(|id| record_share(registry, &reveal.target.region, id).is_none()) {
            reveal.lookup = reveal.wanted();
        }
        reveal
    }

    fn wanted(&self) -> Option<Lookup> {
        let id = self.target.record.clone()?;
        Some(Lookup::new(id, self.target.region.clone()))
    }

    pub(crate) fn begin_pass(&mut self) {
        self.drawn = None;
    }

    /// The place of the record in its source, for whoever operates it next.
    pub(crate) fn into_lookup(self, target: &Target) -> Option<Lookup> {
        self.lookup.filter(|_| self.target == *target)
    }

    pub(crate) fn lookup(&self) -> Option<&Lookup> {
        self.lookup.as_ref()
    }

    pub(crate) fn lookup_mut(&mut self) -> Option<&mut Lookup> {
        self.lookup.as_mut()
    }

    /// Scrolls the widget itself to the middle, as long as it cannot be seen.
    pub(crate) fn at_widget(&mut self, seen: &SeenWidget, response: &Response) {
        let aimed = self.target.action.as_ref() == Some(&seen.key.action)
            && self.target.region == seen.key.region
            && self.target.record == seen.key.record;
        if aimed {
            self.scroll_to(response);
        }
    }

    /// Scrolls to a record or region that is aimed at as such.
    pub(crate) fn at_scope(&mut self, around: &RegionPath, scope: &Scope, response: &Response) {
        let aimed = match scope {
            Scope::Record { id, .. } => self.target.record.as_ref() == Some(id) && *around == self.target.region,
            Scope::Region { path, .. } => self.target.record.is_none() && *path == self.target.region,
        };
        if aimed && self.target.action.is_none() {
            self.scroll_to(response);
        }
    }

    /// A record or region around the target ends.
    pub(crate) fn at_scope_end(&mut self, scope: &Scope, parent: &Ui, response: &Response) {
        let is_around = match scope {
            Scope::Record { id, .. } => self.target.record.as_ref() == Some(id),
            Scope::Region { path, .. } => self.target.region.is_within(path),
        };
        if is_around {
            self.around(parent, response.rect);
        }
    }

    /// What surrounds the target ends, perhaps with a scroll area of its own inside: what is around that has to be
    /// scrolled too, and egui asks only the innermost. First to the area, then to what it shows.
    pub(crate) fn around(&mut self, parent: &Ui, area: Rect) {
        let Some(drawn) = self.drawn else { return };
        let aim = if area.contains(drawn.center()) { drawn } else { area };
        if share_inside(aim, parent.clip_rect()) < 1.0 {
            parent.scroll_to_rect_animation(aim, Some(Align::Center), ScrollAnimation::none());
        }
    }

    fn scroll_to(&mut self, response: &Response) {
        self.drawn = Some(response.rect);
        if share_inside(response.rect, response.interact_rect) < 1.0 {
            response.scroll_to_me_animation(Some(Align::Center), ScrollAnimation::none());
        }
    }

    /// A kept pass shows how far it is.
    pub(crate) fn kept(&mut self, page: &Page<'_>) {
        let share = self.share(page.registry);
        if share.is_some_and(|share| share >= ENOUGH) {
            self.outcome = Some(Ok(()));
            return;
        }
        if !self.round.kept(page) {
            return;
        }
        self.rounds += 1;
        if let (Some(lookup), None) = (&mut self.lookup, share) {
            match lookup.end_round() {
                Ok(Found::NotYet) => self.rounds = 0,
                Ok(Found::At | Found::NoSource) => self.absent += 1,
                Err(refusal) => self.outcome = Some(Err(refusal)),
            }
        } else if share.is_none() {
            // It may have been drawn before, and scrolled away on the way here.
            self.lookup = self.wanted();
            self.absent += 1;
        } else {
            self.absent = 0;
        }
        let share = share.unwrap_or_default();
        self.stuck = (share, if self.stuck.0 == share { self.stuck.1 + 1 } else { 0 });
        if share > 0.0 && self.stuck.1 >= STUCK_ROUNDS {
            self.outcome = Some(Ok(()));
        } else if self.outcome.is_none() && (self.rounds > ROUNDS || self.absent > ABSENT_ROUNDS) {
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

/// A target in view.
#[derive(Debug)]
pub(crate) struct Show {
    target: Target,
    reply: Reply<Arc<Snapshot>>,
}

impl Show {
    pub(crate) fn new(target: Target, reply: Reply<Arc<Snapshot>>) -> Self {
        Self { target, reply }
    }
}

impl Job for Show {
    fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    fn needs_facts(&self) -> bool {
        true
    }

    fn begin(&mut self, registry: &Registry, _last: Option<Errand>) -> Option<Errand> {
        Some(Errand::Reveal(Reveal::new(self.target.clone(), registry)))
    }

    fn kept(&mut self, errand: &mut Option<Errand>, page: &Page<'_>) -> Next {
        match errand {
            Some(Errand::Reveal(reveal)) => match reveal.outcome.take() {
                Some(outcome) => self.reply.send(outcome.map(|()| Arc::clone(page.snapshot))),
                None => Next::Pass,
            },
            _ => Next::Over,
        }
    }
}
