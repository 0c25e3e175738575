//! A configuration in which every field may be missing: what one layer says.

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::{Config, ConfigError, Limits, Prices, ProviderConfig, RetryConfig, SecretPairs, field, provider::Fields};
use crate::{act::DefaultApproval, llm::ToolContent};

/// Writes the partial form of a configuration: optional fields, setters named after them,
/// the readers of JSON and of the environment, and the merge. `=>` says where a value belongs.
macro_rules! patch {
    (
        $(#[$doc:meta])*
        $patch:ident of $config:ident, under $section:literal, variables $variables:literal
        texts { $($(#[$text_doc:meta])* $text:ident,)* }
        secrets { $($(#[$secret_doc:meta])* $secret:ident,)* }
        values { $($(#[$value_doc:meta])* $value:ident: $type:ty => $($place:ident).+,)* }
        nested { $($(#[$nested_doc:meta])* $nested:ident: $nested_type:ty,)* }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        #[non_exhaustive]
        pub struct $patch {
            $($(#[$text_doc])* pub $text: Option<String>,)*
            $($(#[$secret_doc])* pub $secret: Option<SecretString>,)*
            $($(#[$value_doc])* pub $value: Option<$type>,)*
            $($(#[$nested_doc])* pub $nested: $nested_type,)*
        }

        impl $patch {
            /// Says nothing yet.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            $($(#[$text_doc])* #[must_use] pub fn $text(mut self, $text: impl Into<String>) -> Self {
                self.$text = Some($text.into());
                self
            })*
            $($(#[$secret_doc])* #[must_use] pub fn $secret(mut self, $secret: impl Into<SecretString>) -> Self {
                self.$secret = Some($secret.into());
                self
            })*
            $($(#[$value_doc])* #[must_use] pub fn $value(mut self, $value: $type) -> Self {
                self.$value = Some($value);
                self
            })*
            $($(#[$nested_doc])* #[must_use] pub fn $nested(mut self, $nested: $nested_type) -> Self {
                self.$nested = $nested;
                self
            })*

            fn take(mut fields: Map<String, Value>) -> Result<Self, ConfigError> {
                let patch = Self {
                    $($text: field::take(&mut fields, $section, stringify!($text))?,)*
                    $($secret: field::take(&mut fields, $section, stringify!($secret))?,)*
                    $($value: field::take(&mut fields, $section, stringify!($value))?,)*
                    $($nested: {
                        let name = stringify!($nested);
                        <$nested_type>::take(field::section(fields.remove(name), name)?)?
                    },)*
                };
                let known = [
                    $(stringify!($text),)* $(stringify!($secret),)* $(stringify!($value),)* $(stringify!($nested),)*
                ];
                field::no_more(&fields, $section, &known)?;
                Ok(patch)
            }

            fn read(environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($text: field::read(environment, $variables, stringify!($text))?,)*
                    $($secret: field::read(environment, $variables, stringify!($secret))?,)*
                    $($value: field::read(environment, $variables, stringify!($value))?,)*
                    $($nested: <$nested_type>::read(environment)?,)*
                })
            }

            fn apply_to(self, config: &mut $config) {
                $(if let Some($text) = self.$text { config.$text = $text; })*
                $(if let Some($secret) = self.$secret { config.$secret = $secret; })*
                $(if let Some($value) = self.$value { config.$($place).+ = $value.into(); })*
                $(self.$nested.apply_to(&mut config.$nested);)*
            }
        }
    };
}

patch! {
    /// What one layer says of a [`Config`]. `null` and a missing field say nothing; unknown fields are errors.
    ConfigPatch of Config, under "", variables ""
    texts {
        /// The OpenAI-compatible endpoint.
        base_url,
        /// The provider's identifier of the model.
        model,
        /// The application's own words after the rules.
        system_prompt,
    }
    secrets {
        /// The bearer token; empty for none.
        api_key,
    }
    values {
        /// Randomness, 0 to 2.
        temperature: f64 => temperature,
        /// Output limit of one reply, in tokens.
        max_tokens: u32 => max_tokens,
        /// Whether replies are streamed.
        stream: bool => stream,
        /// Further headers of each request.
        headers: SecretPairs => headers,
        /// Further query fields of the URL.
        query: SecretPairs => query,
        /// The longest silence of the endpoint, in milliseconds.
        idle_timeout_ms: u64 => idle_timeout_ms,
        /// What the user is asked when an action says nothing about confirmation.
        default_approval: DefaultApproval => default_approval,
        /// The least time between two executions, in milliseconds.
        min_action_interval_ms: u64 => min_action_interval_ms,
        /// What a million tokens cost, per model.
        prices: Prices => prices,
    }
    nested {
        /// What this provider wants otherwise than others.
        provider: ProviderPatch,
        /// How failed requests are repeated.
        retry: RetryPatch,
        /// Bounds of a run, of the history and of each observation.
        limits: LimitsPatch,
    }
}

patch! {
    /// What one layer says of a [`ProviderConfig`].
    ProviderPatch of ProviderConfig, under "provider", variables "PROVIDER_"
    texts {
        /// The name of a profile.
        profile,
    }
    secrets {}
    values {
        /// The path of the API where the base URL has none.
        root: String => root,
        /// The header that carries the key.
        key_header: String => key_header,
        /// The field that carries the output limit.
        output_limit: String => output_limit,
        /// Whether `temperature` is sent.
        send_temperature: bool => send_temperature,
        /// Whether a stream is asked for its usage.
        stream_usage: bool => stream_usage,
        /// The content of an assistant message of calls only.
        tool_content: ToolContent => tool_content,
        /// Further fields of every body; `null` takes a field out.
        body: Fields => body,
    }
    nested {}
}

patch! {
    /// What one layer says of a [`RetryConfig`].
    RetryPatch of RetryConfig, under "retry", variables "RETRY_"
    texts {}
    secrets {}
    values {
        /// Requests after the first failed one, 0 to 5.
        max_retries: u32 => max_retries,
        /// The first wait, in milliseconds.
        base_delay_ms: u64 => base_delay_ms,
        /// The longest wait, in milliseconds.
        max_delay_ms: u64 => max_delay_ms,
    }
    nested {}
}

patch! {
    /// What one layer says of [`Limits`].
    LimitsPatch of Limits, under "limits", variables "LIMITS_"
    texts {}
    secrets {}
    values {
        /// Replies within one `send`.
        max_turns: u32 => max_turns,
        /// Tokens within one `send`; 0: no bound.
        max_run_tokens: u64 => max_run_tokens,
        /// Estimated cost of one `send`; 0: no bound.
        max_run_cost: f64 => max_run_cost,
        /// Time at work within one `send`, in milliseconds; 0: no bound.
        max_run_ms: u64 => max_run_ms,
        /// The model's window, in tokens.
        context_tokens: usize => context_tokens,
        /// What of it is kept free for the next reply, in tokens.
        reserve_for_output: usize => reserve_for_output,
        /// The share of the rest at which older messages are compacted.
        compact_ratio: f64 => compact_ratio,
        /// The latest messages, kept verbatim.
        keep_recent: usize => keep_recent,
        /// Action entries after folding.
        max_actions: usize => observation.max_actions,
        /// Records with their fields.
        max_records: usize => observation.max_records,
        /// Regions listed.
        max_regions: usize => observation.max_regions,
        /// Feedback items listed.
        max_feedback: usize => observation.max_feedback,
        /// Tokens of one tool result.
        max_tool_result_tokens: usize => observation.max_tool_result_tokens,
        /// Characters of the state section.
        max_state_chars: usize => observation.max_state_chars,
        /// Characters of the records section.
        max_record_chars: usize => observation.max_record_chars,
        /// Characters of the feedback section.
        max_feedback_chars: usize => observation.max_feedback_chars,
        /// Characters of the page identity.
        max_page_chars: usize => observation.max_page_chars,
        /// Record ids listed for citation.
        max_citation_ids: usize => observation.max_citation_ids,
        /// Labels beside listed ids of records out of view.
        max_cited_labels: usize => observation.max_cited_labels,
    }
    nested {}
}

impl ConfigPatch {
    /// Reads the JSON form.
    ///
    /// # Errors
    /// The path of a field that is unknown or has a value of the wrong sort.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| ConfigError::new("configuration", format!("not valid JSON: {error}")))?;
        Self::from_value(value)
    }

    /// Reads a JSON value.
    ///
    /// # Errors
    /// The path of a field that is unknown or has a value of the wrong sort.
    pub fn from_value(value: Value) -> Result<Self, ConfigError> {
        match value {
            Value::Object(fields) => Self::take(fields),
            _ => Err(ConfigError::new("configuration", "expected an object")),
        }
    }

    /// Reads the variables `PLING_AGENT_…`, one for each field.
    ///
    /// # Errors
    /// The first variable whose value is of the wrong sort.
    pub fn from_environment(environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        Self::read(&environment)
    }
}

impl Config {
    /// Lays explicit values over this configuration, per field. Nothing is checked.
    pub fn apply(&mut self, patch: ConfigPatch) {
        patch.apply_to(self);
    }
}
