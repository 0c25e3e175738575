//! A conversation as a value that outlives the process, and what it is held against when it comes back.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    History,
    call_ids::CallIds,
    fold::Head,
    ledger::Entry,
    message::{calls, role},
};
use crate::act::{Arguments, Code, Receipt};

/// The form that is written here. Another one is not guessed at.
const VERSION: u32 = 1;

/// A conversation to be taken up again after a restart: [`super::super::Session::checkpoint`] makes it, any serde
/// format keeps it (eframe's storage, a file), [`super::super::Session::restore`] takes it.
///
/// It holds what was said and what was done. It never holds the page, an observation, a key, an open question, a
/// grant, or what goes into a sensitive input.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Stored", try_from = "Stored")]
pub struct Checkpoint(History);

/// A checkpoint that cannot be taken up. The conversation there is stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointError(String);

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// The conversation, without the message that is made of the head.
    #[serde(default)]
    messages: Vec<Value>,
    #[serde(default)]
    head: Option<Head>,
    #[serde(default)]
    entries: Vec<Entry>,
}

impl Checkpoint {
    /// Reads the text of [`Self::to_json`].
    ///
    /// # Errors
    /// Text that is damaged, or was written by another version.
    pub fn from_json(text: &str) -> Result<Self, CheckpointError> {
        serde_json::from_str(text).map_err(|error| CheckpointError(format!("the checkpoint is damaged: {error}")))
    }

    /// One line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings, numbers and maps with string keys: there is nothing that JSON could refuse.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.messages.is_empty()
    }

    /// The messages in OpenAI form, as a request would carry them.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.0.messages
    }

    /// The conversation as it is now. Calls without a result were not executed; of one that is just being executed
    /// nobody can know when it is read again.
    pub(in crate::agent) fn of(history: &History, being_executed: Option<&str>) -> Self {
        let mut history = history.clone();
        if let Some(id) = being_executed.filter(|id| history.open_calls().next() == Some(id)) {
            let words = "the application closed while this ran; whether it took effect is not known: look at the page";
            history.push_result(&Receipt::refused(id, Code::Cancelled, words), usize::MAX);
        }
        history.close("The application was closed here.");
        Self(history)
    }

    pub(in crate::agent) fn into_history(self) -> History {
        self.0
    }
}

impl History {
    /// Takes up another conversation. The ids of this one stay used up.
    pub(in crate::agent) fn replace(&mut self, other: Self) {
        let mut ids = std::mem::take(&mut self.ids);
        *self = other;
        ids.extend(std::mem::take(&mut self.ids));
        self.ids = ids;
    }
}

impl From<Checkpoint> for Stored {
    fn from(Checkpoint(history): Checkpoint) -> Self {
        let mut messages = history.messages;
        if history.head.is_some() {
            messages.drain(..1);
        }
        Self {
            version: VERSION,
            messages,
            head: history.head,
            entries: history.entries,
        }
    }
}

impl TryFrom<Stored> for Checkpoint {
    type Error = CheckpointError;

    fn try_from(stored: Stored) -> Result<Self, CheckpointError> {
        if stored.version != VERSION {
            return Err(CheckpointError(format!(
                "the checkpoint has version {}, and this program reads version {VERSION}",
                stored.version
            )));
        }
        let mut messages = stored.messages;
        if let Some(head) = &stored.head {
            messages.insert(0, head.message());
        }
        let ids =
            ids_of_valid(&messages).map_err(|why| CheckpointError(format!("the checkpoint is damaged: {why}")))?;
        Ok(Self(History {
            messages,
            head: stored.head,
            entries: stored.entries,
            open: Default::default(),
            ids: CallIds::of(ids),
        }))
    }
}

/// The call ids of a conversation that may be sent, or what is wrong with it.
fn ids_of_valid(messages: &[Value]) -> Result<BTreeSet<String>, String> {
    let mut ids = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    let mut previous = "";
    for (index, message) in messages.iter().enumerate() {
        let wrong = |what: &str| Err(format!("message {index}: {what}"));
        let role = role(message);
        let follows = match role {
            "user" => matches!(previous, "" | "assistant"),
            "assistant" => matches!(previous, "user" | "tool"),
            "tool" => !open.is_empty(),
            _ => return wrong("no role that a conversation has"),
        };
        if !follows || (role != "tool" && !open.is_empty()) {
            return wrong("it cannot follow the one before it");
        }
        let text_is_due = role != "assistant" || calls(message).next().is_none();
        if text_is_due && !message["content"].is_string() {
            return wrong("it has no text");
        }
        if role == "tool" && message["tool_call_id"].as_str() != open.pop() {
            return wrong("it answers another call than the one that is due");
        }
        for call in calls(message).filter(|_| role == "assistant") {
            let id = call["id"].as_str().unwrap_or_default();
            let arguments = call["function"]["arguments"].as_str().map(Arguments::parse);
            let is_sound = !id.is_empty()
                && call["function"]["name"].is_string()
                && matches!(arguments, Some(Arguments::Object(_)))
                && ids.insert(id.to_owned());
            if !is_sound {
                return wrong("a call without an id of its own, a name or arguments");
            }
            open.insert(0, id);
        }
        previous = role;
    }
    match open.is_empty() {
        true => Ok(ids),
        false => Err("a call has no result".to_owned()),
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CheckpointError {}
