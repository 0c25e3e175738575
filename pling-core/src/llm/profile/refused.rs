//! Learning from a refusal: a provider that names a field it does not take gets the request again without it.
//!
//! Names of deployments and gateways hide which model is behind them, so no table is ever complete. Each change can be
//! made once, so a stubborn server costs a few requests and no more.

use super::{Profile, ToolContent};

/// Words with which servers refuse a field, as opposed to its value's size or a missing one.
const REFUSALS: &[&str] = &[
    "unsupported",
    "not support",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown",
    "unexpected",
    "extra_forbidden",
    "deprecated",
    "instead",
    "only",
];

impl Profile {
    /// Changes what the provider's words refuse; returns what was changed, in words. `None`: nothing in them can be met.
    pub(in crate::llm) fn adapt(&mut self, words: &str) -> Option<String> {
        let words = words.to_lowercase();
        if self.tool_content == ToolContent::Null && refuses_null(&words) {
            self.tool_content = ToolContent::Empty;
            return Some("empty content instead of null".to_owned());
        }
        if !REFUSALS.iter().any(|refusal| words.contains(refusal)) {
            return None;
        }
        if self.stream_usage && words.contains("stream_options") {
            self.stream_usage = false;
            return Some("without stream_options".to_owned());
        }
        if self.temperature && words.contains("temperature") {
            self.temperature = false;
            return Some("without temperature".to_owned());
        }
        if let Some(flag) = self
            .body
            .iter()
            .find_map(|(name, value)| (!value.is_null() && words.contains(&name.to_lowercase())).then(|| name.clone()))
        {
            self.body.insert(flag.clone(), serde_json::Value::Null);
            return Some(format!("without {flag}"));
        }
        let other = match &*self.output_limit {
            "max_tokens" => "max_completion_tokens",
            _ => "max_tokens",
        };
        // The field refused is named first: "'max_tokens' is not supported, use 'max_completion_tokens' instead".
        let first = ["max_tokens", "max_completion_tokens"]
            .into_iter()
            .filter_map(|field| Some((words.find(field)?, field)))
            .min();
        if first.is_some_and(|(_, field)| field == self.output_limit) {
            self.output_limit = other.into();
            return Some(format!("with {other}"));
        }
        None
    }
}

/// `invalid message content type: <nil>`, `Invalid value for 'content': expected a string, got null`.
fn refuses_null(words: &str) -> bool {
    words.contains("content")
        && ["<nil>", "null", "nonetype", "none is not"]
            .iter()
            .any(|null| words.contains(null))
}
