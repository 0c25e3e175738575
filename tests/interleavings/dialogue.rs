//! A session whose model asks for three calls at once, the second of which waits for the user.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use pling_core::{
    agent::{Config, End, Event, Session, SessionParts, Status},
    llm::Turn,
    platform::{Duration, sleep},
};
use serde_json::json;
use tokio::task::JoinHandle;

use super::{block_on, sequences};
use crate::support::{Bench, Scripted, validate::assert_valid_request};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Happening {
    Approve,
    Deny,
    Cancel,
    Reset,
    /// Another message, perhaps over the open card.
    Message,
    /// The window is minimized, or comes back.
    Hide,
    /// The application closes, and another process takes up the conversation.
    Restart,
    /// A pass goes by.
    Pass,
}

const ALL: [Happening; 8] = [
    Happening::Approve,
    Happening::Deny,
    Happening::Cancel,
    Happening::Reset,
    Happening::Message,
    Happening::Hide,
    Happening::Restart,
    Happening::Pass,
];

#[test]
fn every_call_has_one_result_and_the_next_message_is_answered() {
    let mut ran = 0;
    for sequence in sequences(&ALL, 3) {
        for is_open in [false, true] {
            ran += usize::from(block_on(play(&sequence, is_open)));
        }
    }
    assert!(ran > 30, "{ran}");
}

/// A session, and what was told of each call.
struct Desk {
    bench: Bench,
    llm: Scripted,
    session: Session,
    driver: JoinHandle<()>,
    told: Arc<Mutex<BTreeMap<String, Told>>>,
}

#[derive(Default)]
struct Told {
    asked: usize,
    called: usize,
    answered: usize,
}

impl Desk {
    fn new() -> Self {
        let bench = Bench::new();
        let llm = Scripted::new([Turn::calls([
            ("toggle", json!({ "record": "t1" })),
            ("clear_done", json!({})),
            ("toggle", json!({ "record": "t2" })),
        ])]);
        for _ in 0..8 {
            llm.push(Turn::text("Well."));
        }
        let told = Arc::default();
        let (session, driver) = open(&bench, &llm, &told);
        Self {
            bench,
            llm,
            session,
            driver,
            told,
        }
    }

    /// The application closes, and begins again on what was kept.
    async fn restart(&mut self) {
        let checkpoint = self.session.checkpoint();
        self.driver.abort();
        tokio::task::yield_now().await;
        let text = checkpoint.to_json();
        let checkpoint = pling_core::agent::Checkpoint::from_json(&text).expect("it was just written");
        (self.session, self.driver) = open(&self.bench, &self.llm, &self.told);
        self.session.restore(checkpoint);
    }
}

fn open(bench: &Bench, llm: &Scripted, told: &Arc<Mutex<BTreeMap<String, Told>>>) -> (Session, JoinHandle<()>) {
    let parts = SessionParts::new(bench.executor.clone(), Config::default());
    let (session, driver) = Session::new(parts.llm(Arc::new(llm.clone())));
    let told = Arc::clone(told);
    session.on_event(Arc::new(move |event| {
        let mut told = told.lock();
        match event {
            Event::Call { id, .. } => told.entry(id.clone()).or_default().called += 1,
            Event::ApprovalAsked(approval) => told.entry(approval.call_id.clone()).or_default().asked += 1,
            Event::Receipt { id, .. } => told.entry(id.clone()).or_default().answered += 1,
            _ => {}
        }
    }));
    (session, tokio::spawn(driver))
}

/// Plays a sequence, from the sending of the message or from when the card is open; whether the second call ran.
async fn play(sequence: &[Happening], is_open: bool) -> bool {
    let mut desk = Desk::new();
    let mut sent = vec![desk.session.send("Tidy up")];
    while is_open && desk.session.waiting_for().is_empty() {
        sleep(Duration::from_millis(1)).await;
    }
    let mut approved = 0;
    let mut restarted = false;
    for happening in sequence {
        let open = desk.session.waiting_for().first().map(|card| card.call_id.clone());
        match happening {
            // Twice: the second must do nothing.
            Happening::Approve => {
                if let Some(id) = open {
                    approved += usize::from(desk.session.approve(&id));
                    assert!(!desk.session.approve(&id) && !desk.session.deny(&id, None));
                }
            }
            Happening::Deny => {
                if let Some(id) = open {
                    assert!(desk.session.deny(&id, Some("not now".to_owned())));
                    assert!(!desk.session.approve(&id), "{sequence:?}");
                }
            }
            Happening::Cancel => desk.session.cancel(),
            Happening::Reset => desk.session.reset(),
            Happening::Message => sent.push(desk.session.send("And?")),
            Happening::Hide => desk.bench.host.with(|app| app.hidden = !app.hidden),
            Happening::Restart => {
                desk.restart().await;
                restarted = true;
            }
            Happening::Pass => sleep(Duration::from_millis(17)).await,
        }
    }
    desk.bench.host.with(|app| app.hidden = false);
    sleep(Duration::from_secs(60)).await;
    // Nobody decides any more: the user stops what still waits.
    if !desk.session.waiting_for().is_empty() {
        desk.session.cancel();
    }
    for sent in sent {
        assert_ne!(sent.await.end, End::Ignored, "{sequence:?}");
    }
    assert_eq!(desk.session.status(), Status::Idle, "{sequence:?}");
    assert!(desk.session.waiting_for().is_empty(), "{sequence:?}");

    let handled = desk.bench.host.handled();
    for handler in ["toggle t1", "clear_done", "toggle t2"] {
        let times = handled.iter().filter(|own| *own == handler).count();
        assert!(times <= 1, "{sequence:?}: {handled:?}");
    }
    let cleared = handled.contains(&"clear_done".to_owned());
    assert!(
        !cleared || approved == 1,
        "{sequence:?}: ran without a word of the user"
    );
    for (id, told) in &*desk.told.lock() {
        assert_eq!(told.called, 1, "{sequence:?}: {id}");
        assert!(told.asked <= 1, "{sequence:?}: {id} was asked about twice");
        // Who closes the application hears no more of it; the conversation has the result all the same.
        assert!(
            told.answered == 1 || (restarted && told.answered == 0),
            "{sequence:?}: {id}"
        );
    }
    let last = Scripted::new([Turn::text("Yes.")]);
    desk.session.configure(Config::default(), Some(Arc::new(last.clone())));
    let outcome = desk.session.send("Are you there?").await;
    assert!(outcome.is_answered(), "{sequence:?}: {outcome:?}");
    last.bodies().iter().for_each(assert_valid_request);
    desk.llm.bodies().iter().for_each(assert_valid_request);
    assert_eq!(desk.bench.host.handled(), handled, "{sequence:?}: nothing ran late");
    cleared
}
