//! Counts of what a session spent.

use parking_lot::Mutex;
use serde::Serialize;

use super::Price;
use crate::{llm::Usage, platform::Duration};

/// Counts since the session began or since they were reset.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Telemetry {
    /// Runs that ended.
    pub runs: u64,
    /// Requests to the model, those sent again included.
    pub model_calls: u64,
    /// Requests sent again.
    pub retries: u64,
    /// Calls that the model asked for.
    pub tool_calls: u64,
    /// Tokens of requests, as the provider counted.
    pub prompt_tokens: u64,
    /// Tokens of replies, as the provider counted.
    pub completion_tokens: u64,
    /// Tokens of requests and replies that no provider counted: an estimate.
    pub estimated_tokens: u64,
    /// What the replies cost by the configured prices, estimated tokens included.
    pub estimated_cost: f64,
    /// Replies of a model without a price: they are not in the cost.
    pub unpriced_replies: u64,
    /// Requests that failed for good.
    pub model_errors: u64,
    /// Calls that were refused or failed.
    pub tool_errors: u64,
    /// Time spent in runs, waiting for the user included.
    #[serde(rename = "durationMs", serialize_with = "millis")]
    pub duration: Duration,
}

pub(super) fn millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

impl Telemetry {
    /// The share of requests and calls that failed, 0 to 1.
    #[must_use]
    pub fn error_rate(&self) -> f64 {
        let all = self.model_calls + self.tool_calls;
        if all == 0 {
            0.0
        } else {
            (self.model_errors + self.tool_errors) as f64 / all as f64
        }
    }
}

/// Where the driver counts and handles look.
#[derive(Debug, Default)]
pub(super) struct Counter(Mutex<Telemetry>);

impl Counter {
    pub(super) fn snapshot(&self) -> Telemetry {
        self.0.lock().clone()
    }

    pub(super) fn reset(&self) {
        *self.0.lock() = Telemetry::default();
    }

    pub(super) fn request(&self) {
        self.0.lock().model_calls += 1;
    }

    pub(super) fn retry(&self) {
        let mut counts = self.0.lock();
        counts.model_calls += 1;
        counts.retries += 1;
    }

    pub(super) fn reply(&self, usage: Usage, counted: bool, price: Option<Price>) {
        let mut counts = self.0.lock();
        if counted {
            counts.prompt_tokens = counts.prompt_tokens.saturating_add(usage.prompt_tokens);
            counts.completion_tokens = counts.completion_tokens.saturating_add(usage.completion_tokens);
        } else {
            let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
            counts.estimated_tokens = counts.estimated_tokens.saturating_add(tokens);
        }
        counts.estimated_cost += price.map_or(0.0, |price| price.of(usage));
        counts.unpriced_replies += u64::from(price.is_none());
    }

    pub(super) fn failed_reply(&self) {
        self.0.lock().model_errors += 1;
    }

    pub(super) fn receipt(&self, ok: bool) {
        let mut counts = self.0.lock();
        counts.tool_calls += 1;
        counts.tool_errors += u64::from(!ok);
    }

    pub(super) fn run(&self, duration: Duration) {
        let mut counts = self.0.lock();
        counts.runs += 1;
        counts.duration += duration;
    }
}
