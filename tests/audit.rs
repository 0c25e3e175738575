//! Who called what, on whose word, and what came of it.

use std::sync::Arc;

use parking_lot::Mutex;
use pling_core::{
    act::{ApprovalMode, AuditEntry, AuditSink, Code, Decision, JsonLines, Origin, PostToolUse},
    llm::Turn,
};
use pling_egui::{ResponseExt as _, testing::AgentHarness};
use serde_json::{Value, json};

use crate::support::{
    Bench,
    desk::{Desk, asked},
};

/// Keeps the entries as JSON.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Value>>>);

impl AuditSink for Kept {
    fn record(&self, entry: &AuditEntry) {
        self.0.lock().push(serde_json::to_value(entry).expect("serializes"));
    }
}

impl Kept {
    fn on(bench: &Bench) -> Self {
        let kept = Self::default();
        bench.executor.set_audit(Some(Arc::new(kept.clone())));
        kept
    }

    #[track_caller]
    fn only(&self) -> Value {
        let entries = std::mem::take(&mut *self.0.lock());
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries.into_iter().next().unwrap_or_default()
    }
}

#[tokio::test(start_paused = true)]
async fn an_entry_says_who_what_on_whose_word_and_what_came_of_it() {
    let bench = Bench::new();
    let kept = Kept::on(&bench);
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "delete", json!({ "record": "t2" })).await;
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    let receipt = asking.receipt.await.unwrap();
    let mut entry = kept.only();
    assert!(entry["atMs"].as_u64().is_some_and(|at| at > 1_600_000_000_000));
    entry["atMs"] = json!(0);
    assert_eq!(
        entry,
        json!({
            "atMs": 0, "who": "assistant", "callId": asking.id, "tool": "delete",
            "action": { "id": "delete", "description": "Delete the task", "record": "t2" },
            "arguments": { "record": "t2" }, "consent": "allowed", "delivered": true, "receipt": receipt.to_json(),
        })
    );
}

#[tokio::test(start_paused = true)]
async fn every_way_to_be_allowed_or_not() {
    let bench = Bench::new();
    let kept = Kept::on(&bench);
    let approvals = bench.executor.approvals().clone();
    let seen = bench.observe().await;

    bench.invoke("toggle", json!({ "record": "t1" })).await;
    assert_eq!(kept.only()["consent"], "notRequired");
    for (decision, consent) in [
        (Decision::Deny { message: None }, "denied"),
        (Decision::AllowForSession, "allowedForSession"),
    ] {
        bench.executor.forget_denials();
        let asking = bench.ask(&seen, "clear_done", json!({})).await;
        assert!(approvals.decide(&asking.id, decision));
        drop(asking.receipt.await);
        let entry = kept.only();
        assert_eq!(
            (entry["consent"].as_str(), entry["delivered"].as_bool()),
            (Some(consent), Some(consent != "denied"))
        );
    }
    bench.invoke("clear_done", json!({})).await;
    assert_eq!(kept.only()["consent"], "granted");

    let asking = bench.ask(&seen, "pay", json!({})).await;
    assert!(approvals.complete(&asking.id));
    drop(asking.receipt.await);
    let entry = kept.only();
    assert_eq!(
        (&entry["consent"], &entry["delivered"]),
        (&json!("doneByUser"), &json!(false))
    );

    let asking = bench.ask(&seen, "delete", json!({ "record": "t2" })).await;
    assert!(approvals.expire(&asking.id));
    drop(asking.receipt.await);
    assert_eq!(kept.only()["consent"], "expired");

    approvals.set_mode(ApprovalMode::AllowAll);
    bench.invoke("delete", json!({ "record": "t2" })).await;
    assert_eq!(kept.only()["consent"], "allowedByMode");

    let mut call = bench.call(&seen, "no_such_tool", json!({ "password": "hunter2" }));
    call.origin = Origin::Code;
    let token = pling_core::act::CancellationToken::new();
    bench.executor.invoke(call, &token).await;
    let entry = kept.only();
    assert_eq!(
        (&entry["who"], &entry["consent"]),
        (&json!("code"), &json!("notReached"))
    );
    assert_eq!(entry["receipt"]["error"]["code"], "UNKNOWN_ACTION");
    assert!(!entry.to_string().contains("hunter2"), "nobody knows what it is");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_leaves_an_entry() {
    let bench = Bench::new();
    let kept = Kept::on(&bench);
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "delete", json!({ "record": "t2" })).await;
    asking.receipt.abort();
    drop(asking.receipt.await);
    let entry = kept.only();
    assert_eq!(
        (&entry["consent"], &entry["receipt"]),
        (&json!("withdrawn"), &Value::Null)
    );
    assert_eq!(entry["delivered"], json!(false));
}

#[tokio::test(start_paused = true)]
async fn secrets_are_masked_and_a_hook_does_not_rewrite_the_record() {
    let bench = Bench::new();
    let kept = Kept::on(&bench);
    bench
        .executor
        .hooks()
        .add_post(|_, _| PostToolUse::Replace(json!({ "all": "fine" })));
    bench.invoke("pin", json!({ "text": "9876-5432" })).await;
    let entry = kept.only();
    assert!(!entry.to_string().contains("9876"), "{entry}");
    assert_eq!(entry["receipt"]["result"]["ok"], json!(true), "{entry}");

    let receipt = bench.invoke("export", json!({ "format": "bad" })).await;
    assert_eq!(kept.only()["receipt"]["error"]["code"], "HANDLER_FAILED");
    let shown = receipt.to_json();
    assert_eq!(
        shown["error"]["code"], "HANDLER_FAILED",
        "a failure stays one for the model, too: {shown}"
    );
    assert_eq!(shown["error"]["value"], json!({ "all": "fine" }));
    assert_eq!(receipt.code(), Some(Code::HandlerFailed));
}

#[tokio::test(start_paused = true)]
async fn a_line_of_json_for_each_call_of_a_session() {
    let lines = Arc::new(JsonLines::new(Vec::new()));
    let desk = Desk::new([
        Turn::call("add_todo", json!({ "text": "two\nlines" })),
        Turn::call("clear_done", json!({})),
        Turn::text("Done."),
    ]);
    desk.bench
        .executor
        .set_audit(Some(Arc::clone(&lines) as Arc<dyn AuditSink>));
    let mut events = desk.session.events();
    let sent = desk.session.send("Go");
    let id = asked(&mut events).await;
    assert!(desk.session.approve(&id));
    sent.await;
    desk.bench.executor.set_audit(None);
    let lines = Arc::into_inner(lines).expect("nobody else holds it");
    assert_eq!(lines.failures(), 0);
    let text = String::from_utf8(lines.into_inner()).expect("UTF-8");
    let entries: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (&entry["tool"], &entry["consent"]))
        .collect();
    assert_eq!(
        told,
        [
            (&json!("add_todo"), &json!("notRequired")),
            (&json!("clear_done"), &json!("allowed"))
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_is_counted_and_stops_nothing() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let bench = Bench::new();
    let lines = Arc::new(JsonLines::new(Full));
    bench.executor.set_audit(Some(Arc::clone(&lines) as Arc<dyn AuditSink>));
    assert!(bench.invoke("toggle", json!({ "record": "t1" })).await.is_ok());
    assert_eq!(lines.failures(), 1);
}

#[test]
fn an_app_sets_it_up_in_one_line() {
    let kept = Kept::default();
    let sink = kept.clone();
    let mut harness = AgentHarness::<()>::builder()
        .pling(|builder| builder.audit(sink))
        .build_ui(|ui| {
            let _ = ui.button("Save").tool(("save", "Save the form"));
        });
    assert!(harness.invoke("save", json!({})).is_ok());
    assert_eq!(kept.only()["action"]["id"], "save");
}
