//! What becomes of the card of one call, as events.

use crate::{act::Approvals, agent::event::Event};

/// Watches the questions of one call.
pub(super) struct Watch {}

// merges with act: `Approvals::subscribe()`; until then nothing can be told of cards while they are open.
impl Watch {
    pub(super) fn new(_approvals: &Approvals, _call_id: &str) -> Self {
        Self {}
    }

    /// Waits for the next thing that becomes of the card.
    pub(super) async fn next(&mut self) -> Event {
        std::future::pending().await
    }

    /// What became of it already; never waits.
    pub(super) fn try_next(&mut self) -> Option<Event> {
        None
    }
}
