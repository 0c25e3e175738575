//! What tokens cost, per model.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ConfigError;
use crate::llm::Usage;

/// The entry that stands for every model without one of its own.
const ANY: &str = "*";

/// What a million tokens cost, in any unit of money, as long as it is the same everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A million tokens of requests.
    pub input: f64,
    /// A million tokens of replies.
    pub output: f64,
}

impl Price {
    /// What this usage costs.
    #[must_use]
    pub fn of(self, usage: Usage) -> f64 {
        let Self { input, output } = self;
        (usage.prompt_tokens as f64 * input + usage.completion_tokens as f64 * output) / 1_000_000.0
    }
}

/// Prices by model; `*` stands for every other model. JSON: `{"gpt-5":{"input":1.25,"output":10}}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// No prices: costs are not estimated.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the price of a model, or of every other model under `*`.
    #[must_use]
    pub fn with(mut self, model: impl Into<String>, price: Price) -> Self {
        self.0.insert(model.into(), price);
        self
    }

    /// The price of a model.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<Price> {
        self.0.get(model).or_else(|| self.0.get(ANY)).copied()
    }

    /// Whether there is a price, or may be: an injected model is named later.
    pub(super) fn may_cover(&self, model: &str) -> bool {
        self.of(model).is_some() || (model.is_empty() && !self.is_empty())
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let is_price = |number: f64| number.is_finite() && number >= 0.0;
        match self
            .0
            .iter()
            .find(|(_, price)| !is_price(price.input) || !is_price(price.output))
        {
            None => Ok(()),
            Some((model, _)) => Err(ConfigError::new(
                format!("prices.{model}"),
                "expected input and output as numbers, 0 or more, for a million tokens",
            )),
        }
    }
}
