//! What the user allowed for the rest of a session: visible, revocable, never more than was shown.

use std::sync::Arc;

use super::{ActionRef, Origin, check::Checked};
use crate::model::{Action, Effect, RegionPath};

/// The user's word that an action may run without asking again, until it is revoked, the conversation is reset (one of the
/// assistant's), or the client leaves (one of a client's).
///
/// It holds for one action at one place, as it was declared when the user said so, with any arguments and on any
/// record, and for whoever asked then: the assistant, the palette, or every client of that name, which nobody verifies. It
/// never covers an irreversible action nor a step that only the user can do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grant {
    /// What [`super::Approvals::revoke`] takes.
    pub id: u64,
    /// The action; no record.
    pub action: ActionRef,
    /// Where it is declared.
    pub region: RegionPath,
    /// How far it reaches.
    pub effect: Effect,
    /// Who may call it.
    pub origin: Origin,
}

/// The grants in force.
#[derive(Debug, Default)]
pub(super) struct Grants {
    next_id: u64,
    granted: Vec<(Grant, Arc<Action>)>,
}

impl Grants {
    pub(super) fn list(&self) -> Vec<Grant> {
        self.granted.iter().map(|(grant, _)| grant.clone()).collect()
    }

    /// Takes the user's word for this action, where it may be given.
    pub(super) fn add(&mut self, checked: &Checked, origin: &Origin) {
        if !may_cover(checked) || self.covers(checked, origin) {
            return;
        }
        self.next_id += 1;
        let mut action = checked.action_ref();
        action.record = None;
        let grant = Grant {
            id: self.next_id,
            action,
            region: checked.target.region.clone(),
            effect: checked.action.effect,
            origin: origin.clone(),
        };
        self.granted.push((grant, Arc::clone(&checked.action)));
    }

    pub(super) fn covers(&self, checked: &Checked, origin: &Origin) -> bool {
        may_cover(checked)
            && self.granted.iter().any(|(grant, declared)| {
                grant.origin == *origin && grant.region == checked.target.region && declared.same_shape(&checked.action)
            })
    }

    pub(super) fn revoke(&mut self, id: u64) -> bool {
        let before = self.granted.len();
        self.granted.retain(|(grant, _)| grant.id != id);
        self.granted.len() < before
    }

    pub(super) fn revoke_of(&mut self, origin: &Origin) {
        self.granted.retain(|(grant, _)| grant.origin != *origin);
    }
}

/// What can be taken back, and what a machine may do.
fn may_cover(checked: &Checked) -> bool {
    !checked.action.irreversible && checked.handoff.is_none()
}
