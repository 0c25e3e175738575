//! A step that only the user can do: the run waits while they do it in the application.

use pling_core::{
    act::{ApprovalMode, Code},
    agent::{Event, Status},
    llm::Turn,
    platform::Duration,
};
use serde_json::json;

use crate::support::desk::{Desk, asked, codes, wait_for};

fn paying() -> Desk {
    Desk::new([
        Turn::calls([("pay", json!({})), ("toggle", json!({ "record": "t1" }))]),
        Turn::text("Seen."),
    ])
}

#[tokio::test(start_paused = true)]
async fn the_run_waits_and_reads_from_the_page_what_was_done() {
    let desk = paying();
    let mut events = desk.session.events();
    let sent = desk.session.send("Pay the bill");
    let id = asked(&mut events).await;
    let [step] = &desk.session.handoffs()[..] else {
        panic!("one step")
    };
    assert_eq!(
        (step.call_id.as_str(), step.reason.as_str()),
        (id.as_str(), "only you know the card")
    );
    assert_eq!(step.action.id.as_str(), "pay");
    assert_eq!(
        desk.session.waiting_for().len(),
        1,
        "it is among what the session waits for"
    );
    // The user takes their time, and does it in the application.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(desk.session.status(), Status::Running);
    desk.bench.host.with(|app| app.remove("t3"));
    assert!(desk.session.complete(&id));
    assert!(!desk.session.complete(&id), "once");
    let outcome = sent.await;
    assert_eq!(
        codes(&outcome.receipts),
        [None, Some(Code::Skipped)],
        "the page is another one now"
    );
    assert!(outcome.receipts[0].handoff);
    let result = &desk.last_results()[0]["result"];
    assert_eq!(result["changed"]["records"]["removed"], json!(["t3"]));
    assert!(
        result["warning"]
            .as_str()
            .is_some_and(|text| text.contains("by their own word"))
    );
    assert!(desk.bench.host.handled().is_empty(), "nothing was clicked");
}

#[tokio::test(start_paused = true)]
async fn done_without_an_effect_is_said_to_have_none() {
    let desk = paying();
    let mut events = desk.session.events();
    let sent = desk.session.send("Pay the bill");
    let id = asked(&mut events).await;
    assert!(desk.session.complete(&id));
    sent.await;
    assert_eq!(desk.last_results()[0]["result"]["changed"]["observed"], json!(false));
}

#[tokio::test(start_paused = true)]
async fn declined_with_words_or_by_another_message() {
    for by_message in [false, true] {
        let desk = paying();
        let mut events = desk.session.events();
        let sent = desk.session.send("Pay the bill");
        let id = asked(&mut events).await;
        let next = by_message.then(|| {
            desk.llm.push(Turn::text("As you wish."));
            desk.session.send("tomorrow")
        });
        if next.is_none() {
            assert!(desk.session.deny(&id, Some("tomorrow".to_owned())));
        }
        let decided = wait_for(&mut events, |event| match event {
            Event::ApprovalDecided { decision, .. } => Some(decision.as_str()),
            _ => None,
        });
        assert_eq!(decided.await, "denied");
        let outcome = sent.await;
        assert_eq!(
            codes(&outcome.receipts),
            [Some(Code::HandoffDeclined), Some(Code::Skipped)]
        );
        assert!(outcome.receipts[0].to_json().to_string().contains("tomorrow"));
        if let Some(next) = next {
            assert!(next.await.is_answered());
        }
        assert!(desk.session.waiting_for().is_empty());
        assert!(desk.bench.host.handled().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn consent_is_no_step_that_was_done() {
    let desk = Desk::new([Turn::call("clear_done", json!({})), Turn::text("No.")]);
    let mut events = desk.session.events();
    let sent = desk.session.send("Clear");
    let id = asked(&mut events).await;
    assert!(desk.session.handoffs().is_empty());
    assert!(
        !desk.session.complete(&id),
        "a question is not answered by saying that something is done"
    );
    assert!(desk.session.deny(&id, None));
    sent.await;
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_asked_no_step_is_done() {
    for mode in [ApprovalMode::AllowAll, ApprovalMode::DenyAll] {
        let desk = paying();
        desk.bench.executor.approvals().set_mode(mode);
        let outcome = desk.session.send("Pay the bill").await;
        assert_eq!(codes(&outcome.receipts)[0], Some(Code::HandoffDeclined), "{mode:?}");
        assert!(desk.bench.host.handled().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_closes_the_step() {
    let desk = paying();
    let mut events = desk.session.events();
    let sent = desk.session.send("Pay the bill");
    let id = asked(&mut events).await;
    desk.session.cancel();
    assert!(!desk.session.complete(&id), "too late");
    let outcome = sent.await;
    assert_eq!(codes(&outcome.receipts), [Some(Code::Cancelled), Some(Code::Cancelled)]);
    assert!(desk.session.handoffs().is_empty());
}
