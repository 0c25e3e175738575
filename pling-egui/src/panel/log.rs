//! The conversation as it is drawn.

use std::{collections::VecDeque, sync::Arc};

use super::{activity::Activity, markdown::Text, strings::Strings};

/// What is drawn. A value: a pass holds one while the next one is made.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Oldest first.
    pub(super) entries: VecDeque<Arc<Entry>>,
    /// Entries that went because there were too many.
    pub(super) dropped: usize,
    /// Messages of the user that wait for the run in front of them.
    pub(super) queued: VecDeque<Arc<str>>,
}

/// One entry.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Unique in the transcript: what ids are made of.
    pub(super) serial: u64,
    /// Grows whenever the entry changes.
    pub(super) revision: u32,
    /// What is shown.
    pub(super) what: What,
}

/// What an entry shows. All texts are ready to draw.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The user's message.
    User(String),
    /// The assistant's words.
    Words(Text),
    /// A call and what became of it.
    Activity(Box<Activity>),
    /// Something to know.
    Notice(String),
    /// Why a run failed.
    Error {
        /// The stable code.
        code: &'static str,
        /// What happened.
        message: String,
        /// What to do about it.
        fix: String,
    },
}

impl Log {
    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.queued.is_empty()
    }

    /// Whether the last entry shows that something is under way.
    pub(super) fn says_it_goes_on(&self) -> bool {
        self.entries.back().is_some_and(|last| match &last.what {
            What::Words(text) => text.open,
            What::Activity(activity) => activity.is_under_way(),
            _ => false,
        })
    }
}

impl Entry {
    /// Whether more of it is coming in.
    pub(super) fn is_open(&self) -> bool {
        matches!(&self.what, What::Words(text) if text.open)
    }
}

/// What the user can do about a failed run.
pub(super) fn fix(say: &Strings, code: &str) -> String {
    match code {
        "NOT_CONFIGURED" => say.fix_not_configured(),
        "AUTH" => say.fix_auth(),
        "MODEL_NOT_FOUND" => say.fix_model_not_found(),
        "RATE_LIMITED" => say.fix_rate_limited(),
        "QUOTA" => say.fix_quota(),
        "CONTEXT_LENGTH" => say.fix_context_length(),
        "CONTENT_FILTER" => say.fix_content_filter(),
        "SERVER" => say.fix_server(),
        "NETWORK" => say.fix_network(),
        "PROTOCOL" => say.fix_protocol(),
        "BUDGET_EXCEEDED" => say.fix_budget_exceeded(),
        "NO_PROGRESS" => say.fix_no_progress(),
        _ => say.fix_other(),
    }
}
