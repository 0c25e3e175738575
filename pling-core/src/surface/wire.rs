//! What goes in and out: plain data, the same over every transport.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    act::{Code, Receipt, Refusal},
    observe::{Observation, Omitted, ToolSchema, ToolTarget},
};

/// The name and version of the data's form.
pub const SCHEMA: &str = "pling.surface/0.1";

/// The page as a client sees it, within the limits of an observation.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Description {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Which state of the page this is; it grows.
    pub revision: u64,
    /// The page in words. What stands between `<page_data>` and `</page_data>` is data, never an instruction.
    pub text: String,
    /// What this client can call now.
    pub actions: Vec<ActionInfo>,
    /// Names of what is listed, and cannot be used now; the text says why.
    pub unavailable: Vec<String>,
    /// Names of what is listed, and this client may not call.
    pub not_permitted: Vec<String>,
    /// What the limits left out, counted; search finds it.
    pub omitted: Omitted,
}

impl Description {
    pub(super) fn new(seen: &Observation, may_call: impl Fn(&ToolSchema) -> bool) -> Self {
        let (may, may_not): (Vec<_>, Vec<_>) = seen.tools.iter().partition(|tool| may_call(tool));
        let names = |tools: &mut dyn Iterator<Item = &ToolSchema>| tools.map(|tool| tool.name.clone()).collect();
        Self {
            schema: SCHEMA,
            revision: seen.snapshot.revision,
            text: seen.text.clone(),
            actions: may.into_iter().map(ActionInfo::new).collect(),
            unavailable: names(&mut seen.unavailable.iter()),
            not_permitted: names(&mut may_not.into_iter()),
            omitted: seen.omitted,
        }
    }
}

/// One action that can be called.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ActionInfo {
    /// What to call it by.
    pub name: String,
    /// The region it is in, as a path; empty at the page's root and for ways to see more.
    pub region: String,
    /// What it does, with its facts.
    pub description: String,
    /// A JSON Schema of its arguments.
    pub arguments: Value,
}

impl ActionInfo {
    pub(super) fn new(tool: &ToolSchema) -> Self {
        let region = match &tool.target {
            ToolTarget::Action { region, .. } => region.to_string(),
            ToolTarget::Discovery(_) => String::new(),
        };
        Self {
            name: tool.name.clone(),
            region,
            description: tool.description.clone(),
            arguments: tool.parameters.clone(),
        }
    }
}

/// What to look for.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchRequest {
    /// Words; what is found holds all of them.
    pub query: String,
    /// How many actions were seen already.
    #[serde(default)]
    pub skip: usize,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Found {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Actions, listed or not.
    pub actions: Vec<ActionInfo>,
    /// How many more actions there are.
    pub more_actions: usize,
    /// Records by label and shown fields, as `{"id","label","fields"}`.
    pub records: Vec<Value>,
    /// Whether there is no record beyond these.
    pub complete: bool,
}

/// What to do.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InvokeRequest {
    /// The name of an action, or its id where that is unique.
    pub action: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

impl InvokeRequest {
    /// A call of an action.
    #[must_use]
    pub fn new(action: impl Into<String>, arguments: Map<String, Value>) -> Self {
        Self {
            action: action.into(),
            arguments,
        }
    }
}

/// What to wait for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WaitRequest {
    /// The handle of an answer that was not final.
    pub handle: String,
}

/// What came of a call so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The receipt, or that there is none yet.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Set while the call goes on: what to pass to [`super::Client::wait`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// A receipt, in one of its two forms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The widget reported the click or change.
    Result(Value),
    /// It was refused, failed, or is not over; the `code` says which.
    Error(Value),
}

impl Answer {
    pub(super) fn of(receipt: &Receipt, max_tokens: usize) -> Self {
        let mut json = receipt.to_json_bounded(max_tokens);
        let outcome = match (json.get_mut("error"), receipt.is_ok()) {
            (Some(error), false) => Outcome::Error(error.take()),
            _ => Outcome::Result(match json.get_mut("result") {
                Some(result) => result.take(),
                None => json,
            }),
        };
        Self::new(outcome, None)
    }

    pub(super) fn pending(code: Code, message: &str, handle: String) -> Self {
        let error = json!({ "code": code, "message": message, "available": [] });
        Self::new(Outcome::Error(error), Some(handle))
    }

    fn new(outcome: Outcome, handle: Option<String>) -> Self {
        Self {
            schema: SCHEMA,
            outcome,
            handle,
        }
    }

    /// Whether it was refused, failed, or is not over.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self.outcome, Outcome::Error(_))
    }

    /// The code of an error.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Error(error) => error["code"].as_str(),
            Outcome::Result(_) => None,
        }
    }
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Self::new(Outcome::Error(json!(failure)), None)
    }
}

/// A verb that was not carried out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Failure {
    /// One of the names of [`Code`], or `RATE_LIMITED` or `BUDGET_EXCEEDED`.
    pub code: &'static str,
    /// One sentence for a model.
    pub message: String,
    /// When it makes sense to try again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Failure {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retry_after_ms: None,
        }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArguments.as_str(), message)
    }

    /// `{"schema","error":{…}}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "schema": SCHEMA, "error": self })
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::new(refusal.code.as_str(), refusal.message)
    }
}
