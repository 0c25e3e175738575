//! Waiting until a page is quiet.

use std::sync::Arc;

use pling_core::{
    act::{SettleLimits, Settled},
    platform::{Duration, Instant, now},
    snapshot::Snapshot,
};

use super::{
    Errand,
    queue::{Job, Next, Page, Reply, Round},
};

/// How often a page that is busy is looked at when the app does not ask for a pass itself.
const BUSY_POLL: Duration = Duration::from_millis(100);

/// Between two passes of an app that is drawn; what is longer is no time that a page had to become quiet.
const STILL: Duration = Duration::from_secs(1);

/// Two rounds of passes without new facts, and nothing busy. A spinner is no fact.
#[derive(Debug)]
pub(crate) struct Settle {
    limits: SettleLimits,
    since: Instant,
    /// When the app was busy last: what it does while it is busy takes nothing from the time to become quiet.
    idle_since: Instant,
    last_pass: Instant,
    round: Round,
    last: Option<Arc<Snapshot>>,
}

/// Where a page stands on its way to being quiet.
pub(crate) enum Progress {
    /// More passes are needed.
    Waiting(Next),
    /// It is quiet, or the limit is reached.
    Over { settled: bool },
}

impl Settle {
    /// `before`: what passes until now showed, which may be the page before a handler ran.
    pub(crate) fn new(limits: SettleLimits, before: Option<&Arc<Snapshot>>) -> Self {
        let since = now();
        Self {
            limits,
            since,
            idle_since: since,
            last_pass: since,
            round: Round::default(),
            last: before.map(Arc::clone),
        }
    }

    /// A kept pass.
    pub(crate) fn kept(&mut self, page: &Page<'_>) -> Progress {
        let still = std::mem::replace(&mut self.last_pass, now()).elapsed();
        if still > STILL {
            // The window was hidden. What it may be still counts, so that slow passes come to an end, too.
            self.since += still - STILL;
            self.idle_since += still - STILL;
        }
        if !self.round.kept(page) {
            return Progress::Waiting(Next::Pass);
        }
        let quiet = self.last.as_ref().is_some_and(|last| last.same_content(page.snapshot));
        let busy = !page.snapshot.busy.is_empty();
        self.last = Some(Arc::clone(page.snapshot));
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
        Progress::Waiting(if busy && quiet {
            Next::Within(BUSY_POLL)
        } else {
            Next::Pass
        })
    }
}

/// The facts of a quiet page.
#[derive(Debug)]
pub(crate) struct Rest {
    settle: Settle,
    reply: Reply<Settled>,
}

impl Rest {
    pub(crate) fn new(limits: SettleLimits, reply: Reply<Settled>) -> Self {
        let settle = Settle::new(limits, None);
        Self { settle, reply }
    }
}

impl Job for Rest {
    fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    fn kept(&mut self, _errand: &mut Option<Errand>, page: &Page<'_>) -> Next {
        match self.settle.kept(page) {
            Progress::Waiting(next) => next,
            Progress::Over { settled } => self.reply.send(Ok(Settled::new(Arc::clone(page.snapshot), settled))),
        }
    }
}
