//! The offline planner in a whole session: real observations, the executor, and an app without a GUI.

use std::sync::Arc;

use pling_core::{
    act::{ApprovalMode, Approvals, Executor, Hooks, Policy},
    agent::{Config, End, Outcome, Session, SessionParts},
    llm::Offline,
    platform::{Duration, sleep, spawn},
    snapshot::Availability,
};

use crate::support::FakeHost;

/// A session with the planner over the fake app.
fn session(mode: ApprovalMode) -> (Session, FakeHost) {
    let host = FakeHost::new();
    let approvals = Approvals::new(mode);
    let executor = Executor::new(Arc::new(host.clone()), Policy::default(), Hooks::new(), approvals);
    let parts = SessionParts::new(executor, Config::default()).llm(Arc::new(Offline::new()));
    let (session, driver) = Session::new(parts);
    spawn(driver);
    (session, host)
}

/// One message to a fresh app whose user allows everything: what ran, and what was said.
async fn ask(text: &str) -> (Vec<String>, String) {
    let (session, host) = session(ApprovalMode::AllowAll);
    let outcome = session.send(text).await;
    assert_eq!(outcome.end, End::Answered, "{text}: {outcome:?}");
    (host.handled(), outcome.answer.unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn two_requests_are_done_and_reported() {
    let (handled, answer) = ask("Mark milk as done and add butter").await;
    assert_eq!(handled, ["toggle t1", "add_todo"]);
    assert_eq!(
        answer,
        "Done: Mark the task as complete (Milk). Done: Add a task (“butter”)."
    );
}

#[tokio::test(start_paused = true)]
async fn plain_requests_reach_their_widgets() {
    for (text, handled) in [
        ("delete bread", "delete t2"),
        ("mark eggs as not done", "toggle t3"),
        ("search for milk", "search"),
        ("limit the tasks to 5", "limit"),
        ("sort by oldest", "sort"),
        ("export the list as csv", "export"),
        ("open settings", "open_settings"),
        ("clear done", "clear_done"),
        ("restore a1", "restore a1"),
    ] {
        assert_eq!(ask(text).await.0, [handled], "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_row_that_is_not_drawn_is_found_and_brought_into_view() {
    let (handled, answer) = ask("restore \"Archived 700\"").await;
    assert_eq!(handled, ["search", "restore a700"]);
    assert!(answer.contains("Done: Restore the task"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn questions_and_the_unknown_touch_nothing() {
    for text in [
        "How many tasks are there?",
        "sing a song",
        "don't delete milk",
        "delete everything",
        "delete butter",
    ] {
        let (handled, answer) = ask(text).await;
        assert!(handled.iter().all(|handler| handler == "search"), "{text}: {handled:?}");
        assert!(!answer.contains("Done: Delete"), "{text}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_checked_task_stays_checked() {
    let (session, host) = session(ApprovalMode::AllowAll);
    session.send("mark eggs as done").await;
    assert!(host.with(|app| app.todo("t3").done));
}

#[tokio::test(start_paused = true)]
async fn what_the_user_denies_is_said_and_not_asked_again() {
    let (session, host) = session(ApprovalMode::Ask);
    let sent = session.send("delete milk and add butter");
    while session.waiting_for().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    let call_id = session.waiting_for()[0].call_id.clone();
    assert!(session.deny(&call_id, None));
    let Outcome { answer, receipts, .. } = sent.await;
    let answer = answer.unwrap();
    assert!(
        answer.contains("Not done: Delete the task (Milk) – you declined it."),
        "{answer}"
    );
    assert!(answer.contains("Done: Add a task (“butter”)."), "{answer}");
    assert_eq!((receipts.len(), host.handled()), (2, vec!["add_todo".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_used_now_is_said() {
    let (session, host) = session(ApprovalMode::AllowAll);
    let reason = Availability::Requires("enter a title first".to_owned());
    host.with(|app| app.set_availability("add_todo", reason));
    let answer = session.send("add butter").await.answer.unwrap();
    assert!(answer.contains("enter a title first"), "{answer}");
    assert!(host.handled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_session_of_several_messages_keeps_apart_what_was_asked_when() {
    let (session, host) = session(ApprovalMode::AllowAll);
    for text in ["add butter", "add tea", "delete butter", "add butter"] {
        let outcome = session.send(text).await;
        assert_eq!(outcome.receipts.len(), 1, "{text}: {outcome:?}");
    }
    assert_eq!(host.handled(), ["add_todo", "add_todo", "delete t4", "add_todo"]);
}
