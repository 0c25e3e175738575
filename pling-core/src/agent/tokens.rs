//! What the parts of a request cost. The one place that estimates for a session.

use serde_json::Value;

use crate::{llm::estimate_tokens, observe::Observation};

/// What a provider adds around each message: role and marks.
const PER_MESSAGE: usize = 4;

/// The tokens of one message, calls included.
pub(super) fn of_message(message: &Value) -> usize {
    estimate_tokens(&message.to_string()) + PER_MESSAGE
}

/// The tokens of a page: its text and its tools.
pub(super) fn of_observation(seen: &Observation) -> usize {
    let tools = seen
        .tools
        .iter()
        .map(|tool| estimate_tokens(&tool.to_json().to_string()));
    estimate_tokens(&seen.text) + tools.sum::<usize>()
}

/// The tokens of a text.
pub(super) fn of_text(text: &str) -> usize {
    estimate_tokens(text)
}
