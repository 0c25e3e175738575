//! The open questions and steps for the user, and what the user says to them.

use super::Session;
use crate::act::{Approval, Decision, Grant, Handoff, Preset};

impl Session {
    /// The open questions to the user, oldest first.
    #[must_use]
    pub fn waiting_for(&self) -> Vec<Approval> {
        self.shared.approvals.pending()
    }

    /// The open steps that only the user can do; they are among [`Self::waiting_for`], too.
    #[must_use]
    pub fn handoffs(&self) -> Vec<Handoff> {
        self.shared.approvals.handoffs()
    }

    /// Allows an open question, once. `false`: it is not open (any more), and nothing happens.
    pub fn approve(&self, call_id: &str) -> bool {
        self.shared.approvals.decide(call_id, Decision::Allow)
    }

    /// Denies an open question; the model is told the message. `false`: it is not open (any more).
    pub fn deny(&self, call_id: &str, message: Option<String>) -> bool {
        self.shared.approvals.decide(call_id, Decision::Deny { message })
    }

    /// Allows an open question, and the action for the rest of the session where that can be granted: see
    /// [`Decision::AllowForSession`]. `false`: it is not open (any more).
    pub fn approve_for_session(&self, call_id: &str) -> bool {
        self.shared.approvals.decide(call_id, Decision::AllowForSession)
    }

    /// The user did the step of an open handoff in the application: the run looks at the page and goes on. `false`:
    /// it is no open handoff, and nothing happens. To decline one, [`Self::deny`] it.
    pub fn complete(&self, call_id: &str) -> bool {
        self.shared.approvals.complete(call_id)
    }

    /// What the user allowed for the rest of the session.
    #[must_use]
    pub fn grants(&self) -> Vec<Grant> {
        self.shared.approvals.grants()
    }

    /// Takes a grant back. `false`: there is none of this id.
    pub fn revoke(&self, grant: u64) -> bool {
        self.shared.approvals.revoke(grant)
    }

    /// How freely the agent may act; `None`: as configured.
    #[must_use]
    pub fn preset(&self) -> Option<Preset> {
        self.shared.executor.policy().preset
    }

    /// Takes the user's choice of how freely the agent may act, from the next call on; `None`: as configured.
    pub fn set_preset(&self, preset: Option<Preset>) {
        self.shared.executor.set_preset(preset);
    }
}
