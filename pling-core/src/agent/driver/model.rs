//! One request to the model: traced, counted, and given up when the run is cancelled or out of time.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::Driver;
use crate::{
    agent::{
        event::Event,
        session::{Setup, Shared},
        tokens, trace,
    },
    llm::{Delta, Estimate, Llm, LlmError, OnDelta, Reply, Request, TokenEstimate as _, Usage},
    platform::{Duration, sleep},
};

/// What came of a request.
pub(super) enum Answer {
    Reply(Result<Reply, LlmError>),
    /// Given up, and the connection is closed.
    Cancelled,
    /// Given up, and the connection is closed.
    OutOfTime,
}

impl Driver {
    pub(super) async fn ask(
        &self,
        llm: &Arc<dyn Llm>,
        setup: &Setup,
        request: Request,
        time_left: Option<Duration>,
        cancel: &CancellationToken,
    ) -> Answer {
        let shared = self.shared();
        let request = Arc::new(request);
        if let Some(sink) = shared.trace() {
            sink(&trace::redacted(llm.body(&request), &setup.config));
        }
        shared.counter.request();
        let on_delta = on_delta(Arc::clone(shared), cancel.clone(), !request.tools.is_empty());
        let reply = llm
            .complete(Arc::clone(&request), on_delta)
            .instrument(tracing::info_span!("model_call"));
        let out_of_time = async {
            match time_left {
                Some(left) => sleep(left).await,
                None => std::future::pending().await,
            }
        };
        let mut reply = tokio::select! {
            biased;
            () = cancel.cancelled() => return Answer::Cancelled,
            reply = reply => reply,
            () = out_of_time => return Answer::OutOfTime,
        };
        match &mut reply {
            Ok(reply) => {
                let price = setup.config.price(llm.as_ref());
                let counted = reply.usage.is_some();
                if let Some(usage) = reply.usage {
                    setup.estimate.learn(&request, usage);
                }
                let usage = *reply
                    .usage
                    .get_or_insert_with(|| estimated(&request, reply.text.as_str(), &reply.calls));
                shared.counter.reply(usage, counted, price);
            }
            Err(error) => {
                shared.counter.failed_reply();
                tracing::warn!(kind = error.kind.as_str(), "the model did not reply");
            }
        }
        Answer::Reply(reply)
    }
}

/// What a request and its reply cost where the provider does not say.
fn estimated(request: &Request, text: &str, calls: &[crate::llm::ToolCall]) -> Usage {
    let calls = calls
        .iter()
        .map(|call| tokens::of_text(&call.name) + tokens::of_text(&call.arguments));
    Usage {
        prompt_tokens: Estimate.request(request) as u64,
        completion_tokens: (tokens::of_text(text) + calls.sum::<usize>()) as u64,
    }
}

/// Passes on pieces of a reply as they come in; none once the run is cancelled.
fn on_delta(shared: Arc<Shared>, cancel: CancellationToken, with_text: bool) -> OnDelta {
    Arc::new(move |delta| {
        if cancel.is_cancelled() {
            return;
        }
        match delta {
            Delta::Text(text) if with_text => shared.outlet.emit(Event::TextDelta { text }),
            Delta::Text(_) => {}
            Delta::Retry {
                attempt,
                wait_millis,
                why,
            } => {
                shared.counter.retry();
                shared.outlet.emit(Event::Retry {
                    attempt,
                    wait_millis,
                    why,
                });
            }
        }
    })
}
