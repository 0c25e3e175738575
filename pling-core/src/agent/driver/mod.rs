//! The loop that does a session's IO: it looks at the page, asks the model, takes calls to the executor, and feeds
//! what comes back to the [`Run`], which alone decides.

mod approvals;
mod request;

use std::{pin::pin, sync::Arc};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::{
    History, Outcome, Run, RunLimits, Step,
    event::Event,
    session::{Command, Setup, Shared},
};
use crate::{
    act::{Call, Executor, Host, Receipt, Refusal},
    llm::{Delta, ErrorKind, Llm, LlmError, OnDelta, Reply},
    observe::Observation,
    platform,
};
use approvals::Watch;

/// The worker of one session.
pub(super) struct Driver {
    executor: Executor,
    inbox: mpsc::UnboundedReceiver<Command>,
    history: History,
    shared: Closing,
}

/// Tells the handles when the driver goes away, however it does.
struct Closing(Arc<Shared>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Lets the host collect facts for as long as a run goes on.
struct Observing<'a>(&'a dyn Host);

impl<'a> Observing<'a> {
    fn new(host: &'a Arc<dyn Host>) -> Self {
        host.observe(true);
        Self(host.as_ref())
    }
}

impl Drop for Observing<'_> {
    fn drop(&mut self) {
        self.0.observe(false);
    }
}

impl Driver {
    pub(super) fn new(executor: Executor, shared: Arc<Shared>, inbox: mpsc::UnboundedReceiver<Command>) -> Self {
        Self {
            executor,
            inbox,
            history: History::new(),
            shared: Closing(shared),
        }
    }

    /// Works until the last handle is gone.
    pub(super) async fn drive(mut self) {
        while let Some(command) = self.inbox.recv().await {
            match command {
                Command::Send { ticket, text, outcome } => {
                    let started = platform::now();
                    let mut run = self.begin(&text);
                    let end = self
                        .work(&mut run, &ticket.cancel)
                        .instrument(tracing::info_span!("run"))
                        .await;
                    let shared = self.shared();
                    shared.counter.run(platform::now().saturating_duration_since(started));
                    // Whoever is told that it is over finds the session idle, unless more was sent.
                    shared.done(&ticket);
                    self.tell(&mut run);
                    self.history = run.into_history();
                    // Fails when nobody waits, which is allowed.
                    let _ = outcome.send(end);
                }
                Command::Reset => {
                    self.history.clear();
                    self.executor.forget_denials();
                    self.shared().outlet.emit(Event::Reset);
                }
            }
        }
    }

    fn begin(&mut self, text: &str) -> Run {
        let limits = RunLimits::from(&self.shared().setup().config.limits);
        self.executor.forget_denials();
        Run::new(std::mem::take(&mut self.history), text, limits)
    }

    /// Does what the run says until it is over.
    async fn work(&self, run: &mut Run, cancel: &CancellationToken) -> Outcome {
        let _observing = Observing::new(self.executor.host());
        let setup = self.shared().setup();
        loop {
            // Told first: who hears of a result may cancel what comes after it.
            if !matches!(run.next_step(), Step::Finish(_)) {
                self.tell(run);
            }
            if cancel.is_cancelled() {
                run.cancelled();
            }
            match run.next_step() {
                Step::Finish(outcome) => return outcome,
                step => self.take(step, run, &setup, cancel).await,
            }
        }
    }

    async fn take(&self, step: Step, run: &mut Run, setup: &Setup, cancel: &CancellationToken) {
        let Some(llm) = &setup.llm else {
            return run.fail(
                ErrorKind::NotConfigured.as_str(),
                "no model is configured: set baseUrl and model",
            );
        };
        match step {
            Step::Observe => {
                if let Some(observed) = self.observe(cancel).await {
                    run.observed(observed);
                }
            }
            Step::CallModel(observation) => {
                if let Some(reply) = self.ask(llm, setup, run, observation, cancel).await {
                    run.replied(reply);
                }
            }
            Step::Execute(call) => {
                let receipt = self.execute(call, cancel).await;
                run.executed(receipt);
            }
            Step::Finish(_) => {}
        }
    }

    /// Looks at the page; `None`: cancelled meanwhile.
    async fn observe(&self, cancel: &CancellationToken) -> Option<Result<Arc<Observation>, Refusal>> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            observed = self.executor.observe() => Some(observed),
        }
    }

    /// Asks the model; `None`: cancelled meanwhile, and the connection is closed.
    async fn ask(
        &self,
        llm: &Arc<dyn Llm>,
        setup: &Setup,
        run: &Run,
        observation: Arc<Observation>,
        cancel: &CancellationToken,
    ) -> Option<Result<Reply, LlmError>> {
        let shared = self.shared();
        let request = Arc::new(request::request(
            &setup.config,
            llm.as_ref(),
            run.history(),
            observation,
        ));
        if let Some(sink) = shared.trace() {
            sink(&llm.body(&request));
        }
        shared.counter.request();
        let reply = llm
            .complete(request, on_delta(Arc::clone(shared), cancel.clone()))
            .instrument(tracing::info_span!("model_call"));
        let reply = tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            reply = reply => reply,
        };
        match &reply {
            Ok(reply) => shared.counter.reply(reply.usage),
            Err(error) => {
                shared.counter.failed_reply();
                tracing::warn!(kind = error.kind.as_str(), "the model did not reply");
            }
        }
        Some(reply)
    }

    /// Takes a call through the gates. Cancelling does not drop it: the executor then answers at once where nothing
    /// was delivered, and otherwise says what was seen.
    async fn execute(&self, call: Call, cancel: &CancellationToken) -> Receipt {
        let shared = self.shared();
        let mut watch = Watch::new(&shared.approvals, &call.id);
        shared.set_executing(Some(call.id.clone()));
        let mut invocation = pin!(
            self.executor
                .invoke(call, cancel)
                .instrument(tracing::info_span!("execution"))
        );
        let receipt = loop {
            tokio::select! {
                biased;
                event = watch.next() => shared.outlet.emit(event),
                receipt = &mut invocation => break receipt,
            }
        };
        shared.set_executing(None);
        while let Some(event) = watch.try_next() {
            shared.outlet.emit(event);
        }
        receipt
    }

    /// Passes on what happened in a run, and counts it.
    fn tell(&self, run: &mut Run) {
        let shared = self.shared();
        for event in run.take_events() {
            if let Event::Receipt { receipt, .. } = &event {
                shared.counter.receipt(receipt.is_ok());
            }
            shared.outlet.emit(event);
        }
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared.0
    }
}

/// Passes on pieces of a reply as they come in; none once the run is cancelled.
fn on_delta(shared: Arc<Shared>, cancel: CancellationToken) -> OnDelta {
    Arc::new(move |delta| {
        if cancel.is_cancelled() {
            return;
        }
        match delta {
            Delta::Text(text) => shared.outlet.emit(Event::TextDelta { text }),
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
