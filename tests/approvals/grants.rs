//! What the user allows for the rest of a session, and how freely an agent may act at all.

use pling_core::{
    act::{CancellationToken, Code, Decision, DefaultApproval, Grant, Origin, Permissions, Policy, Preset},
    agent::{Config, ConfigPatch, LimitsPatch},
    llm::Turn,
};
use serde_json::json;

use crate::support::{
    Bench,
    desk::{Desk, asked, codes},
};

/// Asks for a deletion and allows it for the session; the grant.
async fn allow_deletions(bench: &Bench) -> Option<Grant> {
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "delete", json!({ "record": "t2" })).await;
    assert!(bench.executor.approvals().decide(&asking.id, Decision::AllowForSession));
    assert!(asking.receipt.await.expect("no panic").is_ok());
    bench.executor.approvals().grants().pop()
}

/// Whether a call waits for its user. It is cancelled then.
async fn asks(bench: &Bench, tool: &str, arguments: serde_json::Value, origin: Origin) -> bool {
    let mut call = bench.call(&bench.observe().await, tool, arguments);
    call.origin = origin;
    let mut events = bench.executor.approvals().subscribe();
    let cancel = CancellationToken::new();
    let (executor, token) = (bench.executor.clone(), cancel.clone());
    let mut running = tokio::spawn(async move { executor.invoke(call, &token).await });
    tokio::select! {
        _ = events.recv() => {
            cancel.cancel();
            assert_eq!(running.await.expect("no panic").code(), Some(Code::Cancelled));
            true
        }
        receipt = &mut running => {
            assert!(receipt.expect("no panic").is_ok());
            false
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_grant_covers_the_action_and_nothing_else() {
    let bench = Bench::new();
    let grant = allow_deletions(&bench).await.expect("a grant");
    assert_eq!((grant.action.id.as_str(), grant.action.record), ("delete", None));
    assert_eq!(
        (grant.region.to_string().as_str(), grant.origin),
        ("todos", Origin::Assistant)
    );
    assert!(!asks(&bench, "delete", json!({ "record": "t1" }), Origin::Assistant).await);
    assert_eq!(bench.host.handled(), ["delete t2", "delete t1"]);
    assert!(
        asks(&bench, "clear_done", json!({}), Origin::Assistant).await,
        "another action"
    );
    assert!(
        asks(&bench, "delete", json!({ "record": "t3" }), Origin::Code).await,
        "another caller's consent is another one"
    );
}

#[tokio::test(start_paused = true)]
async fn a_grant_ends_when_it_is_revoked_or_the_action_is_another_one() {
    let bench = Bench::new();
    let grant = allow_deletions(&bench).await.expect("a grant");
    assert!(bench.executor.approvals().revoke(grant.id));
    assert!(!bench.executor.approvals().revoke(grant.id));
    assert!(asks(&bench, "delete", json!({ "record": "t1" }), Origin::Assistant).await);

    bench.host.with(|app| app.add("More"));
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "delete", json!({ "record": "t1" })).await;
    assert!(bench.executor.approvals().decide(&asking.id, Decision::AllowForSession));
    assert!(asking.receipt.await.unwrap().is_ok());
    bench
        .host
        .with(|app| app.tweak_action("delete", |action| action.description = "Delete it everywhere".into()));
    assert!(asks(&bench, "delete", json!({ "record": "t3" }), Origin::Assistant).await);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_taken_back_is_allowed_once() {
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("delete", |action| action.irreversible = true));
    assert_eq!(allow_deletions(&bench).await, None);
    assert_eq!(bench.host.handled(), ["delete t2"], "this once");
    assert!(asks(&bench, "delete", json!({ "record": "t1" }), Origin::Assistant).await);

    // Declared irreversible later, a grant from before does not reach it either.
    let bench = Bench::new();
    allow_deletions(&bench).await.expect("a grant");
    bench
        .host
        .with(|app| app.tweak_action("delete", |action| action.irreversible = true));
    assert!(asks(&bench, "delete", json!({ "record": "t1" }), Origin::Assistant).await);
}

#[tokio::test(start_paused = true)]
async fn a_step_for_the_user_cannot_be_granted() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "pay", json!({})).await;
    assert!(!bench.executor.approvals().pending()[0].is_grantable());
    assert!(bench.executor.approvals().decide(&asking.id, Decision::AllowForSession));
    assert!(asking.receipt.await.unwrap().is_ok());
    assert!(bench.executor.approvals().grants().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_new_conversation_begins_without_grants() {
    let clear = || Turn::call("clear_done", json!({}));
    let desk = Desk::new([clear(), clear(), Turn::text("Cleared twice.")]);
    let mut events = desk.session.events();
    let sent = desk.session.send("Clear");
    let id = asked(&mut events).await;
    assert!(desk.session.approve_for_session(&id));
    assert_eq!(codes(&sent.await.receipts), [None, None], "asked once");
    assert_eq!(desk.session.grants().len(), 1);
    desk.session.reset();
    assert!(desk.session.grants().is_empty());
    desk.llm.push(clear());
    desk.llm.push(Turn::text("No."));
    let sent = desk.session.send("Clear");
    let id = asked(&mut events).await;
    assert!(desk.session.deny(&id, None));
    assert_eq!(codes(&sent.await.receipts), [Some(Code::ApprovalDenied)]);
}

#[tokio::test(start_paused = true)]
async fn presets_are_the_users_and_never_permit_more() {
    let cases = [
        // The preset; whether a read, a write and a dangerous action are asked about; `None`: refused.
        (None, [Some(false), Some(false), Some(true)]),
        (Some(Preset::Ask), [Some(false), Some(true), Some(true)]),
        (Some(Preset::AcceptEdits), [Some(false), Some(false), Some(true)]),
        (Some(Preset::ReadOnly), [Some(false), None, None]),
    ];
    let calls = [
        ("search", json!({ "text": "" })),
        ("add_todo", json!({ "text": "Oats" })),
        ("clear_done", json!({})),
    ];
    for (preset, expected) in cases {
        let bench = Bench::new();
        bench.executor.set_preset(preset);
        for ((tool, arguments), expected) in calls.iter().zip(expected) {
            if let Some(expected) = expected {
                let asks = asks(&bench, tool, arguments.clone(), Origin::Assistant).await;
                assert_eq!(asks, expected, "{preset:?} {tool}");
            } else {
                let receipt = bench.invoke(tool, arguments.clone()).await;
                assert_eq!(receipt.code(), Some(Code::NotPermitted), "{preset:?} {tool}");
            }
        }
    }

    let bench = Bench::new();
    bench.executor.set_permitted(Permissions::read_only());
    bench.executor.set_preset(Some(Preset::AcceptEdits));
    let receipt = bench.invoke("add_todo", json!({ "text": "Oats" })).await;
    assert_eq!(
        receipt.code(),
        Some(Code::NotPermitted),
        "the application's word stands"
    );

    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("add_todo", |action| action.confirm = Some(true)));
    bench.executor.set_preset(Some(Preset::AcceptEdits));
    assert!(
        asks(&bench, "add_todo", json!({ "text": "Oats" }), Origin::Assistant).await,
        "and so does the author's"
    );
}

#[tokio::test(start_paused = true)]
async fn a_new_configuration_reaches_the_executor() {
    let desk = Desk::new([]);
    let mut permitted = Policy::default();
    permitted.permitted = Permissions::all().without(["delete"]);
    desk.bench.executor.set_permitted(permitted.permitted.clone());
    let patch = ConfigPatch::new()
        .default_approval(DefaultApproval::Always)
        .min_action_interval_ms(70)
        .limits(LimitsPatch::new().max_records(1));
    let config = Config::resolve_injected(|_| None, patch).expect("valid");
    desk.session
        .configure(config, Some(std::sync::Arc::new(desk.llm.clone())));
    let policy = desk.bench.executor.policy();
    assert_eq!(policy.default_approval, DefaultApproval::Always);
    assert_eq!(policy.min_action_interval.as_millis(), 70);
    assert_eq!(
        policy.permitted, permitted.permitted,
        "what the configuration says nothing about stays"
    );

    let mut events = desk.session.events();
    desk.llm.push(Turn::call("search", json!({ "text": "" })));
    desk.llm.push(Turn::text("Found."));
    let sent = desk.session.send("Search");
    let id = asked(&mut events).await;
    assert!(desk.session.approve(&id));
    assert!(sent.await.is_answered());
    let system = desk.bodies()[0]["messages"][0]["content"].to_string();
    assert!(
        system.contains("t1") && !system.contains("Bread"),
        "one record with its fields: {system}"
    );
}
