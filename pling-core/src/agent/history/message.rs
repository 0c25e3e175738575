//! Single messages in the form providers take.

use serde_json::{Value, json};

use crate::{
    act::Arguments,
    llm::{Reply, ToolCall},
};

/// How much of unreadable arguments is kept, in characters: enough for the model to see its mistake.
const MAX_UNREADABLE_CHARS: usize = 400;

/// The longest function name that providers take.
const MAX_NAME_CHARS: usize = 64;

/// What the user said.
pub(super) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// The message that goes back with the next request, with calls as they are known here.
pub(super) fn assistant(reply: &Reply, calls: &[ToolCall]) -> Value {
    let mut kept = reply.clone();
    kept.calls = calls
        .iter()
        .map(|call| ToolCall {
            name: valid_name(&call.name),
            arguments: bounded_arguments(&call.arguments),
            ..call.clone()
        })
        .collect();
    kept.to_message()
}

/// The role; empty where it is missing.
pub(in crate::agent) fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

/// The text; empty where there is none.
pub(in crate::agent) fn text(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}

/// The calls of an assistant message.
pub(in crate::agent) fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
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

/// Text of a model or page inside a message that we write: it can neither open nor close a section.
pub(in crate::agent) fn inert(text: &str) -> String {
    text.replace('<', "\\u003c").replace(['\n', '\r'], " ")
}
