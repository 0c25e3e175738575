//! D11: messages sent at once are worked on one after the other.

use pling_core::{
    act::Code,
    agent::{End, Session, SessionParts, Status},
    llm::Turn,
};
use serde_json::json;

use super::{Desk, asked, codes};
use crate::support::Bench;

#[tokio::test(start_paused = true)]
async fn d11_two_messages_in_one_frame() {
    let desk = Desk::new([
        Turn::call("toggle", json!({ "record": "t1" })),
        Turn::text("First done."),
        Turn::text("Second done."),
    ]);
    let (first, second) = (desk.session.send("first"), desk.session.send("second"));
    assert_eq!(second.await.answer.as_deref(), Some("Second done."));
    assert_eq!(first.await.answer.as_deref(), Some("First done."));
    let roles: Vec<_> = desk
        .last_messages()
        .iter()
        .map(|message| message["role"].clone())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
}

#[tokio::test(start_paused = true)]
async fn d11_from_two_threads() {
    let desk = Desk::new((0..20).map(|index| Turn::text(format!("answer {index}"))));
    let threads = ["a", "b"].map(|name| {
        let session = desk.session.clone();
        std::thread::Builder::new()
            .name(format!("sender {name}"))
            .spawn(move || {
                (0..10)
                    .map(|index| session.send(format!("{name}{index}")))
                    .collect::<Vec<_>>()
            })
            .expect("a thread")
    });
    for thread in threads {
        for sent in thread.join().expect("no panic") {
            assert!(sent.await.is_answered());
        }
    }
    let messages = desk.last_messages();
    for name in ["a", "b"] {
        let of_thread = messages.iter().filter_map(|message| message["content"].as_str());
        let of_thread: Vec<_> = of_thread
            .filter(|text| text.starts_with(name) && text.len() == 2)
            .collect();
        let expected: Vec<_> = (0..10).map(|index| format!("{name}{index}")).collect();
        assert_eq!(of_thread, expected, "in the order of sending");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_behind_a_cancelled_run_runs() {
    let desk = Desk::new([]);
    let (asked, is_asked) = tokio::sync::oneshot::channel();
    desk.llm.push(Turn::decide(move |_| {
        asked.send(()).expect("somebody waits");
        Turn::never()
    }));
    desk.llm.push(Turn::text("Second."));
    let (first, second) = (desk.session.send("first"), desk.session.send("second"));
    is_asked.await.expect("the model is asked");
    desk.session.cancel();
    desk.session.cancel();
    assert_eq!(first.await.end, End::Cancelled);
    assert!(
        second.await.is_answered(),
        "a second press of stop does not reach further"
    );
    assert_eq!(
        desk.last_messages(),
        [json!({ "role": "user", "content": "first\n\nsecond" })]
    );
}

#[tokio::test(start_paused = true)]
async fn a_message_while_a_card_is_open_denies_it_and_is_worked_on_next() {
    let desk = Desk::new([
        Turn::call("clear_done", json!({})),
        Turn::text("I left them."),
        Turn::text("Ticked."),
    ]);
    let mut events = desk.session.events();
    let first = desk.session.send("Clear");
    asked(&mut events).await;
    let second = desk.session.send("No, tick milk instead");
    assert!(desk.session.waiting_for().is_empty());
    let outcome = first.await;
    assert_eq!(codes(&outcome.receipts), [Some(Code::ApprovalDenied)]);
    assert!(
        outcome.receipts[0].to_json().to_string().contains("tick milk instead"),
        "{outcome:?}"
    );
    assert!(second.await.is_answered());
    assert!(desk.bench.host.handled().is_empty());
    assert_eq!(
        desk.last_messages().last().expect("a message")["content"],
        "No, tick milk instead"
    );
}

#[tokio::test(start_paused = true)]
async fn the_answer_need_not_be_awaited_nor_the_handle_kept() {
    let desk = Desk::new([Turn::text("One."), Turn::text("Two.")]);
    drop(desk.session.send("one"));
    let two = desk.session.send("two");
    let Desk {
        session,
        llm,
        bench: _bench,
        ..
    } = desk;
    drop(session);
    assert!(two.await.is_answered());
    assert_eq!(llm.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_driver_is_gone_answers_at_once() {
    let bench = Bench::new();
    let (session, driver) = Session::new(SessionParts::new(bench.executor, pling_core::agent::Config::default()));
    let waiting = session.send("waiting");
    assert_eq!(session.status(), Status::Running);
    drop(driver);
    assert_eq!(waiting.await.end, End::Cancelled);
    assert_eq!(session.send("late").await.end, End::Cancelled);
    assert_eq!(session.status(), Status::Idle);
    session.cancel();
    session.reset();
}
