//! The callable interface that goes with an observation.

use serde_json::{Map, Value, json};

use super::{
    sections::facts,
    text::{SENTENCE_CHARS, authored, is_plain},
    view::View,
};
use crate::model::{Action, ActionId, Input, RegionPath};

/// Choices written into a schema; more are accepted as free text.
const MAX_CHOICES: usize = 50;
/// Characters of one choice in a schema.
const CHOICE_CHARS: usize = 80;
/// Characters of all choices in a schema.
const ALL_CHOICES_CHARS: usize = 800;
/// Characters of the example in a `record` parameter.
const EXAMPLE_CHARS: usize = 40;

/// What the model sees of one folded action.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolSchema {
    /// `[a-zA-Z0-9_-]{1,40}`, unique within the observation.
    pub name: String,
    /// What it does, with its facts.
    pub description: String,
    /// A JSON Schema of type `object`.
    pub parameters: Value,
    /// What a call of it means.
    pub target: ToolTarget,
}

impl ToolSchema {
    /// The form of OpenAI-compatible requests: `{"type":"function","function":{…}}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "type": "function",
            "function": { "name": self.name, "description": self.description, "parameters": self.parameters }
        })
    }
}

/// What a call of a tool means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolTarget {
    /// A declared action.
    Action {
        /// Its id.
        id: ActionId,
        /// Where it is declared.
        region: RegionPath,
        /// Whether the argument `record` chooses the row.
        takes_record: bool,
    },
    /// One of the runtime's own ways to see more.
    Discovery(Discovery),
}

/// The runtime's own ways to see more, offered only when something is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Discovery {
    /// `reveal(region)`: scrolls a region into view.
    Reveal,
    /// `scroll(region?, direction)`: scrolls within a region, or the page.
    Scroll,
    /// `find_records(query)`: looks through declared sources, labels and shown fields only.
    FindRecords,
    /// `search_actions(query, skip?)`: looks through all actions, see [`super::Observation::search_actions`].
    SearchActions,
    /// `invoke_action(action, region?, arguments)`: calls an action that has no tool of its own, see
    /// [`super::Observation::lookup`].
    InvokeAction,
}

/// The tool of one entry, from the same words as its line in the text.
pub(super) fn action_tool(view: &View<'_>, index: usize) -> ToolSchema {
    let entry = &view.entries[index];
    let action = entry.action();
    let description = authored(&action.description, SENTENCE_CHARS);
    let mut parameters = parameters(action);
    if let Some(record) = &entry.first.record {
        let id = record.as_str();
        let example = if id.len() <= EXAMPLE_CHARS && is_plain(id) {
            format!("record id, such as {id}")
        } else {
            "record id".to_owned()
        };
        parameters.require("record", json!({ "type": "string", "description": example }));
    }
    ToolSchema {
        name: view.names[index].clone().into_owned(),
        description: format!("{description} [{}]", facts(view, entry)),
        parameters: parameters.into_value(),
        target: ToolTarget::Action {
            id: action.id.clone(),
            region: entry.first.region.clone(),
            takes_record: entry.takes_record(),
        },
    }
}

/// A JSON Schema of type `object` being built.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    schema: Map<String, Value>,
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Parameters {
    pub(super) fn optional(&mut self, name: &str, schema: Value) {
        self.properties.insert(name.to_owned(), schema);
    }

    pub(super) fn require(&mut self, name: &str, schema: Value) {
        self.optional(name, schema);
        if !self.required.iter().any(|known| known == name) {
            self.required.push(name.into());
        }
    }

    pub(super) fn into_value(mut self) -> Value {
        self.schema.insert("type".into(), "object".into());
        self.schema.insert("properties".into(), self.properties.into());
        if !self.required.is_empty() {
            self.schema.insert("required".into(), self.required.into());
        }
        self.schema.into()
    }

    /// The author's own schema, to be added to.
    fn of_function(schema: &Value) -> Self {
        let mut schema = schema.as_object().cloned().unwrap_or_default();
        let properties = match schema.remove("properties") {
            Some(Value::Object(properties)) => properties,
            _ => Map::new(),
        };
        let required = match schema.remove("required") {
            Some(Value::Array(required)) => required,
            _ => Vec::new(),
        };
        Self {
            schema,
            properties,
            required,
        }
    }
}

fn parameters(action: &Action) -> Parameters {
    let mut parameters = Parameters::default();
    let property = |kind, name, words| property(action, kind, name, words);
    match &action.input {
        Input::Click => {}
        Input::Toggle => parameters.optional("checked", property("boolean", "checked", "")),
        Input::Expand => parameters.optional("checked", property("boolean", "checked", "true: open")),
        Input::Text { multiline } => {
            let kind = if *multiline { "may have several lines" } else { "" };
            parameters.require("text", property("string", "text", kind));
        }
        Input::Number { min, max } => {
            parameters.require("value", property("number", "value", &range_words(*min, *max)));
        }
        Input::Choice { choices } => {
            let listed = listed_choices(action, choices);
            let words = match &listed {
                Some(_) => String::new(),
                None => format!("one of {} choices, as text", choices.len()),
            };
            let mut schema = property("string", "choice", &words);
            if let Some(listed) = listed {
                schema["enum"] = json!(listed);
            }
            parameters.require("choice", schema);
        }
        Input::Schema(schema) => parameters = Parameters::of_function(schema),
    }
    parameters
}

/// The choices of a schema. `None` where they are too many, withheld, or could not be copied as they are.
pub(super) fn listed_choices<'a>(action: &Action, choices: &'a [String]) -> Option<Vec<&'a str>> {
    let mut listed: Vec<&str> = Vec::with_capacity(choices.len().min(MAX_CHOICES));
    if action.sensitive || choices.is_empty() || choices.len() > MAX_CHOICES {
        return None;
    }
    for choice in choices {
        if choice.chars().count() > CHOICE_CHARS || !is_plain(choice) {
            return None;
        }
        if !listed.contains(&choice.as_str()) {
            listed.push(choice);
        }
    }
    let chars: usize = listed.iter().map(|choice| choice.chars().count()).sum();
    (chars <= ALL_CHOICES_CHARS).then_some(listed)
}

/// `0 to 30; beyond is clamped`, as far as the widget states it.
fn range_words(min: Option<f64>, max: Option<f64>) -> String {
    match range(min, max) {
        Some(range) => format!("{range}; the widget clamps what is beyond"),
        None => String::new(),
    }
}

/// `0 to 30`, `from 0`, `up to 30`, or nothing.
pub(super) fn range(min: Option<f64>, max: Option<f64>) -> Option<String> {
    // Widgets that have no limit state the limits of the number type.
    let stated = |bound: Option<f64>| bound.filter(|bound| bound.abs() < 1e15);
    match (stated(min), stated(max)) {
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("from {min}")),
        (None, Some(max)) => Some(format!("up to {max}")),
        (None, None) => None,
    }
}

/// A property with the author's words on it, then ours.
fn property(action: &Action, kind: &str, name: &str, words: &str) -> Value {
    let author = action.input_docs.iter().find(|doc| doc.name == name);
    let author = author.map(|doc| authored(&doc.description, SENTENCE_CHARS));
    let sensitive = if action.sensitive { "sensitive" } else { "" };
    let parts = [author.as_deref().unwrap_or(""), words, sensitive];
    let description: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if description.is_empty() {
        json!({ "type": kind })
    } else {
        json!({ "type": kind, "description": description.join("; ") })
    }
}
