//! What comes back from a model.

use serde_json::{Map, Value, json};

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
    /// The model that answered, by the provider's own name for it; behind a gateway often not the one that was asked for.
    pub model: Option<String>,
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
    /// Fields of the call that this crate does not know, kept for the next request: some providers refuse a conversation
    /// in which theirs are missing (Gemini's `extra_content.google.thought_signature`).
    pub extra: Map<String, Value>,
}

impl ToolCall {
    /// A call.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            extra: Map::new(),
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
        let mut call = self.extra.clone();
        call.insert("id".into(), self.id.clone().into());
        call.insert("type".into(), "function".into());
        let mut function = match call.remove("function") {
            Some(Value::Object(kept)) => kept,
            _ => Map::new(),
        };
        function.insert("name".into(), self.name.clone().into());
        function.insert("arguments".into(), arguments.into());
        call.insert("function".into(), function.into());
        call.into()
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
