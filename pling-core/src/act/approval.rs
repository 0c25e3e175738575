//! The user's decision on one call: the nouns. The queue of open ones is [`super::Approvals`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ActionRef, Origin};
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

impl DefaultApproval {
    /// Whether an action of this effect is asked about.
    #[must_use]
    pub fn covers(self, effect: Effect) -> bool {
        match self {
            Self::Never => false,
            Self::Danger => effect >= Effect::Danger,
            Self::Write => effect >= Effect::Write,
            Self::Always => true,
        }
    }
}

/// Who answers approvals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApprovalMode {
    /// The user, through [`super::Approvals::decide`].
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
    /// Whether it can never be taken back.
    pub irreversible: bool,
    /// Who asks for it.
    pub origin: Origin,
    /// The exact arguments that would run; sensitive ones are masked here and nowhere else known.
    pub arguments: Map<String, Value>,
    /// What would happen, in the page's words. Page data.
    pub preview: Option<String>,
    /// Set when only the user can do the step: the author's reason.
    pub handoff: Option<String>,
}

impl Approval {
    /// Whether [`Decision::AllowForSession`] says more than [`Decision::Allow`] here: not for what can never be taken
    /// back, nor for a step that only the user can do.
    #[must_use]
    pub fn is_grantable(&self) -> bool {
        !self.irreversible && self.handoff.is_none()
    }
}

/// The user's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it, this once. For a handoff: the user did it.
    Allow,
    /// Run it, and do not ask about this action again in this session: see [`super::Grant`]. Where there can be no
    /// grant ([`Approval::is_grantable`]), it allows this once.
    AllowForSession,
    /// Do not run it; the message goes to the model.
    Deny {
        /// Why, in the user's words.
        message: Option<String>,
    },
}

/// How an open question ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalOutcome {
    /// It may run, this once. For a handoff: the user did it.
    Allowed,
    /// It may run, and the action is granted for the session.
    AllowedForSession,
    /// It may not run.
    Denied {
        /// Why, in the user's words.
        message: Option<String>,
    },
    /// Nobody answered in time. Not a denial.
    Expired,
    /// The call was cancelled or its caller went away.
    Cancelled,
}

impl ApprovalOutcome {
    /// The stable word: `allowed`, `allowed_for_session`, `denied`, `expired` or `cancelled`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::AllowedForSession => "allowed_for_session",
            Self::Denied { .. } => "denied",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<Decision> for ApprovalOutcome {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Self::Allowed,
            Decision::AllowForSession => Self::AllowedForSession,
            Decision::Deny { message } => Self::Denied { message },
        }
    }
}

/// What happens to questions. For each, `Asked` comes first and exactly one `Decided` follows, whoever answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ApprovalEvent {
    /// A question was put.
    Asked(Approval),
    /// It is not open any more.
    Decided {
        /// The call's id.
        call_id: String,
        /// The action and record.
        action: ActionRef,
        /// How it ended.
        outcome: ApprovalOutcome,
    },
}
