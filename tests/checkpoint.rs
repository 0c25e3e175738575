//! A conversation that outlives its process.

use std::sync::Arc;

use pling_core::{
    agent::{Checkpoint, ConfigPatch, Event, LimitsPatch},
    llm::Turn,
};
use serde_json::{Value, json};

use crate::support::{
    desk::{Desk, asked, wait_for},
    validate::assert_valid_conversation,
};

/// What a storage keeps, and gives back to the next process.
fn through_storage(checkpoint: &Checkpoint) -> Checkpoint {
    let text = checkpoint.to_json();
    assert!(!text.contains('\n'));
    let again = Checkpoint::from_json(&text).expect("it was just written");
    assert_eq!(again.to_json(), text);
    again
}

#[tokio::test(start_paused = true)]
async fn the_next_process_goes_on_where_this_one_was() {
    let first = Desk::new([
        Turn::call("add_todo", json!({ "text": "Oats" })),
        Turn::text("Added oats."),
    ]);
    first.session.send("Add oats").await;
    assert!(!first.session.continuity());
    let checkpoint = through_storage(&first.session.checkpoint());

    let next = Desk::new([Turn::text("Yes, oats.")]);
    let mut events = next.session.events();
    next.session.restore(checkpoint.clone());
    assert!(next.session.continuity());
    assert_eq!(next.session.checkpoint().to_json(), checkpoint.to_json(), "at once");
    assert!(next.session.send("Did you?").await.is_answered());
    let messages = next.last_messages();
    assert_eq!(messages[..4], *checkpoint.messages());
    let restored = wait_for(&mut events, |event| match event {
        Event::Restored { messages } => Some(Arc::clone(messages)),
        _ => None,
    });
    assert_eq!(*restored.await, *checkpoint.messages());
    next.session.reset();
    assert!(!next.session.continuity());
    assert!(next.session.checkpoint().is_empty());
}

#[tokio::test(start_paused = true)]
async fn it_holds_neither_page_nor_key_nor_secret() {
    let patch = ConfigPatch::new()
        .api_key("sk-secret-key")
        .system_prompt("You help with tasks.");
    let desk = Desk::configured(
        patch,
        [
            Turn::call("pin", json!({ "text": "9876-5432" })),
            Turn::text("Entered."),
        ],
    );
    desk.session.send("Enter the PIN").await;
    assert_eq!(desk.bench.host.handled(), ["pin"]);
    let text = desk.session.checkpoint().to_json();
    for secret in [
        "9876",
        "sk-secret",
        "You help with tasks",
        "## ",
        "page_data",
        "Bread",
        "Mark the task",
    ] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    for body in desk.bodies() {
        assert!(!body.to_string().contains("9876"), "nor do later requests");
    }
}

#[tokio::test(start_paused = true)]
async fn b02_closed_while_a_card_is_open() {
    let desk = Desk::new([Turn::calls([
        ("toggle", json!({ "record": "t1" })),
        ("clear_done", json!({})),
        ("toggle", json!({ "record": "t2" })),
    ])]);
    let mut events = desk.session.events();
    drop(desk.session.send("Tidy up"));
    asked(&mut events).await;
    let checkpoint = through_storage(&desk.session.checkpoint());
    assert_valid_conversation(checkpoint.messages());
    drop(desk);

    let next = Desk::new([Turn::text("Going on.")]);
    next.session.restore(checkpoint);
    assert!(next.session.send("continue").await.is_answered());
    assert!(
        next.session.waiting_for().is_empty(),
        "an open question is not taken along"
    );
    let results = next.last_results();
    assert_eq!(results.len(), 3);
    assert_eq!(results[0]["result"]["ok"], json!(true));
    for result in &results[1..] {
        assert_eq!(result["error"]["code"], "CANCELLED", "{result}");
    }
    assert!(next.bench.host.handled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn closed_while_a_call_runs_it_is_not_said_that_it_did_not() {
    let desk = Desk::new([Turn::calls([
        ("sync", json!({})),
        ("toggle", json!({ "record": "t1" })),
    ])]);
    drop(desk.session.send("Fetch"));
    while desk.bench.host.handled().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    let checkpoint = through_storage(&desk.session.checkpoint());
    let messages = checkpoint.messages();
    assert_valid_conversation(messages);
    let result = |index: usize| messages[index]["content"].as_str().expect("text");
    assert!(result(2).contains("not known"), "{}", result(2));
    assert!(result(3).contains("not executed"), "{}", result(3));
}

#[tokio::test(start_paused = true)]
async fn a_folded_conversation_comes_back_folded() {
    let limits = LimitsPatch::new()
        .context_tokens(1)
        .reserve_for_output(0)
        .keep_recent(1);
    let patch = || ConfigPatch::new().limits(limits.clone());
    let desk = Desk::configured(
        patch(),
        [
            Turn::call("add_todo", json!({ "text": "Oats" })),
            Turn::text("Added."),
            Turn::text("They wanted oats."),
            Turn::text("Yes."),
        ],
    );
    desk.session.send("Add oats").await;
    desk.session.send("Really?").await;
    let next = Desk::configured(patch(), [Turn::text("They still want oats."), Turn::text("Oats.")]);
    next.session.restore(through_storage(&desk.session.checkpoint()));
    assert!(next.session.send("What was it?").await.is_answered());
    let first = next.last_messages()[0]["content"].as_str().expect("text").to_owned();
    assert!(
        first.contains("They still want oats.") && !first.contains("They wanted"),
        "{first}"
    );
    assert!(first.contains(r#"- add_todo {"text":"Oats"}: done"#), "{first}");
    assert!(first.ends_with("What was it?"), "{first}");
}

/// A checkpoint with one thing spoiled.
fn spoiled(edit: impl FnOnce(&mut Value)) -> String {
    let call = json!({ "id": "a", "type": "function", "function": { "name": "toggle", "arguments": "{}" } });
    let mut checkpoint = json!({
        "version": 1,
        "messages": [
            { "role": "user", "content": "Tick it" },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "a", "content": "{}" },
            { "role": "assistant", "content": "Ticked." },
        ],
    });
    Checkpoint::from_json(&checkpoint.to_string()).expect("a sound one");
    edit(&mut checkpoint);
    checkpoint.to_string()
}

#[tokio::test(start_paused = true)]
async fn a_damaged_one_is_an_error_and_nothing_is_lost() {
    let whole = spoiled(|_| {});
    let damaged = [
        whole[..whole.len() / 2].to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        spoiled(|json| json["version"] = json!(2)),
        spoiled(|json| json["messages"][0]["role"] = json!("system")),
        spoiled(|json| json["messages"][0]["content"] = json!(7)),
        spoiled(|json| json["messages"][1]["tool_calls"][0]["function"]["arguments"] = json!("{oops")),
        spoiled(|json| json["messages"][1]["tool_calls"][0]["id"] = json!("")),
        spoiled(|json| json["messages"][2]["tool_call_id"] = json!("b")),
        spoiled(|json| json["messages"] = json!([json["messages"][1].clone()])),
        spoiled(|json| {
            let messages = json["messages"].as_array_mut().expect("messages");
            messages.truncate(2);
        }),
        spoiled(|json| {
            let messages = json["messages"].as_array_mut().expect("messages");
            messages.remove(1);
        }),
    ];
    for text in damaged {
        let error = Checkpoint::from_json(&text).expect_err(&text);
        assert!(error.to_string().starts_with("the checkpoint is damaged: "), "{error}");
    }
    let error = Checkpoint::from_json(&spoiled(|json| json["version"] = json!(2))).expect_err("version");
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn ids_of_the_conversation_before_stay_used_up() {
    let desk = Desk::new([Turn::call("toggle", json!({ "record": "t1" })), Turn::text("Ticked.")]);
    desk.session.send("Tick").await;
    let checkpoint = desk.session.checkpoint();
    // The next process's model counts its calls from the beginning again.
    let next = Desk::new([Turn::call("toggle", json!({ "record": "t2" })), Turn::text("Ticked.")]);
    next.session.restore(through_storage(&checkpoint));
    assert!(next.session.send("Tick the other").await.is_answered());
    assert_eq!(next.last_results().len(), 2);
}
