//! The user's own input comes first: while they type or click in the app, nothing is operated.
//!
//! Only where a panel is drawn: without one nobody could tell them why nothing happens. What they do in the panel
//! itself is no work in the app.

use std::collections::BTreeMap;

use egui::{Event, InputState, Key, ViewportId};
use pling_core::platform::{Duration, Instant, now};

/// Seconds without input after which the user has made room.
const QUIET_SECONDS: f64 = 0.6;
/// How long a window may stay undrawn before its last input counts no more: its time stands still.
const UNDRAWN: Duration = Duration::from_secs(2);

/// When the user was last at work in the app.
#[derive(Debug, Default)]
pub(crate) struct UserAtWork {
    /// By window: each has a time of its own.
    windows: BTreeMap<u64, AtWork>,
    has_panel: bool,
}

/// The same of one window, in its seconds.
#[derive(Debug)]
struct AtWork {
    /// The pass under way, and when that was.
    now: f64,
    drawn: Instant,
    last: Option<f64>,
    /// What `last` was before this pass.
    before: Option<f64>,
}

impl UserAtWork {
    /// A pass of a window begins.
    pub(crate) fn begin_pass(&mut self, window: ViewportId, input: &InputState) {
        let drawn = now();
        let at_work = self.windows.entry(window.0.value()).or_insert(AtWork {
            now: input.time,
            drawn,
            last: None,
            before: None,
        });
        at_work.now = input.time;
        at_work.drawn = drawn;
        at_work.before = at_work.last;
        if input.events.iter().any(is_work) {
            at_work.last = Some(input.time);
        }
        // Windows that are closed leave nothing behind.
        self.windows
            .retain(|_, window| window.is_recent() || window.drawn == drawn);
    }

    /// Somebody is there to tell the user; `ours`: the input of this pass of the window was for them.
    #[cfg(feature = "panel")]
    pub(crate) fn give_way(&mut self, window: ViewportId, ours: bool) {
        self.has_panel = true;
        if let Some(window) = self.windows.get_mut(&window.0.value())
            && ours
        {
            window.last = window.before;
        }
    }

    pub(crate) fn is_free(&self) -> bool {
        !self.has_panel
            || !self
                .windows
                .values()
                .any(|window| window.is_recent() && window.is_at_work())
    }
}

impl AtWork {
    fn is_at_work(&self) -> bool {
        self.last.is_some_and(|last| self.now - last < QUIET_SECONDS)
    }

    fn is_recent(&self) -> bool {
        self.drawn.elapsed() < UNDRAWN
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

#[cfg(all(test, feature = "panel"))]
mod tests {
    use super::*;

    fn pass(user: &mut UserAtWork, window: ViewportId, time: f64, events: Vec<Event>) {
        let mut input = InputState::default();
        input.time = time;
        input.events = events;
        user.begin_pass(window, &input);
    }

    fn typed() -> Vec<Event> {
        vec![Event::Text("a".to_owned())]
    }

    #[test]
    fn each_window_has_a_time_of_its_own() {
        let inside = ViewportId::from_hash_of("inside");
        let mut user = UserAtWork::default();
        user.give_way(ViewportId::ROOT, false);
        // Typed in the main window; one that was opened later counts its seconds from there.
        pass(&mut user, ViewportId::ROOT, 105.0, typed());
        pass(&mut user, inside, 5.0, Vec::new());
        assert!(!user.is_free());
        pass(&mut user, ViewportId::ROOT, 105.7, Vec::new());
        assert!(user.is_free(), "the other clock does not hold it up");
        pass(&mut user, inside, 5.8, typed());
        pass(&mut user, ViewportId::ROOT, 105.9, Vec::new());
        assert!(!user.is_free(), "and does not hide what is typed there");
    }

    #[test]
    fn what_was_typed_into_the_panel_is_given_back_to_its_own_window_alone() {
        let inside = ViewportId::from_hash_of("inside");
        let mut user = UserAtWork::default();
        pass(&mut user, inside, 5.0, typed());
        pass(&mut user, ViewportId::ROOT, 105.0, typed());
        user.give_way(ViewportId::ROOT, true);
        assert!(!user.is_free());
    }
}
