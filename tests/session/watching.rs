//! Who sees what: events, callbacks, telemetry, trace.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use parking_lot::Mutex;
use pling_core::{
    act::Code,
    agent::{Config, ConfigPatch, End, Event, LimitsPatch, Session, SessionParts, Status, Streamed, TraceRing},
    llm::{ErrorKind, Finish, Reply, ToolCall, Turn},
    platform::Duration,
};
use serde_json::json;

use super::{Desk, a_call_that_was_approved, wait_for};
use crate::support::{Bench, validate::assert_valid_request};

/// The names of the events in a stream so far.
fn names(events: &mut pling_core::agent::EventStream) -> Vec<String> {
    let mut names = Vec::new();
    while let Some(streamed) = events.try_next() {
        let Streamed::Event(event) = streamed else {
            panic!("{streamed:?}")
        };
        let text = format!("{event:?}");
        names.extend(text.split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned));
    }
    names
}

#[tokio::test(start_paused = true)]
async fn a_host_that_stands_still_says_so_once_and_the_run_goes_on() {
    let desk = Desk::new([Turn::call("add_todo", json!({ "text": "Oats" })), Turn::text("Added.")]);
    let mut events = desk.session.events();
    desk.bench.host.with(|app| app.paused = true);
    let sent = desk.session.send("Add oats");
    let notice = wait_for(&mut events, |event| match event {
        Event::Notice { code, message } => Some((*code, message.clone())),
        _ => None,
    });
    assert_eq!(notice.await, (Code::WindowHidden.as_str(), "Paused".to_owned()));
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(desk.bench.host.handled().is_empty(), "nothing runs that nobody can see");

    desk.bench.host.with(|app| app.paused = false);
    let outcome = sent.await;
    assert!(outcome.is_answered() && outcome.receipts[0].is_ok(), "{outcome:?}");
    assert!(!names(&mut events).contains(&"Notice".to_owned()), "it is said once");
}

#[tokio::test(start_paused = true)]
async fn a_standstill_can_be_stopped() {
    let desk = Desk::new([]);
    desk.bench.host.with(|app| app.paused = true);
    let sent = desk.session.send("Add oats");
    tokio::time::sleep(Duration::from_secs(60)).await;
    desk.session.cancel();
    assert_eq!(sent.await.end, End::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn events_tell_the_story_in_order() {
    let (mut events, _) = a_call_that_was_approved().await;
    assert_eq!(
        names(&mut events),
        [
            "RunStarted",
            "UserMessage",
            "TextDelta",
            "Text",
            "Call",
            "ApprovalAsked",
            "ApprovalDecided",
            "Receipt",
            "TextDelta",
            "Text",
            "RunFinished"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_told_how_much_it_missed() {
    let desk = Desk::new((0..300).map(|_| Turn::text("Yes.")));
    let mut slow = desk.session.events();
    for _ in 0..300 {
        desk.session.send("Still there?").await;
    }
    let Some(Streamed::Missed(missed)) = slow.try_next() else {
        panic!("nothing was missed")
    };
    let mut read = 0;
    while let Some(Streamed::Event(_)) = slow.try_next() {
        read += 1;
    }
    assert_eq!(missed + read, 300 * 5, "every event is read or counted");
}

#[tokio::test(start_paused = true)]
async fn a_callback_may_use_the_session() {
    let desk = Desk::new([Turn::text("One."), Turn::text("Two.")]);
    let session = desk.session.clone();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let listener = desk.session.on_event(Arc::new(move |event| {
        assert!(session.waiting_for().is_empty());
        assert_eq!(session.telemetry().retries, 0);
        session.on_event(Arc::new(|_| {})).remove();
        if let Event::RunFinished(outcome) = event {
            kept.lock().push((session.status(), outcome.answer.clone()));
            if kept.lock().len() == 1 {
                drop(session.send("two"));
                assert_eq!(session.status(), Status::Running);
            }
        }
    }));
    desk.session.send("one").await;
    desk.llm.push(Turn::text("Three."));
    desk.session.send("three").await;
    let told = seen.lock().clone();
    let idle = |text: &str| (Status::Idle, Some(text.to_owned()));
    assert_eq!(
        told[0],
        idle("One."),
        "whoever is told of the end finds the session idle"
    );
    assert_eq!(told.len(), 3);
    listener.remove();
    desk.llm.push(Turn::text("Four."));
    desk.session.send("four").await;
    assert_eq!(seen.lock().len(), 3, "a removed callback is silent");
}

#[tokio::test(start_paused = true)]
async fn telemetry_counts_and_has_a_reset_of_its_own() {
    let mut cut = Reply::default();
    cut.calls = vec![ToolCall::new("", "toggle", "{}")];
    cut.finish = Finish::Length;
    let desk = Desk::new([
        Turn::call("toggle", json!({ "record": "t1" })).usage(100, 10),
        Turn::reply(cut),
        Turn::text("Done.").usage(150, 5),
        Turn::error(ErrorKind::Network, "gone"),
    ]);
    desk.session.send("Go").await;
    desk.session.send("Again").await;
    let counts = desk.session.telemetry();
    assert_eq!((counts.runs, counts.model_calls, counts.retries), (2, 4, 0));
    assert_eq!((counts.tool_calls, counts.tool_errors, counts.model_errors), (2, 1, 1));
    assert_eq!((counts.prompt_tokens, counts.completion_tokens), (250, 15));
    assert!((counts.error_rate() - 2.0 / 6.0).abs() < 1e-9);
    assert!(counts.duration.as_millis() > 0, "settling takes time");
    desk.session.reset();
    desk.llm.push(Turn::text("Hello."));
    desk.session.send("Hello").await;
    assert_eq!(
        desk.session.telemetry().model_calls,
        5,
        "a new conversation keeps the counts"
    );
    desk.session.reset_telemetry();
    assert_eq!(desk.session.telemetry(), Default::default());
}

#[tokio::test(start_paused = true)]
async fn a_trace_is_opt_in_exact_and_bounded() {
    let patch = ConfigPatch::new()
        .api_key("sk-secret")
        .limits(LimitsPatch::new().max_records(2));
    let desk = Desk::configured(patch, (0..5).map(|_| Turn::text("Yes.")));
    let ring = TraceRing::new(2);
    desk.session.send("untraced").await;
    assert!(ring.requests().is_empty());
    desk.session.set_trace(Some(ring.sink()));
    for _ in 0..3 {
        desk.session.send("traced").await;
    }
    desk.session.set_trace(None);
    desk.session.send("untraced").await;
    let traced: Vec<_> = ring.requests().iter().map(|body| body.as_ref().clone()).collect();
    assert_eq!(traced, desk.bodies()[2..4], "the latest two, as they were sent");
    traced.iter().for_each(assert_valid_request);
    assert!(!format!("{traced:?}").contains("sk-secret"));
}

#[tokio::test(start_paused = true)]
async fn what_goes_into_a_sensitive_field_is_in_no_event() {
    let desk = Desk::new([
        Turn::call("pin", json!({ "text": "9876-5432" })),
        Turn::text("Entered."),
    ]);
    let mut events = desk.session.events();
    desk.session.send("Enter the PIN you know").await;
    assert_eq!(desk.bench.host.handled().len(), 1);
    let mut calls = 0;
    while let Some(streamed) = events.try_next() {
        assert!(!format!("{streamed:?}").contains("9876"), "{streamed:?}");
        calls += usize::from(matches!(streamed, Streamed::Event(Event::Call { .. })));
    }
    assert_eq!(calls, 1);
}

/// The driver needs no runtime of its own: whoever polls it drives it.
#[test]
fn a_driver_can_be_polled_by_hand() {
    let bench = Bench::new();
    let (session, driver) = Session::new(SessionParts::new(bench.executor, Config::default()));
    let mut driver = pin!(driver);
    let mut context = Context::from_waker(Waker::noop());
    assert!(driver.as_mut().poll(&mut context).is_pending());
    let mut sent = pin!(session.send("Hello"));
    assert_eq!(session.status(), Status::Running);
    assert!(
        sent.as_mut().poll(&mut context).is_pending(),
        "nothing happens behind the back"
    );
    assert!(driver.as_mut().poll(&mut context).is_pending());
    let Poll::Ready(outcome) = sent.as_mut().poll(&mut context) else {
        panic!("no outcome")
    };
    assert!(matches!(
        outcome.end,
        End::Failed {
            code: "NOT_CONFIGURED",
            ..
        }
    ));
    assert_eq!(session.status(), Status::Idle);
    drop(session);
    assert!(
        driver.as_mut().poll(&mut context).is_ready(),
        "the last handle gone, the driver ends"
    );
}
