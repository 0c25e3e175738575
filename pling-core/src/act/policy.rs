//! What an executor allows and how long it waits.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{DefaultApproval, SettleLimits};
use crate::{
    model::{Action, ActionId, Effect},
    observe::Budget,
    platform::Duration,
};

/// What an executor allows and how long it waits.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Policy {
    /// What is asked when an action says nothing about confirmation.
    pub default_approval: DefaultApproval,
    /// Which actions may be called at all. The runtime's own ways to see more always may.
    pub permitted: Permissions,
    /// What the user chose in the place of `default_approval`; it never permits more than `permitted`.
    pub preset: Option<Preset>,
    /// The least time between two executions.
    pub min_action_interval: Duration,
    /// How long a page may take to become quiet.
    pub settle: SettleLimits,
    /// Limits of each observation.
    pub budget: Budget,
}

/// How freely an agent may act, as the user chooses it. What an action's author says of confirmation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// The user is asked about everything that changes something.
    Ask,
    /// Only actions of effect `read` may be called.
    ReadOnly,
    /// Only actions of effect `danger` are asked about.
    AcceptEdits,
}

impl Preset {
    /// All of them, from strict to free.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::Ask, Self::AcceptEdits];

    /// The words for a menu.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Ask => "Ask before changes",
            Self::ReadOnly => "Read only",
            Self::AcceptEdits => "Accept edits",
        }
    }
}

impl Policy {
    /// Whether the user is asked about an action before it runs.
    #[must_use]
    pub fn asks_about(&self, action: &Action) -> bool {
        let default = match self.preset {
            Some(Preset::Ask | Preset::ReadOnly) => DefaultApproval::Write,
            Some(Preset::AcceptEdits) => DefaultApproval::Danger,
            None => self.default_approval,
        };
        action.confirm.unwrap_or_else(|| default.covers(action.effect))
    }

    /// Which actions may be called, the user's choice included.
    #[must_use]
    pub fn permissions(&self) -> Permissions {
        let mut permitted = self.permitted.clone();
        permitted.read_only |= self.preset == Some(Preset::ReadOnly);
        permitted
    }
}

/// Which actions a session may call at all. A declaration grants nothing: this does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    read_only: bool,
    allowed: Option<BTreeSet<ActionId>>,
    denied: BTreeSet<ActionId>,
}

impl Permissions {
    /// Every declared action.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Only actions of effect `read`.
    #[must_use]
    pub fn read_only() -> Self {
        Self {
            read_only: true,
            ..Self::default()
        }
    }

    /// Of what is permitted so far, only these actions.
    #[must_use]
    pub fn only(mut self, ids: impl IntoIterator<Item = impl Into<ActionId>>) -> Self {
        let ids: BTreeSet<_> = ids.into_iter().map(Into::into).collect();
        self.allowed = Some(match self.allowed {
            Some(before) => before.intersection(&ids).cloned().collect(),
            None => ids,
        });
        self
    }

    /// Of what is permitted so far, all but these actions.
    #[must_use]
    pub fn without(mut self, ids: impl IntoIterator<Item = impl Into<ActionId>>) -> Self {
        self.denied.extend(ids.into_iter().map(Into::into));
        self
    }

    /// What both permit.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.read_only |= other.read_only;
        self.denied.extend(other.denied.iter().cloned());
        match &other.allowed {
            Some(ids) => self.only(ids.iter().cloned()),
            None => self,
        }
    }

    /// Whether the action may be called.
    #[must_use]
    pub fn permits(&self, action: &Action) -> bool {
        (!self.read_only || action.effect == Effect::Read)
            && self.allowed.as_ref().is_none_or(|ids| ids.contains(&action.id))
            && !self.denied.contains(&action.id)
    }

    /// Whether only actions of effect `read` are permitted.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }
}
