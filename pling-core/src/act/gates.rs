//! One call on its way through the gates.
//!
//! The order is the order of the functions called in [`Passage::execute`]. A gate refuses with a [`Refusal`];
//! whatever happens, the passage ends in exactly one [`Receipt`].

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{
    ActionRef, Call, Code, Host, Permissions, Receipt, Refusal, SettleLimits, arguments,
    audit::Trail,
    check::{self, Checked, Facts, Step},
    discovery,
    executor::Shared,
    outcome,
    resolve::{self, Asked, Wanted},
};
use crate::{
    model::Feedback,
    observe::{Budget, Observation},
    platform::{now, sleep},
    snapshot::Snapshot,
};

/// Feedback items in the receipt of an error.
const MAX_FEEDBACK: usize = 8;

/// One call on its way through the gates, and what was seen of the page meanwhile.
pub(super) struct Passage<'a> {
    pub(super) shared: &'a Shared,
    pub(super) call: &'a Call,
    pub(super) cancel: &'a CancellationToken,
    latest: Option<Arc<Snapshot>>,
    action: Option<ActionRef>,
    pub(super) trail: Trail,
}

impl<'a> Passage<'a> {
    pub(super) fn new(shared: &'a Shared, call: &'a Call, cancel: &'a CancellationToken, trail: Trail) -> Self {
        Self {
            shared,
            call,
            cancel,
            latest: None,
            action: None,
            trail,
        }
    }

    /// Takes the call through all gates.
    pub(super) async fn pass(mut self) -> Receipt {
        let result = match self.resolve() {
            Ok(Asked::Action(wanted)) => {
                let action = wanted.action_ref();
                self.trail.means(&action, None);
                self.action = Some(action);
                self.execute(&wanted).await
            }
            Ok(Asked::Discovery { what, tool, arguments }) => {
                discovery::discover(&mut self, what, &tool, &arguments).await
            }
            Err(refusal) => {
                // For what can be called instead, as the page is now. Without it the refusal stands all the same.
                let _ = self.look().await;
                Err(refusal)
            }
        };
        let receipt = result.unwrap_or_else(|refusal| self.refused(refusal));
        self.trail.end(&receipt);
        receipt
    }

    fn resolve(&self) -> Result<Asked, Refusal> {
        self.alive()?;
        resolve::resolve(self.call, &self.shared.seen.lock())
    }

    async fn execute(&mut self, wanted: &Wanted) -> Result<Receipt, Refusal> {
        let mut checked = self.check(wanted).await?;
        let action = checked.action_ref();
        let masked = arguments::masked(&checked.action, &checked.arguments);
        self.trail.means(&action, Some(masked));
        self.action = Some(action);
        self.pre_hooks(&checked)?;
        if let Some(reason) = checked.handoff.clone() {
            return self.hand_off(&checked, reason).await;
        }
        loop {
            let was_asked = self.approve(&checked).await?;
            let was_waiting = self.pace().await?;
            if !was_asked && !was_waiting {
                break;
            }
            let again = self.check(wanted).await?;
            if was_asked && let Some(difference) = again.differs_from(&checked) {
                let message = format!("the user allowed this, but then {difference}; nothing was run. Ask again");
                return Err(Refusal::new(Code::ApprovalStale, message));
            }
            if again.handoff.is_some() {
                let message = "only the user can do this now; nothing was run. Ask again";
                return Err(Refusal::new(Code::ApprovalStale, message));
            }
            checked = again;
            // What needed nobody's word may need it now: the user, the page or time changed the rules.
            if was_asked || self.why_unasked(&checked).is_some() {
                break;
            }
        }
        self.perform(&checked).await
    }

    /// The gates from `permitted` to `available`, on the page as it is now; brings the target into view if need be.
    async fn check(&mut self, wanted: &Wanted) -> Result<Checked, Refusal> {
        let now = self.look().await?;
        let target = match self.check_on(wanted, &now)? {
            Step::Ready(checked) => return Ok(*checked),
            Step::Reveal(target) => target,
        };
        let record = target.record.clone();
        let revealed = self.unless_cancelled(self.shared.host.reveal(target)).await?;
        let now = revealed.map_err(|refusal| match record {
            // The host knows what it has, this executor also what it had.
            Some(id) if refusal.code == Code::UnknownRecord && self.shared.seen.lock().knows_record(&id) => {
                check::record_gone(&id)
            }
            _ => refusal,
        })?;
        self.saw(&now);
        match self.check_on(wanted, &now)? {
            Step::Ready(checked) => Ok(*checked),
            Step::Reveal(_) => Err(check::not_revealed(wanted)),
        }
    }

    fn check_on(&self, wanted: &Wanted, now: &Arc<Snapshot>) -> Result<Step, Refusal> {
        let facts = Facts {
            now,
            shown: &self.call.seen.snapshot,
            permitted: &self.permissions(),
            seen: &self.shared.seen.lock(),
        };
        check::check(wanted, facts)
    }

    /// What the executor permits, as far as this caller may call it.
    fn permissions(&self) -> Permissions {
        let permitted = self.shared.policy.lock().permissions();
        permitted.and(&self.call.permitted)
    }

    fn pre_hooks(&self, checked: &Checked) -> Result<(), Refusal> {
        let usage = checked.tool_use(self.call);
        (self.shared.hooks.before(&usage)).map_err(|reason| Refusal::new(Code::HookBlocked, reason))
    }

    /// Keeps the least time between two executions, and out of the user's way; whether that took any time.
    async fn pace(&self) -> Result<bool, Refusal> {
        let was_busy = self.unless_cancelled(self.shared.host.until_free()).await?;
        let interval = self.shared.policy.lock().min_action_interval;
        let last = *self.shared.last_performed.lock();
        let wait = last.map(|last| (last + interval).saturating_duration_since(now()));
        match wait.filter(|wait| !wait.is_zero()) {
            Some(wait) => self.unless_cancelled(sleep(wait)).await.map(|()| true),
            None => Ok(was_busy),
        }
    }

    /// Hands the operation over. From here on only the host knows whether it was delivered, so a cancel does not
    /// interrupt it: the host takes it back or bounds it, and the receipt says what was seen.
    async fn perform(&mut self, checked: &Checked) -> Result<Receipt, Refusal> {
        self.alive()?;
        let (target, operation) = (checked.target.clone(), checked.operation.clone());
        let limits = self.settle_limits();
        self.trail.delivered();
        self.shared.answered.lock().delivered(self.call);
        let performed = self.shared.host.perform(target, operation, limits, self.cancel);
        let performed = performed.await;
        if matches!(&performed, Err(refusal) if refusal.code == Code::Cancelled) {
            self.trail.not_delivered();
        }
        *self.shared.last_performed.lock() = Some(now());
        let mut receipt = match performed {
            Ok(performed) => outcome::conclude(self, checked, performed).await,
            Err(mut refusal) => {
                if checked.action.sensitive && matches!(refusal.code, Code::NotDelivered | Code::AmbiguousTarget) {
                    // The words may quote what was asked, or what the widget shows.
                    "it could not be done; the words on why are withheld".clone_into(&mut refusal.message);
                }
                if !matches!(refusal.code, Code::WindowHidden | Code::Timeout) {
                    let _ = self.look().await;
                }
                if refusal.code == Code::HandlerFailed && refusal.changed.is_none() {
                    let after = self.latest(&checked.before);
                    refusal.changed = Some(Box::new(checked.before.changes_to(&after)));
                }
                self.refused(refusal)
            }
        };
        self.shared.hooks.after(&checked.tool_use(self.call), &mut receipt);
        Ok(receipt)
    }

    /// The receipt of a refusal: with what the page says now, and what can be called instead.
    fn refused(&self, refusal: Refusal) -> Receipt {
        let mut receipt = Receipt::refused(&self.call.id, refusal.code, refusal.message);
        receipt.action = self.action.clone();
        receipt.reason = refusal.reason;
        receipt.changed = refusal.changed.map(|changed| *changed);
        receipt.feedback = self.feedback();
        // What else there is to call is worth its tokens only where the call itself was the mistake.
        if refusal.code.is_mistaken_call() {
            let now = self.latest(&self.call.seen.snapshot);
            receipt.available = resolve::available(&self.call.seen, &now, &self.permissions());
        }
        receipt
    }

    /// A fresh look at the page.
    pub(super) async fn look(&mut self) -> Result<Arc<Snapshot>, Refusal> {
        let snapshot = self.unless_cancelled(self.shared.host.snapshot()).await??;
        self.saw(&snapshot);
        Ok(snapshot)
    }

    /// Takes in what was seen of the page.
    pub(super) fn saw(&mut self, snapshot: &Arc<Snapshot>) {
        self.shared.seen.lock().snapshot(snapshot);
        self.latest = Some(Arc::clone(snapshot));
    }

    /// The last that was seen of the page, or this.
    pub(super) fn latest(&self, otherwise: &Arc<Snapshot>) -> Arc<Snapshot> {
        Arc::clone(self.latest.as_ref().unwrap_or(otherwise))
    }

    /// What the page told its user when it was last seen, serious things first.
    pub(super) fn feedback(&self) -> Vec<Feedback> {
        let mut feedback = self.latest.as_ref().map_or_else(Vec::new, |page| page.feedback.clone());
        feedback.sort_by_key(|feedback| feedback.level);
        feedback.truncate(MAX_FEEDBACK);
        feedback
    }

    pub(super) fn call_id(&self) -> &str {
        &self.call.id
    }

    /// The observation that the caller saw.
    pub(super) fn seen(&self) -> &'a Observation {
        &self.call.seen
    }

    pub(super) fn budget(&self) -> Budget {
        self.shared.policy.lock().budget.clone()
    }

    pub(super) fn shared(&self) -> &'a Shared {
        self.shared
    }

    pub(super) fn host(&self) -> &'a dyn Host {
        &*self.shared.host
    }

    pub(super) fn settle_limits(&self) -> SettleLimits {
        self.shared.policy.lock().settle
    }

    /// Awaits, unless the call is cancelled first.
    pub(super) async fn unless_cancelled<T>(&self, future: impl Future<Output = T>) -> Result<T, Refusal> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(cancelled()),
            value = future => Ok(value),
        }
    }

    pub(super) fn alive(&self) -> Result<(), Refusal> {
        if self.cancel.is_cancelled() {
            return Err(cancelled());
        }
        Ok(())
    }
}

/// `CANCELLED`, before anything ran.
pub(super) fn cancelled() -> Refusal {
    Refusal::new(Code::Cancelled, "cancelled before it ran; nothing was run")
}
