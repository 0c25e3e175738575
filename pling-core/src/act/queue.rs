//! The queue of open questions to the user.
//!
//! A question is open as long as the call that asks it is waiting: answering it, cancelling the call or dropping
//! its future closes it, and whatever is decided after that does nothing.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{broadcast, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    ActionRef, Approval, ApprovalEvent, ApprovalMode, ApprovalOutcome, Decision, Grant, Handoff, Origin,
    check::Checked, grants::Grants,
};

/// Events kept for a slow subscriber; beyond it, it is told how many it missed.
const EVENT_CAPACITY: usize = 64;

/// The queue of open questions; a cheap handle.
#[derive(Clone)]
pub struct Approvals {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    // Never sent to with the state locked: a subscriber's waker may take locks of its own.
    events: broadcast::Sender<ApprovalEvent>,
}

struct State {
    mode: ApprovalMode,
    next_serial: u64,
    open: Vec<Open>,
    grants: Grants,
}

struct Open {
    /// Tells apart questions of different sessions that happen to use the same call id.
    serial: u64,
    approval: Approval,
    cancel: CancellationToken,
    answer: oneshot::Sender<ApprovalOutcome>,
}

impl Approvals {
    /// A queue with nothing in it.
    #[must_use]
    pub fn new(mode: ApprovalMode) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    mode,
                    next_serial: 0,
                    open: Vec::new(),
                    grants: Grants::default(),
                }),
                events: broadcast::Sender::new(EVENT_CAPACITY),
            }),
        }
    }

    /// Who answers.
    #[must_use]
    pub fn mode(&self) -> ApprovalMode {
        self.shared.state.lock().mode
    }

    /// Changes who answers from now on; questions that are open stay with the user.
    pub fn set_mode(&self, mode: ApprovalMode) {
        self.shared.state.lock().mode = mode;
    }

    /// What is open, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<Approval> {
        let state = self.shared.state.lock();
        let open = state.open.iter().filter(|open| !open.cancel.is_cancelled());
        open.map(|open| open.approval.clone()).collect()
    }

    /// Decides an open question. `false`: it is not open (any more), and nothing happens. The first decision wins.
    pub fn decide(&self, call_id: &str, decision: Decision) -> bool {
        self.answer(call_id, decision.into())
    }

    /// The open steps that only the user can do, oldest first; all of them are in [`Self::pending`], too.
    #[must_use]
    pub fn handoffs(&self) -> Vec<Handoff> {
        self.pending().iter().filter_map(Handoff::of).collect()
    }

    /// The user did the step of an open handoff. `false`: it is no open handoff, and nothing happens.
    pub fn complete(&self, call_id: &str) -> bool {
        let is_open = self.handoffs().iter().any(|handoff| handoff.call_id == call_id);
        is_open && self.decide(call_id, Decision::Allow)
    }

    /// What the user allowed for the rest of the session, oldest first.
    #[must_use]
    pub fn grants(&self) -> Vec<Grant> {
        self.shared.state.lock().grants.list()
    }

    /// Takes a grant back, from the next gate on. `false`: there is none of this id.
    pub fn revoke(&self, id: u64) -> bool {
        self.shared.state.lock().grants.revoke(id)
    }

    /// Takes back everything that was granted to one caller.
    pub fn revoke_of(&self, origin: &Origin) {
        self.shared.state.lock().grants.revoke_of(origin);
    }

    pub(super) fn grant(&self, checked: &Checked, origin: &Origin) {
        self.shared.state.lock().grants.add(checked, origin);
    }

    pub(super) fn is_granted(&self, checked: &Checked, origin: &Origin) -> bool {
        self.shared.state.lock().grants.covers(checked, origin)
    }

    /// Ends an open question for want of an answer. `false`: it is not open (any more).
    pub fn expire(&self, call_id: &str) -> bool {
        self.answer(call_id, ApprovalOutcome::Expired)
    }

    /// Tells of every question asked and decided from now on, in every [`ApprovalMode`].
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<ApprovalEvent> {
        self.shared.events.subscribe()
    }

    fn answer(&self, call_id: &str, outcome: ApprovalOutcome) -> bool {
        let open = {
            let mut state = self.shared.state.lock();
            let position = state
                .open
                .iter()
                .position(|open| open.approval.call_id == call_id && !open.cancel.is_cancelled());
            let Some(position) = position else {
                return false;
            };
            state.open.remove(position)
        };
        open.answer.send(outcome).is_ok()
    }

    /// Asks, and waits for the answer. Cancelling the token or dropping the future closes the question.
    pub(super) async fn ask(&self, approval: Approval, cancel: &CancellationToken) -> ApprovalOutcome {
        let mut card = Card {
            approvals: self,
            serial: None,
            call_id: approval.call_id.clone(),
            action: approval.action.clone(),
            outcome: ApprovalOutcome::Cancelled,
        };
        let is_handoff = approval.handoff.is_some();
        let answer = {
            let mut state = self.shared.state.lock();
            match state.mode {
                ApprovalMode::Ask => {
                    let (sender, answer) = oneshot::channel();
                    let serial = state.next_serial;
                    state.next_serial += 1;
                    card.serial = Some(serial);
                    state.open.push(Open {
                        serial,
                        approval: approval.clone(),
                        cancel: cancel.clone(),
                        answer: sender,
                    });
                    Err(answer)
                }
                ApprovalMode::AllowAll if !is_handoff => Ok(ApprovalOutcome::Allowed),
                ApprovalMode::AllowAll | ApprovalMode::DenyAll => Ok(ApprovalOutcome::Denied { message: None }),
            }
        };
        self.emit(ApprovalEvent::Asked(approval));
        card.outcome = match answer {
            Ok(outcome) => outcome,
            Err(answer) => tokio::select! {
                biased;
                () = cancel.cancelled() => ApprovalOutcome::Cancelled,
                // The sender is dropped only together with an answer, or with the whole queue.
                answer = answer => answer.unwrap_or(ApprovalOutcome::Cancelled),
            },
        };
        card.outcome.clone()
    }

    fn emit(&self, event: ApprovalEvent) {
        // Fails when nobody listens, which is nobody's loss.
        let _ = self.shared.events.send(event);
    }
}

impl Default for Approvals {
    fn default() -> Self {
        Self::new(ApprovalMode::default())
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        f.debug_struct("Approvals")
            .field("mode", &state.mode)
            .field("open", &state.open.len())
            .finish()
    }
}

/// A question being asked; dropped, it is off the queue and everybody knows how it ended.
struct Card<'a> {
    approvals: &'a Approvals,
    serial: Option<u64>,
    call_id: String,
    action: ActionRef,
    outcome: ApprovalOutcome,
}

impl Drop for Card<'_> {
    fn drop(&mut self) {
        if let Some(serial) = self.serial {
            self.approvals
                .shared
                .state
                .lock()
                .open
                .retain(|open| open.serial != serial);
        }
        self.approvals.emit(ApprovalEvent::Decided {
            call_id: self.call_id.clone(),
            action: self.action.clone(),
            outcome: self.outcome.clone(),
        });
    }
}
