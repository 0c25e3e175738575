//! Servers that others wrote. `tests/peers/run.sh` runs the real binary over them; what they sent is on cassettes here,
//! so that every test run reads it again.

use pling_core::llm::{
    OpenAi, RetryPolicy,
    cassette::{Cassette, Recorder},
};
use pling_egui::testing::AgentHarness;
use todo::app::TodoApp;

/// What is asked, and what both servers were told to say in the end.
const TASK: &str = "Mark the weekly report as done.";
const ANSWER: &str = "The weekly report is marked as done.";

/// Does the task over a client; returns the ids of what is done.
fn run(llm: OpenAi) -> Vec<String> {
    let mut harness = AgentHarness::<()>::builder()
        .size([640.0, 480.0])
        .llm(llm.retry(RetryPolicy::never()))
        .pling(|builder| builder.role(todo::ROLE))
        .build_ui_state(|ui, app: &mut TodoApp| app.ui(ui), TodoApp::default());
    let outcome = harness.ask(TASK);
    assert_eq!(outcome.answer.as_deref(), Some(ANSWER), "{outcome:?}");
    let done = harness.state().todos.iter().filter(|todo| todo.done);
    done.map(|todo| todo.id.to_string()).collect()
}

/// The page, its tools and what receipts say of it may change; the conversation may not.
fn play(tape: &str) -> Cassette {
    let volatile = [
        "/messages/0/content",
        "/tools",
        "/messages/3/content",
        "/messages/5/content",
    ];
    let cassette = Cassette::parse(tape).expect("a recording");
    volatile.into_iter().fold(cassette, Cassette::ignore)
}

fn assert_done(tape: &str) {
    let cassette = play(tape);
    assert_eq!(cassette.remaining(), 3);
    let llm = OpenAi::new("http://nowhere.invalid/v1", "peer-model").expect("an address");
    assert_eq!(run(llm.replay(cassette.clone())), ["t9"]);
    assert_eq!(cassette.remaining(), 0);
}

/// Arguments whole or in large pieces, usage in a chunk without choices, words beside a call.
#[test]
fn aimock_completes_the_weekly_report() {
    assert_done(include_str!("peers/aimock.jsonl"));
}

/// A first delta with a role only, arguments in small pieces, no usage at all.
#[test]
fn fakellm_completes_the_weekly_report() {
    assert_done(include_str!("peers/fakellm.jsonl"));
}

#[test]
#[ignore = "records from a running server: see tests/peers/run.sh --record"]
fn record_a_peer() {
    let variable = |name| std::env::var(name).expect(name);
    let recorder = Recorder::to_file(variable("PLING_PEER_CASSETTE")).expect("a file");
    let llm = OpenAi::new(&variable("PLING_PEER_URL"), "peer-model").expect("an address");
    assert_eq!(run(llm.record(recorder)), ["t9"]);
}
