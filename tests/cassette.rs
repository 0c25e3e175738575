//! Real replies, recorded once and played back.

use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use pling_core::llm::{
    Delta, ErrorKind, Llm as _, LlmError, OpenAi, Reply, Request, RetryPolicy,
    cassette::{Cassette, Recorder},
};
use serde_json::{Value, json};

use crate::{
    llm_stream::{client, request},
    support::server::{Answer, Server},
};

const KEY: &str = "sk-proj-0123456789abcdef";

/// A file in memory.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().clone()).expect("text")
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn ask(llm: &OpenAi, request: Arc<Request>) -> (Result<Reply, LlmError>, Vec<Delta>) {
    let deltas = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&deltas);
    let reply = llm
        .complete(request, Arc::new(move |delta| sink.lock().push(delta)))
        .await;
    let deltas = deltas.lock().clone();
    (reply, deltas)
}

/// A client that reads from a tape; its address leads nowhere.
fn player(tape: &str, retries: u32) -> (OpenAi, Cassette) {
    let cassette = Cassette::parse(tape).expect("a recording");
    let policy = RetryPolicy::new(retries, Duration::ZERO, Duration::ZERO);
    let llm = OpenAi::new("http://nowhere.invalid/v1", "test-model").expect("an address");
    (llm.retry(policy).replay(cassette.clone()), cassette)
}

async fn recorded(
    answers: impl IntoIterator<Item = Answer>,
    retries: u32,
) -> (String, Result<Reply, LlmError>, Vec<Delta>) {
    let server = Server::start(answers);
    let buffer = Buffer::default();
    let llm = client(&server, retries)
        .api_key(KEY)
        .unwrap()
        .record(Recorder::to_writer(buffer.clone()));
    let (reply, deltas) = ask(&llm, request()).await;
    (buffer.text(), reply, deltas)
}

fn without_address(deltas: &[Delta]) -> Vec<String> {
    deltas
        .iter()
        .map(|delta| format!("{delta:?}").replace("http://nowhere.invalid", "http://"))
        .collect()
}

#[tokio::test]
async fn a_replay_is_what_was_recorded() {
    let split = "data: {\"choices\":[{\"delta\":{\"content\":\"é\"}}]}\n\n".as_bytes();
    let middle = split.iter().position(|byte| *byte == 0xc3).expect("é") + 1;
    let in_pieces = Answer::sse()
        .bytes(": comment\n\n")
        .bytes(&split[..middle])
        .bytes(&split[middle..])
        .event(&json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 7 } }))
        .done();
    for answers in [
        vec![Answer::call("a", "add_todo", "{\"text\":\"milk\"}")],
        vec![in_pieces],
        vec![Answer::json(
            200,
            &json!({ "choices": [{ "message": { "content": "whole" } }] }),
        )],
        vec![
            Answer::status(429).header("retry-after", "0.01"),
            Answer::text("after a wait"),
        ],
        vec![
            Answer::sse().delta(&json!({ "content": "half" })).hang_up(),
            Answer::text("after a break"),
        ],
        vec![Answer::json(401, &json!({ "error": { "message": "who" } }))],
        vec![Answer::sse().event(&json!({ "error": { "message": "late" } }))],
    ] {
        let count = answers.len();
        let (tape, reply, deltas) = recorded(answers, 1).await;
        assert_eq!(tape.lines().count(), count, "one line for each attempt: {tape}");
        let (llm, cassette) = player(&tape, 1);
        let (again, deltas_again) = ask(&llm, request()).await;
        match (&reply, &again) {
            (Ok(reply), Ok(again)) => assert_eq!(reply, again),
            (Err(error), Err(again)) => assert_eq!(error.kind, again.kind),
            _ => panic!("{reply:?} {again:?}"),
        }
        assert_eq!(deltas.len(), deltas_again.len(), "{deltas:?} {deltas_again:?}");
        assert_eq!(cassette.remaining(), 0);
        let texts = |deltas: &[Delta]| -> Vec<String> {
            without_address(deltas)
                .into_iter()
                .filter(|delta| delta.starts_with("Text"))
                .collect()
        };
        assert_eq!(texts(&deltas), texts(&deltas_again));
    }
}

#[tokio::test]
async fn chunks_stay_cut_where_they_were_cut() {
    let answer = Answer::sse()
        .bytes("data: {\"choi")
        .wait(Duration::from_millis(30))
        .bytes("ces\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n");
    let (tape, _, _) = recorded([answer], 0).await;
    let line: Value = serde_json::from_str(&tape).expect("JSON");
    assert_eq!(line["reply"]["chunks"][0], "data: {\"choi");
    assert_eq!(line["reply"]["headers"]["content-type"], "text/event-stream");
    assert_eq!(line["request"]["body"], request().body());
    assert_eq!(line["request"]["hash"].as_str().map(str::len), Some(16));
}

#[tokio::test]
async fn no_key_is_on_the_tape() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}.") } });
    let in_two = Answer::status(500)
        .bytes(format!("Bearer {}", &KEY[..10]))
        .wait(Duration::from_millis(20))
        .bytes(&KEY[10..]);
    for answer in [Answer::json(401, &echo), in_two] {
        let (tape, _, _) = recorded([answer], 0).await;
        assert!(tape.contains("***"), "{tape}");
        assert!(!tape.contains("0123456789") && !tape.contains("cdef"), "{tape}");
        assert!(!tape.to_lowercase().contains("authorization"), "{tape}");
    }
    // A user who pastes the key into the conversation.
    let server = Server::start([Answer::text("hi")]);
    let buffer = Buffer::default();
    let llm = client(&server, 0)
        .api_key(KEY)
        .unwrap()
        .record(Recorder::to_writer(buffer.clone()));
    let mut pasted = (*request()).clone();
    pasted.messages[1]["content"] = format!("my key is {KEY}").into();
    ask(&llm, Arc::new(pasted)).await.0.unwrap();
    assert!(!buffer.text().contains("0123456789"), "{}", buffer.text());
}

#[tokio::test]
async fn a_request_that_differs_is_told_in_words() {
    let (tape, _, _) = recorded([Answer::text("hi")], 0).await;
    let check = async |edit: fn(&mut Request), words: &[&str]| {
        let (llm, cassette) = player(&tape, 3);
        let mut other = (*request()).clone();
        edit(&mut other);
        let error = ask(&llm, Arc::new(other)).await.0.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert!(
            error.message.starts_with("request 1 is not the one on the cassette: "),
            "{error}"
        );
        for words in words {
            assert!(error.message.contains(words), "{error}");
        }
        assert_eq!(cassette.remaining(), 1, "it still waits for its request");
    };
    check(
        |request| request.messages[1]["content"] = "Add bread".into(),
        &["messages[1].content is “Add bread”, recorded was “Add milk”"],
    )
    .await;
    check(
        |request| request.messages.push(json!({ "role": "user", "content": "x" })),
        &["messages has 3 items, recorded were 2"],
    )
    .await;
    check(
        |request| {
            request.temperature = 0.5;
            request.max_tokens = 7;
            request.stream = false;
            request.model = "other".into();
        },
        &["model is “other”, recorded was “test-model”", "and 2 more"],
    )
    .await;
    check(
        |request| request.messages[0]["name"] = "x".into(),
        &["messages[0].name is new: \"x\""],
    )
    .await;
}

#[tokio::test]
async fn parts_may_be_left_out_of_the_comparison() {
    let (tape, _, _) = recorded([Answer::text("hi")], 0).await;
    let mut other = (*request()).clone();
    other.messages[0]["content"] = "another page".into();
    let (llm, cassette) = player(&tape, 0);
    let cassette = cassette.ignore("/messages/0/content");
    let (reply, _) = ask(&llm, Arc::new(other)).await;
    assert_eq!((reply.unwrap().text.as_str(), cassette.remaining()), ("hi", 0));
}

#[tokio::test]
async fn a_cassette_comes_to_its_end() {
    let (tape, _, _) = recorded([Answer::text("hi")], 0).await;
    let (llm, _) = player(&tape, 0);
    ask(&llm, request()).await.0.unwrap();
    let error = ask(&llm, request()).await.0.unwrap_err();
    assert_eq!(error.message, "the cassette has 1 replies, and this is request 2");
}

#[tokio::test]
async fn a_server_that_was_not_there_is_not_there_again() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let buffer = Buffer::default();
    let llm = OpenAi::new(&base, "test-model").unwrap().retry(RetryPolicy::never());
    ask(&llm.record(Recorder::to_writer(buffer.clone())), request())
        .await
        .0
        .unwrap_err();
    let (llm, _) = player(&buffer.text(), 0);
    assert_eq!(ask(&llm, request()).await.0.unwrap_err().kind, ErrorKind::Network);
}

#[test]
fn what_is_no_recording_is_named_by_its_line() {
    let error = Cassette::parse("\n{\"request\":{\"hash\":\"\",\"body\":{}},\"reply\":{}}\nnonsense\n").unwrap_err();
    assert!(error.to_string().starts_with("line 3 of the cassette: "), "{error}");
    let bad_hex = r#"{"request":{"hash":"","body":{}},"reply":{"status":200,"chunks":[{"hex":"zz"}]}}"#;
    assert!(
        Cassette::parse(bad_hex)
            .unwrap_err()
            .to_string()
            .contains("hexadecimal")
    );
}
