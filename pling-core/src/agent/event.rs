//! What the user saw: the story of a session as it happens, and how each run ended.

use std::sync::Arc;

use serde_json::Value;

use super::Spent;
use crate::{
    act::{ActionRef, Approval, ApprovalOutcome, Arguments, Receipt},
    llm::ErrorKind,
};

/// Something that happened in a session. Cheap to clone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A run begins.
    RunStarted,
    /// The message it answers.
    UserMessage {
        /// The user's words.
        text: String,
    },
    /// More of the text that is being written. [`Self::Text`] repeats it whole; [`Self::Retry`] takes it back.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// A whole text of the assistant: the answer, or words beside calls.
    Text {
        /// The text.
        text: String,
    },
    /// The model asks for a call. Nothing has run yet.
    Call {
        /// The call's id, unique within the session.
        id: String,
        /// The action it means, where the observation offers such a tool.
        action: Option<ActionRef>,
        /// The tool's name as the model wrote it.
        tool: String,
        /// What it passes. Model's words; values of sensitive inputs are masked.
        arguments: Arguments,
    },
    /// A card is open: the user decides.
    ApprovalAsked(Approval),
    /// A card is closed.
    ApprovalDecided {
        /// The call's id.
        id: String,
        /// What it was about.
        action: ActionRef,
        /// The decision, or that it closed without one.
        decision: ApprovalOutcome,
    },
    /// What became of a call. Exactly one for each [`Self::Call`].
    Receipt {
        /// The call's id.
        id: String,
        /// The evidence.
        receipt: Arc<Receipt>,
    },
    /// Something the user should know that is no error.
    Notice {
        /// A stable code, such as `TURN_LIMIT`.
        code: &'static str,
        /// One sentence.
        message: String,
    },
    /// The run failed.
    Error {
        /// A stable code, such as `AUTH`.
        code: &'static str,
        /// What happened, with the provider's words.
        message: String,
    },
    /// A request is sent again: text written so far is void.
    Retry {
        /// Which retry this is, from 1.
        attempt: u32,
        /// Milliseconds until it is sent.
        wait_millis: u64,
        /// What failed.
        why: String,
    },
    /// Older messages were condensed, so that the next request fits.
    Compacted {
        /// How many messages went.
        messages: usize,
        /// Estimated tokens of the conversation before.
        tokens_before: usize,
        /// Estimated tokens of the conversation now.
        tokens_after: usize,
    },
    /// The conversation was forgotten.
    Reset,
    /// A conversation was taken up again from a checkpoint.
    Restored {
        /// What was said in it, in OpenAI form.
        messages: Arc<[Value]>,
    },
    /// The run is over.
    RunFinished(Outcome),
}

/// How a run ended, and what was done in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The model's last words, when it answered.
    pub answer: Option<String>,
    /// One receipt for each call, in order.
    pub receipts: Vec<Receipt>,
    /// What it took.
    pub spent: Spent,
    /// How it ended.
    pub end: End,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The model answered.
    Answered,
    /// The allowed number of replies was reached.
    TurnLimit,
    /// The user stopped it.
    Cancelled,
    /// It could not go on.
    Failed {
        /// A stable code, such as `NETWORK`.
        code: &'static str,
        /// What happened.
        message: String,
    },
    /// It was stopped because it led nowhere.
    Stopped {
        /// A stable code, such as `NO_PROGRESS`.
        code: &'static str,
    },
    /// The message was blank: there was no run.
    Ignored,
}

impl Outcome {
    pub(super) fn without_run(end: End) -> Self {
        Self {
            answer: None,
            receipts: Vec::new(),
            spent: Spent::default(),
            end,
        }
    }

    /// Whether the model answered.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.end == End::Answered
    }
}

/// Stable codes of notices and ends that no single call or request has.
pub(super) mod code {
    use super::ErrorKind;
    use crate::act::Code;

    /// The allowed number of replies was reached.
    pub(in crate::agent) const TURN_LIMIT: &str = "TURN_LIMIT";
    /// Older messages could not be condensed.
    pub(in crate::agent) const COMPACTION_FAILED: &str = "COMPACTION_FAILED";
    /// A budget is used up, or reply after reply is cut by the output limit.
    pub(in crate::agent) const BUDGET_EXCEEDED: &str = "BUDGET_EXCEEDED";

    /// The same call on an unchanged page, again and again.
    pub(in crate::agent) fn no_progress() -> &'static str {
        Code::NoProgress.as_str()
    }

    /// A reply that says nothing.
    pub(in crate::agent) fn protocol() -> &'static str {
        ErrorKind::Protocol.as_str()
    }
}
