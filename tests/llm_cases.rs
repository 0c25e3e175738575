//! Misbehaving servers through a whole session: what runs in the app, and what is sent next. Each request is one that
//! the strictest provider takes.

use std::sync::Arc;

use pling_core::{
    act::{Code, Receipt},
    agent::{Config, ConfigPatch, End, Outcome, Session, SessionParts},
    llm::{OpenAi, RetryPolicy},
    platform::Duration,
};
use serde_json::{Value, json};

use crate::{
    llm_stream::client,
    support::{
        Bench,
        server::{Answer, Server},
        validate::assert_valid_request,
    },
};

struct Desk {
    bench: Bench,
    server: Server,
    session: Session,
}

impl Desk {
    fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::with(Server::start(answers), |client| client)
    }

    fn with(server: Server, edit: impl FnOnce(OpenAi) -> OpenAi) -> Self {
        let bench = Bench::trusted();
        let config = Config::resolve_injected(|_| None, ConfigPatch::new().system_prompt("You help with tasks."));
        let mut parts = SessionParts::new(bench.executor.clone(), config.expect("valid"));
        parts.llm = Some(Arc::new(edit(client(&server, 0))));
        let (session, driver) = Session::new(parts);
        tokio::spawn(driver);
        Self { bench, server, session }
    }

    async fn ask(&self, text: &str) -> Outcome {
        self.session.send(text).await
    }

    /// Every body so far, checked.
    fn bodies(&self) -> Vec<Value> {
        let bodies: Vec<_> = self.server.requests().into_iter().map(|sent| sent.body).collect();
        bodies.iter().for_each(assert_valid_request);
        bodies
    }

    /// The conversation of the latest request.
    fn messages(&self) -> Vec<Value> {
        let bodies = self.bodies();
        bodies.last().expect("a request")["messages"]
            .as_array()
            .expect("messages")[1..]
            .to_vec()
    }

    fn handled(&self) -> Vec<String> {
        self.bench.host.handled()
    }
}

fn codes(outcome: &Outcome) -> Vec<Option<Code>> {
    outcome.receipts.iter().map(Receipt::code).collect()
}

fn call(index: Option<u64>, id: Option<&str>, function: Value) -> Value {
    let mut call = json!({});
    call["function"] = function;
    if let Some(index) = index {
        call["index"] = index.into();
    }
    if let Some(id) = id {
        call["id"] = id.into();
    }
    json!({ "tool_calls": [call] })
}

fn toggle(record: &str) -> Value {
    json!({ "name": "toggle", "arguments": json!({ "record": record }).to_string() })
}

#[tokio::test]
async fn a01_a02_calls_that_servers_mix_up_all_run_in_order() {
    for index in [None, Some(0)] {
        let deltas = [
            call(index, Some("a"), toggle("t1")),
            call(index, Some("b"), toggle("t2")),
        ];
        let desk = Desk::new([Answer::deltas(deltas, "tool_calls"), Answer::text("Both.")]);
        assert!(desk.ask("Tick both").await.is_answered());
        assert_eq!(desk.handled(), ["toggle t1", "toggle t2"]);
        let ids: Vec<_> = desk
            .messages()
            .iter()
            .filter_map(|message| message["tool_call_id"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(ids, ["a", "b"]);
    }
}

#[tokio::test]
async fn a03_a_name_in_pieces_that_is_no_action() {
    let piece = |name: &str| call(Some(0), Some("a"), json!({ "name": name, "arguments": "" }));
    let desk = Desk::new([
        Answer::deltas([piece("tog"), piece("gel")], "tool_calls"),
        Answer::text("No."),
    ]);
    let outcome = desk.ask("Go").await;
    assert_eq!(codes(&outcome), [Some(Code::UnknownAction)]);
    assert!(desk.handled().is_empty());
}

#[tokio::test]
async fn a04_calls_without_arguments_run_and_go_back_as_objects() {
    for function in [
        json!({ "name": "clear_done", "arguments": "" }),
        json!({ "name": "clear_done" }),
        json!({ "name": "clear_done", "arguments": null }),
        json!({ "name": "clear_done", "arguments": " \n" }),
    ] {
        let desk = Desk::new([
            Answer::deltas([call(Some(0), Some("a"), function.clone())], "tool_calls"),
            Answer::text("Cleared."),
        ]);
        assert!(desk.ask("Clear").await.is_answered(), "{function}");
        assert_eq!(desk.handled(), ["clear_done"], "{function}");
        assert_eq!(
            desk.messages()[1]["tool_calls"][0]["function"]["arguments"],
            "{}",
            "{function}"
        );
    }
}

#[tokio::test]
async fn a12_an_error_after_half_a_reply_runs_none_of_its_calls() {
    let answer = Answer::sse()
        .delta(&json!({ "content": "I will " }))
        .delta(&call(Some(0), Some("a"), toggle("t1")))
        .event(&json!({ "error": { "message": "overloaded", "code": 503 } }));
    let desk = Desk::new([answer, Answer::text("Here again.")]);
    let outcome = desk.ask("Tick milk").await;
    let End::Failed { code, message } = &outcome.end else {
        panic!("{outcome:?}")
    };
    assert_eq!(*code, "SERVER");
    assert!(message.contains("overloaded"), "{message}");
    assert!(outcome.receipts.is_empty() && desk.handled().is_empty());
    // Not an empty answer either, and the next message finds a valid history.
    assert!(desk.ask("Still there?").await.is_answered());
    assert_eq!(desk.messages().len(), 1, "{:?}", desk.messages());
}

#[tokio::test]
async fn a13_a_call_that_ends_with_stop_runs_once() {
    let desk = Desk::new([
        Answer::deltas([call(Some(0), Some("a"), toggle("t1"))], "stop"),
        Answer::text("Done."),
    ]);
    assert!(desk.ask("Tick milk").await.is_answered());
    assert_eq!(desk.handled(), ["toggle t1"]);
    // The converse: words with `tool_calls` are an answer, nothing at all is asked for once more and then given up.
    let desk = Desk::new([Answer::deltas([json!({ "content": "Hello." })], "tool_calls")]);
    assert_eq!(desk.ask("Hi").await.answer.as_deref(), Some("Hello."));
    let desk = Desk::new(vec![Answer::deltas([], "tool_calls"); 5]);
    assert!(matches!(
        desk.ask("Hi").await.end,
        End::Stopped { .. } | End::Failed { .. }
    ));
    assert_eq!(desk.bodies().len(), 2);
}

#[tokio::test]
async fn a16_a_cut_call_does_not_run_even_if_it_parses() {
    for arguments in ["{\"text\":\"buy mil", "{\"text\":\"buy mil\"}"] {
        let cut = || {
            let function = json!({ "name": "add_todo", "arguments": arguments });
            Answer::deltas([call(Some(0), Some("a"), function)], "length")
        };
        let desk = Desk::new([cut(), Answer::text("Too long, sorry.")]);
        let outcome = desk.ask("Add").await;
        assert!(outcome.is_answered() && desk.handled().is_empty(), "{outcome:?}");
        let result = desk.messages()[2]["content"].as_str().expect("text").to_owned();
        assert!(result.contains("cut"), "{result}");

        let desk = Desk::new(vec![cut(); 5]);
        assert!(matches!(desk.ask("Add").await.end, End::Stopped { .. }));
        assert_eq!((desk.bodies().len(), desk.handled().len()), (3, 0), "not for ever");
    }
}

#[tokio::test]
async fn a17_half_a_call_never_runs() {
    let cut = Answer::sse().delta(&call(Some(0), Some("a"), toggle("t1"))).hang_up();
    let desk = Desk::new([cut.clone(), Answer::text("Hello.")]);
    let outcome = desk.ask("Tick milk").await;
    assert!(
        matches!(outcome.end, End::Failed { code: "NETWORK", .. }),
        "{outcome:?}"
    );
    assert!(desk.handled().is_empty());

    // Sent again, the whole reply counts, once.
    let again = Answer::deltas([call(Some(0), Some("a"), toggle("t1"))], "tool_calls");
    let server = Server::start([cut, again, Answer::text("Done.")]);
    let desk = Desk::with(server, |client| {
        client.retry(RetryPolicy::new(1, Duration::ZERO, Duration::ZERO))
    });
    assert!(desk.ask("Tick milk").await.is_answered());
    assert_eq!(desk.handled(), ["toggle t1"]);
    assert_eq!(desk.messages().len(), 3);
}

#[tokio::test]
async fn a19_a_cancel_while_the_server_stalls_closes_the_socket() {
    let desk = Desk::new([
        Answer::sse().delta(&json!({ "content": "Hm" })).stall(),
        Answer::text("Hello."),
    ]);
    let mut events = desk.session.events();
    let session = desk.session.clone();
    let run = tokio::spawn(async move { session.send("Hi").await });
    // Whatever comes first, the request is under way when the first piece of text arrives.
    while !format!("{:?}", events.next().await.expect("the session is there")).contains("Hm") {}
    desk.session.cancel();
    assert!(matches!(run.await.expect("no panic").end, End::Cancelled));
    desk.server.hung_up(1).await;
    assert!(
        desk.ask("Again").await.is_answered(),
        "a session outlives a cancelled run"
    );
}

/// Strict servers want `content` in every message, and `null` only beside calls.
#[tokio::test]
async fn a21_content_is_there_and_null_only_beside_calls() {
    let desk = Desk::new([
        Answer::call("a", "toggle", "{\"record\":\"t1\"}"),
        Answer::deltas([], "stop"),
        Answer::text("Done."),
        Answer::deltas(
            [
                json!({ "content": "Ticking. " }),
                call(Some(0), Some("b"), toggle("t2")),
            ],
            "tool_calls",
        ),
        Answer::text("Done again."),
    ]);
    assert!(desk.ask("Tick milk").await.is_answered());
    assert!(desk.ask("And bread").await.is_answered());
    for body in desk.bodies() {
        for message in body["messages"].as_array().expect("messages") {
            let content = message.get("content").expect("every message has content");
            assert!(content.is_string() || message["tool_calls"].is_array(), "{message}");
        }
    }
    let messages = desk.messages();
    assert_eq!(
        (&messages[1]["content"], &messages[5]["content"]),
        (&Value::Null, &json!("Ticking. "))
    );
}

#[tokio::test]
async fn a26_ten_turns_have_one_system_message_and_known_roles() {
    let records = ["t1", "t2", "t3"];
    let turns = (0..9).map(|turn| {
        let arguments = json!({ "record": records[turn % 3] }).to_string();
        Answer::call(&format!("c{turn}"), "toggle", &arguments)
    });
    let desk = Desk::new(turns.chain([Answer::text("Enough.")]));
    assert!(desk.ask("Tick and untick").await.is_answered());
    assert_eq!((desk.bodies().len(), desk.handled().len()), (10, 9));
    for body in desk.bodies() {
        let roles: Vec<_> = body["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|m| m["role"].as_str().expect("a role"))
            .collect();
        assert_eq!(roles[0], "system");
        assert!(
            roles[1..]
                .iter()
                .all(|role| ["user", "assistant", "tool"].contains(role)),
            "{roles:?}"
        );
    }
}

#[tokio::test]
async fn a27_a28_unknown_names_have_results_and_the_rest_runs() {
    let deltas = [
        call(
            Some(0),
            Some("a"),
            json!({ "name": "delete_everything", "arguments": "{}" }),
        ),
        call(
            Some(1),
            Some("b"),
            json!({ "name": "Toggle", "arguments": "{\"record\":\"t1\"}" }),
        ),
        call(Some(2), Some("c"), toggle("t2")),
    ];
    let desk = Desk::new([Answer::deltas(deltas, "tool_calls"), Answer::text("One of three.")]);
    let outcome = desk.ask("Go").await;
    assert_eq!(
        codes(&outcome),
        [Some(Code::UnknownAction), Some(Code::UnknownAction), None]
    );
    assert_eq!(desk.handled(), ["toggle t2"]);
    let near = desk.messages()[3]["content"].as_str().expect("text").to_owned();
    assert!(near.contains("toggle"), "a near miss gets a suggestion: {near}");
}

#[tokio::test]
async fn a33_a_reply_in_one_piece_is_executed_once() {
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [
        { "id": "a", "type": "function", "function": toggle("t1") }
    ] });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    let desk = Desk::new([Answer::json(200, &body), Answer::text("Done.")]);
    assert!(desk.ask("Tick milk").await.is_answered());
    assert_eq!(desk.handled(), ["toggle t1"]);
}

/// What providers put beside the known fields is theirs: without it some refuse the next request.
#[tokio::test]
async fn fields_of_messages_and_calls_come_back_unchanged() {
    let mut signed = call(Some(0), Some("a"), toggle("t1"));
    signed["tool_calls"][0]["extra_content"] = json!({ "google": { "thought_signature": "sig==" } });
    let desk = Desk::new([
        Answer::deltas(
            [
                json!({ "role": "assistant", "content": null, "reasoning_content": "" }),
                json!({ "reasoning_content": "First " }),
                json!({ "reasoning_content": "this." }),
                json!({ "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "Fi" }] }),
                json!({ "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "rst" }] }),
                signed,
            ],
            "tool_calls",
        ),
        Answer::text("Done."),
    ]);
    assert!(desk.ask("Tick milk").await.is_answered());
    assert_eq!(
        desk.messages()[1],
        json!({
            "role": "assistant", "content": null, "reasoning_content": "First this.",
            "reasoning_details": [{ "type": "reasoning.text", "index": 0, "text": "First" }],
            "tool_calls": [{
                "id": "a", "type": "function", "extra_content": { "google": { "thought_signature": "sig==" } },
                "function": toggle("t1"),
            }],
        })
    );
}

/// Empty thoughts are thoughts: a provider that sent the field wants it back (DeepSeek).
#[tokio::test]
async fn an_empty_field_comes_back_as_well() {
    let desk = Desk::new([
        Answer::deltas(
            [
                json!({ "reasoning_content": "" }),
                call(Some(0), Some("a"), toggle("t1")),
            ],
            "tool_calls",
        ),
        Answer::text("Done."),
    ]);
    assert!(desk.ask("Tick milk").await.is_answered());
    assert_eq!(desk.messages()[1]["reasoning_content"], "");
}
