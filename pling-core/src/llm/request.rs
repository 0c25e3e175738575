//! What is asked of a model.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::observe::{Observation, ToolSchema};

/// Everything one reply depends on. What goes over the wire is [`Llm::body`](super::Llm::body).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// The model's identifier; the offline planner's is `offline`.
    pub model: String,
    /// One system message (rules, role, observation), then the conversation, in OpenAI form.
    pub messages: Vec<Value>,
    /// From the same observation.
    pub tools: Vec<ToolSchema>,
    /// Randomness, 0 to 2.
    pub temperature: f64,
    /// Output limit in tokens.
    pub max_tokens: u32,
    /// Whether the reply is streamed.
    pub stream: bool,
    /// What the system message was made of; not sent.
    pub observation: Arc<Observation>,
}

impl Request {
    /// A request with the defaults of `Config`.
    #[must_use]
    pub fn new(model: impl Into<String>, messages: Vec<Value>, observation: Arc<Observation>) -> Self {
        Self {
            model: model.into(),
            messages,
            tools: observation.tools.clone(),
            temperature: 0.3,
            max_tokens: 1024,
            stream: true,
            observation,
        }
    }

    /// The JSON body of `/chat/completions` in its usual form; a [`Profile`](super::Profile) may change it.
    #[must_use]
    pub fn body(&self) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), self.model.clone().into());
        body.insert("messages".into(), self.messages.clone().into());
        if !self.tools.is_empty() {
            let tools: Vec<_> = self.tools.iter().map(ToolSchema::to_json).collect();
            body.insert("tools".into(), tools.into());
        }
        body.insert("temperature".into(), json!(self.temperature));
        body.insert("max_tokens".into(), self.max_tokens.into());
        body.insert("stream".into(), self.stream.into());
        if self.stream {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
        Value::Object(body)
    }
}
