//! Scrolling a region by most of what is in view.

use std::sync::Arc;

use egui::{Ui, Vec2, style::ScrollAnimation};
use pling_core::{
    act::{Code, Refusal},
    model::RegionPath,
    snapshot::Snapshot,
};

use super::{
    Errand,
    queue::{Job, Next, Page, Reply, Round},
};
use crate::collect::{Registry, Scope};

/// Rounds until it can be seen: the offset is applied in the pass after, and drawn in the next.
const ROUNDS: u32 = 3;

/// Scrolls a region by most of what is in view.
#[derive(Debug)]
pub(crate) struct Scroll {
    region: RegionPath,
    direction: Vec2,
    round: Round,
    rounds: u32,
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
            round: Round::default(),
            rounds: 0,
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

    pub(crate) fn kept(&mut self, page: &Page<'_>) {
        self.rounds += u32::from(self.round.kept(page));
    }
}

/// A region scrolled.
#[derive(Debug)]
pub(crate) struct ScrollTo {
    region: RegionPath,
    direction: String,
    reply: Reply<Arc<Snapshot>>,
}

impl ScrollTo {
    pub(crate) fn new(region: RegionPath, direction: String, reply: Reply<Arc<Snapshot>>) -> Self {
        Self {
            region,
            direction,
            reply,
        }
    }
}

impl Job for ScrollTo {
    fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    fn begin(&mut self, _registry: &Registry, _last: Option<Errand>) -> Option<Errand> {
        let scroll = Scroll::new(self.region.clone(), &self.direction);
        if scroll.is_none() {
            let message = format!("`direction` is up, down, left or right, not \"{}\"", self.direction);
            self.reply.send(Err(Refusal::new(Code::InvalidArguments, message)));
        }
        scroll.map(Errand::Scroll)
    }

    fn kept(&mut self, errand: &mut Option<Errand>, page: &Page<'_>) -> Next {
        match errand {
            Some(Errand::Scroll(scroll)) if scroll.rounds < ROUNDS => Next::Pass,
            Some(Errand::Scroll(scroll)) if !scroll.scrolled => {
                let message = "the region is not drawn now";
                self.reply.send(Err(Refusal::new(Code::Unavailable, message)))
            }
            _ => self.reply.send(Ok(Arc::clone(page.snapshot))),
        }
    }
}
