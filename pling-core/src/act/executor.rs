//! The one executor: every call of every caller goes through here, one at a time.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Approvals, Call, Code, DefaultApproval, Hooks, Host, Receipt, Refusal, SettleLimits};
use crate::{
    observe::{Budget, Observation},
    platform::Duration,
};

/// What an executor allows and how long it waits.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Policy {
    /// What is asked when an action says nothing about confirmation.
    pub default_approval: DefaultApproval,
    /// The least time between two executions.
    pub min_action_interval: Duration,
    /// How long a page may take to become quiet.
    pub settle: SettleLimits,
    /// Limits of each observation.
    pub budget: Budget,
}

/// The one executor; a cheap handle. Calls queue up and run one at a time.
#[derive(Clone)]
pub struct Executor {
    host: Arc<dyn Host>,
    approvals: Approvals,
}

impl std::fmt::Debug for Executor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executor").finish_non_exhaustive()
    }
}

impl Executor {
    /// An executor over a running application.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, _policy: Policy, _hooks: Hooks, approvals: Approvals) -> Self {
        Self { host, approvals }
    }

    /// Waits for the page to settle and writes down what is there.
    ///
    /// # Errors
    /// [`Code::WindowHidden`] or [`Code::Timeout`] when no pass is drawn.
    pub async fn observe(&self) -> Result<Arc<Observation>, Refusal> {
        let snapshot = self.host.snapshot().await?;
        Ok(Arc::new(Observation::new(&snapshot, &Budget::default())))
    }

    /// Takes one call through all gates. Always answers with a receipt for this call's id. Cancelled before
    /// it is performed, it is `CANCELLED` and never runs; afterwards the receipt says what was seen.
    pub async fn invoke(&self, call: Call, _cancel: &CancellationToken) -> Receipt {
        Receipt::refused(call.id, Code::Unsupported, "")
    }

    /// The open questions to the user.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }
}
