//! What handles and driver share. Each lock is held for a few instructions, and never while anybody is called.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{Sent, Status};
use crate::{
    act::{Approvals, Executor},
    agent::{Checkpoint, Config, History, Outcome, TraceSink, stream::Outlet, telemetry::Counter},
    llm::{Calibrated, Llm},
};

/// What handles ask of the driver, in order.
#[derive(Debug)]
pub(in crate::agent) enum Command {
    /// Work on a message.
    Send {
        ticket: Ticket,
        text: String,
        outcome: oneshot::Sender<Outcome>,
    },
    /// Forget the conversation.
    Reset,
    /// Take up another conversation.
    Restore(Box<Checkpoint>),
}

/// A message that is not done yet, and the way to stop it.
#[derive(Clone, Debug)]
pub(in crate::agent) struct Ticket {
    serial: u64,
    pub(in crate::agent) cancel: CancellationToken,
}

/// What a run works with.
pub(in crate::agent) struct Setup {
    pub(in crate::agent) config: Config,
    pub(in crate::agent) llm: Option<Arc<dyn Llm>>,
    /// What the model's own counts say of our estimate.
    pub(in crate::agent) estimate: Calibrated,
}

impl Setup {
    pub(super) fn new(config: Config, llm: Option<Arc<dyn Llm>>) -> Self {
        Self {
            config,
            llm,
            estimate: Calibrated::default(),
        }
    }
}

pub(in crate::agent) struct Shared {
    pub(in crate::agent) approvals: Approvals,
    pub(super) executor: Executor,
    pub(in crate::agent) outlet: Outlet,
    pub(in crate::agent) counter: Counter,
    queue: Mutex<Queue>,
    setup: Mutex<Arc<Setup>>,
    trace: Mutex<Option<TraceSink>>,
    /// The call that is with the executor now.
    executing: Mutex<Option<String>>,
    /// The conversation as it was last between two steps.
    conversation: Mutex<History>,
    /// Whether the conversation goes on from a checkpoint.
    continued: AtomicBool,
}

/// Messages in order; the first is being worked on, or is next.
#[derive(Default)]
struct Queue {
    tickets: VecDeque<Ticket>,
    next_serial: u64,
    /// The driver is gone: nothing is worked on any more.
    closed: bool,
}

impl Shared {
    pub(super) fn new(executor: Executor, setup: Setup) -> Self {
        Self {
            approvals: executor.approvals().clone(),
            executor,
            outlet: Outlet::new(),
            counter: Counter::default(),
            queue: Mutex::default(),
            setup: Mutex::new(Arc::new(setup)),
            trace: Mutex::default(),
            executing: Mutex::default(),
            conversation: Mutex::default(),
            continued: AtomicBool::new(false),
        }
    }

    /// Puts a message in line.
    pub(super) fn enqueue(&self, commands: &mpsc::UnboundedSender<Command>, text: String) -> Sent {
        let (outcome, receiver) = oneshot::channel();
        let mut queue = self.queue.lock();
        if !queue.closed {
            let ticket = Ticket {
                serial: queue.next_serial,
                cancel: CancellationToken::new(),
            };
            queue.next_serial += 1;
            queue.tickets.push_back(ticket.clone());
            // Under the lock, so that tickets and commands have one order. An unbounded channel does not wait.
            let _ = commands.send(Command::Send { ticket, text, outcome });
        }
        Sent::waiting(receiver)
    }

    /// Takes a message off the line: it is done.
    pub(in crate::agent) fn done(&self, ticket: &Ticket) {
        self.queue.lock().tickets.retain(|own| own.serial != ticket.serial);
    }

    pub(super) fn cancel_first(&self) {
        let first = self.queue.lock().tickets.front().cloned();
        // Outside the lock: cancelling wakes whoever waits.
        if let Some(ticket) = first {
            ticket.cancel.cancel();
        }
    }

    pub(super) fn cancel_all(&self) {
        let tickets = self.queue.lock().tickets.clone();
        for ticket in tickets {
            ticket.cancel.cancel();
        }
    }

    pub(super) fn status(&self) -> Status {
        match self.queue.lock().tickets.front() {
            None => Status::Idle,
            Some(ticket) if ticket.cancel.is_cancelled() => Status::Cancelled,
            Some(_) => Status::Running,
        }
    }

    /// The driver is gone: what was sent will not be worked on.
    pub(in crate::agent) fn close(&self) {
        let tickets = {
            let mut queue = self.queue.lock();
            queue.closed = true;
            std::mem::take(&mut queue.tickets)
        };
        drop(tickets);
        self.set_executing(None);
    }

    pub(super) fn executing(&self) -> Option<String> {
        self.executing.lock().clone()
    }

    pub(in crate::agent) fn set_executing(&self, call_id: Option<String>) {
        *self.executing.lock() = call_id;
    }

    /// Keeps the conversation for whoever asks for a checkpoint.
    pub(in crate::agent) fn keep(&self, conversation: &History) {
        let before = std::mem::replace(&mut *self.conversation.lock(), conversation.clone());
        drop(before);
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        let conversation = self.conversation.lock().clone();
        // What waits for its user has not run.
        let executing = self
            .executing()
            .filter(|id| !self.approvals.pending().iter().any(|card| card.call_id == *id));
        Checkpoint::of(&conversation, executing.as_deref())
    }

    pub(super) fn is_continued(&self) -> bool {
        self.continued.load(Ordering::Relaxed)
    }

    pub(super) fn set_continued(&self, continued: bool) {
        self.continued.store(continued, Ordering::Relaxed);
    }

    pub(in crate::agent) fn setup(&self) -> Arc<Setup> {
        Arc::clone(&self.setup.lock())
    }

    pub(super) fn set_setup(&self, setup: Setup) {
        let before = std::mem::replace(&mut *self.setup.lock(), Arc::new(setup));
        drop(before);
    }

    pub(in crate::agent) fn trace(&self) -> Option<TraceSink> {
        self.trace.lock().clone()
    }

    pub(super) fn set_trace(&self, sink: Option<TraceSink>) {
        let before = std::mem::replace(&mut *self.trace.lock(), sink);
        drop(before);
    }
}
