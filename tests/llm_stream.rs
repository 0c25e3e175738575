//! Replies in pieces: what the client makes of every way servers stream.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use pling_core::{
    llm::{Delta, ErrorKind, Finish, Llm as _, LlmError, OpenAi, Reply, Request, RetryPolicy},
    observe::{Budget, Observation},
    snapshot::Snapshot,
};
use serde_json::{Value, json};

use crate::support::server::{Answer, Server};

pub(crate) fn request() -> Arc<Request> {
    let observation = Arc::new(Observation::new(&Arc::new(Snapshot::new(1)), &Budget::default()));
    let messages = vec![
        json!({ "role": "system", "content": "You help." }),
        json!({ "role": "user", "content": "Add milk" }),
    ];
    Arc::new(Request::new("test-model", messages, observation))
}

/// A client that does not wait between its retries.
pub(crate) fn client(server: &Server, retries: u32) -> OpenAi {
    let policy = RetryPolicy::new(retries, Duration::ZERO, Duration::ZERO);
    OpenAi::new(&server.url("/v1"), "test-model")
        .expect("a loopback address")
        .retry(policy)
}

/// The reply and every delta on the way to it.
pub(crate) async fn complete(llm: &OpenAi) -> (Result<Reply, LlmError>, Vec<Delta>) {
    let deltas = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&deltas);
    let reply = llm
        .complete(request(), Arc::new(move |delta| sink.lock().push(delta)))
        .await;
    let deltas = deltas.lock().clone();
    (reply, deltas)
}

async fn read(answer: Answer) -> Result<Reply, LlmError> {
    let server = Server::start([answer]);
    complete(&client(&server, 0)).await.0
}

fn calls(reply: &Reply) -> Vec<(&str, &str, &str)> {
    reply
        .calls
        .iter()
        .map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str()))
        .collect()
}

fn call(id: Option<&str>, index: Option<u64>, function: Value) -> Value {
    let mut call = json!({});
    call["function"] = function;
    if let Some(id) = id {
        call["id"] = id.into();
        call["type"] = "function".into();
    }
    if let Some(index) = index {
        call["index"] = index.into();
    }
    json!({ "tool_calls": [call] })
}

#[tokio::test]
async fn a01_deltas_without_index() {
    let reply = read(Answer::deltas(
        [
            call(
                Some("a"),
                None,
                json!({ "name": "add_todo", "arguments": "{\"text\":" }),
            ),
            call(None, None, json!({ "arguments": "\"x\"}" })),
            call(
                Some("b"),
                None,
                json!({ "name": "add_todo", "arguments": "{\"text\":\"y\"}" }),
            ),
        ],
        "tool_calls",
    ))
    .await
    .unwrap();
    assert_eq!(
        calls(&reply),
        [
            ("a", "add_todo", "{\"text\":\"x\"}"),
            ("b", "add_todo", "{\"text\":\"y\"}")
        ]
    );
}

#[tokio::test]
async fn a02_one_index_for_all_calls() {
    let whole = |id| {
        call(
            Some(id),
            Some(0),
            json!({ "name": "toggle", "arguments": "{\"record\":\"t1\"}" }),
        )
    };
    let reply = read(Answer::deltas([whole("a"), whole("b")], "tool_calls"))
        .await
        .unwrap();
    let ids: Vec<_> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert!(reply.calls.iter().all(|call| call.arguments == "{\"record\":\"t1\"}"));

    let piece = |arguments: &str| call(Some("a"), Some(0), json!({ "name": "toggle", "arguments": arguments }));
    let reply = read(Answer::deltas(
        [piece("{\"rec"), piece("ord\":"), piece("\"t1\"}")],
        "tool_calls",
    ))
    .await
    .unwrap();
    assert_eq!(calls(&reply), [("a", "toggle", "{\"record\":\"t1\"}")]);
}

#[tokio::test]
async fn a03_names_again_or_in_pieces() {
    let piece = |name: &str, arguments: &str| call(Some("a"), Some(0), json!({ "name": name, "arguments": arguments }));
    let reply = read(Answer::deltas(
        [
            piece("search", "{\"text\""),
            piece("search", ":\"x\""),
            piece("search", "}"),
        ],
        "tool_calls",
    ))
    .await
    .unwrap();
    assert_eq!(calls(&reply), [("a", "search", "{\"text\":\"x\"}")]);

    let reply = read(Answer::deltas([piece("add_", ""), piece("todo", "{}")], "tool_calls"))
        .await
        .unwrap();
    assert_eq!(calls(&reply), [("a", "add_todo", "{}")]);
}

#[tokio::test]
async fn a04_calls_without_arguments() {
    for function in [
        json!({ "name": "clear_done", "arguments": "" }),
        json!({ "name": "clear_done" }),
        json!({ "name": "clear_done", "arguments": null }),
        json!({ "name": "clear_done", "arguments": " \n" }),
    ] {
        let reply = read(Answer::deltas(
            [call(Some("a"), Some(0), function.clone())],
            "tool_calls",
        ))
        .await
        .unwrap();
        assert_eq!(reply.calls[0].arguments.trim(), "", "{function}");
        let message = reply.to_message();
        assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{}", "{function}");
        assert_eq!(message["content"], Value::Null);
    }
}

/// Six events: two pieces of text, a call in two pieces, the finish reason, and the end.
fn six_events(line_end: &str, space: &str) -> String {
    let data = [
        json!({ "choices": [{ "delta": { "content": "one " } }] }).to_string(),
        json!({ "choices": [{ "delta": { "content": " two" } }] }).to_string(),
        json!({ "choices": [{ "delta": call(Some("a"), Some(0), json!({ "name": "x", "arguments": "{" })) }] })
            .to_string(),
        json!({ "choices": [{ "delta": call(None, Some(0), json!({ "arguments": "}" })) }] }).to_string(),
        json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }).to_string(),
        "[DONE]".to_owned(),
    ];
    data.iter()
        .map(|data| format!("data:{space}{data}{line_end}{line_end}"))
        .collect()
}

fn assert_six(reply: &Reply) {
    assert_eq!(reply.text, "one  two");
    assert_eq!(calls(reply), [("a", "x", "{}")]);
}

#[tokio::test]
async fn a07_no_space_after_the_colon() {
    for space in ["", " "] {
        assert_six(&read(Answer::sse().bytes(six_events("\n", space))).await.unwrap());
    }
    // One space belongs to the field, the next one to the value: JSON does not mind, and neither does `[DONE]`.
    assert_six(&read(Answer::sse().bytes(six_events("\n", "  "))).await.unwrap());
    // A JSON text over two lines of data, the second with two spaces.
    let split = "data: {\"choices\":[{\"delta\":\ndata:  {\"content\":\"x\"}}]}\n\ndata:[DONE]\n\n";
    assert_eq!(read(Answer::sse().bytes(split)).await.unwrap().text, "x");
}

#[tokio::test]
async fn a08_line_ends() {
    for line_end in ["\n", "\r\n", "\r"] {
        assert_six(&read(Answer::sse().bytes(six_events(line_end, " "))).await.unwrap());
    }
    let events = six_events("\n", " ");
    let mixed: String = events
        .split_inclusive("\n\n")
        .zip(["\n", "\r\n", "\r"].iter().cycle())
        .fold(String::new(), |mixed, (event, line_end)| {
            mixed + &event.replace('\n', line_end)
        });
    assert_six(&read(Answer::sse().bytes(mixed)).await.unwrap());

    // Cut between every CR and its LF, and then after every single byte.
    let crlf = six_events("\r\n", " ");
    let cut = crlf.split_inclusive('\r').fold(Answer::sse(), Answer::bytes);
    assert_six(&read(cut).await.unwrap());
    let single = crlf.bytes().fold(Answer::sse(), |answer, byte| answer.bytes([byte]));
    assert_six(&read(single).await.unwrap());
}

#[tokio::test]
async fn a11_usage_chunks_without_choices() {
    let usage = json!({ "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 });
    let finish = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let after = Answer::sse()
        .delta(&json!({ "content": "hi" }))
        .event(&finish)
        .event(&json!({ "choices": [], "usage": usage }))
        .event(&json!({ "id": "x" }))
        .done();
    let before = Answer::sse()
        .delta(&json!({ "content": "hi" }))
        .event(&json!({ "usage": usage }))
        .event(&finish)
        .done();
    for answer in [after, before] {
        let reply = read(answer).await.unwrap();
        assert_eq!(reply.text, "hi");
        let usage = reply.usage.unwrap();
        assert_eq!((usage.prompt_tokens, usage.completion_tokens), (7, 3));
    }
}

#[tokio::test]
async fn a12_errors_inside_a_success() {
    let half = Answer::deltas(
        [
            json!({ "content": "half" }),
            call(Some("a"), Some(0), json!({ "name": "x", "arguments": "{}" })),
        ],
        "",
    );
    for (answer, words) in [
        (
            Answer::sse().event(&json!({ "error": { "message": "overloaded", "code": 503 } })),
            "overloaded",
        ),
        (Answer::sse().event(&json!({ "error": "text" })), "text"),
        (
            Answer::sse().bytes("event: error\ndata: {\"message\":\"named\"}\n\n"),
            "named",
        ),
        (Answer::sse().bytes("event: error\ndata: in words\n\n"), "in words"),
        (Answer::json(200, &json!({ "error": { "message": "body" } })), "body"),
        (
            Answer::sse()
                .delta(&json!({ "content": "half" }))
                .event(&json!({ "error": { "message": "late" } })),
            "late",
        ),
    ] {
        let server = Server::start([answer.clone(), Answer::text("never asked for")]);
        let (reply, _) = complete(&client(&server, 3)).await;
        let error = reply.unwrap_err();
        assert!(error.message.contains(words), "{answer:?}: {error}");
        assert_eq!(error.kind, ErrorKind::Server, "{answer:?}");
        assert_eq!(server.requests().len(), 1);
    }
    // An empty finish reason is none; `[DONE]` alone completes.
    assert_eq!(read(half).await.unwrap().calls.len(), 1);
}

#[tokio::test]
async fn a13_calls_count_whatever_the_finish_reason() {
    let toggle = call(Some("a"), Some(0), json!({ "name": "toggle", "arguments": "{}" }));
    let reply = read(Answer::deltas([toggle], "stop")).await.unwrap();
    assert_eq!((reply.calls.len(), reply.finish), (1, Finish::ToolCalls));

    let reply = read(Answer::deltas([json!({ "content": "done" })], "tool_calls"))
        .await
        .unwrap();
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("done", 0));
}

#[tokio::test]
async fn a14_empty_finish_reasons() {
    let chunk =
        |text: &str, finish: &str| json!({ "choices": [{ "delta": { "content": text }, "finish_reason": finish }] });
    let answer = Answer::sse()
        .event(&chunk("a", ""))
        .event(&chunk("b", ""))
        .event(&chunk("c", "stop"));
    let reply = read(answer).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("abc", Finish::Stop));
}

#[tokio::test]
async fn a16_cut_by_the_output_limit() {
    let cut = call(
        Some("a"),
        Some(0),
        json!({ "name": "add_todo", "arguments": "{\"text\":\"buy mil" }),
    );
    let reply = read(Answer::deltas([cut], "length")).await.unwrap();
    assert_eq!(reply.finish, Finish::Length);
    // What goes back is valid JSON, and says what came.
    let arguments = reply.to_message()["tool_calls"][0]["function"]["arguments"]
        .as_str()
        .unwrap()
        .to_owned();
    let arguments: Value = serde_json::from_str(&arguments).unwrap();
    assert_eq!(arguments, json!({ "_invalid": "{\"text\":\"buy mil" }));
}

#[tokio::test]
async fn a17_connections_that_end_early() {
    let partial = || {
        let cut = call(
            Some("a"),
            Some(0),
            json!({ "name": "add_todo", "arguments": "{\"text\":" }),
        );
        Answer::sse().delta(&json!({ "content": "I will" })).delta(&cut)
    };
    let unclosed = Answer::sse()
        .delta(&json!({ "content": "I will" }))
        .bytes("data: {\"choices\":[{\"del");
    for answer in [partial(), partial().hang_up(), unclosed, Answer::sse()] {
        // Interrupted: sent again, and the first text is void.
        let server = Server::start([answer.clone(), Answer::text("whole")]);
        let (reply, deltas) = complete(&client(&server, 1)).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.calls.len()), ("whole", 0), "{answer:?}");
        assert!(
            deltas
                .iter()
                .any(|delta| matches!(delta, Delta::Retry { attempt: 1, .. })),
            "{deltas:?}"
        );
        assert_eq!(deltas.last(), Some(&Delta::Text("whole".to_owned())));

        // Without retries, an error that can be seen.
        assert_eq!(read(answer).await.unwrap_err().kind, ErrorKind::Network);
    }
    let text = || Answer::sse().delta(&json!({ "content": "all" }));
    let finish = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    for complete in [
        text().done(),
        text().event(&finish),
        text().event(&finish).hang_up(),
        text().bytes("data: [DONE]"),
        text().bytes(format!("data: {finish}")),
    ] {
        assert_eq!(read(complete).await.unwrap().text, "all");
    }
}

#[tokio::test]
async fn a19_servers_that_fall_silent() {
    let idle = Duration::from_millis(200);
    let silent = Answer::sse().stall();
    let comments = Answer::sse().forever(": still here\n\n", Duration::from_millis(20));
    let pings = Answer::sse().forever("event: ping\n\n", Duration::from_millis(20));
    let midway = Answer::sse().delta(&json!({ "content": "a" })).stall();
    for answer in [silent, comments, pings, midway] {
        let server = Server::start([answer.clone()]);
        let (reply, _) = complete(&client(&server, 3).idle_timeout(idle)).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Network, "{answer:?}");
        assert!(error.message.contains("0.2 seconds"), "{error}");
        server.hung_up(1).await;
    }
}

#[tokio::test]
async fn a19_slow_is_not_silent() {
    let pause = Duration::from_millis(100);
    let slow = (0..6)
        .fold(Answer::sse(), |answer, _| {
            answer.wait(pause).delta(&json!({ "content": "x" }))
        })
        .done();
    let server = Server::start([slow]);
    let (reply, _) = complete(&client(&server, 0).idle_timeout(pause * 4)).await;
    assert_eq!(reply.unwrap().text, "xxxxxx");
}

#[tokio::test]
async fn a19_a_dropped_request_closes_the_connection() {
    let server = Server::start([Answer::sse().delta(&json!({ "content": "a" })).stall()]);
    let (seen, first_text) = tokio::sync::oneshot::channel();
    let seen = Mutex::new(Some(seen));
    let reply = client(&server, 3).complete(
        request(),
        Arc::new(move |_| {
            if let Some(seen) = seen.lock().take() {
                seen.send(()).unwrap();
            }
        }),
    );
    let task = tokio::spawn(reply);
    first_text.await.unwrap();
    task.abort();
    server.hung_up(1).await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_finish_reason_is_enough_where_the_server_does_not_close() {
    let finish = json!({ "choices": [{ "delta": { "content": "all" }, "finish_reason": "stop" }] });
    let server = Server::start([Answer::sse().event(&finish).stall()]);
    let (reply, _) = complete(&client(&server, 0).idle_timeout(Duration::from_millis(100))).await;
    assert_eq!(reply.unwrap().text, "all");
}

#[tokio::test]
async fn an_endless_event_is_cut_before_it_is_decoded() {
    let endless = Answer::sse()
        .bytes("data: ")
        .forever(&"x".repeat(1000), Duration::from_millis(1));
    let lines = Answer::sse().forever("data: x\r\n", Duration::from_millis(1));
    for answer in [endless, lines] {
        let server = Server::start([answer]);
        let (reply, _) = complete(&client(&server, 3).max_event_bytes(2000)).await;
        let error = reply.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert!(error.message.contains("2000 bytes"), "{error}");
        server.hung_up(1).await;
    }
    // Many events together may be longer, under any line end.
    for line_end in ["\n", "\r\n"] {
        let event = format!(
            "data: {}{line_end}{line_end}",
            json!({ "choices": [{ "delta": { "content": "x" } }] })
        );
        let server = Server::start([Answer::sse().bytes(event.repeat(100)).done()]);
        let (reply, _) = complete(&client(&server, 0).max_event_bytes(200)).await;
        assert_eq!(reply.unwrap().text.len(), 100);
    }
}

#[tokio::test]
async fn fields_of_the_provider_come_back_with_the_next_request() {
    let reply = read(Answer::deltas(
        [
            json!({ "role": "assistant", "content": null, "reasoning_content": "first " }),
            json!({ "reasoning_content": "this" }),
            json!({ "content": "Hello" }),
        ],
        "stop",
    ))
    .await
    .unwrap();
    assert_eq!(
        reply.to_message(),
        json!({ "role": "assistant", "content": "Hello", "reasoning_content": "first this" })
    );
}
