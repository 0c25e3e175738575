//! The job of one operation: delivered to its widget, then waited for until the page is quiet.

use std::sync::Arc;

use pling_core::{
    act::{Code, Operation, Performed, Refusal, SettleLimits, Target},
    platform::{Duration, Instant, now},
    snapshot::Snapshot,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{
    Delivery, Errand, FunctionReply,
    deliver::{Delivered, Report},
    queue::{Job, Next, Page, Reply},
    settle::{Progress, Settle},
};
use crate::collect::{Key, Registry};

/// How long the window of the widget may not be drawn, while others are, before it counts as hidden.
const HIDDEN_AFTER: Duration = Duration::from_secs(2);

/// A click that only the code after the declaration could notice, and nothing declared shows that it did.
const UNSEEN: &str = "the click was reported, and nothing on the page was seen to change";

/// The answer to an operation.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It reached its widget, and this is the page afterwards.
    Performed(Performed),
    /// The application has the call and will answer here.
    Called(oneshot::Receiver<FunctionReply>),
}

/// An operation on a widget.
#[derive(Debug)]
pub(crate) struct Operate {
    target: Target,
    operation: Operation,
    limits: SettleLimits,
    cancel: CancellationToken,
    stage: Stage,
    reply: Reply<Answer>,
}

/// How far it is.
#[derive(Debug)]
enum Stage {
    Waiting,
    /// The errand is with the passes, or rests in the queue between them.
    Delivering {
        /// The page when it began.
        before: Option<Arc<Snapshot>>,
        /// When the widget's window was last drawn.
        drawn: Instant,
    },
    /// It reached the widget; the page, which was `before`, comes to rest.
    Settling {
        settle: Settle,
        report: Report,
        before: Option<Arc<Snapshot>>,
    },
}

impl Operate {
    pub(crate) fn new(
        target: Target,
        operation: Operation,
        limits: SettleLimits,
        cancel: CancellationToken,
        reply: Reply<Answer>,
    ) -> Self {
        Self {
            target,
            operation,
            limits,
            cancel,
            stage: Stage::Waiting,
            reply,
        }
    }

    fn plan(&self, registry: &Registry) -> Result<Delivery, Refusal> {
        let Some(action) = self.target.action.clone() else {
            return Err(Refusal::new(Code::Unsupported, "only an action can be performed"));
        };
        let key = Key {
            action,
            region: self.target.region.clone(),
            record: self.target.record.clone(),
        };
        Delivery::plan(key, self.operation.clone(), registry)
    }
}

impl Job for Operate {
    fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    fn needs_facts(&self) -> bool {
        true
    }

    fn begin(&mut self, registry: &Registry, last: Option<Errand>) -> Option<Errand> {
        if self.cancel.is_cancelled() {
            let message = "cancelled while it waited for its turn; nothing was run";
            self.reply.send(Err(Refusal::new(Code::Cancelled, message)));
            return None;
        }
        // A list that is about to scroll back, as one that sticks to its end does, keeps the row until it is done.
        let row = match last {
            Some(Errand::Reveal(reveal)) => reveal.into_lookup(&self.target),
            _ => None,
        };
        match self.plan(registry) {
            Ok(delivery) => {
                self.stage = Stage::Delivering {
                    before: registry.snapshot().cloned(),
                    drawn: now(),
                };
                Some(Errand::Deliver(Box::new(delivery), row))
            }
            Err(refusal) => {
                self.reply.send(Err(refusal));
                None
            }
        }
    }

    fn kept(&mut self, errand: &mut Option<Errand>, page: &Page<'_>) -> Next {
        match &mut self.stage {
            Stage::Waiting => Next::Pass,
            Stage::Delivering { before, drawn } => {
                let Some(Errand::Deliver(delivery, row)) = errand.take() else {
                    let message = "the operation was lost on its way";
                    return self.reply.send(Err(Refusal::new(Code::NotDelivered, message)));
                };
                let viewport = delivery.viewport();
                let mut refusal = match delivery.outcome() {
                    Ok(Delivered::Acknowledged(report)) => {
                        self.stage = Stage::Settling {
                            settle: Settle::new(self.limits, Some(page.snapshot)),
                            report,
                            before: before.take(),
                        };
                        return Next::Pass;
                    }
                    Ok(Delivered::Called(receiver)) => return self.reply.send(Ok(Answer::Called(receiver))),
                    Ok(Delivered::Refused(refusal)) => refusal,
                    Err(delivery) => {
                        if page.viewport == viewport {
                            *drawn = now();
                        }
                        match undrawn(page, &delivery, drawn.elapsed()) {
                            Some(refusal) => refusal,
                            None => {
                                *errand = Some(Errand::Deliver(delivery, row));
                                return Next::Pass;
                            }
                        }
                    }
                };
                let changes = before.take().map(|before| before.changes_to(page.snapshot));
                refusal.changed = changes.filter(|changes| changes.observed()).map(Box::new);
                self.reply.send(Err(refusal))
            }
            Stage::Settling { settle, report, before } => match settle.kept(page) {
                Progress::Waiting(next) => next,
                Progress::Over { settled } => {
                    let mut performed = Performed::new(Arc::clone(page.snapshot));
                    performed.settled = settled;
                    performed.value = report.value.take();
                    let unseen = report.from_outside
                        && (before.take()).is_some_and(|before| !before.changes_to(page.snapshot).observed());
                    performed.warning = report.warning.take().or_else(|| unseen.then(|| UNSEEN.to_owned()));
                    self.reply.send(Ok(Answer::Performed(performed)))
                }
            },
        }
    }

    fn has_acted(&self) -> bool {
        matches!(self.stage, Stage::Settling { .. })
    }
}

/// Why the window of the widget will not be drawn any more, if so. Others are drawn all the while.
fn undrawn(page: &Page<'_>, delivery: &Delivery, since: Duration) -> Option<Refusal> {
    let done = if delivery.has_acted() {
        "a part of it reached the widget"
    } else {
        "nothing was done"
    };
    if !page.windows.is_open(delivery.viewport()) {
        let message = format!("the window it was in is closed; {done}");
        return Some(Refusal::new(Code::ActionGone, message));
    }
    (since >= HIDDEN_AFTER).then(|| {
        let message = format!("the window it is in is hidden or minimized; {done}");
        Refusal::new(Code::WindowHidden, message)
    })
}
