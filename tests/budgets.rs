//! What one message may spend: replies, tokens, money, time.

use std::sync::Arc;

use pling_core::{
    agent::{Config, ConfigPatch, End, LimitsPatch, Outcome, Price, Prices},
    llm::Turn,
    platform::{Duration, now},
};
use serde_json::json;

use crate::support::{
    Scripted,
    desk::{Desk, asked, codes},
    validate::assert_valid_request,
};

const STOPPED: End = End::Stopped {
    code: "BUDGET_EXCEEDED",
};

/// A model that ticks and unticks for ever, at 1,000 tokens a turn.
fn endless(patch: ConfigPatch) -> Desk {
    let turn = |index: usize| Turn::call("toggle", json!({ "record": format!("t{}", index % 3 + 1) })).usage(900, 100);
    Desk::configured(patch, (0..30).map(turn))
}

/// The run stopped where it had to, every call has its result, and the next message is answered.
async fn assert_goes_on(desk: &Desk, outcome: &Outcome) {
    assert_eq!(outcome.end, STOPPED, "{outcome:?}");
    let next = Scripted::new([Turn::text("Going on.")]);
    desk.session.configure(Config::default(), Some(Arc::new(next.clone())));
    assert!(desk.session.send("And?").await.is_answered());
    next.bodies().iter().for_each(assert_valid_request);
}

#[tokio::test(start_paused = true)]
async fn tokens() {
    let desk = endless(ConfigPatch::new().limits(LimitsPatch::new().max_run_tokens(2500)));
    let outcome = desk.session.send("Go").await;
    assert_eq!((outcome.spent.turns, outcome.spent.tokens), (3, 3000));
    assert_eq!(
        codes(&outcome.receipts),
        [None; 3],
        "what was asked for within the budget is done"
    );
    assert_goes_on(&desk, &outcome).await;
}

#[tokio::test(start_paused = true)]
async fn money_by_the_price_of_the_model() {
    let price = Price {
        input: 1.0,
        output: 10.0,
    };
    let patch = ConfigPatch::new()
        .model("dear")
        .base_url("http://localhost")
        .prices(Prices::new().with("dear", price))
        .limits(LimitsPatch::new().max_run_cost(0.005));
    let desk = endless(patch);
    let outcome = desk.session.send("Go").await;
    // 900 × 1 + 100 × 10 for a million of each: 0.0019 a turn.
    assert_eq!(outcome.spent.turns, 3);
    assert!((outcome.spent.cost - 0.0057).abs() < 1e-9, "{}", outcome.spent.cost);
    let telemetry = desk.session.telemetry();
    assert!((telemetry.estimated_cost - 0.0057).abs() < 1e-9);
    assert_eq!(telemetry.unpriced_replies, 0);
    assert_goes_on(&desk, &outcome).await;
}

#[tokio::test(start_paused = true)]
async fn a_summary_counts_and_nothing_follows_when_it_was_too_much() {
    let limits = LimitsPatch::new()
        .context_tokens(1)
        .reserve_for_output(0)
        .keep_recent(1);
    let desk = Desk::configured(
        ConfigPatch::new().limits(limits.max_run_tokens(500)),
        [Turn::text("Hello."), Turn::text("They said hello.").usage(900, 100)],
    );
    desk.session.send("Hello").await;
    let outcome = desk.session.send("Go on").await;
    assert_eq!((outcome.spent.turns, outcome.spent.tokens), (0, 1000));
    assert_goes_on(&desk, &outcome).await;
}

#[tokio::test(start_paused = true)]
async fn what_no_provider_counts_is_estimated() {
    let desk = Desk::configured(
        ConfigPatch::new().limits(LimitsPatch::new().max_run_tokens(1)),
        [Turn::call("toggle", json!({ "record": "t1" }))],
    );
    let outcome = desk.session.send("Go").await;
    assert_eq!(outcome.end, STOPPED);
    let telemetry = desk.session.telemetry();
    assert_eq!(
        (telemetry.prompt_tokens, telemetry.completion_tokens),
        (0, 0),
        "nothing is made up"
    );
    assert_eq!(telemetry.estimated_tokens, outcome.spent.tokens);
    assert!(telemetry.estimated_tokens > 500, "rules, page and tools are in it");
    assert_eq!(telemetry.unpriced_replies, 1);
}

#[tokio::test(start_paused = true)]
async fn time_at_work_ends_a_model_that_does_not_answer() {
    let desk = Desk::configured(
        ConfigPatch::new().limits(LimitsPatch::new().max_run_ms(5000)),
        [Turn::never()],
    );
    let start = now();
    let outcome = desk.session.send("Go").await;
    assert_eq!(outcome.end, STOPPED);
    assert!(now() - start <= Duration::from_secs(6));
    assert_goes_on(&desk, &outcome).await;
}

#[tokio::test(start_paused = true)]
async fn time_that_the_user_takes_does_not_count() {
    let desk = Desk::configured(
        ConfigPatch::new().limits(LimitsPatch::new().max_run_ms(5000)),
        [Turn::call("clear_done", json!({})), Turn::text("Cleared.")],
    );
    let mut events = desk.session.events();
    let sent = desk.session.send("Clear");
    let id = asked(&mut events).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(desk.session.approve(&id));
    let outcome = sent.await;
    assert!(outcome.is_answered(), "{outcome:?}");
    assert!(outcome.spent.worked < Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn time_ends_a_batch_between_two_calls() {
    let calls = (0..60).map(|index| ("add_todo", json!({ "text": format!("task {index}") })));
    let desk = Desk::configured(
        ConfigPatch::new().limits(LimitsPatch::new().max_run_ms(1000)),
        [Turn::calls(calls)],
    );
    let outcome = desk.session.send("Go").await;
    let done = outcome.receipts.iter().filter(|receipt| receipt.is_ok()).count();
    assert!((1..59).contains(&done), "{done}");
    assert_eq!(outcome.receipts.len(), 60, "every call has its result");
    assert_eq!(desk.bench.host.handled().len(), done);
    assert_goes_on(&desk, &outcome).await;
    let last = outcome.receipts.last().expect("a receipt").to_json();
    assert_eq!(last["error"]["code"], "SKIPPED");
    assert!(
        last["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("budget"))
    );
}

#[test]
fn budgets_and_prices_are_configured_like_everything_else() {
    let variables = [
        ("PLING_AGENT_MODEL", "m"),
        ("PLING_AGENT_BASE_URL", "http://localhost/v1"),
        ("PLING_AGENT_LIMITS_MAX_RUN_TOKENS", "5000"),
        ("PLING_AGENT_LIMITS_MAX_RUN_COST", "0.5"),
        ("PLING_AGENT_LIMITS_MAX_RUN_MS", "60000"),
        ("PLING_AGENT_PRICES", r#"{"m":{"input":1.25,"output":10}}"#),
    ];
    let read = |name: &str| {
        variables
            .iter()
            .find(|(own, _)| *own == name)
            .map(|(_, value)| (*value).to_owned())
    };
    let from_env = Config::resolve(read, ConfigPatch::new()).expect("valid");
    let json = json!({
        "model": "m", "baseUrl": "http://localhost/v1", "prices": { "m": { "input": 1.25, "output": 10.0 } },
        "limits": { "maxRunTokens": 5000, "maxRunCost": 0.5, "maxRunMs": 60000 },
    });
    let from_json = Config::resolve(|_| None, ConfigPatch::from_value(json).expect("known fields")).expect("valid");
    let [from_env, from_json] = [from_env, from_json].map(|config| serde_json::to_value(config).expect("serializes"));
    assert_eq!(from_env, from_json);
    assert_eq!(from_json["limits"]["maxRunCost"], json!(0.5));
    assert_eq!(from_json["prices"]["m"]["output"], json!(10.0));

    let complaint = |patch: serde_json::Value| {
        let patch = ConfigPatch::from_value(patch).expect("known fields");
        Config::resolve_injected(|_| None, patch)
            .expect_err("a complaint")
            .field
    };
    assert_eq!(
        complaint(json!({ "limits": { "maxRunCost": 1.0 } })),
        "limits.maxRunCost",
        "no price"
    );
    assert_eq!(
        complaint(json!({ "limits": { "maxRunCost": -1.0 } })),
        "limits.maxRunCost"
    );
    assert_eq!(
        complaint(json!({ "prices": { "m": { "input": -1.0, "output": 0.0 } } })),
        "prices.m"
    );
}
