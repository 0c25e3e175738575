//! The egui application as the executor sees it.

use std::sync::Arc;

use egui::Context;
use pling_core::{
    act::{Code, Host, Operation, Performed, Refusal, SettleLimits, Settled, Target},
    model::RegionPath,
    platform::{BoxFuture, Duration, timeout},
    snapshot::Snapshot,
};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::{
    act::{Answer, FunctionReply, Job, Stage},
    plugin::Shared,
};

/// How long no pass may be drawn before the window counts as hidden.
const HIDDEN_AFTER: Duration = Duration::from_secs(2);

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
    async fn ask<T>(self, job: impl FnOnce(oneshot::Sender<Result<T, Refusal>>) -> Job) -> Result<T, Refusal> {
        let (reply, mut answer) = oneshot::channel();
        self.shared.push(job(reply));
        loop {
            let passes = self.shared.passes();
            self.ctx.request_repaint();
            match timeout(HIDDEN_AFTER, &mut answer).await {
                Ok(Ok(answer)) => return answer,
                Ok(Err(_closed)) => return Err(Refusal::new(Code::Cancelled, "the application has ended")),
                Err(_elapsed) if self.shared.passes() != passes => {}
                Err(_elapsed) => return Err(self.hidden()),
            }
        }
    }

    fn hidden(&self) -> Refusal {
        let message = if self.shared.has_acted() {
            "the operation reached its widget, and then the window was hidden or minimized: what it changed was not seen"
        } else {
            "the window is hidden or minimized; nothing was done"
        };
        Refusal::new(Code::WindowHidden, message)
    }
}

impl Host for EguiHost {
    fn snapshot(&self) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        Box::pin(self.clone().ask(|reply| Job::Snapshot { reply }))
    }

    fn settle(&self, limits: SettleLimits) -> BoxFuture<Result<Settled, Refusal>> {
        let at = None;
        Box::pin(self.clone().ask(move |reply| Job::Settle { limits, at, reply }))
    }

    fn reveal(&self, target: Target) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        let begun = false;
        Box::pin(self.clone().ask(move |reply| Job::Reveal { target, begun, reply }))
    }

    fn perform(
        &self,
        target: Target,
        operation: Operation,
        limits: SettleLimits,
    ) -> BoxFuture<Result<Performed, Refusal>> {
        let host = self.clone();
        Box::pin(async move {
            let at = Stage::New;
            let job = move |reply| Job::Perform {
                target,
                operation,
                limits,
                at,
                reply,
            };
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
            let Settled { snapshot, settled, .. } = host.settle(limits).await?;
            let mut performed = Performed::new(snapshot);
            performed.settled = settled;
            performed.value = Some(value).filter(|value| !value.is_null());
            Ok(performed)
        })
    }

    fn find_records(&self, query: String, limit: usize) -> BoxFuture<Result<(Vec<Value>, bool), Refusal>> {
        Box::pin(self.clone().ask(move |reply| Job::Find {
            query,
            limit,
            begun: false,
            reply,
        }))
    }

    fn scroll(&self, region: RegionPath, direction: String) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        let target = Target::region(region);
        Box::pin(self.clone().ask(move |reply| Job::Scroll {
            target,
            direction,
            begun: false,
            reply,
        }))
    }

    fn observe(&self, _on: bool) {
        // Facts are collected exactly while somebody waits for them.
    }
}
