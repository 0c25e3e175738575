//! Which values make sense. An error names the field by its path and says what is expected.

use std::ops::RangeInclusive;

use super::{Config, ConfigError};
use crate::observe::Budget;

/// The least room for a tool result in which a refusal with its code and reason still fits, in tokens.
const MIN_TOOL_RESULT_TOKENS: usize = 64;

impl Config {
    /// Checks the endpoint and every bound.
    ///
    /// # Errors
    /// The first field that has no usable value.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.check_endpoint()?;
        self.provider.check()?;
        at_least(
            "idleTimeoutMs",
            usize::try_from(self.idle_timeout_ms).unwrap_or(usize::MAX),
            1,
        )?;
        self.check_bounds()
    }

    /// Checks every bound, whatever the endpoint: enough for an injected model.
    ///
    /// # Errors
    /// The first field that has no usable value.
    pub fn check_bounds(&self) -> Result<(), ConfigError> {
        let Self { retry, limits, .. } = self;
        between("temperature", self.temperature, 0.0..=2.0)?;
        at_least("maxTokens", self.max_tokens as usize, 1)?;
        if retry.max_retries > 5 {
            return Err(ConfigError::new(
                "retry.maxRetries",
                "expected a whole number from 0 to 5",
            ));
        }
        if retry.max_delay_ms < retry.base_delay_ms {
            return Err(ConfigError::new(
                "retry.maxDelayMs",
                format!("expected at least retry.baseDelayMs, which is {}", retry.base_delay_ms),
            ));
        }
        at_least("limits.maxTurns", limits.max_turns as usize, 1)?;
        self.prices.check()?;
        if !(limits.max_run_cost.is_finite() && limits.max_run_cost >= 0.0) {
            return Err(ConfigError::new("limits.maxRunCost", "expected a number, 0 or more"));
        }
        if limits.max_run_cost > 0.0 && !self.prices.may_cover(self.model.trim()) {
            return Err(ConfigError::new(
                "limits.maxRunCost",
                "needs a price: add one for this model, or for `*`, to prices",
            ));
        }
        at_least("limits.contextTokens", limits.context_tokens, 1)?;
        if limits.reserve_for_output >= limits.context_tokens {
            return Err(ConfigError::new(
                "limits.reserveForOutput",
                format!(
                    "expected less than limits.contextTokens, which is {}",
                    limits.context_tokens
                ),
            ));
        }
        if !(limits.compact_ratio > 0.0 && limits.compact_ratio <= 1.0) {
            return Err(ConfigError::new(
                "limits.compactRatio",
                "expected a number above 0 and up to 1",
            ));
        }
        at_least("limits.keepRecent", limits.keep_recent, 1)?;
        check_budget(&limits.observation)
    }

    fn check_endpoint(&self) -> Result<(), ConfigError> {
        let (base_url, model) = (self.base_url.trim(), self.model.trim());
        match (base_url.is_empty(), model.is_empty()) {
            (true, true) => return Ok(()),
            (true, false) => {
                return Err(ConfigError::new(
                    "baseUrl",
                    "missing: model is set, and needs an endpoint",
                ));
            }
            (false, true) => return Err(ConfigError::new("model", "missing: baseUrl is set, and needs a model")),
            (false, false) => {}
        }
        let scheme = base_url
            .split_once("://")
            .map(|(scheme, _)| scheme.to_ascii_lowercase());
        if base_url.starts_with('/') || matches!(scheme.as_deref(), Some("http" | "https")) {
            Ok(())
        } else {
            Err(ConfigError::new(
                "baseUrl",
                "expected a URL that begins with http:// or https://, or a path on the page's own origin",
            ))
        }
    }
}

/// Of what a page holds, zero is a choice (only counts are shown). Without an action or room for a result nothing works.
fn check_budget(budget: &Budget) -> Result<(), ConfigError> {
    at_least("limits.maxActions", budget.max_actions, 1)?;
    at_least(
        "limits.maxToolResultTokens",
        budget.max_tool_result_tokens,
        MIN_TOOL_RESULT_TOKENS,
    )
}

fn at_least(field: &str, value: usize, least: usize) -> Result<(), ConfigError> {
    if value >= least {
        Ok(())
    } else {
        Err(ConfigError::new(
            field,
            format!("expected a whole number, at least {least}"),
        ))
    }
}

fn between(field: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), ConfigError> {
    // Not a number lies in no range.
    if range.contains(&value) {
        Ok(())
    } else {
        let (least, most) = range.into_inner();
        Err(ConfigError::new(
            field,
            format!("expected a number from {least} to {most}"),
        ))
    }
}
