//! The one executor: every call of every caller goes through here, one at a time.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::{
    Approvals, AuditSink, Call, DefaultApproval, Hooks, Host, Origin, Permissions, Policy, Preset, Receipt, Refusal,
    answered::Answered,
    audit::Trail,
    denials::Denials,
    gates::{Passage, cancelled},
    seen::Seen,
};
use crate::{
    observe::Observation,
    platform::{BoxFuture, Instant},
};

/// The one executor; a cheap handle. Calls queue up, first come first served, and run one at a time.
///
/// A call whose question to the user is open keeps its turn: what the user is looking at while deciding does not
/// change under another call, and no second question comes up. Whoever waits behind it can be cancelled, and
/// [`Approvals::expire`] ends the question. [`Self::observe`] never waits for a turn.
#[derive(Clone)]
pub struct Executor {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) host: Arc<dyn Host>,
    pub(super) hooks: Hooks,
    pub(super) approvals: Approvals,
    pub(super) policy: Mutex<Policy>,
    audit: Mutex<Option<Arc<dyn AuditSink>>>,
    pub(super) seen: Mutex<Seen>,
    pub(super) denials: Mutex<Denials>,
    pub(super) answered: Mutex<Answered>,
    pub(super) last_performed: Mutex<Option<Instant>>,
    /// Whose turn it is: a fair queue that guards no data. The one lock that is held across awaits; nobody
    /// but a waiting call ever waits for it.
    turn: tokio::sync::Mutex<()>,
}

impl Executor {
    /// An executor over a running application.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, policy: Policy, hooks: Hooks, approvals: Approvals) -> Self {
        host.set_budget(&policy.budget);
        Self {
            shared: Arc::new(Shared {
                host,
                hooks,
                approvals,
                policy: Mutex::new(policy),
                audit: Mutex::default(),
                seen: Mutex::new(Seen::new()),
                denials: Mutex::default(),
                answered: Mutex::default(),
                last_performed: Mutex::default(),
                turn: tokio::sync::Mutex::default(),
            }),
        }
    }

    /// Waits for the page to settle and writes down what is there.
    ///
    /// # Errors
    /// [`super::Code::WindowHidden`] or [`super::Code::Timeout`] when no pass is drawn.
    pub async fn observe(&self) -> Result<Arc<Observation>, Refusal> {
        let (limits, budget) = {
            let policy = self.shared.policy.lock();
            (policy.settle, policy.budget.clone())
        };
        let page = self.shared.host.settle(limits).await?;
        let observation = Arc::new(Observation::new(&page.snapshot, &budget));
        self.shared.seen.lock().observation(&observation);
        Ok(observation)
    }

    /// Takes one call through all gates. Always answers with a receipt for this call's id. Cancelled before
    /// it is performed, it is `CANCELLED` and never runs; afterwards the receipt says what was seen.
    ///
    /// The same call of the same caller again, under the same id, is told what the first one was, and is not run
    /// again. Another call under that id is refused. The last 64 calls are remembered.
    ///
    /// Dropping the future withdraws the call: an open question closes, and what was not delivered never is.
    pub async fn invoke(&self, call: Call, cancel: &CancellationToken) -> Receipt {
        self.begin(call, cancel).await
    }

    /// So that a program has the gates once, and not again for each crate that calls.
    #[inline(never)]
    fn begin(&self, call: Call, cancel: &CancellationToken) -> BoxFuture<Receipt> {
        Box::pin(self.clone().in_turn(call, cancel.clone()))
    }

    async fn in_turn(self, call: Call, cancel: CancellationToken) -> Receipt {
        let trail = Trail::new(self.shared.audit.lock().clone(), &call);
        let turn = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            turn = self.shared.turn.lock() => Some(turn),
        };
        let receipt = match turn {
            Some(_turn) => self.take_through(&call, &cancel, trail).await,
            None => {
                let Refusal { code, message, .. } = cancelled();
                let receipt = Receipt::refused(&call.id, code, message);
                trail.end(&receipt);
                receipt
            }
        };
        // Never with content: names and arguments stay out of logs.
        tracing::debug!(code = receipt.code().map(super::Code::as_str), "call answered");
        receipt
    }

    async fn take_through(&self, call: &Call, cancel: &CancellationToken, trail: Trail) -> Receipt {
        let again = self.shared.answered.lock().again(call);
        if let Some(receipt) = again {
            trail.end(&receipt);
            return receipt;
        }
        let receipt = Passage::new(&self.shared, call, cancel, trail).pass().await;
        self.shared.answered.lock().keep(call, &receipt);
        receipt
    }

    /// Forgets what the user said no to, so that the assistant may ask about it again, and the ids of its calls so far:
    /// for each new message of the user. What clients were denied stays as it is.
    pub fn forget_denials(&self) {
        self.shared.denials.lock().forget();
        self.shared.answered.lock().forget(&Origin::Assistant);
    }

    /// The running application.
    #[must_use]
    pub fn host(&self) -> &Arc<dyn Host> {
        &self.shared.host
    }

    /// The open questions to the user.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        &self.shared.approvals
    }

    /// The application's hooks.
    #[must_use]
    pub fn hooks(&self) -> &Hooks {
        &self.shared.hooks
    }

    /// What is allowed now, and for how long is waited.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.shared.policy.lock().clone()
    }

    /// Takes over what a configuration says: what is asked about, the least time between two executions, the limits
    /// of each observation. Permissions, the user's preset and the waits stay.
    pub fn configure(&self, configured: &Policy) {
        {
            let mut policy = self.shared.policy.lock();
            policy.default_approval = configured.default_approval;
            policy.min_action_interval = configured.min_action_interval;
            policy.budget.clone_from(&configured.budget);
        }
        // Outside the lock: the host may ask for anything.
        self.shared.host.set_budget(&configured.budget);
    }

    /// Takes the user's choice of how freely an agent may act, from the next gate on; `None`: as configured.
    pub fn set_preset(&self, preset: Option<Preset>) {
        self.shared.policy.lock().preset = preset;
    }

    /// Tells a sink of every call from now on; `None` stops that.
    pub fn set_audit(&self, sink: Option<Arc<dyn AuditSink>>) {
        let before = std::mem::replace(&mut *self.shared.audit.lock(), sink);
        drop(before);
    }

    /// Changes what is asked about when an action says nothing about confirmation, from the next gate on.
    pub fn set_default_approval(&self, default_approval: DefaultApproval) {
        self.shared.policy.lock().default_approval = default_approval;
    }

    /// Changes which actions may be called at all, from the next check on.
    pub fn set_permitted(&self, permitted: Permissions) {
        self.shared.policy.lock().permitted = permitted;
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("policy", &*self.shared.policy.lock())
            .field("approvals", &self.shared.approvals)
            .finish_non_exhaustive()
    }
}
