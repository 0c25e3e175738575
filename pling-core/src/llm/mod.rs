//! The model: what is asked of it, what comes back, and the clients that carry it.

mod error;
mod offline;
#[cfg(feature = "openai")]
mod openai;
mod retry;
mod scripted;
mod tokens;

use std::sync::Arc;

pub use error::{ErrorKind, LlmError};
pub use offline::Offline;
#[cfg(feature = "openai")]
pub use openai::OpenAi;
pub use retry::RetryPolicy;
pub use scripted::{Scripted, Turn};
pub use tokens::estimate_tokens;

use serde_json::{Map, Value, json};

use crate::{
    observe::{Observation, ToolSchema},
    platform::{BoxFuture, MaybeSend, MaybeSync},
};

/// A model, wherever it runs.
pub trait Llm: MaybeSend + MaybeSync + 'static {
    /// What it is called in the panel, such as `gpt-5 at api.example.com` or `offline planner`.
    fn name(&self) -> String;

    /// Whether it is the offline planner: no model, no network.
    fn is_offline(&self) -> bool {
        false
    }

    /// One reply. `on_delta` sees text as it comes in. Dropping the future closes the connection.
    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>>;
}

/// Told of every piece as it comes in. Called from the task that polls the reply.
#[cfg(not(target_arch = "wasm32"))]
pub type OnDelta = Arc<dyn Fn(Delta) + Send + Sync>;
/// Told of every piece as it comes in. Called from the task that polls the reply.
#[cfg(target_arch = "wasm32")]
pub type OnDelta = Arc<dyn Fn(Delta)>;

/// A piece of a reply as it comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More of the answer's text.
    Text(String),
    /// The request is being sent again after a failure: text so far is void.
    Retry {
        /// Which retry this is, from 1.
        attempt: u32,
        /// Milliseconds until it is sent.
        wait_millis: u64,
        /// What failed.
        why: String,
    },
}

/// Everything one reply depends on. [`Request::body`] is what goes over the wire, byte for byte.
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
    /// A request with the design's defaults.
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

    /// The JSON body of `/chat/completions`.
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

/// One complete reply.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The answer's text; empty when there is none.
    pub text: String,
    /// Calls in the order they were opened.
    pub calls: Vec<ToolCall>,
    /// Why the model stopped.
    pub finish: Finish,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// Fields of the assistant message that this crate does not know, kept for the next request.
    pub extra: Map<String, Value>,
}

impl Reply {
    /// The assistant message that goes back with the next request: nothing the provider sent is lost, and the arguments
    /// of every call are valid JSON, since servers parse them again. `content` is `null` for a message of calls only.
    #[must_use]
    pub fn to_message(&self) -> Value {
        let mut message = self.extra.clone();
        message.insert("role".into(), "assistant".into());
        let content = if self.text.is_empty() && !self.calls.is_empty() {
            Value::Null
        } else {
            self.text.clone().into()
        };
        message.insert("content".into(), content);
        if !self.calls.is_empty() {
            let calls: Vec<_> = self.calls.iter().map(ToolCall::to_json).collect();
            message.insert("tool_calls".into(), calls.into());
        }
        Value::Object(message)
    }
}

/// One call as it came in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The provider's id, or one made up where it sent none.
    pub id: String,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them: perhaps empty, perhaps no JSON.
    pub arguments: String,
}

impl ToolCall {
    /// A call.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// The form of OpenAI-compatible messages. Blank arguments become `{}`; what is no JSON object is wrapped as
    /// `{"_invalid":"…"}`.
    fn to_json(&self) -> Value {
        let arguments = match serde_json::from_str(&self.arguments) {
            Ok(Value::Object(_)) => self.arguments.clone(),
            Ok(Value::Null) => "{}".to_owned(),
            _ if self.arguments.trim().is_empty() => "{}".to_owned(),
            _ => json!({ "_invalid": self.arguments }).to_string(),
        };
        json!({
            "id": self.id,
            "type": "function",
            "function": { "name": self.name, "arguments": arguments }
        })
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finish {
    /// It was done, or said nothing about it.
    #[default]
    Stop,
    /// It asks for calls.
    ToolCalls,
    /// The output limit cut it: none of its calls may run.
    Length,
    /// The provider's filter cut it: none of its calls may run.
    ContentFilter,
}

/// What the provider counted, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Of the request.
    pub prompt_tokens: u64,
    /// Of the reply.
    pub completion_tokens: u64,
}
