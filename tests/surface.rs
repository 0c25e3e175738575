//! Clients of the Surface, over the fake app: what they may do, and what becomes of a call whose client is slow or gone.

use std::sync::Arc;

use pling_core::{
    act::{ApprovalMode, AuditEntry, AuditSink, Decision, Permissions, Policy},
    platform::{Duration, sleep},
    surface::{Answer, Client, ClientLimits, InvokeRequest, SCHEMA, SearchRequest, Surface, WaitRequest},
};
use pling_egui::testing::AgentHarness;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::Bench;

struct Outside {
    bench: Bench,
    surface: Surface,
}

impl Outside {
    fn new() -> Self {
        Self::over(Bench::new())
    }

    fn over(bench: Bench) -> Self {
        let surface = Surface::new(bench.executor.clone());
        Self { bench, surface }
    }

    fn client(&self) -> Client {
        self.surface.client("cli")
    }

    /// Calls in a task of its own, and waits until the user is asked.
    async fn ask(&self, action: &str, arguments: Value) -> (String, JoinHandle<Answer>) {
        let client = self.client();
        let request = request(action, arguments);
        let answer = tokio::spawn(async move { client.invoke(request).await });
        (self.card().await, answer)
    }

    /// The id of the one open card.
    async fn card(&self) -> String {
        loop {
            if let [card] = &self.bench.executor.approvals().pending()[..] {
                return card.call_id.clone();
            }
            sleep(Duration::from_millis(1)).await;
        }
    }

    async fn no_card(&self) {
        while !self.bench.executor.approvals().pending().is_empty() {
            sleep(Duration::from_millis(1)).await;
        }
    }

    fn decide(&self, card: &str, decision: Decision) -> bool {
        self.bench.executor.approvals().decide(card, decision)
    }

    fn cleared(&self) -> usize {
        let handled = self.bench.host.handled();
        handled.iter().filter(|name| *name == "clear_done").count()
    }
}

fn request(action: &str, arguments: Value) -> InvokeRequest {
    match arguments {
        Value::Object(arguments) => InvokeRequest::new(action, arguments),
        other => panic!("no arguments: {other}"),
    }
}

fn wait(handle: &str) -> WaitRequest {
    serde_json::from_value(json!({ "handle": handle })).expect("a request")
}

fn search(query: &str) -> SearchRequest {
    serde_json::from_value(json!({ "query": query })).expect("a request")
}

const DENY: Decision = Decision::Deny { message: None };

#[tokio::test(start_paused = true)]
async fn describe_then_invoke_runs_the_app_s_own_handler() {
    let outside = Outside::new();
    let page = serde_json::to_value(outside.client().describe().await.unwrap()).unwrap();
    assert_eq!(page["schema"], SCHEMA);
    assert!(page["text"].as_str().unwrap().contains("toggle(record"), "{page}");
    let names: Vec<_> = page["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| &action["name"])
        .collect();
    assert!(names.contains(&&json!("clear_done")), "{names:?}");

    let answer = outside
        .client()
        .invoke(request("toggle", json!({ "record": "t1" })))
        .await;
    let answer = serde_json::to_value(answer).unwrap();
    assert_eq!(answer["result"]["ok"], true, "{answer}");
    assert_eq!(answer["schema"], SCHEMA);
    assert!(answer.get("handle").is_none());
    assert_eq!(outside.bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn who_it_was_is_in_the_card_and_in_the_audit() {
    #[derive(Default)]
    struct Who(parking_lot::Mutex<Vec<String>>);
    impl AuditSink for Who {
        fn record(&self, entry: &AuditEntry) {
            self.0.lock().push(entry.who.clone());
        }
    }
    let outside = Outside::new();
    let who = Arc::new(Who::default());
    outside
        .bench
        .executor
        .set_audit(Some(Arc::clone(&who) as Arc<dyn AuditSink>));
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    let origin = outside.bench.executor.approvals().pending()[0].origin.clone();
    assert_eq!(origin, pling_core::act::Origin::Client(Arc::from("cli")));
    assert!(outside.decide(&card, DENY));
    answer.await.unwrap();
    assert_eq!(*who.0.lock(), ["client:cli"]);
}

#[tokio::test(start_paused = true)]
async fn clear_done_denied_allowed_and_timed_out() {
    for (decision, code, runs) in [(DENY, Some("APPROVAL_DENIED"), 0), (Decision::Allow, None, 1)] {
        let outside = Outside::new();
        let (card, answer) = outside.ask("clear_done", json!({})).await;
        assert!(outside.decide(&card, decision));
        let answer = answer.await.unwrap();
        assert_eq!((answer.code(), outside.cleared()), (code, runs), "{answer:?}");
    }

    let outside = Outside::new();
    let limits = ClientLimits::default().decide_within(Duration::from_secs(10));
    outside.surface.set_limits(limits);
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    let answer = answer.await.unwrap();
    assert_eq!(answer.code(), Some("APPROVAL_EXPIRED"), "{answer:?}");
    assert!(!outside.decide(&card, Decision::Allow), "too late");
    assert_eq!(outside.cleared(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_denial_holds_for_every_client_for_a_minute_whatever_is_said_to_the_assistant() {
    let outside = Outside::new();
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    assert!(outside.decide(&card, DENY));
    assert_eq!(answer.await.unwrap().code(), Some("APPROVAL_DENIED"));
    outside.bench.executor.forget_denials();
    sleep(Duration::from_secs(30)).await;
    for name in ["cli", "another"] {
        let client = outside.surface.client(name);
        // Were there a card, this would wait for it.
        let again = client.invoke(request("clear_done", json!({}))).await;
        let words = serde_json::to_string(&again).unwrap();
        assert_eq!(again.code(), Some("APPROVAL_DENIED"), "{words}");
        assert!(words.contains("already said no"), "{words}");
    }
    // The assistant in the app does as it is told there.
    let seen = outside.bench.observe().await;
    let own = outside.bench.ask(&seen, "clear_done", json!({})).await;
    assert!(outside.decide(&own.id, DENY));
    own.receipt.await.unwrap();

    sleep(Duration::from_secs(31)).await;
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    assert!(outside.decide(&card, Decision::Allow));
    assert!(!answer.await.unwrap().is_error());
    assert_eq!(outside.cleared(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_takes_long_is_answered_with_a_handle_and_waited_for() {
    let outside = Outside::new();
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    let answer = answer.await.unwrap();
    assert_eq!(answer.code(), Some("APPROVAL_PENDING"));
    let handle = answer.handle.expect("a handle");

    let again = outside.client().wait(&wait(&handle)).await;
    assert_eq!(again.code(), Some("APPROVAL_PENDING"), "the user thinks on");
    let client = outside.client();
    let waiting = {
        let handle = handle.clone();
        tokio::spawn(async move { client.wait(&wait(&handle)).await })
    };
    tokio::task::yield_now().await;
    assert!(outside.decide(&card, Decision::Allow));
    let done = waiting.await.unwrap();
    assert!(!done.is_error(), "{done:?}");
    assert_eq!(outside.cleared(), 1);
    assert_eq!(
        outside.client().wait(&wait(&handle)).await,
        done,
        "an answer that got lost is told again"
    );
    assert_eq!(outside.cleared(), 1);
    sleep(Duration::from_secs(61)).await;
    let gone = outside.client().wait(&wait(&handle)).await;
    assert_eq!(gone.code(), Some("INVALID_ARGUMENTS"), "nothing is kept for ever");
}

#[tokio::test(start_paused = true)]
async fn a_handle_of_another_client_is_unknown() {
    let outside = Outside::new();
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    let handle = answer.await.unwrap().handle.expect("a handle");
    let other = outside.surface.client("other").wait(&wait(&handle)).await;
    assert_eq!(other.code(), Some("INVALID_ARGUMENTS"));
    assert!(outside.decide(&card, DENY), "and it took nothing away");
}

#[tokio::test(start_paused = true)]
async fn e07_a_client_that_gave_up_causes_no_execution() {
    let outside = Outside::new();
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    sleep(Duration::from_secs(1)).await;
    answer.abort();
    sleep(Duration::from_secs(2)).await;
    assert!(!outside.decide(&card, Decision::Allow), "the card is gone");
    sleep(Duration::from_secs(100)).await;
    assert_eq!(outside.cleared(), 0);

    let (card, answer) = outside.ask("clear_done", json!({})).await;
    assert!(outside.decide(&card, Decision::Allow));
    assert!(
        !answer.await.unwrap().is_error(),
        "asked again, it is a call of its own"
    );
    assert_eq!(outside.cleared(), 1);
}

#[tokio::test(start_paused = true)]
async fn e07_asked_again_while_pending_it_is_the_same_call() {
    let outside = Outside::new();
    let (card, first) = outside.ask("clear_done", json!({})).await;
    let client = outside.client();
    let second = tokio::spawn(async move { client.invoke(request("clear_done", json!({}))).await });
    sleep(Duration::from_secs(1)).await;
    assert_eq!(outside.bench.executor.approvals().pending().len(), 1);
    // The first one times out; somebody still waits.
    first.abort();
    sleep(Duration::from_secs(1)).await;
    assert!(outside.decide(&card, Decision::Allow));
    assert!(!second.await.unwrap().is_error());
    assert_eq!(outside.cleared(), 1);
}

#[tokio::test(start_paused = true)]
async fn e07_whoever_gave_up_after_the_delivery_and_asks_again_is_told_of_the_first() {
    let toggle = || request("toggle", json!({ "record": "t1" }));
    // How long after giving up it asks again: while the app still works, and after that.
    for (pause, runs) in [(1, 1), (30, 1), (200, 2)] {
        let outside = Outside::over(Bench::trusted());
        outside.client().describe().await.unwrap();
        outside.bench.host.with(|app| {
            app.busy.push("saving".to_owned());
            app.later(15 * 60, |app| app.busy.clear());
        });
        let own = outside.client();
        let first = tokio::spawn(async move { own.invoke(toggle()).await });
        while outside.bench.host.handled().is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
        sleep(Duration::from_secs(10)).await;
        first.abort();
        sleep(Duration::from_secs(pause)).await;
        let again = outside.client().invoke(toggle()).await;
        assert!(!again.is_error(), "{again:?}");
        let is_noted = json!(again).to_string().contains("not run again");
        assert_eq!(
            (outside.bench.host.handled().len(), is_noted),
            (runs, runs == 1),
            "{pause}: {again:?}"
        );
        // Told once, it is a call of its own.
        let next = outside.client().invoke(toggle()).await;
        assert!(!json!(next).to_string().contains("not run again"), "{next:?}");
        assert_eq!(outside.bench.host.handled().len(), runs + 1, "{pause}");
    }
}

#[tokio::test(start_paused = true)]
async fn e07_a_handle_that_nobody_asks_for_withdraws_the_call() {
    let outside = Outside::new();
    let (card, answer) = outside.ask("clear_done", json!({})).await;
    let handle = answer.await.unwrap().handle.expect("a handle");
    outside.no_card().await;
    assert!(!outside.decide(&card, Decision::Allow));
    let answer = outside.client().wait(&wait(&handle)).await;
    assert_eq!(answer.code(), Some("CANCELLED"), "{answer:?}");
    assert_eq!(outside.cleared(), 0);
}

#[tokio::test(start_paused = true)]
async fn leaving_withdraws_what_waits_in_the_queue_too() {
    let outside = Outside::new();
    let (card, first) = outside.ask("clear_done", json!({})).await;
    let client = outside.surface.client("second");
    let queued = {
        let client = client.clone();
        tokio::spawn(async move { client.invoke(request("toggle", json!({ "record": "t1" }))).await })
    };
    sleep(Duration::from_secs(1)).await;
    client.leave();
    assert_eq!(queued.await.unwrap().code(), Some("CANCELLED"));
    assert!(outside.decide(&card, Decision::Allow));
    assert!(!first.await.unwrap().is_error());
    assert_eq!(outside.bench.host.handled(), ["clear_done"]);
}

#[tokio::test(start_paused = true)]
async fn permissions_are_the_client_s_own_and_never_more_than_the_app_s() {
    let outside = Outside::over(Bench::with(Policy::default(), ApprovalMode::AllowAll));
    let reader = ClientLimits::default().permissions(Permissions::read_only());
    let reader = outside.surface.admit("reader", reader);
    let page = reader.describe().await.unwrap();
    assert!(page.not_permitted.contains(&"clear_done".to_owned()), "{page:?}");
    assert!(page.actions.iter().all(|action| action.name != "toggle"));
    let refused = reader.invoke(request("toggle", json!({ "record": "t1" }))).await;
    assert_eq!(refused.code(), Some("NOT_PERMITTED"), "{refused:?}");
    assert!(
        !reader
            .invoke(request("search", json!({ "text": "Milk" })))
            .await
            .is_error()
    );

    let one = ClientLimits::default().permissions(Permissions::all().only(["toggle"]));
    let one = outside.surface.admit("one", one);
    assert_eq!(
        one.invoke(request("clear_done", json!({}))).await.code(),
        Some("NOT_PERMITTED")
    );
    outside
        .bench
        .executor
        .set_permitted(Permissions::all().without(["toggle"]));
    let refused = one.invoke(request("toggle", json!({ "record": "t1" }))).await;
    assert_eq!(refused.code(), Some("NOT_PERMITTED"));
    assert_eq!(outside.cleared(), 0);
    assert_eq!(outside.surface.admit("one", ClientLimits::default()).name(), "one");
    let refused = outside
        .surface
        .client("one")
        .invoke(request("clear_done", json!({})))
        .await;
    assert_eq!(refused.code(), Some("NOT_PERMITTED"), "its limits stay");
}

#[tokio::test(start_paused = true)]
async fn what_the_user_allowed_a_client_ends_with_it() {
    type End = fn(&Outside);
    let ends: [End; 3] = [
        |outside| outside.client().leave(),
        |outside| outside.surface.close(),
        |outside| {
            // So many names that it is forgotten.
            for name in 0..100 {
                let _ = outside.surface.client(&format!("name-{name}"));
            }
        },
    ];
    for end in ends {
        let outside = Outside::new();
        let (card, answer) = outside.ask("clear_done", json!({})).await;
        assert!(outside.decide(&card, Decision::AllowForSession));
        assert!(!answer.await.unwrap().is_error());
        outside.bench.host.with(|app| app.todos[0].done = true);
        let granted = outside.client().invoke(request("clear_done", json!({}))).await;
        assert!(!granted.is_error(), "{granted:?}");
        assert_eq!(outside.bench.executor.approvals().grants().len(), 1);
        sleep(Duration::from_secs(1)).await;
        end(&outside);
        assert!(outside.bench.executor.approvals().grants().is_empty());
        outside.bench.host.with(|app| app.todos[0].done = true);
        let (card, answer) = outside.ask("clear_done", json!({})).await;
        assert!(outside.decide(&card, DENY), "whoever takes its name is asked about");
        answer.await.unwrap();
        assert_eq!(outside.cleared(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_the_app_admitted_is_never_forgotten() {
    let outside = Outside::new();
    let limits = ClientLimits::default().max_calls(1);
    let spender = outside.surface.admit("spender", limits);
    let toggle = || request("toggle", json!({ "record": "t1" }));
    assert!(!spender.invoke(toggle()).await.is_error());
    for name in 0..200 {
        let _ = outside.surface.client(&format!("name-{name}"));
    }
    let again = outside.surface.client("spender").invoke(toggle()).await;
    assert_eq!(again.code(), Some("BUDGET_EXCEEDED"), "{again:?}");
    assert_eq!(outside.bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn rate_and_budget_are_held_to_and_say_so() {
    let outside = Outside::new();
    let limits = ClientLimits::default().per_minute(3).max_calls(1);
    let client = outside.surface.admit("busy", limits);
    let toggle = || request("toggle", json!({ "record": "t1" }));
    assert!(!client.invoke(toggle()).await.is_error());
    let spent = client.invoke(toggle()).await;
    assert_eq!(spent.code(), Some("BUDGET_EXCEEDED"), "{spent:?}");
    assert!(client.describe().await.is_ok());
    let limited = client.describe().await.unwrap_err();
    assert_eq!(limited.code, "RATE_LIMITED");
    let wait = limited.retry_after_ms.expect("when to try again");
    sleep(Duration::from_millis(wait + 1)).await;
    assert!(client.describe().await.is_ok());
    assert_eq!(outside.bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn an_action_that_appeared_after_the_description_can_be_called() {
    let outside = Outside::new();
    let client = outside.client();
    client.describe().await.unwrap();
    assert!(!client.invoke(request("open_settings", json!({}))).await.is_error());
    let answer = client.invoke(request("close_settings", json!({}))).await;
    assert!(!answer.is_error(), "{answer:?}");
    let unknown = client.invoke(request("no_such_action", json!({}))).await;
    assert_eq!(unknown.code(), Some("UNKNOWN_ACTION"));
}

#[tokio::test(start_paused = true)]
async fn search_finds_actions_and_records() {
    let outside = Outside::new();
    let found = outside.client().search(search("delete")).await.unwrap();
    assert!(found.actions.iter().any(|action| action.name == "delete"), "{found:?}");
    let found = outside.client().search(search("bread")).await.unwrap();
    assert_eq!(found.records[0]["id"], "t2", "{found:?}");
    let endless = outside.client().search(search(&"x".repeat(5000))).await.unwrap_err();
    assert_eq!(endless.code, "INVALID_ARGUMENTS");
}

#[tokio::test(start_paused = true)]
async fn a_hidden_window_says_so() {
    let outside = Outside::new();
    outside.bench.host.with(|app| app.hidden = true);
    assert_eq!(outside.client().describe().await.unwrap_err().code, "WINDOW_HIDDEN");
    let answer = outside
        .client()
        .invoke(request("toggle", json!({ "record": "t1" })))
        .await;
    assert_eq!(answer.code(), Some("WINDOW_HIDDEN"));
    outside.bench.host.with(|app| app.hidden = false);
    sleep(Duration::from_secs(10)).await;
    assert!(outside.bench.host.handled().is_empty());
}

#[test]
fn over_a_running_egui_app_it_is_the_widget_s_own_handler() {
    let mut harness = AgentHarness::<()>::builder()
        .approval(ApprovalMode::DenyAll)
        .build_ui_state(
            |ui, app: &mut todo::app::TodoApp| app.ui(ui),
            todo::app::TodoApp::default(),
        );
    let client = harness.pling().surface().client("outside");
    let answer = harness.run(client.invoke(request("toggle", json!({ "record": "t12" }))));
    assert!(!answer.is_error(), "{answer:?}");
    let answer = harness.run(client.invoke(request("clear_done", json!({}))));
    assert_eq!(answer.code(), Some("APPROVAL_DENIED"), "{answer:?}");
    let handled = harness.state().handled;
    assert_eq!((handled.toggle, handled.clear_done), (1, 0));
}

#[test]
fn a_question_of_a_client_is_drawn_in_an_idle_app_and_answered_there() {
    let mut harness = AgentHarness::<()>::builder()
        .approval(ApprovalMode::Ask)
        .build_ui_state(
            |ui, app: &mut todo::app::TodoApp| app.ui(ui),
            todo::app::TodoApp::default(),
        );
    let client = harness.pling().surface().client("outside");
    assert!(
        !harness
            .run(client.invoke(request("toggle", json!({ "record": "t1" }))))
            .is_error()
    );
    let approvals = harness.pling().executor().approvals().clone();
    let session = harness.pling().session().clone();
    let answer = harness.run(async move {
        let asked = async {
            let mut events = approvals.subscribe();
            drop(events.recv().await);
            let cards = session.waiting_for();
            assert_eq!(cards.len(), 1, "the panel draws it");
            assert!(session.approve(&cards[0].call_id));
        };
        tokio::join!(client.invoke(request("clear_done", json!({}))), asked).0
    });
    assert!(!answer.is_error(), "{answer:?}");
    assert_eq!(harness.state().handled.clear_done, 1);
}
