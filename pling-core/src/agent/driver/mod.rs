//! The loop that does a session's IO: it looks at the page, asks the model, takes calls to the executor, and feeds
//! what comes back to the [`Run`], which alone decides.

mod approvals;
mod clock;
mod model;
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
    act::{Call, Code, Executor, Host, Receipt, Refusal},
    llm::ErrorKind,
    observe::Observation,
    platform,
};
use approvals::Watch;
use clock::Clock;
use model::Answer;

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
                    shared.keep(run.history());
                    shared.done(&ticket);
                    self.tell(&mut run);
                    self.history = run.into_history();
                    // Fails when nobody waits, which is allowed.
                    let _ = outcome.send(end);
                }
                Command::Reset => {
                    self.history.clear();
                    self.executor.forget_denials();
                    self.shared().keep(&self.history);
                    self.shared().outlet.emit(Event::Reset);
                }
                Command::Restore(checkpoint) => {
                    self.history.replace(checkpoint.into_history());
                    self.shared().keep(&self.history);
                    let messages = Arc::from(self.history.messages());
                    self.shared().outlet.emit(Event::Restored { messages });
                }
            }
        }
    }

    fn begin(&mut self, text: &str) -> Run {
        let setup = self.shared().setup();
        let limits = RunLimits::new(&setup.config, setup.llm.as_deref());
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
                self.shared().keep(run.history());
                self.tell(run);
            }
            if cancel.is_cancelled() {
                run.cancelled();
            }
            run.calibrate(setup.estimate.factor());
            match run.next_step() {
                Step::Finish(outcome) => return outcome,
                step => {
                    let mut taken = pin!(self.take(step, run, &setup, cancel));
                    tokio::select! {
                        biased;
                        () = &mut taken => {}
                        why = self.executor.host().standstill() => {
                            let (code, message) = (Code::WindowHidden.as_str(), why.to_owned());
                            self.shared().outlet.emit(Event::Notice { code, message });
                            taken.await;
                        }
                    }
                }
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
        let mut clock = Clock::start();
        match step {
            Step::Observe => {
                let observed = self.observe(cancel).await;
                run.worked(clock.stop());
                if let Some(observed) = observed {
                    run.observed(observed);
                }
            }
            Step::CallModel(observation) => {
                let request = request::of_turn(&setup.config, llm.as_ref(), run.history(), observation);
                let answer = self.ask(llm, setup, request, run.time_left(), cancel).await;
                run.worked(clock.stop());
                match answer {
                    Answer::Reply(reply) => run.replied(reply),
                    Answer::OutOfTime => run.out_of_time(),
                    Answer::Cancelled => {}
                }
            }
            Step::Summarize(summarize) => {
                let request = request::of_summary(&setup.config, llm.as_ref(), &summarize);
                let answer = self.ask(llm, setup, request, run.time_left(), cancel).await;
                run.worked(clock.stop());
                match answer {
                    Answer::Reply(reply) => run.summarized(reply),
                    Answer::OutOfTime => run.out_of_time(),
                    Answer::Cancelled => {}
                }
            }
            Step::Execute(call) => {
                let receipt = self.execute(call, &mut clock, cancel).await;
                run.worked(clock.stop());
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

    /// Takes a call through the gates. Cancelling does not drop it: the executor then answers at once where nothing
    /// was delivered, and otherwise says what was seen.
    async fn execute(&self, call: Call, clock: &mut Clock, cancel: &CancellationToken) -> Receipt {
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
                event = watch.next() => {
                    match &event {
                        Event::ApprovalAsked(_) => clock.pause(),
                        _ => clock.resume(),
                    }
                    shared.outlet.emit(event);
                }
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
