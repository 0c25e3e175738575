//! The egui application as the executor sees it.

use std::sync::Arc;

use egui::{Context, ViewportCommand, ViewportId};
use pling_core::{
    act::{Code, Host, Operation, Performed, Refusal, SettleLimits, Settled, Target},
    model::RegionPath,
    platform::{BoxFuture, Duration, is_hidden_tab, sleep, timeout},
    snapshot::Snapshot,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    act::{Answer, FindAll, FunctionReply, Job, Look, Operate, Reply, Rest, ScrollTo, Show},
    plugin::Shared,
};

/// How long no pass may be drawn before the window counts as hidden.
const HIDDEN_AFTER: Duration = Duration::from_secs(2);
/// How long the application's own code may keep a pass before whoever waits is told.
const BLOCKED_AFTER: Duration = Duration::from_secs(60);
/// How long no pass may be drawn before one is asked for again.
const ASK_AGAIN: Duration = Duration::from_millis(250);

/// How long to wait before looking again whether the user is still at work.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Puts jobs into the plugin's queue and waits for their answers. Any thread may use it.
#[derive(Clone)]
pub(crate) struct EguiHost {
    ctx: Context,
    shared: Arc<Shared>,
}

impl EguiHost {
    pub(crate) fn new(ctx: Context, shared: Arc<Shared>) -> Self {
        Self { ctx, shared }
    }

    /// Queues a job and waits for its answer, as long as the app is drawn.
    async fn ask<T, J: Job + 'static>(self, job: impl FnOnce(Reply<T>) -> J) -> Result<T, Refusal> {
        let (reply, mut answer) = Reply::new();
        self.shared.push(Box::new(job(reply)));
        let (mut without, mut blocked) = (Duration::ZERO, Duration::ZERO);
        while without < HIDDEN_AFTER {
            let passes = self.shared.passes();
            self.ctx.request_repaint_of(ViewportId::ROOT);
            match timeout(ASK_AGAIN, &mut answer).await {
                Ok(Ok(answer)) => return answer,
                Ok(Err(_closed)) => return Err(Refusal::new(Code::Cancelled, "the application has ended")),
                // A tab in the background is drawn again by its user alone: nothing is lost meanwhile.
                Err(_elapsed) if self.shared.passes() != passes || is_hidden_tab() => {
                    (without, blocked) = (Duration::ZERO, Duration::ZERO);
                }
                // A handler that shows a file dialog, or waits for a server.
                Err(_elapsed) if self.shared.is_drawing() => {
                    blocked += ASK_AGAIN;
                    if blocked >= BLOCKED_AFTER {
                        return Err(self.blocked());
                    }
                }
                Err(_elapsed) => {
                    without += ASK_AGAIN;
                    // A window that cannot be seen draws nothing unless it is asked to, each time anew.
                    if cfg!(not(target_arch = "wasm32")) {
                        let paint = ViewportCommand::RequestPaintWhileHidden;
                        self.ctx.send_viewport_cmd_to(ViewportId::ROOT, paint);
                    }
                }
            }
        }
        Err(self.hidden())
    }

    fn hidden(&self) -> Refusal {
        if !self.shared.may_have_acted() {
            return Refusal::new(
                Code::WindowHidden,
                "the window is hidden or minimized; nothing was done",
            );
        }
        let message = "the operation reached its widget, and then the window was hidden or minimized: what it changed was not seen";
        let mut refusal = Refusal::new(Code::WindowHidden, message);
        // Whoever asks again has to know that it ran.
        refusal.changed = Some(Box::default());
        refusal
    }

    fn blocked(&self) -> Refusal {
        let (code, done) = match self.shared.may_have_acted() {
            true => (Code::Timeout, "the operation may have reached its widget"),
            false => (Code::WindowHidden, "nothing was done"),
        };
        let seconds = BLOCKED_AFTER.as_secs();
        let message = format!("the application's own code has not returned for {seconds} s; {done}");
        Refusal::new(code, message)
    }
}

impl Host for EguiHost {
    fn snapshot(&self) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        Box::pin(self.clone().ask(Look::new))
    }

    fn settle(&self, limits: SettleLimits) -> BoxFuture<Result<Settled, Refusal>> {
        Box::pin(self.clone().ask(move |reply| Rest::new(limits, reply)))
    }

    fn reveal(&self, target: Target) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        Box::pin(self.clone().ask(move |reply| Show::new(target, reply)))
    }

    fn perform(
        &self,
        target: Target,
        operation: Operation,
        limits: SettleLimits,
        cancel: &CancellationToken,
    ) -> BoxFuture<Result<Performed, Refusal>> {
        let (host, cancel) = (self.clone(), cancel.clone());
        Box::pin(async move {
            let job = move |reply| Operate::new(target, operation, limits, cancel, reply);
            let called = match host.clone().ask(job).await? {
                Answer::Performed(performed) => return Ok(performed),
                Answer::Called(called) => called,
            };
            let value = match timeout(limits.busy, called).await {
                Ok(Ok(FunctionReply::Finished(value))) => value,
                Ok(Ok(FunctionReply::Failed(message))) => return Err(Refusal::new(Code::HandlerFailed, message)),
                Ok(Ok(FunctionReply::Invalid(message))) => return Err(Refusal::new(Code::InvalidArguments, message)),
                Ok(Err(_dropped)) => {
                    return Err(Refusal::new(
                        Code::HandlerFailed,
                        "the application dropped the call unanswered",
                    ));
                }
                Err(_elapsed) => {
                    let message = format!("no answer within {} s; it may still come", limits.busy.as_secs());
                    return Err(Refusal::new(Code::Timeout, message));
                }
            };
            let mut performed = match host.settle(limits).await {
                Ok(Settled { snapshot, settled, .. }) => {
                    let mut performed = Performed::new(snapshot);
                    performed.settled = settled;
                    performed
                }
                // The application has answered: what it did stands, though nobody saw the page since.
                Err(refusal) => {
                    let mut performed = Performed::new(host.shared.snapshot().ok_or(refusal)?);
                    performed.warning = Some("it ran, and then the page could not be seen any more".to_owned());
                    performed
                }
            };
            performed.value = Some(value).filter(|value| !value.is_null());
            Ok(performed)
        })
    }

    fn find_records(&self, query: String, limit: usize) -> BoxFuture<Result<(Vec<Value>, bool), Refusal>> {
        Box::pin(self.clone().ask(move |reply| FindAll::new(query, limit, reply)))
    }

    fn scroll(&self, region: RegionPath, direction: String) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        Box::pin(self.clone().ask(move |reply| ScrollTo::new(region, direction, reply)))
    }

    fn until_free(&self) -> BoxFuture<bool> {
        let Self { ctx, shared } = self.clone();
        Box::pin(async move {
            if shared.is_free() {
                return false;
            }
            while !shared.is_free() {
                // Time goes on with the passes.
                ctx.request_repaint();
                sleep(LOOK_AGAIN).await;
            }
            true
        })
    }

    #[cfg(target_arch = "wasm32")]
    fn standstill(&self) -> BoxFuture<&'static str> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            while !(is_hidden_tab() && shared.needs_passes()) {
                sleep(ASK_AGAIN).await;
            }
            "Paused: this tab is in the background. It goes on when you come back to it"
        })
    }

    fn observe(&self, _on: bool) {
        // Facts are collected exactly while somebody waits for them.
    }
}
