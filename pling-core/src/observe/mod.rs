//! A bounded view of a snapshot for a reader who is not looking at the screen: text, and the tools that go with it.

mod budget;
mod schema;

use std::sync::Arc;

pub use budget::{Budget, Omitted};
pub use schema::{Discovery, ToolSchema, ToolTarget};

use crate::snapshot::Snapshot;

/// A bounded view of one snapshot. The same snapshot and budget give the same bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Observation {
    /// The snapshot it was made of.
    pub snapshot: Arc<Snapshot>,
    /// The page section of the system message.
    pub text: String,
    /// The callable interface, from the same fold as the text.
    pub tools: Vec<ToolSchema>,
    /// What the budget cut.
    pub omitted: Omitted,
}

impl Observation {
    /// Folds a snapshot and writes it down within a budget.
    #[must_use]
    pub fn new(snapshot: &Arc<Snapshot>, _budget: &Budget) -> Self {
        Self {
            snapshot: Arc::clone(snapshot),
            text: String::new(),
            tools: Vec::new(),
            omitted: Omitted::default(),
        }
    }

    /// The tool a model called by exact name. `None`: this observation offered no such tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolSchema> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
