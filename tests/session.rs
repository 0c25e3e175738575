//! The handle and its driver, with a scripted model and a fake app.

mod cancel;
mod order;
mod watching;
mod wire;

use std::sync::Arc;

use pling_core::{
    act::Code,
    agent::{Config, ConfigPatch, End, Event, EventStream, Outcome, Status},
    llm::{ErrorKind, Finish, Turn},
};
use serde_json::json;

use crate::support::{
    Scripted,
    desk::{Desk, asked, codes, open, wait_for},
};

/// A whole run, of which one call was asked about: what it told, and what came of it.
async fn a_call_that_was_approved() -> (EventStream, Outcome) {
    let desk = Desk::new([
        Turn::call("clear_done", json!({})).saying("Let me clear."),
        Turn::text("Cleared."),
    ]);
    let mut waiting = desk.session.events();
    let events = desk.session.events();
    let sent = desk.session.send("Clear");
    let id = asked(&mut waiting).await;
    desk.session.approve(&id);
    let outcome = sent.await;
    (events, outcome)
}

#[tokio::test(start_paused = true)]
async fn a_message_a_call_an_answer() {
    let desk = Desk::new([Turn::call("add_todo", json!({ "text": "Oats" })), Turn::text("Added.")]);
    let outcome = desk.session.send("Add oats").await;
    assert!(outcome.is_answered(), "{outcome:?}");
    assert_eq!(outcome.answer.as_deref(), Some("Added."));
    assert_eq!(codes(&outcome.receipts), [None]);
    assert_eq!(desk.bench.host.handled().len(), 1, "{:?}", desk.bench.host.handled());
    assert_eq!(desk.session.status(), Status::Idle);

    let bodies = desk.bodies();
    let system = |index: usize| {
        bodies[index]["messages"][0]["content"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    assert!(system(0).contains("## This application\nYou help with tasks."));
    assert!(
        !system(0).contains("Oats") && system(1).contains("Oats"),
        "each request has the page of its moment"
    );
    assert_eq!(system(1).matches("## This application").count(), 1);
    assert_eq!(
        bodies[0]["messages"][1],
        json!({ "role": "user", "content": "Add oats" })
    );
    assert_eq!(
        (&bodies[0]["temperature"], &bodies[0]["max_tokens"]),
        (&json!(0.3), &json!(1024))
    );
    assert!(bodies[0]["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn a04_blank_arguments_of_a_call_that_needs_one() {
    let desk = Desk::new([Turn::call("add_todo", ""), Turn::text("What shall it say?")]);
    let outcome = desk.session.send("Add something").await;
    assert_eq!(codes(&outcome.receipts), [Some(Code::InvalidArguments)]);
    assert!(desk.bench.host.handled().is_empty());
    let result = &desk.last_results()[0];
    assert!(
        result["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("text")),
        "{result}"
    );
    let call = &desk.last_messages()[1]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], "{}");
}

#[tokio::test(start_paused = true)]
async fn a12_a_failed_request_fails_the_run_and_nothing_else() {
    let desk = Desk::new([Turn::error(ErrorKind::Server, "overloaded"), Turn::text("Hello again.")]);
    let outcome = desk.session.send("Hello").await;
    let End::Failed { code, message } = outcome.end else {
        panic!("{outcome:?}")
    };
    assert_eq!((code, message.as_str()), ("SERVER", "overloaded"));
    assert!(desk.session.send("Are you there?").await.is_answered());
    assert_eq!(
        desk.last_messages(),
        [json!({ "role": "user", "content": "Hello\n\nAre you there?" })],
        "b04: joined, and nothing is lost"
    );
}

#[tokio::test(start_paused = true)]
async fn a13_calls_that_end_with_stop_are_executed() {
    let toggle = Turn::call("toggle", json!({ "record": "t1" })).finish(Finish::Stop);
    let desk = Desk::new([toggle, Turn::text("Done.")]);
    assert!(desk.session.send("Tick milk").await.is_answered());
    assert_eq!(desk.bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn a16_a_cut_reply_runs_nothing_even_if_it_parses() {
    let cut = Turn::calls([
        ("add_todo", json!({ "text": "a" })),
        ("add_todo", json!({ "text": "b" })),
    ]);
    let desk = Desk::new([cut.finish(Finish::Length), Turn::text("Too long.")]);
    assert!(desk.session.send("Add").await.is_answered());
    assert!(desk.bench.host.handled().is_empty());
    assert_eq!(desk.last_results().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a27_an_unknown_tool_beside_a_known_one() {
    let calls = Turn::calls([("delete_everything", json!({})), ("toggle", json!({ "record": "t2" }))]);
    let desk = Desk::new([calls, Turn::text("One of two.")]);
    let outcome = desk.session.send("Go").await;
    assert_eq!(codes(&outcome.receipts), [Some(Code::UnknownAction), None]);
    assert_eq!(desk.bench.host.handled(), ["toggle t2"]);
    let results = desk.last_results();
    assert_eq!(results[0]["error"]["code"], "UNKNOWN_ACTION");
    assert!(
        results[0]["error"]["available"]
            .as_array()
            .is_some_and(|names| names.contains(&json!("toggle")))
    );
}

#[tokio::test(start_paused = true)]
async fn d17_a_denied_call_is_not_asked_about_twice_in_one_message() {
    let clear = || Turn::call("clear_done", json!({}));
    let desk = Desk::new([
        clear(),
        clear(),
        Turn::text("I did not."),
        clear(),
        Turn::text("Cleared."),
    ]);
    let mut events = desk.session.events();
    let sent = desk.session.send("Clear");
    let first = asked(&mut events).await;
    assert!(desk.session.deny(&first, Some("not now".to_owned())));
    let outcome = sent.await;
    assert_eq!(codes(&outcome.receipts), [Some(Code::ApprovalDenied); 2]);
    assert!(desk.bench.host.handled().is_empty());

    let sent = desk.session.send("Now clear");
    let second = asked(&mut events).await;
    assert_ne!(first, second);
    assert_eq!(desk.session.waiting_for().len(), 1);
    assert!(desk.session.approve(&second));
    assert_eq!(codes(&sent.await.receipts), [None]);
    assert_eq!(desk.bench.host.handled().len(), 1);
    desk.bodies();
}

#[tokio::test(start_paused = true)]
async fn d19_a_batch_is_checked_against_the_page_as_it_is_then() {
    let calls = Turn::calls([
        ("open_settings", json!({})),
        ("toggle", json!({ "record": "t1" })),
        ("clear_done", json!({})),
    ]);
    let desk = Desk::new([calls, Turn::text("The settings are in the way.")]);
    let outcome = desk.session.send("Go").await;
    assert_eq!(
        codes(&outcome.receipts),
        [None, Some(Code::Unavailable), Some(Code::Unavailable)]
    );
    assert_eq!(desk.bench.host.handled(), ["open_settings"]);
    assert_eq!(desk.last_results().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn without_a_model_every_message_ends_not_configured() {
    let (bench, session) = open(ConfigPatch::new(), None);
    for text in ["Hello", "Hello?"] {
        let End::Failed { code, .. } = session.send(text).await.end else {
            panic!("not failed")
        };
        assert_eq!(code, "NOT_CONFIGURED");
    }
    assert_eq!(session.model_name(), None);
    let llm = Scripted::new([Turn::text("Here.")]);
    session.configure(Config::default(), Some(Arc::new(llm.clone())));
    assert!(session.send("Now?").await.is_answered());
    assert_eq!(llm.bodies()[0]["messages"][1]["content"], "Hello\n\nHello?\n\nNow?");
    assert!(bench.host.handled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_blank_message_is_ignored() {
    let desk = Desk::new([]);
    for text in ["", " \n\t"] {
        assert_eq!(desk.session.send(text).await.end, End::Ignored);
    }
    assert_eq!(desk.session.status(), Status::Idle);
    assert!(desk.llm.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_turn_limit_ends_with_a_notice_and_a_history_to_go_on_from() {
    let call = |id: &str| Turn::call("toggle", json!({ "record": id }));
    let patch = ConfigPatch::new().limits(pling_core::agent::LimitsPatch::new().max_turns(2));
    let desk = Desk::configured(patch, [call("t1"), call("t2"), Turn::text("Two were done.")]);
    let mut events = desk.session.events();
    let outcome = desk.session.send("Tick all").await;
    assert_eq!((outcome.end, outcome.receipts.len()), (End::TurnLimit, 2));
    let notice = wait_for(&mut events, |event| match event {
        Event::Notice { code, .. } => Some(*code),
        _ => None,
    });
    assert_eq!(notice.await, "TURN_LIMIT");
    assert!(desk.session.send("And?").await.is_answered());
    assert_eq!(desk.bodies().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_hidden_window_fails_the_run() {
    let desk = Desk::new([]);
    desk.bench.host.with(|app| app.hidden = true);
    let End::Failed { code, .. } = desk.session.send("Hello").await.end else {
        panic!("not failed")
    };
    assert_eq!(code, "WINDOW_HIDDEN");
}
