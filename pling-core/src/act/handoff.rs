//! A step that only the human may do: the run waits while the user does it in the application.

use super::{ActionRef, Approval};

/// An open step for the user: they do it in the application and say so ([`super::Approvals::complete`]), or decline
/// it ([`super::Approvals::decide`] with a denial). What came of it is read from the page, not from their word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handoff {
    /// The call that waits for it.
    pub call_id: String,
    /// The action and record.
    pub action: ActionRef,
    /// What the user would call the record. Page data.
    pub record_label: Option<String>,
    /// Why only the user can do it, in the author's words.
    pub reason: String,
}

impl Handoff {
    /// The step behind an open question. `None`: it asks for consent, not for a step.
    #[must_use]
    pub fn of(approval: &Approval) -> Option<Self> {
        Some(Self {
            call_id: approval.call_id.clone(),
            action: approval.action.clone(),
            record_label: approval.record_label.clone(),
            reason: approval.handoff.clone()?,
        })
    }
}
