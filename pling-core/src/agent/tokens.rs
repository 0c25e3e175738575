//! What the parts of a request cost. The one place that estimates for a session.

use serde_json::Value;

use crate::{
    llm::{Estimate, TokenEstimate as _},
    observe::Observation,
};

/// The tokens of one message, calls included.
pub(super) fn of_message(message: &Value) -> usize {
    Estimate.message(message)
}

/// The tokens of a page: its text and its tools.
pub(super) fn of_observation(seen: &Observation) -> usize {
    Estimate.tokens(&seen.text) + Estimate.tools(&seen.tools)
}

/// The tokens of a text.
pub(super) fn of_text(text: &str) -> usize {
    Estimate.tokens(text)
}
