//! An executor over the fake app, and the few calls that tests make.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use pling_core::{
    act::{ApprovalMode, Approvals, Arguments, Call, CancellationToken, Executor, Hooks, Policy, Receipt},
    observe::Observation,
    platform::{Duration, sleep, timeout},
};
use serde_json::Value;
use tokio::task::JoinHandle;

use super::FakeHost;

/// Longer than any bound of the executor.
const PATIENCE: Duration = Duration::from_secs(120);

/// An executor over the fake app; a cheap handle.
#[derive(Clone)]
pub(crate) struct Bench {
    /// The app.
    pub(crate) host: FakeHost,
    /// What is tested.
    pub(crate) executor: Executor,
    calls: Arc<AtomicUsize>,
}

impl Bench {
    /// A user answers approvals; everything else is at its default.
    pub(crate) fn new() -> Self {
        Self::with(Policy::default(), ApprovalMode::Ask)
    }

    /// Everything is allowed at once.
    pub(crate) fn trusted() -> Self {
        Self::with(Policy::default(), ApprovalMode::AllowAll)
    }

    /// Another policy.
    pub(crate) fn with(policy: Policy, mode: ApprovalMode) -> Self {
        let host = FakeHost::new();
        let executor = Executor::new(Arc::new(host.clone()), policy, Hooks::new(), Approvals::new(mode));
        Self {
            host,
            executor,
            calls: Arc::default(),
        }
    }

    /// What a model would see now.
    pub(crate) async fn observe(&self) -> Arc<Observation> {
        self.executor.observe().await.expect("a pass is drawn")
    }

    /// Observes, then calls.
    pub(crate) async fn invoke(&self, tool: &str, arguments: Value) -> Receipt {
        let seen = self.observe().await;
        self.invoke_seen(&seen, tool, arguments).await
    }

    /// Calls on what was seen before.
    pub(crate) async fn invoke_seen(&self, seen: &Arc<Observation>, tool: &str, arguments: Value) -> Receipt {
        let call = self.call(seen, tool, arguments);
        let id = call.id.clone();
        let cancel = CancellationToken::new();
        let receipt = timeout(PATIENCE, self.executor.invoke(call, &cancel)).await;
        let receipt = receipt.expect("nobody is asked, so it ends by itself");
        assert_eq!(receipt.call_id, id, "a receipt answers its call");
        receipt
    }

    /// Calls in a task of its own, and waits until the user is asked.
    pub(crate) async fn ask(&self, seen: &Arc<Observation>, tool: &str, arguments: Value) -> Asking {
        let call = self.call(seen, tool, arguments);
        let cancel = CancellationToken::new();
        let id = call.id.clone();
        let (executor, token) = (self.executor.clone(), cancel.clone());
        let receipt = tokio::spawn(async move { executor.invoke(call, &token).await });
        while !self
            .executor
            .approvals()
            .pending()
            .iter()
            .any(|open| open.call_id == id)
        {
            assert!(
                !receipt.is_finished(),
                "{:?}",
                receipt.await.expect("it ran to its end")
            );
            sleep(Duration::from_millis(1)).await;
        }
        Asking { id, receipt, cancel }
    }

    /// A call with an id of its own.
    pub(crate) fn call(&self, seen: &Arc<Observation>, tool: &str, arguments: Value) -> Call {
        let id = format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed));
        Call::new(id, tool, Arguments::from(arguments), Arc::clone(seen))
    }
}

/// A call that waits for its user.
pub(crate) struct Asking {
    /// The call's id.
    pub(crate) id: String,
    /// Its receipt, once it ends.
    pub(crate) receipt: JoinHandle<Receipt>,
    /// Stops it.
    pub(crate) cancel: CancellationToken,
}
