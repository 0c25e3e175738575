//! The gate where the user is asked: for consent, or for a step that only they can do.

use super::{
    Approval, ApprovalMode, ApprovalOutcome, Code, Consent, Performed, Receipt, Refusal, arguments,
    check::Checked,
    gates::{Passage, cancelled},
    outcome,
};

impl Passage<'_> {
    /// Asks the user where that is due; whether it was asked.
    pub(super) async fn approve(&mut self, checked: &Checked) -> Result<bool, Refusal> {
        match self.why_unasked(checked) {
            Some(consent) => {
                self.trail.consent(consent);
                Ok(false)
            }
            None => self.ask(checked, None, Code::ApprovalDenied).await.map(|()| true),
        }
    }

    /// Why the user need not be asked, as things are now; `None`: they must be.
    pub(super) fn why_unasked(&self, checked: &Checked) -> Option<Consent> {
        if !self.shared.policy.lock().asks_about(&checked.action) {
            return Some(Consent::NotRequired);
        }
        let granted = self.shared.approvals.is_granted(checked, &self.call.origin);
        granted.then_some(Consent::Granted)
    }

    /// A step that only the user can do: asks for it, then says what was seen.
    pub(super) async fn hand_off(&mut self, checked: &Checked, reason: String) -> Result<Receipt, Refusal> {
        self.ask(checked, Some(reason), Code::HandoffDeclined).await?;
        let limits = self.settle_limits();
        let page = self.unless_cancelled(self.shared.host.settle(limits)).await;
        let page = page.flatten().map_err(|refusal| {
            let message = "the user did this step, by their own word; what it changed was not seen";
            Refusal::new(refusal.code, message)
        })?;
        let mut performed = Performed::new(page.snapshot);
        performed.settled = page.settled;
        performed.warning = Some("the user did this step, by their own word".to_owned());
        let mut receipt = outcome::conclude(self, checked, performed).await;
        receipt.handoff = true;
        self.shared.hooks.after(&checked.tool_use(self.call), &mut receipt);
        Ok(receipt)
    }

    async fn ask(&mut self, checked: &Checked, handoff: Option<String>, denial: Code) -> Result<(), Refusal> {
        if self.shared.denials.lock().contains(checked, &self.call.origin) {
            self.trail.consent(Consent::Denied);
            let message = "the user already said no to exactly this and was not asked again. Do not retry it";
            return Err(Refusal::new(denial, message));
        }
        let approval = Approval {
            call_id: self.call.id.clone(),
            action: checked.action_ref(),
            record_label: checked.record.as_ref().map(|record| record.label.clone()),
            effect: checked.action.effect,
            irreversible: checked.action.irreversible,
            origin: self.call.origin.clone(),
            arguments: arguments::masked(&checked.action, &checked.arguments),
            preview: checked.action.preview.clone(),
            handoff,
        };
        let is_by_user = self.shared.approvals.mode() == ApprovalMode::Ask;
        // Until there is an answer: whoever goes away now leaves an open question behind.
        self.trail.consent(Consent::Withdrawn);
        let is_handoff = approval.handoff.is_some();
        let outcome = self.shared.approvals.ask(approval, self.cancel).await;
        self.trail.consent(Consent::of(&outcome, is_by_user, is_handoff));
        match outcome {
            ApprovalOutcome::Allowed => Ok(()),
            ApprovalOutcome::AllowedForSession => {
                // Who has left meanwhile leaves nothing behind.
                self.alive()?;
                self.shared.approvals.grant(checked, &self.call.origin);
                Ok(())
            }
            ApprovalOutcome::Cancelled => Err(cancelled()),
            ApprovalOutcome::Expired => {
                let message = "the user has not answered in time, which is no denial; nothing was run";
                Err(Refusal::new(Code::ApprovalExpired, message))
            }
            ApprovalOutcome::Denied { message } => {
                if is_by_user {
                    self.shared.denials.lock().remember(checked, &self.call.origin);
                }
                let mut words = match denial {
                    Code::HandoffDeclined => "only the user can do this step, and did not".to_owned(),
                    _ => "the user said no; nothing was run".to_owned(),
                };
                words.push_str(". Do not retry it or look for another way to the same effect");
                if let Some(message) = message {
                    words.push_str(&format!(". The user says: {message}"));
                }
                Err(Refusal::new(denial, words))
            }
        }
    }
}
