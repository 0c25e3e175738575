//! Time at work: what passes while the user decides does not count.

use crate::platform::{self, Duration, Instant};

/// Measures one step.
pub(super) struct Clock {
    worked: Duration,
    since: Option<Instant>,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            worked: Duration::ZERO,
            since: Some(platform::now()),
        }
    }

    pub(super) fn pause(&mut self) {
        if let Some(since) = self.since.take() {
            self.worked += platform::now().saturating_duration_since(since);
        }
    }

    pub(super) fn resume(&mut self) {
        self.since.get_or_insert_with(platform::now);
    }

    /// What was measured.
    pub(super) fn stop(&mut self) -> Duration {
        self.pause();
        self.worked
    }
}
