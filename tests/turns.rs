//! One call at a time: order, distance, cancel, and batches.

use std::{collections::HashSet, sync::Arc};

use pling_core::{
    act::{ApprovalMode, Arguments, CancellationToken, Code, Origin, Policy, PreToolUse},
    platform::{Duration, now, sleep, timeout},
};
use serde_json::json;

use crate::support::{Bench, assert_refused, message};

#[tokio::test(start_paused = true)]
async fn calls_run_one_at_a_time_in_the_order_they_came() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let mut tasks = Vec::new();
    for record in ["t1", "t2", "t3", "t1"] {
        let (bench, seen) = (bench.clone(), Arc::clone(&seen));
        tasks.push(tokio::spawn(async move {
            bench.invoke_seen(&seen, "toggle", json!({ "record": record })).await
        }));
        tokio::task::yield_now().await;
    }
    let mut ids = HashSet::new();
    for task in tasks {
        let receipt = task.await.unwrap();
        assert!(receipt.is_ok());
        ids.insert(receipt.call_id);
    }
    assert_eq!(ids.len(), 4);
    assert_eq!(
        bench.host.handled(),
        ["toggle t1", "toggle t2", "toggle t3", "toggle t1"]
    );
    assert!(!bench.host.with(|app| app.todo("t1").done), "c18: twice is twice");
}

#[tokio::test(start_paused = true)]
async fn cancelled_before_it_runs_a_call_never_does() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = bench.call(&seen, "clear_done", json!({}));
    let receipt = bench.executor.invoke(call, &cancel).await;
    assert_refused(&bench, &receipt, Code::Cancelled, "nothing was run");

    // In the queue behind another call, which goes on.
    let first = tokio::spawn({
        let (bench, seen) = (bench.clone(), Arc::clone(&seen));
        async move { bench.invoke_seen(&seen, "toggle", json!({ "record": "t1" })).await }
    });
    tokio::task::yield_now().await;
    let cancel = CancellationToken::new();
    let second = tokio::spawn({
        let (executor, cancel) = (bench.executor.clone(), cancel.clone());
        let call = bench.call(&seen, "clear_done", json!({}));
        async move { executor.invoke(call, &cancel).await }
    });
    tokio::task::yield_now().await;
    cancel.cancel();
    assert_eq!(second.await.unwrap().code(), Some(Code::Cancelled));
    assert!(first.await.unwrap().is_ok());
    assert_eq!(bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn cancelled_between_the_last_look_and_the_delivery_it_does_not_run() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let cancel = CancellationToken::new();
    let token = cancel.clone();
    bench.executor.hooks().add_pre(move |_| {
        token.cancel();
        PreToolUse::Continue
    });
    let call = bench.call(&seen, "toggle", json!({ "record": "t1" }));
    let receipt = bench.executor.invoke(call, &cancel).await;
    assert_refused(&bench, &receipt, Code::Cancelled, "nothing was run");
}

#[tokio::test(start_paused = true)]
async fn cancelled_after_it_ran_the_receipt_says_what_was_seen() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    let cancel = CancellationToken::new();
    let call = bench.call(&seen, "sync", json!({}));
    let running = tokio::spawn({
        let (executor, cancel) = (bench.executor.clone(), cancel.clone());
        async move { executor.invoke(call, &cancel).await }
    });
    while bench.host.handled().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    let start = now();
    cancel.cancel();
    let receipt = running.await.unwrap();
    assert!(
        now() - start < Duration::from_secs(3),
        "it does not wait for the expectation"
    );
    assert!(receipt.is_ok(), "the widget reported it: {receipt:?}");
    assert!(receipt.warning.unwrap().contains("cancelled before"));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_withdrawn() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let cancel = CancellationToken::new();
    let call = bench.call(&seen, "clear_done", json!({}));
    let invoked = bench.executor.invoke(call, &cancel);
    // Two passes are needed: one for the facts, one to deliver.
    let gone = timeout(Duration::from_millis(20), invoked).await;
    assert!(gone.is_err());
    bench.observe().await;
    assert_eq!(bench.host.handled(), [""; 0]);
    assert!(
        bench.invoke("toggle", json!({ "record": "t1" })).await.is_ok(),
        "the turn is free again"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_sent_twice_runs_once_and_both_are_told_the_same() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let call = bench.call(&seen, "toggle", json!({ "record": "t1" }));
    let never = CancellationToken::new();
    let invoke = || bench.executor.invoke(call.clone(), &never);
    // At once, and once more.
    let (first, second) = tokio::join!(invoke(), invoke());
    let third = invoke().await;
    assert!(first.is_ok() && first.warning.is_none(), "{first:?}");
    for mut again in [second, third] {
        let warning = again.warning.take().expect("words on it");
        assert!(warning.contains("not run again"), "{warning}");
        assert_eq!(again, first);
    }
    assert_eq!(bench.host.handled(), ["toggle t1"]);

    // Another call under that id is none that was asked for before.
    let mut other = call.clone();
    other.arguments = Arguments::from(json!({ "record": "t2" }));
    let receipt = bench.executor.invoke(other, &never).await;
    assert_eq!(receipt.code(), Some(Code::InvalidArguments));
    assert!(message(&receipt).contains("id of its own"), "{receipt:?}");
    assert_eq!(bench.host.handled().len(), 1);

    // Ids are a caller's own, and those of the assistant its conversation's.
    let mut of_another = call.clone();
    of_another.origin = Origin::Client(Arc::from("cli"));
    assert!(bench.executor.invoke(of_another, &never).await.is_ok());
    bench.executor.forget_denials();
    assert!(invoke().await.is_ok());
    assert_eq!(bench.host.handled().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_caller_left_after_it_ran_does_not_run_again() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let call = bench.call(&seen, "toggle", json!({ "record": "t1" }));
    let never = CancellationToken::new();
    let gone = {
        let (executor, call, never) = (bench.executor.clone(), call.clone(), never.clone());
        tokio::spawn(async move { executor.invoke(call, &never).await })
    };
    while bench.host.handled().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    gone.abort();
    assert!(gone.await.is_err(), "it is not over by then");
    let receipt = bench.executor.invoke(call, &never).await;
    assert_eq!(receipt.code(), Some(Code::Cancelled));
    assert!(message(&receipt).contains("Look at the page"), "{receipt:?}");
    assert_eq!(bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn d19_each_call_of_a_batch_is_checked_against_the_page_as_it_is_then() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    let opened = bench.invoke_seen(&seen, "open_settings", json!({})).await;
    let toggled = bench.invoke_seen(&seen, "toggle", json!({ "record": "t1" })).await;
    let cleared = bench.invoke_seen(&seen, "clear_done", json!({})).await;
    assert!(opened.is_ok() && !opened.stops_batch());
    for refused in [&toggled, &cleared] {
        assert_eq!(refused.code(), Some(Code::Unavailable));
        assert_eq!(refused.reason.as_deref(), Some("covered_by"));
        assert!(!refused.stops_batch());
    }
    assert_eq!(bench.host.handled(), ["open_settings"]);
}

#[tokio::test(start_paused = true)]
async fn executions_keep_their_distance_and_are_checked_after_it() {
    let mut policy = Policy::default();
    policy.min_action_interval = Duration::from_secs(5);
    let bench = Bench::with(policy, ApprovalMode::AllowAll);
    let seen = bench.observe().await;
    assert!(
        bench
            .invoke_seen(&seen, "toggle", json!({ "record": "t1" }))
            .await
            .is_ok()
    );
    let start = now();
    assert!(
        bench
            .invoke_seen(&seen, "toggle", json!({ "record": "t2" }))
            .await
            .is_ok()
    );
    assert!(now() - start >= Duration::from_secs(5));
    // What happens while it waits counts.
    let waiting = tokio::spawn({
        let (bench, seen) = (bench.clone(), Arc::clone(&seen));
        async move { bench.invoke_seen(&seen, "toggle", json!({ "record": "t3" })).await }
    });
    sleep(Duration::from_secs(1)).await;
    bench.host.with(|app| app.remove("t3"));
    assert_eq!(waiting.await.unwrap().code(), Some(Code::RecordGone));
}

#[tokio::test(start_paused = true)]
async fn an_open_question_keeps_its_turn_and_nobody_is_stuck_behind_it() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "delete", json!({ "record": "t2" })).await;
    let behind = |cancel: &CancellationToken| {
        let call = bench.call(&seen, "toggle", json!({ "record": "t1" }));
        let (executor, cancel) = (bench.executor.clone(), cancel.clone());
        tokio::spawn(async move { executor.invoke(call, &cancel).await })
    };
    let (leaves, stays) = (CancellationToken::new(), CancellationToken::new());
    let (leaving, staying) = (behind(&leaves), behind(&stays));
    sleep(Duration::from_secs(60)).await;
    assert!(!leaving.is_finished() && !staying.is_finished());
    assert_eq!(bench.host.handled(), [""; 0]);
    bench.observe().await;
    leaves.cancel();
    assert_eq!(leaving.await.unwrap().code(), Some(Code::Cancelled));
    assert!(bench.executor.approvals().expire(&asking.id));
    assert_eq!(asking.receipt.await.unwrap().code(), Some(Code::ApprovalExpired));
    assert!(staying.await.unwrap().is_ok());
    assert_eq!(bench.host.handled(), ["toggle t1"]);
}
