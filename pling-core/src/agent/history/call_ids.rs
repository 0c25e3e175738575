//! Call ids used so far in a session. Providers leave them out, and repeat them.

use std::collections::BTreeSet;

use crate::llm::ToolCall;

/// Ids that are used up. They stay so when the conversation is forgotten: a late answer then finds no call.
#[derive(Clone, Debug, Default)]
pub(super) struct CallIds {
    used: BTreeSet<String>,
    made_up: u64,
}

impl CallIds {
    /// The ids of a conversation that is taken up again.
    pub(super) fn of(ids: impl IntoIterator<Item = String>) -> Self {
        Self {
            used: ids.into_iter().collect(),
            made_up: 0,
        }
    }

    /// Keeps the ids of another conversation used up, too.
    pub(super) fn extend(&mut self, other: Self) {
        self.used.extend(other.used);
        self.made_up = self.made_up.max(other.made_up);
    }

    /// The call under its own id where that is new, or under one made up.
    pub(super) fn adopt(&mut self, call: &ToolCall) -> ToolCall {
        let mut call = call.clone();
        while call.id.trim().is_empty() || self.used.contains(&call.id) {
            self.made_up += 1;
            // Nine letters and digits: the strictest form that providers ask for.
            call.id = format!("call{:05}", self.made_up);
        }
        self.used.insert(call.id.clone());
        call
    }
}
