//! One run as a step machine without IO: [`Run::next_step`] says what to do, and the answer is fed back.
//!
//! ```text
//! Observe ──observed──▶ CallModel ──replied──▶ Execute ──executed──▶ … ──▶ Observe
//!             │  ▲ summarized      └─────────▶ Finish
//!             ▼  │
//!           Summarize, where the request would not fit
//! ```
//!
//! [`Run::cancelled`] may be fed at any time, and nothing changes once the run is finished. Whatever happens, each
//! call id has exactly one result, and the history is one that a provider accepts.

mod batch;
mod fold;
mod limits;
mod progress;
mod reply;
mod shown;
mod spend;

use std::{collections::VecDeque, sync::Arc};

use super::{
    event::{End, Event, Outcome, code},
    history::History,
};
use crate::{
    act::{Call, Code, Receipt, Refusal},
    llm::{ErrorKind, LlmError, Reply},
    observe::Observation,
};
use fold::Folding;
pub use fold::Summarize;
pub use limits::RunLimits;
use progress::Progress;
use shown::Secrets;
pub use spend::Spent;

const CANCELLED: &str = "not executed: cancelled";

/// What to do next. Exhaustive: a driver handles every step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Look at the page, then [`Run::observed`].
    Observe,
    /// Ask the model with this observation and [`Run::history`], then [`Run::replied`].
    CallModel(Arc<Observation>),
    /// Ask the model for this summary, then [`Run::summarized`].
    Summarize(Arc<Summarize>),
    /// Take this call to the executor, then [`Run::executed`].
    Execute(Call),
    /// It is over.
    Finish(Outcome),
}

/// One message of the user and all that follows from it.
#[derive(Clone, Debug)]
pub struct Run {
    history: History,
    limits: RunLimits,
    phase: Phase,
    spent: Spent,
    /// What our token estimates are multiplied with.
    factor: f64,
    /// A fold failed, and is not tried again in this run.
    fold_failed: bool,
    /// The request that is open was refused as too long already.
    forced: bool,
    cut_replies: u32,
    empty_replies: u32,
    progress: Progress,
    secrets: Secrets,
    receipts: Vec<Receipt>,
    events: Vec<Event>,
}

/// Where a run is, with what that place needs.
#[derive(Clone, Debug)]
enum Phase {
    Observing,
    Asking(Arc<Observation>),
    Folding(Folding),
    /// The calls of one reply that have no result yet, in order; the first is the one to execute.
    Executing(VecDeque<Call>),
    Finished(Outcome),
}

impl Run {
    /// Begins with what the user said, on top of the conversation so far.
    #[must_use]
    pub fn new(mut history: History, text: &str, limits: RunLimits) -> Self {
        history.push_user(text);
        Self {
            history,
            limits,
            phase: Phase::Observing,
            spent: Spent::default(),
            factor: 1.0,
            fold_failed: false,
            forced: false,
            cut_replies: 0,
            empty_replies: 0,
            progress: Progress::default(),
            secrets: Secrets::default(),
            receipts: Vec::new(),
            events: vec![Event::RunStarted, Event::UserMessage { text: text.to_owned() }],
        }
    }

    /// What to do next. The same until something is fed back.
    #[must_use]
    pub fn next_step(&self) -> Step {
        match &self.phase {
            Phase::Observing => Step::Observe,
            Phase::Asking(observation) => Step::CallModel(Arc::clone(observation)),
            Phase::Folding(folding) => Step::Summarize(Arc::clone(&folding.request)),
            Phase::Executing(calls) => match calls.front() {
                Some(call) => Step::Execute(call.clone()),
                None => Step::Observe,
            },
            Phase::Finished(outcome) => Step::Finish(outcome.clone()),
        }
    }

    /// The conversation as it stands; what a request is made of.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Gives the conversation back, for the next run.
    #[must_use]
    pub fn into_history(self) -> History {
        self.history
    }

    /// What happened since this was last asked.
    #[must_use = "events are told once"]
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Takes what the provider's counts say of our token estimates: a factor, 1 to begin with.
    pub fn calibrate(&mut self, factor: f64) {
        self.factor = factor;
    }

    /// Feeds back a look at the page. Ignored unless the step was [`Step::Observe`].
    pub fn observed(&mut self, observed: Result<Arc<Observation>, Refusal>) {
        if !matches!(self.phase, Phase::Observing) {
            return;
        }
        match observed {
            Ok(observation) => {
                self.progress.look(&observation);
                self.secrets.look(&observation);
                self.ask(observation);
            }
            Err(refusal) => self.fail(refusal.code.as_str(), refusal.message),
        }
    }

    /// Feeds back a reply, or why there is none. Ignored unless the step was [`Step::CallModel`].
    pub fn replied(&mut self, reply: Result<Reply, LlmError>) {
        let Phase::Asking(observation) = &self.phase else {
            return;
        };
        let observation = Arc::clone(observation);
        match reply {
            Err(error) if error.kind == ErrorKind::ContextLength => self.too_long(observation, error),
            Err(error) => self.fail(error.kind.as_str(), error.message),
            Ok(reply) => {
                self.forced = false;
                self.spent.turns += 1;
                self.spend(reply.usage);
                self.take_reply(&reply, &observation);
            }
        }
    }

    /// The user stops the run. Whatever has no result is `CANCELLED`.
    pub fn cancelled(&mut self) {
        self.settle_rest(Code::Cancelled, CANCELLED);
        self.finish(None, End::Cancelled, "Stopped by the user.");
    }

    /// The run cannot go on. Whatever has no result is `CANCELLED`.
    pub fn fail(&mut self, code: &'static str, message: impl Into<String>) {
        if self.is_finished() {
            return;
        }
        let message = message.into();
        self.settle_rest(Code::Cancelled, CANCELLED);
        self.events.push(Event::Error {
            code,
            message: message.clone(),
        });
        self.finish(None, End::Failed { code, message }, "The run failed here.");
    }

    fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished(_))
    }

    fn next_turn(&mut self) {
        match self.exhausted() {
            None => self.phase = Phase::Observing,
            Some((code::TURN_LIMIT, words)) => {
                self.notice(code::TURN_LIMIT, words);
                self.finish(None, End::TurnLimit, "Stopped: the turn limit was reached.");
            }
            Some((_, words)) => self.over_budget(words),
        }
    }

    fn stop(&mut self, code: &'static str, message: impl Into<String>) {
        self.notice(code, message);
        self.finish(None, End::Stopped { code }, "Stopped: no progress was made.");
    }

    fn notice(&mut self, code: &'static str, message: impl Into<String>) {
        self.events.push(Event::Notice {
            code,
            message: message.into(),
        });
    }

    /// The one place where a run ends.
    fn finish(&mut self, answer: Option<String>, end: End, note: &str) {
        if self.is_finished() {
            return;
        }
        self.history.close(note);
        let outcome = Outcome {
            answer,
            receipts: std::mem::take(&mut self.receipts),
            spent: self.spent,
            end,
        };
        self.events.push(Event::RunFinished(outcome.clone()));
        self.phase = Phase::Finished(outcome);
    }
}
