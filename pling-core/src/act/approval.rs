//! The user's decision on one call.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ActionRef;
use crate::model::Effect;

/// What is asked when an action says nothing about confirmation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultApproval {
    /// Nothing is asked.
    Never,
    /// Actions of effect `danger` are asked about.
    #[default]
    Danger,
    /// Actions of effect `write` and `danger` are asked about.
    Write,
    /// Everything is asked about.
    Always,
}

/// Who answers approvals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApprovalMode {
    /// The user, through [`Approvals::decide`].
    #[default]
    Ask,
    /// Everything is allowed at once: for tests and trusted scripts. Handoffs are declined.
    AllowAll,
    /// Everything is denied at once. Handoffs are declined.
    DenyAll,
}

/// One open question to the user, bound to the exact call. It can be decided once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Approval {
    /// The call's id.
    pub call_id: String,
    /// The action and record it is bound to.
    pub action: ActionRef,
    /// What the user would call the record, at the moment of asking. Page data.
    pub record_label: Option<String>,
    /// How far the action reaches.
    pub effect: Effect,
    /// The exact arguments that would run; sensitive ones are masked here and nowhere else known.
    pub arguments: Map<String, Value>,
    /// What would happen, in the page's words. Page data.
    pub preview: Option<String>,
    /// Set when only the user can do the step: the author's reason.
    pub handoff: Option<String>,
}

/// The user's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it, this once. For a handoff: the user did it.
    Allow,
    /// Do not run it; the message goes to the model.
    Deny {
        /// Why, in the user's words.
        message: Option<String>,
    },
}

/// The queue of open questions; a cheap handle.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    _shared: Arc<()>,
}

impl Approvals {
    /// What is open, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<Approval> {
        Vec::new()
    }

    /// Decides an open question. `false`: it is not open (any more), and nothing happens. The first decision wins.
    pub fn decide(&self, _call_id: &str, _decision: Decision) -> bool {
        false
    }
}
