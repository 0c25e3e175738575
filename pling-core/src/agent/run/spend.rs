//! What a run may spend, and what it has spent: replies, tokens, money, time.

use serde::Serialize;

use super::Run;
use crate::{
    agent::{
        Limits, Price,
        event::{End, code},
    },
    llm::Usage,
    platform::Duration,
};

/// What a run has spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Spent {
    /// Replies of the model, summaries aside.
    pub turns: u32,
    /// Tokens of requests and replies, summaries included.
    pub tokens: u64,
    /// Estimated cost, in the unit of the configured prices; 0 for a model without a price.
    pub cost: f64,
    /// Time at work: waiting for the user does not count.
    #[serde(rename = "workedMs", serialize_with = "crate::agent::telemetry::millis")]
    pub worked: Duration,
}

/// What a run may spend; 0 is no bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Allowance {
    pub(super) tokens: u64,
    pub(super) cost: f64,
    pub(super) time: Duration,
    pub(super) price: Option<Price>,
}

impl From<&Limits> for Allowance {
    fn from(limits: &Limits) -> Self {
        Self {
            tokens: limits.max_run_tokens,
            cost: limits.max_run_cost,
            time: Duration::from_millis(limits.max_run_ms),
            price: None,
        }
    }
}

impl Run {
    /// What the run has spent so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.spent
    }

    /// Feeds back time that passed at work. A run that is over its time stops before the next call or request.
    pub fn worked(&mut self, time: Duration) {
        self.spent.worked = self.spent.worked.saturating_add(time);
    }

    /// How long the run may still work. `None`: as long as it takes.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let allowed = self.limits.allowance.time;
        (!allowed.is_zero()).then(|| allowed.saturating_sub(self.spent.worked))
    }

    /// Feeds back that the time ran out in the middle of a step. Whatever has no result is `SKIPPED`.
    pub fn out_of_time(&mut self) {
        let time = self.limits.allowance.time;
        self.over_budget(time_words(time));
    }

    pub(super) fn spend(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else { return };
        let tokens = usage.prompt_tokens.saturating_add(usage.completion_tokens);
        self.spent.tokens = self.spent.tokens.saturating_add(tokens);
        self.spent.cost += self.limits.allowance.price.map_or(0.0, |price| price.of(usage));
    }

    /// Why there is no next turn. `None`: there is one.
    pub(super) fn exhausted(&self) -> Option<(&'static str, String)> {
        let (allowed, spent) = (self.limits.allowance, self.spent);
        if spent.turns >= self.limits.max_turns {
            let words = format!("stopped after {} replies (limits.maxTurns)", spent.turns);
            return Some((code::TURN_LIMIT, words));
        }
        let over = if allowed.tokens > 0 && spent.tokens >= allowed.tokens {
            format!("stopped after {} tokens (limits.maxRunTokens)", spent.tokens)
        } else if allowed.cost > 0.0 && spent.cost >= allowed.cost {
            format!("stopped at an estimated cost of {:.4} (limits.maxRunCost)", spent.cost)
        } else if self.is_out_of_time() {
            time_words(allowed.time)
        } else {
            return None;
        };
        Some((code::BUDGET_EXCEEDED, over))
    }

    pub(super) fn is_out_of_time(&self) -> bool {
        self.time_left().is_some_and(|left| left.is_zero())
    }

    pub(super) fn over_budget(&mut self, words: String) {
        if !self.is_finished() {
            self.skip_rest("not executed: the run used up its budget");
            self.notice(code::BUDGET_EXCEEDED, words);
            let end = End::Stopped {
                code: code::BUDGET_EXCEEDED,
            };
            self.finish(None, end, "Stopped: the budget of the run was used up.");
        }
    }
}

fn time_words(time: Duration) -> String {
    format!("stopped after {} s at work (limits.maxRunMs)", time.as_secs_f64())
}
