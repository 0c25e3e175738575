//! One run as a step machine without IO: [`Run::next_step`] says what to do, and the answer is fed back.
//!
//! ```text
//! Observe ──observed──▶ CallModel ──replied──▶ Execute ──executed──▶ … ──▶ Observe
//!                                      └─────────▶ Finish
//! ```
//!
//! [`Run::cancelled`] may be fed at any time, and nothing changes once the run is finished. Whatever happens, each
//! call id has exactly one result, and the history is one that a provider accepts.

mod progress;
mod reply;
mod shown;

use std::{collections::VecDeque, sync::Arc};

use super::{
    Limits,
    event::{End, Event, Outcome, code},
    history::History,
};
use crate::{
    act::{Arguments, Call, Code, Receipt, Refusal},
    llm::{LlmError, Reply},
    observe::Observation,
    snapshot::Changes,
};
use progress::{Progress, Repetition};

const CANCELLED: &str = "not executed: cancelled";
const SKIPPED: &str = "not executed: an earlier call of the same reply stopped the rest";

/// What to do next. Exhaustive: a driver handles every step.
#[derive(Clone, Debug)]
pub enum Step {
    /// Look at the page, then [`Run::observed`].
    Observe,
    /// Ask the model with this observation and [`Run::history`], then [`Run::replied`].
    CallModel(Arc<Observation>),
    /// Take this call to the executor, then [`Run::executed`].
    Execute(Call),
    /// It is over.
    Finish(Outcome),
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunLimits {
    /// Replies; requests that are sent again do not count.
    pub max_turns: u32,
    /// Tokens of one tool result.
    pub max_tool_result_tokens: usize,
}

impl From<&Limits> for RunLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            max_turns: limits.max_turns,
            max_tool_result_tokens: limits.observation.max_tool_result_tokens,
        }
    }
}

/// One message of the user and all that follows from it.
#[derive(Clone, Debug)]
pub struct Run {
    history: History,
    limits: RunLimits,
    phase: Phase,
    turns: u32,
    cut_replies: u32,
    empty_replies: u32,
    progress: Progress,
    receipts: Vec<Receipt>,
    events: Vec<Event>,
}

/// Where a run is, with what that place needs.
#[derive(Clone, Debug)]
enum Phase {
    Observing,
    Asking(Arc<Observation>),
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
            turns: 0,
            cut_replies: 0,
            empty_replies: 0,
            progress: Progress::default(),
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

    /// Feeds back a look at the page. Ignored unless the step was [`Step::Observe`].
    pub fn observed(&mut self, observed: Result<Arc<Observation>, Refusal>) {
        if !matches!(self.phase, Phase::Observing) {
            return;
        }
        match observed {
            Ok(observation) => {
                self.progress.look(&observation);
                self.phase = Phase::Asking(observation);
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
            Err(error) => self.fail(error.kind.as_str(), error.message),
            Ok(reply) => {
                self.turns += 1;
                self.take_reply(&reply, &observation);
            }
        }
    }

    /// Feeds back the receipt of the call of [`Step::Execute`]. Any other receipt is ignored.
    pub fn executed(&mut self, receipt: Receipt) {
        let Phase::Executing(calls) = &mut self.phase else {
            return;
        };
        if calls.front().is_none_or(|call| call.id != receipt.call_id) {
            return;
        }
        calls.pop_front();
        if receipt.changed.as_ref().is_some_and(Changes::observed) {
            self.progress.clear();
        }
        let stopped = match receipt.code() {
            Some(Code::Cancelled) => Some((Code::Cancelled, CANCELLED)),
            _ if receipt.stops_batch() => Some((Code::Skipped, SKIPPED)),
            _ => None,
        };
        self.settle(receipt);
        if let Some((code, words)) = stopped {
            self.settle_rest(code, words);
        }
        self.run_batch();
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

    /// Goes on with the batch until something has to be executed, or to the next turn.
    fn run_batch(&mut self) {
        while let Phase::Executing(calls) = &mut self.phase {
            let Some(call) = calls.front() else {
                return self.next_turn();
            };
            let repetition = self.progress.repeat(self.turns, call);
            let Some(refusal) = refused_unseen(call, repetition) else {
                return;
            };
            calls.pop_front();
            self.settle(refusal);
            if repetition == Repetition::Hopeless {
                self.settle_rest(Code::Skipped, "not executed: the run was stopped");
                return self.stop(
                    code::no_progress(),
                    "the same call was repeated on a page that does not change",
                );
            }
        }
    }

    fn next_turn(&mut self) {
        if self.turns >= self.limits.max_turns {
            self.notice(
                code::TURN_LIMIT,
                format!("stopped after {} replies (limits.maxTurns)", self.turns),
            );
            self.finish(None, End::TurnLimit, "Stopped: the turn limit was reached.");
        } else {
            self.phase = Phase::Observing;
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

    /// Gives every call without a result the same one.
    fn settle_rest(&mut self, code: Code, words: &str) {
        if let Phase::Executing(calls) = &mut self.phase {
            for call in std::mem::take(calls) {
                self.settle(Receipt::refused(call.id, code, words));
            }
        }
    }

    /// The one place where a call gets its result.
    fn settle(&mut self, receipt: Receipt) {
        if self.history.push_result(&receipt, self.limits.max_tool_result_tokens) {
            self.events.push(Event::Receipt {
                id: receipt.call_id.clone(),
                receipt: Arc::new(receipt.clone()),
            });
            self.receipts.push(receipt);
        }
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
            end,
        };
        self.events.push(Event::RunFinished(outcome.clone()));
        self.phase = Phase::Finished(outcome);
    }
}

/// The receipt of a call that no executor has to see.
fn refused_unseen(call: &Call, repetition: Repetition) -> Option<Receipt> {
    let (code, words) = match (repetition, &call.arguments) {
        (Repetition::Futile | Repetition::Hopeless, _) => (
            Code::NoProgress,
            "not executed: the same call again, on a page that does not change; do something else".to_owned(),
        ),
        (Repetition::Fine, Arguments::Invalid { why, .. }) => (Code::InvalidArguments, format!("not executed: {why}")),
        (Repetition::Fine, Arguments::Object(_)) => return None,
    };
    Some(Receipt::refused(call.id.clone(), code, words))
}
