//! Ways to see more, and actions that have no tool of their own.

use pling_core::{
    act::{ApprovalMode, Code, Permissions, Policy},
    model::RegionPath,
};
use serde_json::{Value, json};

use crate::support::{Bench, assert_refused, message};

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

#[tokio::test(start_paused = true)]
async fn every_action_can_be_leafed_to() {
    let mut policy = Policy::default();
    policy.budget.max_actions = 2;
    let bench = Bench::with(policy, ApprovalMode::DenyAll);
    bench.host.with(|app| {
        app.tweak(|page| {
            let like = page.actions[0].clone();
            for n in 0..25 {
                let mut facts = like.clone();
                facts.action = std::sync::Arc::new(pling_core::model::Action::new(format!("do_{n}"), "Do it"));
                page.actions.push(facts);
            }
        });
    });
    let search = async |arguments: Value| {
        let receipt = bench.invoke("search_actions", arguments).await;
        let value = receipt.value.clone().unwrap_or_default();
        let names = value["actions"].as_array().cloned().unwrap_or_default();
        let names: Vec<_> = names
            .iter()
            .map(|found| found["action"].as_str().unwrap().to_owned())
            .collect();
        (names, value["more"].as_u64(), receipt)
    };
    let mut all = Vec::new();
    loop {
        let (names, more, _) = search(json!({ "query": "", "skip": all.len() })).await;
        all.extend(names);
        if more == Some(0) {
            break;
        }
        assert!(all.len() < 100, "an end comes");
    }
    let declared = bench.observe().await.search_actions("", usize::MAX).0.len();
    let distinct: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (declared, declared));
    // Who is called exactly so comes first, whoever else is called alike.
    assert_eq!(search(json!({ "query": "do_2" })).await.0[..2], ["do_2", "do_20"]);
    let (_, _, receipt) = search(json!({ "query": "", "skip": -1 })).await;
    assert_eq!(receipt.code(), Some(Code::InvalidArguments), "{receipt:?}");
}

#[tokio::test(start_paused = true)]
async fn a_region_that_is_not_open_is_named_with_what_opens_it() {
    let bench = Bench::trusted();
    let receipt = bench.invoke("reveal", json!({ "region": "settings" })).await;
    assert_refused(&bench, &receipt, Code::InvalidArguments, "`open_settings` opens it");
    assert!(bench.invoke("open_settings", json!({})).await.is_ok());
    assert!(bench.invoke("reveal", json!({ "region": "settings" })).await.is_ok());
}
