//! What differs between providers of the same API, as data.
//!
//! ```text
//! host or model name ─ table ─▶ Profile ─ configuration ─▶ Profile ─ refusals met ─▶ Profile ─▶ the body that is sent
//! ```
//!
//! Nobody writes the role `developer`, a second system message, or a message without `content`: what every provider and
//! chat template takes needs no field here.

#[cfg(feature = "openai")]
mod refused;
mod table;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Request;

/// How one provider wants its requests.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// What the provider is called, such as `azure`.
    pub name: Cow<'static, str>,
    /// The path of the API where the base URL has none, such as `/v1`.
    pub root: Cow<'static, str>,
    /// The header that carries the key: `authorization` carries `Bearer` and the key, any other the key alone.
    pub key_header: Cow<'static, str>,
    /// The field that carries the output limit: `max_tokens` or `max_completion_tokens`.
    pub output_limit: Cow<'static, str>,
    /// Whether `temperature` is sent.
    pub temperature: bool,
    /// Whether a stream is asked for its usage (`stream_options.include_usage`).
    pub stream_usage: bool,
    /// The content of an assistant message of calls only.
    pub tool_content: ToolContent,
    /// Further fields of every body. They replace fields of the same name; `null` takes a field out.
    pub body: Map<String, Value>,
}

/// The content of an assistant message of calls only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolContent {
    /// `null`, as the API describes it.
    #[default]
    Null,
    /// An empty string, for servers that take text only.
    Empty,
}

impl Default for Profile {
    /// What most servers take, for those that nothing is known of.
    fn default() -> Self {
        Self {
            name: "generic".into(),
            root: "/v1".into(),
            key_header: "authorization".into(),
            output_limit: "max_tokens".into(),
            temperature: true,
            stream_usage: true,
            tool_content: ToolContent::Null,
            body: Map::new(),
        }
    }
}

impl Profile {
    /// The profile for an endpoint: by its host, else by the model's name, else the default. Some models have rules of
    /// their own wherever they are served.
    #[must_use]
    pub fn detect(base_url: &str, model: &str) -> Self {
        table::of_host(base_url)
            .or_else(|| table::of_model(model))
            .map_or_else(Self::default, table::Row::profile)
            .suited_to(base_url, model)
    }

    /// The profile of a provider by name, see [`Self::names`]; with the rules of the model, if it has any.
    #[must_use]
    pub fn named(name: &str, base_url: &str, model: &str) -> Option<Self> {
        let name = name.trim();
        let profile = if name.eq_ignore_ascii_case("generic") {
            Self::default()
        } else {
            table::of_name(name)?.profile()
        };
        Some(profile.suited_to(base_url, model))
    }

    /// The names that [`Self::named`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once("generic").chain(table::ROWS.iter().map(|row| row.name))
    }

    /// The JSON body of a request in this provider's form.
    #[must_use]
    pub fn body(&self, request: &Request) -> Value {
        let Value::Object(mut body) = request.body() else {
            return Value::Null;
        };
        if self.output_limit != "max_tokens"
            && let Some(limit) = body.remove("max_tokens")
        {
            body.insert(self.output_limit.clone().into_owned(), limit);
        }
        if !self.temperature {
            body.remove("temperature");
        }
        if !self.stream_usage {
            body.remove("stream_options");
        }
        if self.tool_content == ToolContent::Empty
            && let Some(messages) = body.get_mut("messages").and_then(Value::as_array_mut)
        {
            for message in messages {
                if message["content"].is_null() && message.get("tool_calls").is_some() {
                    message["content"] = json!("");
                }
            }
        }
        let has_tools = body.contains_key("tools");
        for (name, value) in &self.body {
            if value.is_null() {
                body.remove(name);
            } else if has_tools || !table::NEEDS_TOOLS.contains(&name.as_str()) {
                body.insert(name.clone(), value.clone());
            }
        }
        body.into()
    }

    fn suited_to(mut self, base_url: &str, model: &str) -> Self {
        table::suit_to_model(&mut self, base_url, model);
        self
    }
}
