//! Waiting until a page is quiet.

use std::sync::Arc;

use pling_core::{
    act::SettleLimits,
    platform::{Instant, now},
    snapshot::Snapshot,
};

/// Two passes in a row without new facts, and nothing busy. A spinner is no fact.
#[derive(Debug)]
pub(crate) struct Settle {
    limits: SettleLimits,
    since: Instant,
    /// When the app was busy last: what it does while it is busy takes nothing from the time to become quiet.
    idle_since: Instant,
    last: Option<Arc<Snapshot>>,
}

/// Where a page stands on its way to being quiet.
pub(crate) enum Progress {
    /// Another pass is needed, at once or when the app has something to show.
    Waiting { busy: bool },
    /// It is quiet, or the limit is reached.
    Over { settled: bool },
}

impl Settle {
    pub(crate) fn new(limits: SettleLimits) -> Self {
        let since = now();
        Self {
            limits,
            since,
            idle_since: since,
            last: None,
        }
    }

    /// A kept pass.
    pub(crate) fn kept(&mut self, snapshot: &Arc<Snapshot>) -> Progress {
        let quiet = self.last.as_ref().is_some_and(|last| last.same_content(snapshot));
        let busy = !snapshot.busy.is_empty();
        self.last = Some(Arc::clone(snapshot));
        if quiet && !busy {
            return Progress::Over { settled: true };
        }
        let is_late = if busy {
            self.idle_since = now();
            self.since.elapsed() >= self.limits.busy
        } else {
            self.idle_since.elapsed() >= self.limits.idle
        };
        if is_late {
            return Progress::Over { settled: false };
        }
        Progress::Waiting { busy: busy && quiet }
    }
}
