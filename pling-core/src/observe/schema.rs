//! The callable interface that goes with an observation.

use serde_json::{Value, json};

use crate::model::{ActionId, RegionPath};

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
    /// `scroll(region, direction)`: scrolls within a region.
    Scroll,
    /// `find_records(query)`: looks through declared sources, labels and shown fields only.
    FindRecords,
    /// `search_actions(query)`: looks through the actions over the budget.
    SearchActions,
    /// `invoke_action(action, region?, arguments)`: calls an action that has no tool of its own.
    InvokeAction,
}
