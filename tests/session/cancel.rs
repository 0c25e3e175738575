//! D10, D09, B02: stopping at every point, and going on afterwards.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use pling_core::{
    act::Code,
    agent::{ConfigPatch, End, Event, Status},
    llm::{Delta, Llm, LlmError, OnDelta, Reply, Request, Turn},
    platform::BoxFuture,
};
use serde_json::json;

use super::{Desk, asked, codes, open, wait_for};
use crate::support::{Scripted, validate::assert_valid_request};

/// After a cancel nothing is under way, and the next message is answered on a conversation that is whole.
async fn assert_goes_on(desk: &Desk) {
    assert_eq!(desk.session.status(), Status::Idle);
    assert!(desk.session.waiting_for().is_empty());
    let handled = desk.bench.host.handled();
    desk.llm.push(Turn::text("Going on."));
    assert!(desk.session.send("continue").await.is_answered());
    assert_eq!(desk.bench.host.handled(), handled, "nothing ran late");
    desk.bodies();
}

#[tokio::test(start_paused = true)]
async fn d10_before_anything_began() {
    let desk = Desk::new([]);
    let sent = desk.session.send("Go");
    desk.session.cancel();
    assert_eq!(desk.session.status(), Status::Cancelled);
    assert_eq!(sent.await.end, End::Cancelled);
    assert!(desk.llm.requests().is_empty());
    assert_goes_on(&desk).await;
    assert_eq!(
        desk.last_messages(),
        [json!({ "role": "user", "content": "Go\n\ncontinue" })]
    );
}

#[tokio::test(start_paused = true)]
async fn d10_before_the_reply() {
    let desk = Desk::new([]);
    let session = desk.session.clone();
    desk.llm.push(Turn::decide(move |_| {
        session.cancel();
        Turn::never()
    }));
    assert_eq!(desk.session.send("Go").await.end, End::Cancelled);
    assert_goes_on(&desk).await;
}

/// A model that begins to write and never ends.
#[derive(Clone, Default)]
struct Hanging {
    /// Whether its connection was closed.
    closed: Arc<AtomicBool>,
    late: Arc<parking_lot::Mutex<Option<OnDelta>>>,
}

struct CloseOnDrop(Arc<AtomicBool>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Llm for Hanging {
    fn name(&self) -> String {
        "hanging".to_owned()
    }

    fn complete(&self, _request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let connection = CloseOnDrop(Arc::clone(&self.closed));
        *self.late.lock() = Some(Arc::clone(&on_delta));
        Box::pin(async move {
            let _connection = connection;
            on_delta(Delta::Text("Hel".to_owned()));
            std::future::pending().await
        })
    }
}

#[tokio::test(start_paused = true)]
async fn d10_in_the_middle_of_a_text() {
    let llm = Hanging::default();
    let (_bench, session) = open(ConfigPatch::new(), Some(Arc::new(llm.clone())));
    let mut events = session.events();
    let sent = session.send("Say hello");
    let piece = wait_for(&mut events, |event| match event {
        Event::TextDelta { text } => Some(text.clone()),
        _ => None,
    });
    assert_eq!(piece.await, "Hel");
    assert!(!llm.closed.load(Ordering::SeqCst));
    session.cancel();
    let outcome = sent.await;
    assert_eq!((outcome.end, outcome.answer), (End::Cancelled, None));
    assert!(llm.closed.load(Ordering::SeqCst), "the connection is closed");
    assert_eq!(session.status(), Status::Idle);
    let late = llm.late.lock().take().expect("it was asked");
    late(Delta::Text("lo".to_owned()));
    while let Some(event) = events.try_next() {
        assert!(
            !format!("{event:?}").contains("TextDelta"),
            "text after the cancel: {event:?}"
        );
    }

    let next = Scripted::new([Turn::text("Here.")]);
    session.configure(pling_core::agent::Config::default(), Some(Arc::new(next.clone())));
    assert!(session.send("continue").await.is_answered());
    next.bodies().iter().for_each(assert_valid_request);
}

#[tokio::test(start_paused = true)]
async fn b02_d10_between_calls() {
    let rows = ["t1", "t2", "t3"].map(|id| ("toggle", json!({ "record": id })));
    let desk = Desk::new([Turn::calls(rows)]);
    let session = desk.session.clone();
    let listener = desk.session.on_event(Arc::new(move |event| {
        if matches!(event, Event::Receipt { .. }) {
            session.cancel();
        }
    }));
    let outcome = desk.session.send("Tick all").await;
    listener.remove();
    assert_eq!(outcome.end, End::Cancelled);
    assert_eq!(
        codes(&outcome.receipts),
        [None, Some(Code::Cancelled), Some(Code::Cancelled)]
    );
    assert_eq!(desk.bench.host.handled(), ["toggle t1"]);
    assert_goes_on(&desk).await;
    let results = desk.last_results();
    assert_eq!(results.len(), 3, "one real, two cancelled");
    assert_eq!(results[0]["result"]["ok"], true);
    assert!(
        results[1..].iter().all(|result| result["error"]["code"] == "CANCELLED"),
        "{results:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn d09_d10_while_a_card_is_open() {
    let desk = Desk::new([Turn::calls([
        ("clear_done", json!({})),
        ("toggle", json!({ "record": "t1" })),
    ])]);
    let mut events = desk.session.events();
    let sent = desk.session.send("Clear");
    let id = asked(&mut events).await;
    desk.session.cancel();
    assert!(!desk.session.approve(&id), "the card is closed at once");
    let outcome = sent.await;
    assert_eq!(codes(&outcome.receipts), [Some(Code::Cancelled); 2]);
    let decided = wait_for(&mut events, |event| match event {
        Event::ApprovalDecided { id, decision, .. } => Some((id.clone(), decision.as_str())),
        _ => None,
    });
    assert_eq!(decided.await, (id.clone(), "cancelled"));
    assert!(!desk.session.approve(&id));
    assert!(desk.bench.host.handled().is_empty());
    assert_goes_on(&desk).await;
    assert!(desk.bench.host.handled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn d10_while_the_page_settles() {
    let desk = Desk::new([Turn::calls([
        ("sync", json!({})),
        ("toggle", json!({ "record": "t1" })),
    ])]);
    let mut events = desk.session.events();
    let sent = desk.session.send("Sync");
    wait_for(&mut events, |event| matches!(event, Event::Call { .. }).then_some(())).await;
    let host = desk.bench.host.clone();
    while host.handled().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    desk.session.cancel();
    let outcome = sent.await;
    assert_eq!(outcome.end, End::Cancelled);
    assert_eq!(outcome.receipts.len(), 2);
    assert_eq!(
        outcome.receipts[1].code(),
        Some(Code::Cancelled),
        "what was not delivered never runs"
    );
    assert_eq!(host.handled().len(), 1);
    assert_goes_on(&desk).await;
}

#[tokio::test(start_paused = true)]
async fn d09_reset_while_a_card_is_open_begins_anew() {
    let desk = Desk::new([Turn::call("clear_done", json!({}))]);
    let mut events = desk.session.events();
    let sent = desk.session.send("Clear");
    let queued = desk.session.send("And then this");
    let id = asked(&mut events).await;
    desk.session.reset();
    desk.llm.push(Turn::text("Hello."));
    let fresh = desk.session.send("A new beginning");
    assert!(!desk.session.approve(&id));
    assert_eq!(sent.await.end, End::Cancelled);
    assert_eq!(
        queued.await.end,
        End::Cancelled,
        "what was sent before the reset belongs to the old conversation"
    );
    assert!(fresh.await.is_answered());
    assert!(desk.bench.host.handled().is_empty());
    assert_eq!(
        desk.last_messages(),
        [json!({ "role": "user", "content": "A new beginning" })]
    );
}
