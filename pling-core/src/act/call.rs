//! What a model or client asked for, unverified.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Permissions;
use crate::observe::Observation;

/// A call as it came in. Nothing in it is trusted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The caller's id of it; unique within a session.
    pub id: String,
    /// The tool's name in the observation that the caller saw.
    pub tool: String,
    /// What was passed.
    pub arguments: Arguments,
    /// The observation that the caller saw: names are resolved against it, facts never are.
    pub seen: Arc<Observation>,
    /// Who asks.
    pub origin: Origin,
    /// What this caller may call; what the executor permits at all stands beside it.
    pub permitted: Permissions,
}

impl Call {
    /// A call of the in-app assistant.
    #[must_use]
    pub fn new(id: impl Into<String>, tool: impl Into<String>, arguments: Arguments, seen: Arc<Observation>) -> Self {
        Self {
            id: id.into(),
            tool: tool.into(),
            arguments,
            seen,
            origin: Origin::Assistant,
            permitted: Permissions::all(),
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Arguments {
    /// A JSON object; empty for no arguments.
    Object(Map<String, Value>),
    /// What came is no JSON object: the raw text and the words on why. The call is refused, not run.
    Invalid {
        /// What came.
        raw: String,
        /// Why it is refused, such as `not valid JSON: …` or `cut off by the output limit`.
        why: String,
    },
}

impl Arguments {
    /// Reads the text of a streamed call: empty, blank or `null` count as no arguments.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Self::Object(Map::new());
        }
        match serde_json::from_str(trimmed) {
            Ok(Value::Object(map)) => Self::Object(map),
            Ok(Value::Null) => Self::Object(Map::new()),
            Ok(_) => Self::Invalid {
                raw: text.to_owned(),
                why: "the arguments are not a JSON object".to_owned(),
            },
            Err(error) => Self::Invalid {
                raw: text.to_owned(),
                why: format!("the arguments are not valid JSON: {error}"),
            },
        }
    }
}

impl From<Value> for Arguments {
    /// An object as it is, `null` as no arguments, anything else as invalid.
    fn from(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::Object(map),
            Value::Null => Self::Object(Map::new()),
            other => Self::Invalid {
                raw: other.to_string(),
                why: "the arguments are not a JSON object".to_owned(),
            },
        }
    }
}

/// Who asks for a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The assistant in the app.
    Assistant,
    /// The user, by picking the action themselves.
    User,
    /// A test or the app's own code.
    Code,
    /// A client of the Surface, by the name it gave itself. Not verified: it tells callers apart, and grants nothing.
    Client(Arc<str>),
}
