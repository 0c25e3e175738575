//! What a receipt says of a call that ran: what was seen, and no more.

use std::sync::Arc;

use parking_lot::Mutex;
use pling_core::{
    act::{Code, Decision, PostToolUse, PreToolUse, Refusal},
    model::Level,
    observe::{Budget, Observation},
    platform::{Duration, now, sleep},
};
use serde_json::json;

use crate::support::{App, Bench, assert_refused, message};

#[tokio::test(start_paused = true)]
async fn hooks_block_in_order_and_can_be_removed_from_within() {
    let bench = Bench::trusted();
    let hooks = bench.executor.hooks().clone();
    let id = hooks.add_pre(|usage| match usage.action.id.as_str() {
        "clear_done" => PreToolUse::Block("not on Sundays".to_owned()),
        _ => PreToolUse::Continue,
    });
    hooks.add_pre(|_| PreToolUse::Continue);
    let receipt = bench.invoke("clear_done", json!({})).await;
    assert_refused(&bench, &receipt, Code::HookBlocked, "not on Sundays");
    assert!(!receipt.stops_batch());
    let inner = hooks.clone();
    hooks.add_pre(move |_| {
        inner.remove(id);
        PreToolUse::Continue
    });
    assert!(bench.invoke("toggle", json!({ "record": "t1" })).await.is_ok());
    assert!(!hooks.remove(id), "a hook removed it");
    assert!(bench.invoke("clear_done", json!({})).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_post_hook_replaces_what_the_model_sees_and_nothing_else() {
    let bench = Bench::new();
    bench.executor.hooks().add_post(|usage, receipt| {
        assert_eq!(usage.action.id.as_str(), "export");
        PostToolUse::Replace(json!({ "seen": receipt.value }))
    });
    let receipt = bench.invoke("export", json!({ "format": "csv" })).await;
    assert_eq!(receipt.to_json(), json!({ "seen": { "rows": 3, "format": "csv" } }));
    assert!(receipt.is_ok());
    let receipt = bench.invoke("export", json!({ "format": "bad" })).await;
    assert_eq!(
        receipt.code(),
        Some(Code::HandlerFailed),
        "a replaced failure stays a failure"
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_host_refuses_keeps_its_code() {
    let refusals = [
        (Code::NotDelivered, true),
        (Code::Unsupported, false),
        (Code::Timeout, true),
        (Code::WindowHidden, true),
        (Code::HandlerFailed, true),
    ];
    for (code, stops) in refusals {
        let bench = Bench::trusted();
        bench
            .host
            .with(|app| app.refuse_next = Some(Refusal::new(code, "in the host's words")));
        let receipt = bench.invoke("toggle", json!({ "record": "t1" })).await;
        assert_eq!(receipt.error, Some((code, "in the host's words".to_owned())));
        assert_eq!(receipt.action.as_ref().map(|action| action.id.as_str()), Some("toggle"));
        assert_eq!(receipt.stops_batch(), stops, "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn d06_a_receipt_claims_only_what_was_seen() {
    // The handler changes nothing.
    let bench = Bench::new();
    let receipt = bench.invoke("sort", json!({ "choice": "Oldest" })).await;
    assert!(receipt.is_ok());
    assert_eq!(receipt.to_json()["result"]["changed"], json!({ "observed": false }));

    // A function fails.
    let receipt = bench.invoke("export", json!({ "format": "bad" })).await;
    assert_eq!(
        receipt.error,
        Some((Code::HandlerFailed, "cannot write this format".to_owned()))
    );
    assert!(receipt.changed.is_some(), "it ran");

    // The change comes thirty passes later: seen while busy …
    let slow = |busy: bool| {
        let bench = Bench::new();
        bench.host.with(|app| {
            app.busy.extend(busy.then(|| "saving".to_owned()));
            app.later(40, |app| {
                app.add("Late");
                app.busy.clear();
            });
        });
        bench
    };
    let bench = slow(true);
    let seen = Arc::new(Observation::new(&bench.host.page(), &Budget::default()));
    let receipt = bench.invoke_seen(&seen, "sort", json!({ "choice": "Oldest" })).await;
    assert!(receipt.changed.unwrap().observed());
    assert_eq!(receipt.warning, None);
    // … and otherwise in the next observation.
    let bench = slow(false);
    let receipt = bench.invoke("sort", json!({ "choice": "Oldest" })).await;
    assert!(!receipt.changed.unwrap().observed());
    sleep(Duration::from_secs(1)).await;
    for _ in 0..40 {
        bench.observe().await;
    }
    assert!(
        bench
            .observe()
            .await
            .snapshot
            .records
            .iter()
            .any(|facts| facts.record.label == "Late")
    );
}

#[tokio::test(start_paused = true)]
async fn d06_an_expectation_is_waited_for() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    bench.host.with(|app| {
        app.later(60, |app| {
            app.add("Synced");
            app.todos.last_mut().unwrap().id = "synced".to_owned();
        });
    });
    let receipt = bench.invoke_seen(&seen, "sync", json!({})).await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert!(receipt.changed.unwrap().observed());
}

#[tokio::test(start_paused = true)]
async fn an_expectation_that_is_not_met_fails_within_its_bound() {
    let bench = Bench::new();
    let start = now();
    let receipt = bench.invoke("sync", json!({})).await;
    let took = now() - start;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed));
    assert!(
        message(&receipt).contains("the record \"synced\" to be added"),
        "{}",
        message(&receipt)
    );
    assert!(receipt.changed.is_some(), "it ran");
    assert!(receipt.stops_batch());
    let bounds = Duration::from_secs(30)..Duration::from_secs(33);
    assert!(bounds.contains(&took), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_validation_error_shows_in_the_changes_of_an_ok_receipt() {
    let bench = Bench::new();
    let receipt = bench.invoke("add_todo", json!({ "text": "" })).await;
    let changes = receipt.changed.unwrap();
    assert_eq!(
        changes.feedback.first().map(|feedback| feedback.level),
        Some(Level::Error)
    );
    // And a later refusal carries it as current feedback.
    let receipt = bench.invoke("toggle", json!({ "record": "t9" })).await;
    assert_eq!(
        receipt.feedback.first().map(|feedback| feedback.text.as_str()),
        Some("Enter a task")
    );
}

#[tokio::test(start_paused = true)]
async fn a_page_that_never_rests_is_read_within_the_bound_and_says_so() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    bench.host.with(|app| {
        fn again(app: &mut App) {
            app.add("More");
            app.later(1, again);
        }
        app.later(1, again);
    });
    let start = now();
    let receipt = bench.invoke_seen(&seen, "toggle", json!({ "record": "t1" })).await;
    assert!(receipt.is_ok());
    assert!(receipt.warning.unwrap().contains("still changing"));
    assert!(now() - start < Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn c08_numbers_are_clamped_by_the_widget_and_read_from_text() {
    let bench = Bench::new();
    let receipt = bench.invoke("limit", json!({ "value": 99 })).await;
    assert_eq!(
        (receipt.value, receipt.warning.as_deref()),
        (Some(json!(10.0)), Some("clamped to 10"))
    );
    let receipt = bench.invoke("limit", json!({ "value": "7" })).await;
    assert!(receipt.is_ok());
    assert!(receipt.warning.unwrap().contains("taken as a number"));
}

#[tokio::test(start_paused = true)]
async fn sensitive_values_reach_the_widget_and_nobody_else() {
    const SECRET: &str = "correct horse";
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("pin", |action| action.confirm = Some(true)));
    let told = Arc::new(Mutex::new(String::new()));
    let hooks = bench.executor.hooks();
    let pre = Arc::clone(&told);
    hooks.add_pre(move |usage| {
        pre.lock().push_str(&format!("{usage:?}"));
        PreToolUse::Continue
    });
    let post = Arc::clone(&told);
    hooks.add_post(move |usage, receipt| {
        post.lock().push_str(&format!("{usage:?}{receipt:?}"));
        PostToolUse::Keep
    });
    let mut events = bench.executor.approvals().subscribe();
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "pin", json!({ "text": SECRET })).await;
    told.lock()
        .push_str(&format!("{:?}", bench.executor.approvals().pending()));
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    let receipt = asking.receipt.await.unwrap();
    assert!(receipt.is_ok());
    told.lock()
        .push_str(&format!("{receipt:?}{:?}{:?}", events.try_recv(), events.try_recv()));
    let told = told.lock();
    assert!(told.contains("[withheld]"));
    assert!(
        !told.contains(SECRET) && !told.contains(&SECRET.len().to_string()),
        "{told}"
    );
    assert_eq!(bench.host.handled(), ["pin"]);
}
