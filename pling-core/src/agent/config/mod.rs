//! What a session may spend and whom it talks to: defaults, then environment, then explicit values, per field.

mod check;
#[cfg(feature = "openai")]
mod client;
mod field;
mod pairs;
mod patch;
mod price;
mod provider;

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;

pub use pairs::SecretPairs;
pub use patch::{ConfigPatch, LimitsPatch, ProviderPatch, RetryPatch};
pub use price::{Price, Prices};
pub use provider::ProviderConfig;

use crate::{
    act::{DefaultApproval, Policy},
    llm::Llm,
    observe::Budget,
    platform::Duration,
};

/// The configuration of a session. Its JSON form is camelCase and never holds the key.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Config {
    /// The OpenAI-compatible endpoint, such as `http://localhost:11434/v1`; a path is on the page's own origin.
    pub base_url: String,
    /// The provider's identifier of the model.
    pub model: String,
    /// The bearer token; empty for none. Shown and written nowhere.
    #[serde(skip)]
    pub api_key: SecretString,
    /// Further headers of each request, such as a gateway's own key. Shown and written nowhere.
    #[serde(skip)]
    pub headers: SecretPairs,
    /// Further query fields of the URL, such as `api-version`. Shown and written nowhere.
    #[serde(skip)]
    pub query: SecretPairs,
    /// The application's own words after the rules: what the assistant is for.
    pub system_prompt: String,
    /// Randomness, 0 to 2.
    pub temperature: f64,
    /// Output limit of one reply, in tokens.
    pub max_tokens: u32,
    /// Whether replies are streamed.
    pub stream: bool,
    /// The longest silence of the endpoint, in milliseconds: until a reply begins, and between two pieces of it.
    pub idle_timeout_ms: u64,
    /// What this provider wants otherwise than others; by default its host or the model's name says.
    pub provider: ProviderConfig,
    /// What the user is asked when an action says nothing about confirmation.
    pub default_approval: DefaultApproval,
    /// The least time between two executions, in milliseconds.
    pub min_action_interval_ms: u64,
    /// How failed requests are repeated.
    pub retry: RetryConfig,
    /// What tokens cost, for the estimate in telemetry and for `limits.maxRunCost`.
    #[serde(skip_serializing_if = "Prices::is_empty")]
    pub prices: Prices,
    /// Bounds of a run, of the history and of each observation.
    pub limits: Limits,
}

/// How failed requests are repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RetryConfig {
    /// Requests after the first failed one, 0 to 5.
    pub max_retries: u32,
    /// The first wait, in milliseconds.
    pub base_delay_ms: u64,
    /// The longest wait, in milliseconds.
    pub max_delay_ms: u64,
}

/// Bounds of a run, of the history and of each observation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Limits {
    /// Replies within one `send`. Requests that are sent again do not count.
    pub max_turns: u32,
    /// Tokens of requests and replies within one `send`, summaries included. 0: no bound.
    #[serde(skip_serializing_if = "is_zero")]
    pub max_run_tokens: u64,
    /// Estimated cost of one `send`, in the unit of `prices`. 0: no bound.
    #[serde(skip_serializing_if = "is_zero")]
    pub max_run_cost: f64,
    /// Time that one `send` may work, in milliseconds; waiting for the user does not count. 0: no bound.
    #[serde(skip_serializing_if = "is_zero")]
    pub max_run_ms: u64,
    /// The model's window, in tokens: the whole request and the reply.
    pub context_tokens: usize,
    /// What of it is kept free for the next reply, in tokens.
    pub reserve_for_output: usize,
    /// The share of the rest at which older messages are compacted, above 0 and up to 1.
    pub compact_ratio: f64,
    /// The latest messages, kept verbatim when older ones are compacted.
    pub keep_recent: usize,
    /// Bounds of each observation.
    #[serde(flatten)]
    pub observation: Budget,
}

/// A bound that is off is not written.
fn is_zero<T: Default + PartialEq>(bound: &T) -> bool {
    *bound == T::default()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            base_url: String::new(),
            model: String::new(),
            api_key: SecretString::default(),
            headers: SecretPairs::default(),
            query: SecretPairs::default(),
            system_prompt: String::new(),
            temperature: 0.3,
            max_tokens: 1024,
            stream: true,
            idle_timeout_ms: 60_000,
            provider: ProviderConfig::default(),
            default_approval: DefaultApproval::default(),
            min_action_interval_ms: 0,
            retry: RetryConfig::default(),
            prices: Prices::default(),
            limits: Limits::default(),
        }
    }
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self {
            max_retries: 3,
            base_delay_ms: 500,
            max_delay_ms: 4000,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_turns: 10,
            max_run_tokens: 0,
            max_run_cost: 0.0,
            max_run_ms: 0,
            context_tokens: 8192,
            reserve_for_output: 1024,
            compact_ratio: 0.8,
            keep_recent: 6,
            observation: Budget::default(),
        }
    }
}

impl Config {
    /// Defaults, then what the environment says, then explicit values; then everything is checked.
    ///
    /// # Errors
    /// The first field, or environment variable, that has no usable value.
    pub fn resolve(environment: impl Fn(&str) -> Option<String>, explicit: ConfigPatch) -> Result<Self, ConfigError> {
        let config = Self::layered(environment, explicit)?;
        config.check()?;
        Ok(config)
    }

    /// As [`Self::resolve`], with the process's own environment. A browser tab has none.
    ///
    /// # Errors
    /// The first field, or environment variable, that has no usable value.
    pub fn from_env(explicit: ConfigPatch) -> Result<Self, ConfigError> {
        Self::resolve(|name| std::env::var(name).ok(), explicit)
    }

    /// As [`Self::resolve`] where the model is injected: no endpoint is needed, the bounds are checked all the same.
    ///
    /// # Errors
    /// The first field, or environment variable, that has no usable value.
    pub fn resolve_injected(
        environment: impl Fn(&str) -> Option<String>,
        explicit: ConfigPatch,
    ) -> Result<Self, ConfigError> {
        let config = Self::layered(environment, explicit)?;
        config.check_bounds()?;
        Ok(config)
    }

    /// Where a model is reached. `None`: none is configured.
    #[must_use]
    pub fn endpoint(&self) -> Option<Endpoint> {
        let (base_url, model) = (self.base_url.trim(), self.model.trim());
        (!base_url.is_empty() && !model.is_empty()).then(|| Endpoint {
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            api_key: self.api_key.expose_secret().trim().into(),
        })
    }

    /// What the model costs that answers: the configured one or, where none is named, the injected one. `None`: no
    /// price is known, or it is the offline planner.
    #[must_use]
    pub fn price(&self, llm: &dyn Llm) -> Option<Price> {
        match self.model.trim() {
            _ if llm.is_offline() => None,
            "" => self.prices.of(&llm.model()),
            model => self.prices.of(model),
        }
    }

    /// What the executor may do and how long it waits.
    #[must_use]
    pub fn policy(&self) -> Policy {
        Policy {
            default_approval: self.default_approval,
            min_action_interval: Duration::from_millis(self.min_action_interval_ms),
            budget: self.limits.observation.clone(),
            ..Policy::default()
        }
    }

    fn layered(environment: impl Fn(&str) -> Option<String>, explicit: ConfigPatch) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        config.apply(ConfigPatch::from_environment(environment)?);
        config.apply(explicit);
        Ok(config)
    }
}

/// Where a model is reached. Printing it does not show the key.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Endpoint {
    /// The endpoint as configured, without white space around it.
    pub base_url: String,
    /// The provider's identifier of the model.
    pub model: String,
    /// The bearer token; empty: no header is sent.
    pub api_key: SecretString,
}

/// A field without a usable value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// The field's path, such as `limits.maxTurns`, or the environment variable's name.
    pub field: String,
    /// What is expected, in one line. Never the value itself: it may be a misplaced key.
    pub message: String,
}

impl ConfigError {
    /// A field without a usable value.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

impl std::error::Error for ConfigError {}
