//! The jobs of the host, one at a time.
//!
//! A job's turn comes when a pass begins or has been kept, whichever is first. It begins on the facts of the
//! pass just kept, and only as long as no pass has been drawn since without being kept: older facts are never
//! acted on. A job that has to touch the page lends its [`Errand`] to the passes.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt::Debug,
    sync::Arc,
};

use egui::ViewportId;
use pling_core::{act::Refusal, platform::Duration, snapshot::Snapshot};
use tokio::sync::oneshot;

use super::Errand;
use crate::collect::Registry;

/// Passes of the other windows after which one that is not drawn is no longer waited for.
const PATIENCE: u32 = 8;

/// Something the host was asked for.
pub(crate) trait Job: Debug + Send {
    /// Whether nobody waits for the answer any more.
    fn is_withdrawn(&self) -> bool;

    /// Whether it begins on the facts of the pass just kept, and waits for a pass if there are none.
    fn needs_facts(&self) -> bool {
        false
    }

    /// Its turn has come, right after that of the job whose errand was `last`. Returns what has to be done in the
    /// passes to come; with an answer instead, it is over.
    fn begin(&mut self, _registry: &Registry, _last: Option<Errand>) -> Option<Errand> {
        None
    }

    /// A pass was kept that began after the job did.
    fn kept(&mut self, errand: &mut Option<Errand>, page: &Page<'_>) -> Next;

    /// Whether it has reached the application, apart from what its errand does.
    fn has_acted(&self) -> bool {
        false
    }
}

/// What a job sees of the page when a pass was kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) snapshot: &'a Arc<Snapshot>,
    /// Whose pass it was.
    pub(crate) viewport: ViewportId,
    pub(crate) windows: &'a Windows,
}

/// How a job goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It has its answer.
    Over,
    /// It needs another pass at once.
    Pass,
    /// It needs another pass, when the app has something to show or after this time.
    Within(Duration),
}

/// When the next pass is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Never,
    Now,
    Within(Duration),
}

/// Where the answer of a job goes.
#[derive(Debug)]
pub(crate) struct Reply<T>(Option<oneshot::Sender<Result<T, Refusal>>>);

impl<T> Reply<T> {
    pub(crate) fn new() -> (Self, oneshot::Receiver<Result<T, Refusal>>) {
        let (sender, receiver) = oneshot::channel();
        (Self(Some(sender)), receiver)
    }

    /// Answers, and the job is over. A receiver that is gone needs no answer.
    pub(crate) fn send(&mut self, answer: Result<T, Refusal>) -> Next {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(answer);
        }
        Next::Over
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

/// The windows that are open, as the integration says, and as they are drawn.
#[derive(Debug, Default)]
pub(crate) struct Windows(BTreeMap<u64, Window>);

#[derive(Clone, Copy, Debug)]
struct Window {
    id: ViewportId,
    /// Whether it can be seen, as far as is known: not every system says so of a window that is covered.
    visible: bool,
    /// Passes of other windows since it was drawn.
    missed: u32,
    /// Whether it is drawn whenever the one around it is.
    nested: bool,
}

impl Windows {
    /// A pass begins: `all` is there now, and the window drawn is `nested` in the pass of another or not.
    pub(crate) fn set(&mut self, all: impl Iterator<Item = (ViewportId, bool)>, drawn: ViewportId, nested: bool) {
        let before = std::mem::take(&mut self.0);
        for (id, visible) in all {
            let before = before.get(&id.0.value());
            let (nested, missed) = match before {
                _ if id == drawn => (nested, 0),
                Some(window) => (window.nested, window.missed + 1),
                None => (false, 0),
            };
            let window = Window {
                id,
                visible: visible && missed < PATIENCE,
                missed,
                nested,
            };
            self.0.insert(id.0.value(), window);
        }
    }

    /// Whether its facts still count.
    pub(crate) fn is_open(&self, viewport: ViewportId) -> bool {
        viewport == ViewportId::ROOT || self.0.contains_key(&viewport.0.value())
    }

    /// The windows that have to be drawn so that all are, and whether each can be seen.
    pub(crate) fn to_draw(&self) -> impl Iterator<Item = (ViewportId, bool)> {
        let all = self.0.values().filter(|window| !window.nested);
        all.map(|window| (window.id, window.visible))
    }

    /// Whether these include every window that can be seen, and the main one in any case.
    fn all_in(&self, drawn: &BTreeSet<u64>) -> bool {
        let mut seen = self.0.iter().filter(|(_, window)| window.visible).map(|(id, _)| id);
        drawn.contains(&ViewportId::ROOT.0.value()) && seen.all(|id| drawn.contains(id))
    }
}

/// Which windows have been drawn since some moment: the page is what all of them show.
#[derive(Debug, Default)]
pub(crate) struct Round {
    drawn: BTreeSet<u64>,
    passes: u32,
}

impl Round {
    /// A kept pass; whether it completes a round. Then the next one begins.
    pub(crate) fn kept(&mut self, page: &Page<'_>) -> bool {
        // The same window twice and no other: the others are slow, or not drawn at all.
        self.passes += u32::from(!self.drawn.insert(page.viewport.0.value()));
        let over = page.windows.all_in(&self.drawn) || self.passes >= PATIENCE;
        if over {
            *self = Self::default();
        }
        over
    }
}

/// The jobs of the host, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    jobs: VecDeque<Box<dyn Job>>,
    /// Whether the job in front has begun.
    begun: bool,
    /// The errand of the job in front, between passes; before it has begun, that of the last one.
    errand: Option<Errand>,
    /// Whether it is with a pass under way.
    is_lent: bool,
}

impl Queue {
    pub(crate) fn push(&mut self, job: Box<dyn Job>) {
        // A window that is not drawn drops nothing.
        self.drop_withdrawn();
        self.jobs.push_back(job);
    }

    /// Drops what nobody waits for any more; an errand that has not been done goes with it.
    pub(crate) fn drop_withdrawn(&mut self) {
        if self.jobs.front().is_some_and(|job| job.is_withdrawn()) {
            self.begun = false;
            self.errand = None;
        }
        self.jobs.retain(|job| !job.is_withdrawn());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The window in which the user's keys must wait for the next pass.
    pub(crate) fn borrows_keyboard(&self) -> Option<ViewportId> {
        match &self.errand {
            Some(Errand::Deliver(delivery, _)) if self.begun && delivery.holds_keyboard() => Some(delivery.viewport()),
            _ => None,
        }
    }

    /// Whether the operation in front has reached the application, or may have: a pass that has it is under way.
    pub(crate) fn may_have_acted(&self) -> bool {
        self.is_lent || self.has_acted()
    }

    fn has_acted(&self) -> bool {
        let by_errand = matches!(&self.errand, Some(Errand::Deliver(delivery, _)) if delivery.has_acted());
        self.begun && by_errand || self.jobs.front().is_some_and(|job| job.has_acted())
    }

    /// Lends the errand to the passes that begin now.
    pub(crate) fn lend(&mut self) -> Option<Errand> {
        let errand = if self.begun { self.errand.take() } else { None };
        self.is_lent |= matches!(errand, Some(Errand::Deliver(..)));
        errand
    }

    /// Takes the errand back; a pass ended that may not be kept.
    pub(crate) fn take_back(&mut self, errand: Option<Errand>) {
        self.is_lent = false;
        // Withdrawn meanwhile, it has no job any more.
        if self.begun {
            self.errand = errand;
        }
    }

    /// A kept pass became facts: every job that can go on does. Says when the next pass is wanted.
    pub(crate) fn kept(&mut self, page: &Page<'_>) -> Wanted {
        if let Some(errand) = self.errand.as_mut().filter(|_| self.begun) {
            errand.kept(page);
        }
        while self.begun
            && let Some(job) = self.jobs.front_mut()
        {
            match job.kept(&mut self.errand, page) {
                Next::Pass => return Wanted::Now,
                Next::Within(delay) => return Wanted::Within(delay),
                Next::Over => {
                    self.jobs.pop_front();
                    self.begun = false;
                }
            }
        }
        self.begin(page.registry, true);
        if self.jobs.is_empty() {
            Wanted::Never
        } else {
            Wanted::Now
        }
    }

    /// Lets the job in front begin, if it has not. `fresh`: the last pass of all was kept.
    pub(crate) fn begin(&mut self, registry: &Registry, fresh: bool) {
        // What is refused at once makes way for the next.
        while !self.begun
            && let Some(job) = self.jobs.front_mut()
            && (fresh || !job.needs_facts())
        {
            let last = self.errand.take();
            self.errand = job.begin(registry, last);
            self.begun = !job.is_withdrawn();
            if !self.begun {
                self.jobs.pop_front();
            }
        }
    }
}

/// The facts of passes drawn from now on.
#[derive(Debug)]
pub(crate) struct Look {
    round: Round,
    reply: Reply<Arc<Snapshot>>,
}

impl Look {
    pub(crate) fn new(reply: Reply<Arc<Snapshot>>) -> Self {
        let round = Round::default();
        Self { round, reply }
    }
}

impl Job for Look {
    fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    fn kept(&mut self, _errand: &mut Option<Errand>, page: &Page<'_>) -> Next {
        if self.round.kept(page) {
            return self.reply.send(Ok(Arc::clone(page.snapshot)));
        }
        Next::Pass
    }
}
