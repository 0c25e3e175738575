//! The conversation, in the form it is sent in, and what must always hold of it.
//!
//! - An assistant message with calls is followed by exactly one result for each call id, in order.
//! - Two user messages never follow each other: the second is joined to the first by a blank line.
//! - A user message never follows a result: strict templates refuse that, so a run that ends there says so in between.
//! - Arguments are the text of a JSON object, whatever the model wrote.
//! - The page and its rules are not in here: they are made anew for each request.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::{
    act::{Arguments, Code, Receipt},
    llm::{Reply, ToolCall},
};

/// How much of unreadable arguments is kept, in characters: enough for the model to see its mistake.
const MAX_UNREADABLE_CHARS: usize = 400;

/// The longest function name that providers take.
const MAX_NAME_CHARS: usize = 64;

/// The conversation. A request may be made of it whenever no call is open.
#[derive(Clone, Debug, Default)]
pub struct History {
    messages: Vec<Value>,
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

    /// Adds what the user said. Calls left open are answered first: they did not run.
    pub fn push_user(&mut self, text: &str) {
        self.close("The run ended here.");
        if let Some(last) = self.messages.last_mut()
            && last["role"] == "user"
            && let Some(earlier) = last["content"].as_str()
        {
            last["content"] = format!("{earlier}\n\n{text}").into();
            return;
        }
        self.messages.push(json!({ "role": "user", "content": text }));
    }

    /// Adds a reply, with calls under ids that are unique in this conversation, and returns them so.
    /// A reply that says nothing adds nothing.
    pub fn push_reply(&mut self, reply: &Reply) -> Vec<ToolCall> {
        self.close_open_calls();
        let calls: Vec<_> = reply.calls.iter().map(|call| self.ids.adopt(call)).collect();
        if calls.is_empty() && reply.text.trim().is_empty() {
            return calls;
        }
        self.messages.push(assistant_message(reply, &calls));
        self.open = calls.iter().map(|call| call.id.clone()).collect();
        calls
    }

    /// Adds the result of the call that is next in order. Any other call's is ignored: it has one, or never will.
    pub fn push_result(&mut self, receipt: &Receipt, max_tokens: usize) -> bool {
        let expected = self.open.front().is_some_and(|id| *id == receipt.call_id);
        debug_assert!(expected, "a result out of order");
        if expected {
            self.open.pop_front();
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
        if self.messages.last().is_some_and(|last| last["role"] == "tool") {
            self.messages
                .push(json!({ "role": "assistant", "content": format!("({note})") }));
        }
    }

    /// Forgets the conversation. Call ids stay used up, so that a late answer finds no call.
    pub fn clear(&mut self) {
        self.messages.clear();
        self.open.clear();
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

/// Call ids used so far in a session. Providers leave them out, and repeat them.
#[derive(Clone, Debug, Default)]
struct CallIds {
    used: BTreeSet<String>,
    made_up: u64,
}

impl CallIds {
    /// The call under its own id where that is new, or under one made up.
    fn adopt(&mut self, call: &ToolCall) -> ToolCall {
        let mut call = call.clone();
        while call.id.trim().is_empty() || self.used.contains(&call.id) {
            self.made_up += 1;
            // Nine letters and digits: the strictest form that providers ask for.
            call.id = format!("call{:05}", self.made_up);
        }
        self.used.insert(call.id.clone());
        call
    }
}

/// The message that goes back with the next request, with calls as they are known here.
fn assistant_message(reply: &Reply, calls: &[ToolCall]) -> Value {
    let mut kept = reply.clone();
    kept.calls = calls
        .iter()
        .map(|call| ToolCall {
            id: call.id.clone(),
            name: valid_name(&call.name),
            arguments: bounded_arguments(&call.arguments),
        })
        .collect();
    kept.to_message()
}

/// The name in a form that providers take back, whatever the model wrote.
fn valid_name(name: &str) -> String {
    let valid: String = name
        .chars()
        .take(MAX_NAME_CHARS)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if valid.is_empty() { "_".to_owned() } else { valid }
}

/// The arguments as the model wrote them; of what is no JSON object only the beginning.
fn bounded_arguments(text: &str) -> String {
    match Arguments::parse(text) {
        Arguments::Object(_) => text.trim().to_owned(),
        Arguments::Invalid { raw, .. } => raw.chars().take(MAX_UNREADABLE_CHARS).collect(),
    }
}
