//! A model that refuses what is too long.

use std::sync::Arc;

use pling_core::{
    agent::{ConfigPatch, End, Event, LimitsPatch},
    llm::{ErrorKind, Llm, OpenAi, RetryPolicy, Turn},
    platform::Duration,
};
use serde_json::{Value, json};

use super::{HEADING, is_summary, text};
use crate::support::{
    desk::{Desk, open, wait_for},
    server::{Answer, Server},
};

/// What a tokenizer with one token for each Chinese character, and one for four letters, counts.
fn count(body: &Value) -> usize {
    let text = body.to_string();
    text.chars().filter(|c| !c.is_ascii()).count() + text.chars().filter(char::is_ascii).count() / 4
}

#[tokio::test(start_paused = true)]
async fn b10_a_chinese_conversation_is_folded_before_it_is_too_long() {
    let desk = Desk::configured(ConfigPatch::new(), []);
    let words = "请把这些任务都记下来，不要忘记任何一个。".repeat(20);
    for _ in 0..80 {
        let answer = format!("好的。{words}");
        desk.llm.push(Turn::decide(move |request| {
            let tokens = count(&request.body());
            assert!(tokens <= 8192, "{tokens} tokens would be refused");
            match is_summary(request) {
                true => Turn::text("用户在记录任务。"),
                false => Turn::text(answer),
            }
        }));
    }
    for _ in 0..30 {
        assert!(desk.session.send(words.as_str()).await.is_answered());
    }
    assert!(desk.llm.requests().iter().any(|request| is_summary(request)));
}

/// A session with a real client, after one answered message.
async fn after_one_message(server: &Server, patch: ConfigPatch) -> pling_core::agent::Session {
    let llm = OpenAi::new(&server.url("/v1"), "m").expect("a loopback address");
    let llm = llm.retry(RetryPolicy::new(2, Duration::ZERO, Duration::ZERO));
    let (_bench, session) = open(patch, Some(Arc::new(llm) as Arc<dyn Llm>));
    assert!(session.send("Hello").await.is_answered());
    session
}

fn too_long() -> [Answer; 3] {
    let code = json!({ "error": { "message": "too many tokens", "code": "context_length_exceeded" } });
    [
        Answer::json(400, &code),
        Answer::status(413).bytes("Payload Too Large"),
        Answer::status(400).bytes("This model's maximum context length is 4096 tokens. Please reduce the length."),
    ]
}

#[tokio::test]
async fn b11_one_fold_and_one_more_try() {
    for refusal in too_long() {
        let server = Server::start([
            Answer::text("Hello."),
            refusal,
            Answer::text("They said hello."),
            Answer::text("Going on."),
        ]);
        let session = after_one_message(&server, ConfigPatch::new()).await;
        let outcome = session.send("Go on").await;
        assert_eq!(outcome.answer.as_deref(), Some("Going on."), "{outcome:?}");
        let requests = server.requests();
        assert_eq!(requests.len(), 4);
        assert!(requests[2].body.get("tools").is_none(), "a summary is asked for");
        let first = text(&requests[3].body["messages"][1]);
        assert!(first.starts_with(HEADING) && first.ends_with("Go on"), "{first}");
    }
}

#[tokio::test]
async fn b11_a_second_refusal_is_an_error() {
    let [first, second, _] = too_long();
    let server = Server::start([Answer::text("Hello."), first, Answer::text("They said hello."), second]);
    let session = after_one_message(&server, ConfigPatch::new()).await;
    let End::Failed { code, .. } = session.send("Go on").await.end else {
        panic!("not failed")
    };
    assert_eq!(code, "CONTEXT_LENGTH");
    assert_eq!(server.requests().len(), 4, "no loop");
    server.push(Answer::text("Here."));
    assert!(session.send("Still there?").await.is_answered());
}

#[tokio::test]
async fn b11_another_refusal_folds_nothing() {
    let error = json!({ "error": { "message": "invalid model", "code": "model_not_found" } });
    let server = Server::start([Answer::text("Hello."), Answer::json(400, &error)]);
    let session = after_one_message(&server, ConfigPatch::new()).await;
    let End::Failed { code, .. } = session.send("Go on").await.end else {
        panic!("not failed")
    };
    assert_ne!(code, "CONTEXT_LENGTH");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn b11_with_nothing_to_fold_the_error_says_what_to_do() {
    let desk = Desk::new([Turn::error(ErrorKind::ContextLength, "too many tokens")]);
    let mut events = desk.session.events();
    let End::Failed { code, message } = desk.session.send("Hello").await.end else {
        panic!("not failed")
    };
    assert_eq!((code, message.as_str()), ("CONTEXT_LENGTH", "too many tokens"));
    let notice = wait_for(&mut events, |event| match event {
        Event::Notice { message, .. } => Some(message.clone()),
        _ => None,
    });
    assert!(notice.await.contains("limits.maxActions"));
    assert_eq!(desk.llm.requests().len(), 1, "the same request is not sent again");
}

#[tokio::test(start_paused = true)]
async fn the_offline_planner_is_asked_for_no_summary() {
    let limits = LimitsPatch::new()
        .context_tokens(1)
        .reserve_for_output(0)
        .keep_recent(1);
    let (bench, session) = open(
        ConfigPatch::new().limits(limits),
        Some(Arc::new(pling_core::llm::Offline::new())),
    );
    for title in ["Oats", "Rice", "Tea"] {
        let outcome = session.send(format!("Add \"{title}\"")).await;
        assert!(outcome.is_answered(), "{outcome:?}");
    }
    assert_eq!(bench.host.handled(), ["add_todo"; 3]);
    let checkpoint = session.checkpoint();
    let first = text(&checkpoint.messages()[0]);
    assert_eq!(
        first, "Add \"Tea\"",
        "only the last run is kept, and nothing is made up"
    );
}
