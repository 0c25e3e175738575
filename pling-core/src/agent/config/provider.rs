//! What is known better here than in the table of providers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Config, ConfigError};
use crate::llm::{Profile, ToolContent};

/// Fields of a request's body.
pub(super) type Fields = Map<String, Value>;

/// The profile of the provider, and what differs from it. What is `None` follows the profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProviderConfig {
    /// The name of a profile, see [`Profile::names`]; empty: the endpoint's host or the model's name says.
    pub profile: String,
    /// The path of the API where the base URL has none, such as `/v1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The header that carries the key: `authorization` carries `Bearer` and the key, any other the key alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_header: Option<String>,
    /// The field that carries the output limit: `max_tokens` or `max_completion_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<String>,
    /// Whether `temperature` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_temperature: Option<bool>,
    /// Whether a stream is asked for its usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_usage: Option<bool>,
    /// The content of an assistant message of calls only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_content: Option<ToolContent>,
    /// Further fields of every body, beside those of the profile; `null` takes a field out.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub body: Fields,
}

impl ProviderConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let name = self.profile.trim();
        if !name.is_empty() && !Profile::names().any(|known| known.eq_ignore_ascii_case(name)) {
            let known: Vec<_> = Profile::names().collect();
            let message = format!("expected one of {}, or nothing", known.join(", "));
            return Err(ConfigError::new("provider.profile", message));
        }
        for (field, value) in [
            ("provider.keyHeader", &self.key_header),
            ("provider.outputLimit", &self.output_limit),
        ] {
            if value.as_ref().is_some_and(|value| value.trim().is_empty()) {
                return Err(ConfigError::new(field, "expected a name"));
            }
        }
        if self.root.as_ref().is_some_and(|root| !root.starts_with('/')) {
            return Err(ConfigError::new("provider.root", "expected a path that begins with /"));
        }
        Ok(())
    }
}

impl Config {
    /// How the configured provider wants its requests.
    #[must_use]
    pub fn profile(&self) -> Profile {
        let ProviderConfig {
            profile,
            root,
            key_header,
            output_limit,
            send_temperature,
            stream_usage,
            tool_content,
            body,
        } = self.provider.clone();
        let mut found = Profile::named(&profile, &self.base_url, &self.model)
            .unwrap_or_else(|| Profile::detect(&self.base_url, &self.model));
        if let Some(root) = root {
            found.root = root.into();
        }
        if let Some(key_header) = key_header {
            found.key_header = key_header.into();
        }
        if let Some(output_limit) = output_limit {
            found.output_limit = output_limit.into();
        }
        found.temperature = send_temperature.unwrap_or(found.temperature);
        found.stream_usage = stream_usage.unwrap_or(found.stream_usage);
        found.tool_content = tool_content.unwrap_or(found.tool_content);
        found.body.extend(body);
        found
    }
}
