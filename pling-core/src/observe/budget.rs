//! Limits of an observation, and what they cut.

use serde::{Deserialize, Serialize};

/// Limits of one observation. Characters are counted as Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct Budget {
    /// Action entries after folding.
    pub max_actions: usize,
    /// Records with their fields.
    pub max_records: usize,
    /// Regions listed.
    pub max_regions: usize,
    /// Feedback items listed.
    pub max_feedback: usize,
    /// Tokens of one tool result, by the estimate of [`crate::llm::estimate_tokens`].
    pub max_tool_result_tokens: usize,
    /// Characters of the state section.
    pub max_state_chars: usize,
    /// Characters of the records section.
    pub max_record_chars: usize,
    /// Characters of the feedback section.
    pub max_feedback_chars: usize,
    /// Characters of the page identity.
    pub max_page_chars: usize,
    /// Record ids listed for citation; the others are counted.
    pub max_citation_ids: usize,
    /// Labels beside listed ids of drawn records that are out of view. None by default: a model looks before it acts. Small
    /// models that do not look need them.
    pub max_cited_labels: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            max_actions: 40,
            max_records: 20,
            max_regions: 24,
            max_feedback: 8,
            max_tool_result_tokens: 1000,
            max_state_chars: 1200,
            max_record_chars: 1500,
            max_feedback_chars: 800,
            max_page_chars: 500,
            max_citation_ids: 200,
            max_cited_labels: 0,
        }
    }
}

/// How much of each kind a budget cut. Zero: everything is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Omitted {
    /// Action entries (after folding) not listed.
    pub actions: usize,
    /// Records whose fields are not shown.
    pub records: usize,
    /// Record ids not listed.
    pub citation_ids: usize,
    /// Regions not listed.
    pub regions: usize,
    /// Feedback items not listed.
    pub feedback: usize,
    /// State views not listed.
    pub state: usize,
}
