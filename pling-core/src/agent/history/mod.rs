//! The conversation, in the form it is sent in, and what must always hold of it.
//!
//! - An assistant message with calls is followed by exactly one result for each call id, in order.
//! - Two user messages never follow each other: the second is joined to the first by a blank line.
//! - A user message never follows a result: strict templates refuse that, so a run that ends there says so in between.
//! - Arguments are the text of a JSON object, whatever the model wrote; what goes into a sensitive input is masked.
//! - Where older messages were folded, the first message is made of the [`Head`] beside them.
//! - The page and its rules are not in here: they are made anew for each request.

mod call_ids;
mod fold;
mod ledger;
mod message;
mod stored;

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::tokens;
use crate::{
    act::{Code, Receipt},
    llm::{Reply, ToolCall},
};
use call_ids::CallIds;
pub(super) use fold::Cut;
use fold::Head;
use ledger::Entry;
pub(super) use message::{calls, inert, role, text};
pub use stored::{Checkpoint, CheckpointError};

/// The conversation. A request may be made of it whenever no call is open.
#[derive(Clone, Debug, Default)]
pub struct History {
    messages: Vec<Value>,
    /// What the first message is made of, where older ones were folded.
    head: Option<Head>,
    /// What was done by the calls of these messages, in order.
    entries: Vec<Entry>,
    /// Call ids of the last assistant message that have no result yet, in order.
    open: VecDeque<String>,
    ids: CallIds,
}

impl History {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The messages in OpenAI form: user, assistant and tool; no system message.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// The calls that have no result yet, in order.
    pub fn open_calls(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(String::as_str)
    }

    /// What the messages cost, by the estimate of [`crate::llm::estimate_tokens`].
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.messages.iter().map(tokens::of_message).sum()
    }

    /// Adds what the user said. Calls left open are answered first: they did not run.
    pub fn push_user(&mut self, text: &str) {
        self.close("The run ended here.");
        match &mut self.messages[..] {
            [only] if let Some(head) = &mut self.head => {
                head.own = Some(joined(head.own.as_deref(), text));
                *only = head.message();
            }
            [.., last] if role(last) == "user" => {
                last["content"] = joined(last["content"].as_str(), text).into();
            }
            _ => self.messages.push(message::user(text)),
        }
    }

    /// Adds a reply, with calls under ids that are unique in this conversation, and returns them so.
    /// A reply that says nothing adds nothing.
    pub fn push_reply(&mut self, reply: &Reply) -> Vec<ToolCall> {
        self.push_reply_masked(reply, |call| call.arguments.clone())
    }

    /// As [`Self::push_reply`], keeping of each call's arguments what `shown` says. The calls returned are unchanged.
    pub(super) fn push_reply_masked(&mut self, reply: &Reply, shown: impl Fn(&ToolCall) -> String) -> Vec<ToolCall> {
        self.close_open_calls();
        let calls: Vec<_> = reply.calls.iter().map(|call| self.ids.adopt(call)).collect();
        if calls.is_empty() && reply.text.trim().is_empty() {
            return calls;
        }
        let kept: Vec<_> = calls
            .iter()
            .map(|call| ToolCall {
                arguments: shown(call),
                ..call.clone()
            })
            .collect();
        self.messages.push(message::assistant(reply, &kept));
        self.open = calls.iter().map(|call| call.id.clone()).collect();
        calls
    }

    /// Adds the result of the call that is next in order. Any other call's is ignored: it has one, or never will.
    pub fn push_result(&mut self, receipt: &Receipt, max_tokens: usize) -> bool {
        let expected = self.open.front().is_some_and(|id| *id == receipt.call_id);
        debug_assert!(expected, "a result out of order");
        if expected {
            self.open.pop_front();
            let assistant = self.messages.iter().rfind(|message| role(message) == "assistant");
            let entry = assistant.and_then(|assistant| Entry::of(receipt, assistant));
            self.entries.extend(entry);
            self.messages.push(json!({
                "role": "tool",
                "tool_call_id": receipt.call_id,
                "content": receipt.to_text(max_tokens),
            }));
        }
        expected
    }

    /// Ends a run: open calls are answered, and where the model had no last word, `note` stands in for it.
    pub fn close(&mut self, note: &str) {
        self.close_open_calls();
        if self.messages.last().is_some_and(|last| role(last) == "tool") {
            self.messages
                .push(json!({ "role": "assistant", "content": format!("({note})") }));
        }
    }

    /// Forgets the conversation. Call ids stay used up, so that a late answer finds no call.
    pub fn clear(&mut self) {
        let Self {
            messages,
            head,
            entries,
            open,
            ids: _,
        } = self;
        messages.clear();
        *head = None;
        entries.clear();
        open.clear();
    }

    fn close_open_calls(&mut self) {
        while let Some(id) = self.open.front().cloned() {
            self.push_result(
                &Receipt::refused(id, Code::Cancelled, "not executed: cancelled"),
                usize::MAX,
            );
        }
    }
}

/// Two texts of the user as one, a blank line between them.
fn joined(earlier: Option<&str>, text: &str) -> String {
    match earlier {
        Some(earlier) => format!("{earlier}\n\n{text}"),
        None => text.to_owned(),
    }
}
