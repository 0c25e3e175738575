//! The handle of a dialogue: everything a panel, a test or the app's own code does with it.
//!
//! Every method returns at once and holds no lock while it calls anybody, so a handle can be used inside any
//! closure of the application, from any thread. The work is done by the future that [`Session::new`] returns
//! beside the handle; a host spawns it, or polls it by hand.

mod cards;
mod sent;
mod shared;

use std::{fmt, sync::Arc};

use tokio::sync::mpsc;

pub use sent::Sent;
pub(super) use shared::{Command, Setup, Shared};

use super::{
    Checkpoint, Config, EventStream, History, Listener, OnEvent, Telemetry, TraceSink,
    driver::Driver,
    event::{End, Outcome},
};
use crate::{
    act::{Executor, Origin},
    llm::Llm,
    platform::MaybeSend,
};

/// What a session is made of.
#[non_exhaustive]
pub struct SessionParts {
    /// Takes calls through the gates.
    pub executor: Executor,
    /// Checked configuration.
    pub config: Config,
    /// The model. `None`: every `send` ends `NOT_CONFIGURED`.
    pub llm: Option<Arc<dyn Llm>>,
}

impl SessionParts {
    /// A session without a model.
    #[must_use]
    pub fn new(executor: Executor, config: Config) -> Self {
        Self {
            executor,
            config,
            llm: None,
        }
    }

    /// Sets the model.
    #[must_use]
    pub fn llm(mut self, llm: Arc<dyn Llm>) -> Self {
        self.llm = Some(llm);
        self
    }
}

impl fmt::Debug for SessionParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionParts")
            .field("executor", &self.executor)
            .field("config", &self.config)
            .field("llm", &self.llm.as_ref().map(|llm| llm.name()))
            .finish()
    }
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing.
    Idle,
    /// A message is being worked on, or waits to be.
    Running,
    /// A run was cancelled and has not stopped everywhere yet.
    Cancelled,
}

/// A dialogue; a cheap handle. The last handle gone, the driver finishes what was sent and ends.
#[derive(Clone)]
pub struct Session {
    shared: Arc<Shared>,
    commands: mpsc::UnboundedSender<Command>,
}

impl Session {
    /// A session, and the future that does its work: spawn it, or poll it by hand. Dropped, it takes all
    /// unfinished runs with it.
    pub fn new(parts: SessionParts) -> (Self, impl Future<Output = ()> + MaybeSend + 'static) {
        let (commands, inbox) = mpsc::unbounded_channel();
        let setup = Setup::new(parts.config, parts.llm);
        let shared = Arc::new(Shared::new(parts.executor.clone(), setup));
        let driver = Driver::new(parts.executor, Arc::clone(&shared), inbox);
        (Self { shared, commands }, driver.drive())
    }

    /// Sends a message. Messages are worked on one after the other; the future may be dropped. A blank text is
    /// ignored. While a card of this session is open, the message denies it, and is worked on after that run.
    pub fn send(&self, text: impl Into<String>) -> Sent {
        let text = text.into();
        if text.trim().is_empty() {
            return Sent::ready(Outcome::without_run(End::Ignored));
        }
        if let Some(call_id) = self.shared.executing() {
            self.deny(&call_id, Some(text.clone()));
        }
        self.shared.enqueue(&self.commands, text)
    }

    /// Stops the run under way, or the next in line, at the next safe point: what was delivered is reported, what
    /// was not never runs, open cards close, the connection to the model is closed. Messages behind it run.
    pub fn cancel(&self) {
        self.shared.cancel_first();
    }

    /// Begins a new conversation: every message sent so far is cancelled, its open cards close, grants are taken back,
    /// then the conversation is forgotten. Telemetry is kept.
    pub fn reset(&self) {
        self.shared.cancel_all();
        self.shared.set_continued(false);
        self.shared.approvals.revoke_of(&Origin::Assistant);
        self.shared.keep(&History::new());
        // Fails when the driver is gone, and the conversation with it.
        let _ = self.commands.send(Command::Reset);
    }

    /// The conversation as a value that outlives the process. In the middle of a run it is what was said and done so
    /// far, with calls that have no result as not executed, save the one that is being executed: that may have run.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        self.shared.checkpoint()
    }

    /// Takes up the conversation of a checkpoint in the place of this one, behind the messages sent so far.
    pub fn restore(&self, checkpoint: Checkpoint) {
        self.shared.set_continued(true);
        self.shared.keep(&checkpoint.clone().into_history());
        // Fails when the driver is gone, and no conversation goes on.
        let _ = self.commands.send(Command::Restore(Box::new(checkpoint)));
    }

    /// Whether the conversation goes on from a checkpoint: since [`Self::restore`], until [`Self::reset`].
    #[must_use]
    pub fn continuity(&self) -> bool {
        self.shared.is_continued()
    }

    /// What the session is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.shared.status()
    }

    /// What happens from now on, as a stream.
    #[must_use]
    pub fn events(&self) -> EventStream {
        self.shared.outlet.subscribe()
    }

    /// What happens from now on, as calls from the driver's task. It may use this handle; it should not block.
    pub fn on_event(&self, callback: OnEvent) -> Listener {
        self.shared.outlet.listen(callback)
    }

    /// Counts since the session began or since they were reset.
    #[must_use]
    pub fn telemetry(&self) -> Telemetry {
        self.shared.counter.snapshot()
    }

    /// Sets all counts to zero.
    pub fn reset_telemetry(&self) {
        self.shared.counter.reset();
    }

    /// Hands the exact body of each request to a sink from now on; `None` stops that.
    pub fn set_trace(&self, sink: Option<TraceSink>) {
        self.shared.set_trace(sink);
    }

    /// Takes another checked configuration and model: what the executor asks about and how long it waits from the next
    /// call on, everything else from the next run on.
    pub fn configure(&self, config: Config, llm: Option<Arc<dyn Llm>>) {
        self.shared.executor.configure(&config.policy());
        self.shared.set_setup(Setup::new(config, llm));
    }

    /// What the model is called. `None`: none is configured.
    #[must_use]
    pub fn model_name(&self) -> Option<String> {
        self.shared.setup().llm.as_ref().map(|llm| llm.name())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}
