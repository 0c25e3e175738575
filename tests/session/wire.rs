//! What leaves the process: events by their AG-UI names, and traces without keys.

use pling_core::{
    agent::{ConfigPatch, Event, Streamed, TraceRing},
    llm::Turn,
};
use serde_json::{Value, json};

use super::{Desk, a_call_that_was_approved};

/// The events in a stream so far, as JSON.
fn told(events: &mut pling_core::agent::EventStream) -> Vec<Value> {
    let mut told = Vec::new();
    while let Some(Streamed::Event(event)) = events.try_next() {
        let json = event.to_json();
        assert_eq!(json["type"], event.kind());
        told.push(json);
    }
    told
}

#[tokio::test(start_paused = true)]
async fn events_have_the_names_and_fields_of_ag_ui_where_they_mean_the_same() {
    let (mut events, outcome) = a_call_that_was_approved().await;
    let id = &outcome.receipts[0].call_id;
    let told = told(&mut events);
    let names: Vec<_> = told
        .iter()
        .map(|json| match json["type"].as_str() {
            Some("CUSTOM") => json["name"].as_str().expect("a name"),
            kind => kind.expect("a type"),
        })
        .collect();
    assert_eq!(
        names,
        [
            "RUN_STARTED",
            "user_message",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "TOOL_CALL_CHUNK",
            "approval_asked",
            "approval_decided",
            "TOOL_CALL_RESULT",
            "TEXT_MESSAGE_CONTENT",
            "TEXT_MESSAGE_END",
            "RUN_FINISHED"
        ]
    );
    assert_eq!(told[2]["delta"], "Let me clear.");
    assert_eq!(
        told[4],
        json!({
            "type": "TOOL_CALL_CHUNK", "toolCallId": id, "toolCallName": "clear_done", "delta": "{}",
            "action": { "id": "clear_done", "description": "Delete all done tasks" },
        })
    );
    assert_eq!(told[5]["value"]["preview"], "deletes 1");
    assert_eq!(told[6]["value"]["decision"], "allowed");
    let content: Value = serde_json::from_str(told[7]["content"].as_str().expect("text")).expect("JSON");
    assert_eq!(content, outcome.receipts[0].to_json());
    assert_eq!(told[10]["result"]["end"], "answered");
    assert_eq!(told[10]["result"]["spent"]["turns"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_is_a_run_error() {
    let desk = Desk::new([Turn::error(pling_core::llm::ErrorKind::Auth, "wrong key")]);
    let mut events = desk.session.events();
    desk.session.send("Hello").await;
    desk.session.reset();
    while !matches!(events.next().await, Some(Streamed::Event(Event::Error { .. }))) {}
    let told = told(&mut events);
    assert_eq!(told[0]["result"]["code"], "AUTH");
}

#[tokio::test(start_paused = true)]
async fn a_key_is_in_no_trace_wherever_somebody_put_it() {
    let patch = ConfigPatch::new()
        .api_key("sk-secret-key")
        .system_prompt("Use sk-secret-key.");
    let desk = Desk::configured(patch, [Turn::text("I know sk-secret-key."), Turn::text("Yes.")]);
    let ring = TraceRing::new(10);
    desk.session.set_trace(Some(ring.sink()));
    desk.session.send("My key is sk-secret-key").await;
    desk.session.send("Again").await;
    let traced = format!("{:?}", ring.requests());
    assert!(!traced.contains("sk-secret-key"), "{traced}");
    assert!(
        traced.contains("My key is [key]") && traced.contains("I know [key]"),
        "{traced}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_trace_is_bounded_in_bytes() {
    let desk = Desk::new((0..5).map(|_| Turn::text("Yes.")));
    let one = TraceRing::new(10).max_bytes(1);
    let all = TraceRing::new(10);
    let (to_one, to_all) = (one.sink(), all.sink());
    desk.session.set_trace(Some(std::sync::Arc::new(move |body| {
        to_one(body);
        to_all(body);
    })));
    for _ in 0..5 {
        desk.session.send("Hello").await;
    }
    assert_eq!(all.requests().len(), 5);
    assert_eq!(
        one.requests(),
        all.requests()[4..],
        "the latest is kept whatever its size"
    );
}
