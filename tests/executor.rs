//! What the executor refuses, what it runs, and what it says about it.

use std::{collections::HashSet, sync::Arc};

use pling_core::{
    act::{
        ApprovalMode, Arguments, Call, CancellationToken, Code, Permissions, Policy, PostToolUse, PreToolUse, Receipt,
        Refusal,
    },
    model::{Expect, Level, RegionPath},
    platform::{Duration, now, sleep},
    snapshot::Availability,
};
use serde_json::{Value, json};

use crate::support::Bench;

fn message(receipt: &Receipt) -> &str {
    receipt.error.as_ref().map_or("", |(_, message)| message)
}

/// Refused with this code, with these words in the message, and no handler ran.
#[track_caller]
fn assert_refused(bench: &Bench, receipt: &Receipt, code: Code, words: &str) {
    assert_eq!(receipt.code(), Some(code), "{receipt:?}");
    assert!(message(receipt).contains(words), "{}", message(receipt));
    assert_eq!(bench.host.handled(), [""; 0], "nothing may run");
    assert!(receipt.changed.is_none(), "nothing ran, so nothing is claimed");
}

#[tokio::test(start_paused = true)]
async fn a_call_runs_its_handler_once_and_says_what_it_was() {
    let bench = Bench::new();
    let receipt = bench.invoke("toggle", json!({ "record": "t1", "checked": true })).await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(bench.host.handled(), ["toggle t1"]);
    assert!(bench.host.with(|app| app.todo("t1").done));
    let json = receipt.to_json();
    assert_eq!(json["result"]["ok"], true);
    assert_eq!(
        json["result"]["action"],
        json!({ "id": "toggle", "description": "Mark the task as complete", "record": "t1" })
    );
    assert_eq!(json["result"]["changed"]["observed"], true);
}

#[tokio::test(start_paused = true)]
async fn a27_unknown_actions_are_told_apart_from_gone_ones() {
    let bench = Bench::new();
    let receipt = bench.invoke("delete_everything", json!({})).await;
    assert_refused(&bench, &receipt, Code::UnknownAction, "no action `delete_everything`");
    assert!(
        receipt.available.contains(&"toggle".to_owned()),
        "{:?}",
        receipt.available
    );

    bench.host.with(|app| app.dialog = true);
    let open = bench.observe().await;
    bench.host.with(|app| app.dialog = false);
    let receipt = bench.invoke_seen(&open, "close_settings", json!({})).await;
    assert_refused(&bench, &receipt, Code::ActionGone, "is not on the page now");
    let receipt = bench.invoke("close_settings", json!({})).await;
    assert_refused(&bench, &receipt, Code::ActionGone, "no longer available");
}

#[tokio::test(start_paused = true)]
async fn a28_a_near_miss_is_suggested_and_never_run() {
    let bench = Bench::trusted();
    for (name, meant) in [
        ("Add_Todo", "add_todo"),
        ("add-todo", "add_todo"),
        ("clear_doen", "clear_done"),
    ] {
        let receipt = bench.invoke(name, json!({})).await;
        assert_refused(
            &bench,
            &receipt,
            Code::UnknownAction,
            &format!("Did you mean `{meant}`?"),
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_session_does_not_permit_is_refused() {
    let mut policy = Policy::default();
    policy.permitted = Permissions::read_only();
    let bench = Bench::with(policy, ApprovalMode::AllowAll);
    let receipt = bench.invoke("toggle", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::NotPermitted, "may only read");
    assert_eq!(
        receipt.available.first().map(String::as_str),
        Some("search"),
        "{:?}",
        receipt.available
    );
    assert!(bench.invoke("search", json!({ "text": "Milk" })).await.is_ok());

    let bench = Bench::trusted();
    bench.executor.set_permitted(Permissions::all().without(["delete"]));
    let receipt = bench.invoke("delete", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::NotPermitted, "does not allow");
    bench.executor.set_permitted(Permissions::all().only(["toggle"]));
    let receipt = bench.invoke("sort", json!({ "choice": "Oldest" })).await;
    assert_refused(&bench, &receipt, Code::NotPermitted, "does not allow");
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_named() {
    let bench = Bench::trusted();
    let check = async |tool: &str, arguments: Value, words: &str| {
        let receipt = bench.invoke(tool, arguments).await;
        assert_refused(&bench, &receipt, Code::InvalidArguments, words);
    };
    check("add_todo", json!({}), "`text` is missing").await;
    check(
        "add_todo",
        json!({ "text": "Tea", "when": "now" }),
        "`when` is not an argument",
    )
    .await;
    check("toggle", json!({}), "`record` is missing").await;
    check("toggle", json!({ "record": 1 }), "`record` must be the id of a record").await;
    check("clear_done", json!({ "record": "t1" }), "it takes none").await;
    check("sort", json!({ "choice": "newest" }), "Did you mean `Newest`?").await;
    check("limit", json!({ "value": "many" }), "finite number").await;
    check(
        "export",
        json!({ "format": 7 }),
        "`format` must be a string, not a number",
    )
    .await;
    check("add_todo", json!(["Tea"]), "not a JSON object").await;

    let seen = bench.observe().await;
    let broken = Call::new("c", "add_todo", Arguments::parse(r#"{"text":"buy mil"#), seen);
    let receipt = bench.executor.invoke(broken, &CancellationToken::new()).await;
    assert_refused(&bench, &receipt, Code::InvalidArguments, "not valid JSON");
}

#[tokio::test(start_paused = true)]
async fn d01_a_record_that_went_is_gone_and_its_place_is_not_operated() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    bench.host.with(|app| {
        app.remove("t2");
        app.add("Butter");
        let last = app.todos.pop().unwrap();
        app.todos.insert(1, last);
    });
    let receipt = bench.invoke_seen(&seen, "toggle", json!({ "record": "t2" })).await;
    assert_refused(&bench, &receipt, Code::RecordGone, "\"t2\"");
    let receipt = bench.invoke_seen(&seen, "toggle", json!({ "record": "t99" })).await;
    assert_refused(&bench, &receipt, Code::UnknownRecord, "there are: t1, t4, t3");
    // All of them gone: still a matter of the record.
    bench.host.with(|app| app.todos.clear());
    let receipt = bench.invoke_seen(&seen, "toggle", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::RecordGone, "\"t1\"");
}

#[tokio::test(start_paused = true)]
async fn c03_two_widgets_of_one_target_are_ambiguous_and_neither_runs() {
    let bench = Bench::trusted();
    bench.host.with(|app| {
        app.tweak(|page| {
            let twins: Vec<_> = page
                .actions
                .iter()
                .filter(|facts| facts.action.id.as_str() == "toggle")
                .cloned()
                .collect();
            page.actions.extend(twins.into_iter().take(1));
        });
    });
    let receipt = bench.invoke("toggle", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::AmbiguousTarget, "2 widgets answer to `toggle`");

    let bench = Bench::trusted();
    bench.host.with(|app| {
        app.tweak(|page| {
            let twin = page.records[0].clone();
            page.records.push(twin);
        });
    });
    let receipt = bench.invoke("toggle", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::AmbiguousTarget, "more than one record");
    assert!(bench.invoke("toggle", json!({ "record": "t2" })).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn d04_each_reason_has_its_own_word() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    bench.host.with(|app| app.dialog = true);
    let receipt = bench.invoke_seen(&seen, "toggle", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::Unavailable, "covered by \"Settings\"");
    assert_eq!(receipt.reason.as_deref(), Some("covered_by"));
    assert_eq!(receipt.to_json()["error"]["reason"], "covered_by");
    bench.host.with(|app| app.dialog = false);
    assert!(
        bench
            .invoke_seen(&seen, "toggle", json!({ "record": "t1" }))
            .await
            .is_ok()
    );

    let check = async |availability: Availability, code, reason: Option<&str>, words: &str| {
        let bench = Bench::trusted();
        let seen = bench.observe().await;
        bench.host.with(|app| app.set_availability("sort", availability));
        let receipt = bench.invoke_seen(&seen, "sort", json!({ "choice": "Oldest" })).await;
        assert_refused(&bench, &receipt, code, words);
        assert_eq!(receipt.reason.as_deref(), reason);
    };
    check(Availability::Disabled, Code::Unavailable, Some("disabled"), "disabled").await;
    check(Availability::Hidden, Code::Unavailable, Some("hidden"), "hidden").await;
    let requires = Availability::Requires("two tasks".into());
    check(requires, Code::Unavailable, Some("requires"), "two tasks").await;
    check(
        Availability::WindowHidden,
        Code::WindowHidden,
        Some("window_hidden"),
        "minimised",
    )
    .await;
    let not_drawn = Availability::NotDrawn { since: 4 };
    check(not_drawn, Code::ActionGone, Some("not_drawn"), "not on the page").await;
}

#[tokio::test(start_paused = true)]
async fn a_record_without_the_action_is_not_gone() {
    let bench = Bench::trusted();
    bench.host.with(|app| {
        app.tweak(|page| {
            let is_missing = |id: &str, record: Option<&str>| id == "delete" && record == Some("t2");
            page.actions
                .retain(|facts| !is_missing(facts.action.id.as_str(), facts.record.as_ref().map(|id| id.as_str())));
        });
    });
    let receipt = bench.invoke("delete", json!({ "record": "t2" })).await;
    assert_refused(&bench, &receipt, Code::Unavailable, "has no `delete` now");
    assert_eq!(receipt.reason.as_deref(), Some("not_offered"));
}

#[tokio::test(start_paused = true)]
async fn c02_what_is_out_of_view_is_brought_into_view_first() {
    let bench = Bench::trusted();
    bench.host.with(|app| app.scrolled_out.insert("t3".to_owned()));
    assert!(bench.invoke("toggle", json!({ "record": "t3" })).await.is_ok());
    assert!(bench.host.with(|app| app.scrolled_out.is_empty()), "it was revealed");

    let bench = Bench::trusted();
    bench.host.with(|app| {
        app.scrolled_out.insert("t3".to_owned());
        app.stuck = true;
    });
    let receipt = bench.invoke("toggle", json!({ "record": "t3" })).await;
    assert_refused(&bench, &receipt, Code::Unavailable, "could not be brought into view");
    assert_eq!(receipt.reason.as_deref(), Some("offscreen"));
}

#[tokio::test(start_paused = true)]
async fn c13_any_record_of_a_source_is_operated_though_few_are_drawn() {
    let bench = Bench::trusted();
    assert!(bench.invoke("restore", json!({ "record": "a500" })).await.is_ok());
    assert_eq!(bench.host.handled(), ["restore a500"]);
    let bench = Bench::trusted();
    let receipt = bench.invoke("restore", json!({ "record": "a5000" })).await;
    assert_refused(&bench, &receipt, Code::UnknownRecord, "no such record");
    // Drawn before and dropped from the source since: gone.
    let seen = bench.observe().await;
    bench.host.with(|app| app.archived = 1);
    let receipt = bench.invoke_seen(&seen, "restore", json!({ "record": "a2" })).await;
    assert_refused(&bench, &receipt, Code::RecordGone, "\"a2\"");
}

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
async fn a_hidden_window_is_refused_and_the_call_never_runs_later() {
    let bench = Bench::trusted();
    let seen = bench.observe().await;
    bench.host.with(|app| app.hidden = true);
    let receipt = bench.invoke_seen(&seen, "toggle", json!({ "record": "t1" })).await;
    assert_refused(&bench, &receipt, Code::WindowHidden, "hidden");
    assert_eq!(
        bench.executor.observe().await.map(|_| ()).unwrap_err().code,
        Code::WindowHidden
    );
    bench.host.with(|app| app.hidden = false);
    bench.observe().await;
    assert_eq!(bench.host.handled(), [""; 0]);
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
    let seen = Arc::new(pling_core::observe::Observation::new(
        &bench.host.page(),
        &Default::default(),
    ));
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

    // A page that answers with an error is not waited for.
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("add_todo", |action| action.expect = Some(Expect::record_added())));
    let start = now();
    let receipt = bench.invoke("add_todo", json!({ "text": " " })).await;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed));
    assert_eq!(
        receipt.feedback.first().map(|feedback| feedback.text.as_str()),
        Some("Enter a task")
    );
    assert!(now() - start < Duration::from_secs(1));
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
        fn again(app: &mut crate::support::App) {
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
async fn an_action_that_opens_nothing_says_so() {
    let bench = Bench::new();
    assert_eq!(bench.invoke("open_settings", json!({})).await.warning, None);
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("open_settings", |action| action.opens = Some("wizard".into())));
    let warning = bench.invoke("open_settings", json!({})).await.warning;
    assert_eq!(warning.as_deref(), Some("the region `wizard` did not open"));
}

#[tokio::test(start_paused = true)]
async fn sensitive_values_reach_the_widget_and_nobody_else() {
    const SECRET: &str = "correct horse";
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("pin", |action| action.confirm = Some(true)));
    let told = Arc::new(parking_lot::Mutex::new(String::new()));
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
    assert!(
        bench
            .executor
            .approvals()
            .decide(&asking.id, pling_core::act::Decision::Allow)
    );
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
    let gone = pling_core::platform::timeout(Duration::from_millis(20), invoked).await;
    assert!(gone.is_err());
    bench.observe().await;
    assert_eq!(bench.host.handled(), [""; 0]);
    assert!(
        bench.invoke("toggle", json!({ "record": "t1" })).await.is_ok(),
        "the turn is free again"
    );
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
async fn discovery_shows_more_without_asking_anybody() {
    let mut policy = Policy::default();
    policy.budget.max_actions = 2;
    policy.permitted = Permissions::read_only();
    let bench = Bench::with(policy, ApprovalMode::DenyAll);

    let receipt = bench.invoke("find_records", json!({ "query": "archived 77" })).await;
    let value = receipt.value.unwrap();
    assert_eq!(
        value["records"][0],
        json!({ "id": "a77", "label": "Archived 77", "fields": {} })
    );
    assert_eq!(value["complete"], true);
    let receipt = bench.invoke("find_records", json!({})).await;
    assert_eq!(receipt.code(), Some(Code::InvalidArguments));
    assert!(message(&receipt).contains("`query` is missing"));

    let receipt = bench
        .invoke("scroll", json!({ "region": "archive", "direction": "down" }))
        .await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(bench.host.with(|app| app.archive_top), 3);
    let receipt = bench
        .invoke("scroll", json!({ "region": "archive", "direction": "sideways" }))
        .await;
    assert_eq!(receipt.code(), Some(Code::InvalidArguments));
    let receipt = bench.invoke("reveal", json!({ "region": "attic" })).await;
    assert_eq!(receipt.code(), Some(Code::InvalidArguments));
    assert!(message(&receipt).contains("`region`"), "{}", message(&receipt));
    assert!(bench.invoke("reveal", json!({ "region": "archive" })).await.is_ok());

    let receipt = bench.invoke("search_actions", json!({ "query": "settings" })).await;
    let value = receipt.value.unwrap();
    assert_eq!(value["actions"][0]["action"], "open_settings", "{value}");
    assert_eq!(bench.host.handled(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_action_over_the_budget_passes_the_same_gates() {
    let mut policy = Policy::default();
    policy.budget.max_actions = 1;
    let bench = Bench::with(policy, ApprovalMode::DenyAll);
    let receipt = bench.invoke("sort", json!({ "choice": "Oldest" })).await;
    assert_refused(&bench, &receipt, Code::UnknownAction, "call it through `invoke_action`");
    let check = async |arguments: Value, code: Code| {
        let receipt = bench.invoke("invoke_action", arguments).await;
        assert_refused(&bench, &receipt, code, "");
    };
    check(json!({}), Code::InvalidArguments).await;
    check(json!({ "action": "fly" }), Code::UnknownAction).await;
    check(json!({ "action": "toggle" }), Code::InvalidArguments).await;
    check(
        json!({ "action": "toggle", "arguments": { "record": "t99" } }),
        Code::UnknownRecord,
    )
    .await;
    check(
        json!({ "action": "sort", "arguments": { "choice": "?" } }),
        Code::InvalidArguments,
    )
    .await;
    check(json!({ "action": "clear_done" }), Code::ApprovalDenied).await;

    let arguments = json!({ "action": "sort", "region": "tools", "arguments": { "choice": "Oldest" } });
    let receipt = bench.invoke("invoke_action", arguments).await;
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.action.map(|action| action.id), Some("sort".into()));
    assert_eq!(bench.host.handled(), ["sort"]);
}

#[tokio::test(start_paused = true)]
async fn an_action_of_two_regions_has_to_say_which() {
    let mut policy = Policy::default();
    policy.budget.max_actions = 1;
    let bench = Bench::with(policy, ApprovalMode::AllowAll);
    bench.host.with(|app| {
        app.tweak(|page| {
            let mut twin = page
                .actions
                .iter()
                .find(|facts| facts.action.id.as_str() == "sort")
                .unwrap()
                .clone();
            twin.region = RegionPath::root().child("todos".into());
            page.actions.push(twin);
        });
    });
    let receipt = bench
        .invoke(
            "invoke_action",
            json!({ "action": "sort", "arguments": { "choice": "Oldest" } }),
        )
        .await;
    assert_refused(&bench, &receipt, Code::AmbiguousTarget, "could mean either of: sort-");
    let arguments = json!({ "action": "sort", "region": "todos", "arguments": { "choice": "Oldest" } });
    assert!(bench.invoke("invoke_action", arguments).await.is_ok());
}
