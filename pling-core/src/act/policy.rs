//! What an executor allows and how long it waits.

use std::collections::BTreeSet;

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
    /// The least time between two executions.
    pub min_action_interval: Duration,
    /// How long a page may take to become quiet.
    pub settle: SettleLimits,
    /// Limits of each observation.
    pub budget: Budget,
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
