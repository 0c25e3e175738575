//! The user's own input comes first: while they type or click in the app, nothing is operated.
//!
//! Only where a panel is drawn: without one nobody could tell them why nothing happens. What they do in the panel
//! itself is no work in the app.

use egui::{Event, InputState, Key};

/// Seconds without input after which the user has made room.
const QUIET_SECONDS: f64 = 0.6;

/// When the user was last at work in the app, in egui's seconds.
#[derive(Debug, Default)]
pub(crate) struct UserAtWork {
    /// The pass under way.
    now: f64,
    last: Option<f64>,
    /// What `last` was before this pass.
    before: Option<f64>,
    has_panel: bool,
}

impl UserAtWork {
    /// A pass begins.
    pub(crate) fn begin_pass(&mut self, input: &InputState) {
        self.now = input.time;
        self.before = self.last;
        if input.events.iter().any(is_work) {
            self.last = Some(self.now);
        }
    }

    /// Somebody is there to tell the user; `ours`: the input of this pass was for them.
    #[cfg(feature = "panel")]
    pub(crate) fn give_way(&mut self, ours: bool) {
        self.has_panel = true;
        if ours {
            self.last = self.before;
        }
    }

    pub(crate) fn is_free(&self) -> bool {
        !self.has_panel || self.last.is_none_or(|last| self.now - last >= QUIET_SECONDS)
    }
}

/// Not what only looks around: moving the pointer, or going on to the next field.
fn is_work(event: &Event) -> bool {
    match event {
        Event::Key { key, pressed, .. } => *pressed && !matches!(key, Key::Tab | Key::Escape),
        Event::Text(_) | Event::Ime(_) | Event::Paste(_) | Event::Cut => true,
        Event::PointerButton { .. } | Event::MouseWheel { .. } => true,
        _ => false,
    }
}
