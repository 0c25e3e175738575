//! The calls of one client that are not over, or whose end nobody has read.
//!
//! Each call runs in a task of its own, so that it does not depend on who polls it. What it does depend on is that
//! somebody waits for it: the one waiting that is dropped unanswered, or a handle that nobody asks for, withdraws it.
//! What was delivered by then runs on, and its end is kept for a while: whoever asks again is told what came of it.

use std::pin::pin;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::{broadcast::error::RecvError, watch};
use tokio_util::sync::CancellationToken;

use super::{Answer, ClientLimits};
use crate::{
    act::{ApprovalEvent, Approvals, Code, Receipt},
    platform::{Duration, Instant, now, sleep, timeout},
};

/// Between two looks at whether anybody still waits.
const LOOK: Duration = Duration::from_millis(500);

/// To whoever gave up on a call and asks again.
const NOT_RUN_AGAIN: &str = "this was asked before, and was not run again";

/// One call, from its arrival until its end was read.
pub(super) struct OpenCall {
    pub(super) handle: String,
    pub(super) action: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) cancel: CancellationToken,
    /// Cancelled once somebody was told its end.
    told: CancellationToken,
    phase: watch::Sender<Phase>,
    claims: Mutex<Claims>,
}

enum Phase {
    Running,
    Asking,
    Done(Box<Receipt>),
}

/// Who waits for it.
struct Claims {
    waiting: usize,
    /// Since when nobody does.
    since: Instant,
    /// Whether a client was told the handle.
    is_known: bool,
}

impl OpenCall {
    pub(super) fn new(handle: String, action: String, arguments: Map<String, Value>) -> Self {
        Self {
            handle,
            action,
            arguments,
            cancel: CancellationToken::new(),
            told: CancellationToken::new(),
            phase: watch::Sender::new(Phase::Running),
            claims: Mutex::new(Claims {
                waiting: 0,
                since: now(),
                is_known: false,
            }),
        }
    }

    /// Whether a call of this action with these arguments is this one, asked again.
    pub(super) fn is_same(&self, action: &str, arguments: &Map<String, Value>) -> bool {
        (!self.is_over() || self.is_owed()) && self.action == action && self.arguments == *arguments
    }

    /// Whether those who waited for it are gone, or were when it ended.
    pub(super) fn is_given_up(&self) -> bool {
        self.cancel.is_cancelled() || self.is_over()
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(*self.phase.borrow(), Phase::Done(_))
    }

    /// Runs a call to its end; `keep` while nobody waits and `decide_within` for the user are held to here.
    pub(super) async fn run(
        &self,
        approvals: &Approvals,
        limits: &ClientLimits,
        invoke: impl Future<Output = Receipt>,
    ) {
        let mut events = approvals.subscribe();
        let mut invoke = pin!(invoke);
        let mut asked = None;
        let receipt = loop {
            tokio::select! {
                biased;
                receipt = &mut invoke => break receipt,
                event = events.recv() => {
                    let is_asked = match event {
                        Ok(ApprovalEvent::Asked(approval)) => approval.call_id == self.handle,
                        Ok(ApprovalEvent::Decided { call_id, .. }) if call_id == self.handle => {
                            self.phase.send_replace(Phase::Running);
                            asked = None;
                            false
                        }
                        Ok(ApprovalEvent::Decided { .. }) => false,
                        Err(RecvError::Lagged(_)) => approvals.pending().iter().any(|open| open.call_id == self.handle),
                        // The queue outlives whoever is in it.
                        Err(RecvError::Closed) => false,
                    };
                    if is_asked {
                        self.phase.send_replace(Phase::Asking);
                        asked = Some(now());
                    }
                }
                () = sleep(LOOK) => {
                    if self.is_abandoned(limits.keep) {
                        self.cancel.cancel();
                    }
                    if asked.is_some_and(|asked: Instant| asked.elapsed() >= limits.decide_within) {
                        approvals.expire(&self.handle);
                    }
                }
            }
        };
        self.phase.send_replace(Phase::Done(Box::new(receipt)));
    }

    /// Its task is over, one way or the other.
    pub(super) fn end(&self) {
        if !self.is_over() {
            let receipt = Receipt::refused(&self.handle, Code::Cancelled, "the application stopped serving clients");
            self.phase.send_replace(Phase::Done(Box::new(receipt)));
        }
    }

    /// Whether it may have run, and nobody was told what came of it.
    fn is_owed(&self) -> bool {
        let may_have_run = matches!(&*self.phase.borrow(), Phase::Done(receipt) if receipt.may_have_run());
        may_have_run && !self.told.is_cancelled()
    }

    /// Keeps its end for whoever may still ask for it: who was told the handle, or asks again after giving up.
    pub(super) async fn keep(&self, keep: Duration) {
        let is_known = self.claims.lock().is_known;
        if is_known {
            sleep(keep).await;
        } else if self.is_owed() {
            let _elapsed = timeout(keep, self.told.cancelled()).await;
        }
    }

    /// Waits for its end, or as long as a client should wait. Dropped before that, and nobody else waiting, the call
    /// is withdrawn. `is_again`: it is asked once more, after somebody gave up on it.
    pub(super) async fn answer(&self, limits: &ClientLimits, is_again: bool) -> Answer {
        let mut waiter = Waiter::new(self);
        let mut phase = self.phase.subscribe();
        let over = timeout(limits.answer_within, async {
            let over = phase.wait_for(|phase| matches!(phase, Phase::Done(_))).await;
            drop(over);
        });
        let _elapsed = over.await;
        waiter.is_answered = true;
        match &*self.phase.borrow() {
            Phase::Done(receipt) => {
                self.told.cancel();
                let mut receipt = (**receipt).clone();
                if is_again && receipt.may_have_run() {
                    receipt.note(NOT_RUN_AGAIN);
                }
                Answer::of(&receipt, limits.max_result_tokens)
            }
            Phase::Asking => self.pending(
                Code::ApprovalPending,
                "the user is being asked in the application's window and has not decided yet; nothing was run so far. \
                 Wait with the handle; asking again joins this question",
            ),
            Phase::Running => self.pending(
                Code::Timeout,
                "it is not over: another call is before it, or the application is still working. Wait with the handle",
            ),
        }
    }

    fn pending(&self, code: Code, message: &str) -> Answer {
        self.claims.lock().is_known = true;
        Answer::pending(code, message, self.handle.clone())
    }

    fn is_abandoned(&self, keep: Duration) -> bool {
        let claims = self.claims.lock();
        claims.waiting == 0 && claims.since.elapsed() >= keep
    }
}

/// Somebody who waits for a call.
struct Waiter<'a> {
    call: &'a OpenCall,
    is_answered: bool,
}

impl<'a> Waiter<'a> {
    fn new(call: &'a OpenCall) -> Self {
        call.claims.lock().waiting += 1;
        Self {
            call,
            is_answered: false,
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let is_last = {
            let mut claims = self.call.claims.lock();
            claims.waiting -= 1;
            claims.since = now();
            claims.waiting == 0
        };
        if is_last && !self.is_answered {
            self.call.cancel.cancel();
        }
    }
}
