//! The jobs of the host, one at a time.

use std::{collections::VecDeque, sync::Arc};

use egui::ViewportId;
use pling_core::{
    act::{Code, Operation, Performed, Refusal, SettleLimits, Settled, Target},
    platform::Duration,
    snapshot::Snapshot,
};
use serde_json::Value;
use tokio::sync::oneshot;

use super::{
    Delivery, Errand, Find, FunctionReply, Reveal, Scroll,
    deliver::{Delivered, Report},
    settle::{Progress, Settle},
};
use crate::collect::{Key, Registry};

/// How often a page that is busy is looked at when the app does not ask for a pass itself.
const BUSY_POLL: Duration = Duration::from_millis(100);

/// A click that only the code after the declaration could notice, and nothing declared shows that it did.
const UNSEEN: &str = "the click was reported, and nothing on the page was seen to change";

/// Where the answer of a job goes. Closed: nobody waits any more, and the job is withdrawn.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// The answer to an operation.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It reached its widget, and this is the page afterwards.
    Performed(Performed),
    /// The application has the call and will answer here.
    Called(oneshot::Receiver<FunctionReply>),
}

/// Something the host was asked for.
#[derive(Debug)]
pub(crate) enum Job {
    /// The facts of a pass drawn from now on.
    Snapshot { reply: Reply<Arc<Snapshot>> },
    /// The facts of a quiet page.
    Settle {
        limits: SettleLimits,
        at: Option<Settle>,
        reply: Reply<Settled>,
    },
    /// A target in view.
    Reveal {
        target: Target,
        begun: bool,
        reply: Reply<Arc<Snapshot>>,
    },
    /// An operation on a widget.
    Perform {
        target: Target,
        operation: Operation,
        limits: SettleLimits,
        at: Stage,
        reply: Reply<Answer>,
    },
    /// Records of sources.
    Find {
        query: String,
        limit: usize,
        begun: bool,
        reply: Reply<(Vec<Value>, bool)>,
    },
    /// A region scrolled.
    Scroll {
        target: Target,
        direction: String,
        begun: bool,
        reply: Reply<Arc<Snapshot>>,
    },
}

/// How far an operation is.
#[derive(Debug)]
pub(crate) enum Stage {
    /// The facts of one pass are needed first.
    New,
    /// The errand is with the passes, or rests in the queue between them.
    Delivering,
    /// It reached the widget; the page comes to rest.
    Settling(Settle, Report),
}

impl Job {
    fn is_withdrawn(&self) -> bool {
        match self {
            Self::Snapshot { reply } | Self::Reveal { reply, .. } | Self::Scroll { reply, .. } => reply.is_closed(),
            Self::Settle { reply, .. } => reply.is_closed(),
            Self::Perform { reply, .. } => reply.is_closed(),
            Self::Find { reply, .. } => reply.is_closed(),
        }
    }
}

/// The jobs of the host, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    jobs: VecDeque<Job>,
    /// The errand of the job in front, between passes.
    errand: Option<Errand>,
    /// The page when the job in front began to deliver.
    before: Option<Arc<Snapshot>>,
}

/// When the next pass is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Never,
    Now,
    Within(Duration),
}

impl Queue {
    pub(crate) fn push(&mut self, job: Job) {
        self.jobs.push_back(job);
    }

    /// Drops what nobody waits for any more; an errand that has not been done goes with it.
    pub(crate) fn drop_withdrawn(&mut self) {
        while self.jobs.front().is_some_and(Job::is_withdrawn) {
            self.jobs.pop_front();
            self.errand = None;
        }
        self.jobs.retain(|job| !job.is_withdrawn());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Whether the user's keys must wait for the next pass.
    pub(crate) fn holds_keyboard(&self) -> bool {
        matches!(&self.errand, Some(Errand::Deliver(delivery)) if delivery.holds_keyboard())
    }

    /// Whether the operation in front has reached the application.
    pub(crate) fn has_acted(&self) -> bool {
        match (self.jobs.front(), &self.errand) {
            (
                Some(Job::Perform {
                    at: Stage::Settling(..),
                    ..
                }),
                _,
            ) => true,
            (_, Some(Errand::Deliver(delivery))) => delivery.has_acted(),
            _ => false,
        }
    }

    /// Lends the errand to the passes that begin now.
    pub(crate) fn lend(&mut self) -> Option<Errand> {
        self.errand.take()
    }

    /// Takes the errand back; a pass ended that may not be kept.
    pub(crate) fn take_back(&mut self, errand: Option<Errand>) {
        self.errand = errand;
    }

    /// A kept pass became facts: every job that can go on does. Says when the next pass is wanted.
    pub(crate) fn kept(&mut self, registry: &Registry, snapshot: &Arc<Snapshot>, viewport: ViewportId) -> Wanted {
        if let Some(errand) = &mut self.errand {
            errand.kept(registry, viewport);
        }
        loop {
            let Some(job) = self.jobs.pop_front() else {
                return Wanted::Never;
            };
            match self.advance(job, registry, snapshot) {
                None => self.errand = None,
                Some((job, wanted)) => {
                    self.jobs.push_front(job);
                    return wanted;
                }
            }
        }
    }

    /// One step of the job in front. `None`: it is over.
    fn advance(&mut self, job: Job, registry: &Registry, snapshot: &Arc<Snapshot>) -> Option<(Job, Wanted)> {
        match job {
            Job::Snapshot { reply } => {
                let _ = reply.send(Ok(Arc::clone(snapshot)));
                None
            }
            Job::Settle { limits, at, reply } => {
                let mut settle = at.unwrap_or_else(|| Settle::new(limits));
                match settle.kept(snapshot) {
                    Progress::Over { settled } => {
                        let _ = reply.send(Ok(Settled::new(Arc::clone(snapshot), settled)));
                        None
                    }
                    Progress::Waiting { busy } => {
                        let job = Job::Settle {
                            limits,
                            at: Some(settle),
                            reply,
                        };
                        Some((job, wanted(busy)))
                    }
                }
            }
            Job::Reveal {
                target,
                begun: false,
                reply,
            } => {
                self.errand = Some(Errand::Reveal(Reveal::new(target.clone(), registry)));
                Some((
                    Job::Reveal {
                        target,
                        begun: true,
                        reply,
                    },
                    Wanted::Now,
                ))
            }
            Job::Reveal { target, begun, reply } => match self.errand.as_mut() {
                Some(Errand::Reveal(reveal)) => match reveal.outcome() {
                    Some(outcome) => {
                        let _ = reply.send(outcome.map(|()| Arc::clone(snapshot)));
                        None
                    }
                    None => Some((Job::Reveal { target, begun, reply }, Wanted::Now)),
                },
                _ => None,
            },
            Job::Scroll {
                target,
                direction,
                begun: false,
                reply,
            } => match Scroll::new(target.region.clone(), &direction) {
                Some(scroll) => {
                    self.errand = Some(Errand::Scroll(scroll));
                    Some((
                        Job::Scroll {
                            target,
                            direction,
                            begun: true,
                            reply,
                        },
                        Wanted::Now,
                    ))
                }
                None => {
                    let message = format!("`direction` is up, down, left or right, not \"{direction}\"");
                    let _ = reply.send(Err(Refusal::new(Code::InvalidArguments, message)));
                    None
                }
            },
            Job::Scroll {
                target,
                direction,
                begun,
                reply,
            } => match &self.errand {
                Some(Errand::Scroll(scroll)) if !scroll.is_over() => Some((
                    Job::Scroll {
                        target,
                        direction,
                        begun,
                        reply,
                    },
                    Wanted::Now,
                )),
                Some(Errand::Scroll(scroll)) if !scroll.scrolled() => {
                    let _ = reply.send(Err(Refusal::new(Code::Unavailable, "the region is not drawn now")));
                    None
                }
                _ => {
                    let _ = reply.send(Ok(Arc::clone(snapshot)));
                    None
                }
            },
            Job::Find {
                query,
                limit,
                begun: false,
                reply,
            } => {
                self.errand = Some(Errand::Find(Find::new(&query, limit)));
                Some((
                    Job::Find {
                        query,
                        limit,
                        begun: true,
                        reply,
                    },
                    Wanted::Now,
                ))
            }
            Job::Find {
                query,
                limit,
                begun,
                reply,
            } => match self.errand.take() {
                Some(Errand::Find(find)) if find.is_over() => {
                    let all = find.saw_all();
                    let _ = reply.send(Ok((find.found, all)));
                    None
                }
                errand => {
                    self.errand = errand;
                    Some((
                        Job::Find {
                            query,
                            limit,
                            begun,
                            reply,
                        },
                        Wanted::Now,
                    ))
                }
            },
            Job::Perform {
                target,
                operation,
                limits,
                at,
                reply,
            } => self.perform(target, operation, limits, at, reply, registry, snapshot),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one job, taken apart to be put together again"
    )]
    fn perform(
        &mut self,
        target: Target,
        operation: Operation,
        limits: SettleLimits,
        at: Stage,
        reply: Reply<Answer>,
        registry: &Registry,
        snapshot: &Arc<Snapshot>,
    ) -> Option<(Job, Wanted)> {
        let again = |at, wanted, reply, target, operation| {
            Some((
                Job::Perform {
                    target,
                    operation,
                    limits,
                    at,
                    reply,
                },
                wanted,
            ))
        };
        match at {
            Stage::New => {
                let Some(action) = target.action.clone() else {
                    let _ = reply.send(Err(Refusal::new(Code::Unsupported, "only an action can be performed")));
                    return None;
                };
                let key = Key {
                    action,
                    region: target.region.clone(),
                    record: target.record.clone(),
                };
                self.before = Some(Arc::clone(snapshot));
                match Delivery::plan(key, operation.clone(), registry) {
                    Ok(delivery) => {
                        self.errand = Some(Errand::Deliver(Box::new(delivery)));
                        // Nothing may be left to do, and then no pass is needed for it.
                        self.perform(target, operation, limits, Stage::Delivering, reply, registry, snapshot)
                    }
                    Err(refusal) => {
                        let _ = reply.send(Err(refusal));
                        None
                    }
                }
            }
            Stage::Delivering => match self.errand.take() {
                Some(Errand::Deliver(delivery)) => match delivery.outcome() {
                    Err(delivery) => {
                        self.errand = Some(Errand::Deliver(delivery));
                        again(Stage::Delivering, Wanted::Now, reply, target, operation)
                    }
                    Ok(Delivered::Acknowledged(report)) => {
                        let mut settle = Settle::new(limits);
                        // What was drawn before the handler ran still shows the page before it.
                        settle.kept(snapshot);
                        again(Stage::Settling(settle, report), Wanted::Now, reply, target, operation)
                    }
                    Ok(Delivered::Called(receiver)) => {
                        let _ = reply.send(Ok(Answer::Called(receiver)));
                        None
                    }
                    Ok(Delivered::Refused(mut refusal)) => {
                        let before = self.before.take();
                        let changes = before
                            .map(|before| before.changes_to(snapshot))
                            .filter(|changes| changes.observed());
                        refusal.changed = changes.map(Box::new);
                        let _ = reply.send(Err(refusal));
                        None
                    }
                },
                _ => {
                    let _ = reply.send(Err(Refusal::new(
                        Code::NotDelivered,
                        "the operation was lost on its way",
                    )));
                    None
                }
            },
            Stage::Settling(mut settle, report) => match settle.kept(snapshot) {
                Progress::Over { settled } => {
                    let mut performed = Performed::new(Arc::clone(snapshot));
                    performed.settled = settled;
                    let unseen = report.from_outside
                        && (self.before.take()).is_some_and(|before| !before.changes_to(snapshot).observed());
                    performed.value = report.value;
                    performed.warning = report.warning.or_else(|| unseen.then(|| UNSEEN.to_owned()));
                    let _ = reply.send(Ok(Answer::Performed(performed)));
                    None
                }
                Progress::Waiting { busy } => {
                    again(Stage::Settling(settle, report), wanted(busy), reply, target, operation)
                }
            },
        }
    }
}

fn wanted(busy: bool) -> Wanted {
    if busy { Wanted::Within(BUSY_POLL) } else { Wanted::Now }
}
