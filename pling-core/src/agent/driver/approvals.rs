//! What becomes of the card of one call, as events.

use tokio::sync::broadcast::{
    Receiver,
    error::{RecvError, TryRecvError},
};

use crate::{
    act::{ApprovalEvent, Approvals},
    agent::event::Event,
};

/// Watches the questions of one call. The queue is shared with other callers; theirs are not told here.
pub(super) struct Watch {
    events: Receiver<ApprovalEvent>,
    call_id: String,
}

impl Watch {
    pub(super) fn new(approvals: &Approvals, call_id: &str) -> Self {
        Self {
            events: approvals.subscribe(),
            call_id: call_id.to_owned(),
        }
    }

    /// Waits for the next thing that becomes of the card. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Event {
        loop {
            match self.events.recv().await {
                Ok(event) => {
                    if let Some(event) = self.own(event) {
                        return event;
                    }
                }
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return std::future::pending().await,
            }
        }
    }

    /// What became of it already; never waits.
    pub(super) fn try_next(&mut self) -> Option<Event> {
        loop {
            match self.events.try_recv() {
                Ok(event) => {
                    if let Some(event) = self.own(event) {
                        return Some(event);
                    }
                }
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            }
        }
    }

    fn own(&self, event: ApprovalEvent) -> Option<Event> {
        match event {
            ApprovalEvent::Asked(approval) if approval.call_id == self.call_id => Some(Event::ApprovalAsked(approval)),
            ApprovalEvent::Decided {
                call_id,
                action,
                outcome,
            } if call_id == self.call_id => Some(Event::ApprovalDecided {
                id: call_id,
                action,
                decision: outcome,
            }),
            _ => None,
        }
    }
}
