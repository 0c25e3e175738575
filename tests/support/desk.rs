//! A session over the fake app, with a scripted model. Every request that it sends is checked when it goes.

use std::sync::Arc;

use pling_core::{
    act::{Code, Receipt},
    agent::{Config, ConfigPatch, Event, EventStream, Session, SessionParts, Streamed},
    llm::{Llm, Turn},
};
use serde_json::Value;

use super::{Bench, Scripted, validate::assert_valid_request};

/// A session over the fake app and a scripted model; its driver runs as a task.
pub(crate) struct Desk {
    pub(crate) bench: Bench,
    pub(crate) llm: Scripted,
    pub(crate) session: Session,
    _validator: Validator,
}

impl Desk {
    pub(crate) fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self::configured(ConfigPatch::new().system_prompt("You help with tasks."), turns)
    }

    pub(crate) fn configured(patch: ConfigPatch, turns: impl IntoIterator<Item = Turn>) -> Self {
        let llm = Scripted::new(turns);
        let (bench, session) = open(patch, Some(Arc::new(llm.clone())));
        let _validator = Validator(llm.clone());
        Self {
            bench,
            llm,
            session,
            _validator,
        }
    }

    /// The bodies of all requests, each of which every provider would take.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let bodies = self.llm.bodies();
        bodies.iter().for_each(assert_valid_request);
        bodies
    }

    /// The conversation of the latest request.
    pub(crate) fn last_messages(&self) -> Vec<Value> {
        let bodies = self.bodies();
        let body = bodies.last().expect("a request");
        body["messages"].as_array().expect("messages")[1..].to_vec()
    }

    /// The results in the latest request, in order.
    pub(crate) fn last_results(&self) -> Vec<Value> {
        let messages = self.last_messages();
        let tools = messages.iter().filter(|message| message["role"] == "tool");
        tools
            .map(|message| serde_json::from_str(message["content"].as_str().expect("text")).expect("JSON"))
            .collect()
    }
}

pub(crate) fn open(patch: ConfigPatch, llm: Option<Arc<dyn Llm>>) -> (Bench, Session) {
    let bench = Bench::new();
    let config = Config::resolve_injected(|_| None, patch).expect("a valid configuration");
    let mut parts = SessionParts::new(bench.executor.clone(), config);
    parts.llm = llm;
    let (session, driver) = Session::new(parts);
    tokio::spawn(driver);
    (bench, session)
}

/// Waits for an event.
pub(crate) async fn wait_for<T>(events: &mut EventStream, pick: impl Fn(&Event) -> Option<T>) -> T {
    loop {
        match events.next().await.expect("the session is there") {
            Streamed::Event(event) => {
                if let Some(picked) = pick(&event) {
                    return picked;
                }
            }
            Streamed::Missed(count) => panic!("missed {count} events"),
        }
    }
}

/// Waits until the user is asked; returns the call's id.
pub(crate) async fn asked(events: &mut EventStream) -> String {
    wait_for(events, |event| match event {
        Event::ApprovalAsked(approval) => Some(approval.call_id.clone()),
        _ => None,
    })
    .await
}

pub(crate) fn codes(receipts: &[Receipt]) -> Vec<Option<Code>> {
    receipts.iter().map(Receipt::code).collect()
}

/// Checks every request of a test that passed so far.
struct Validator(Scripted);

impl Drop for Validator {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.bodies().iter().for_each(assert_valid_request);
        }
    }
}
