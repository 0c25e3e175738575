//! Requests, failures, retries, and replies in one piece.

use std::{sync::Arc, time::Duration};

use async_openai::types::chat::CreateChatCompletionRequest;
use parking_lot::Mutex;
use pling_core::{
    llm::{Delta, ErrorKind, Finish, Llm as _, OpenAi, Request, RetryPolicy},
    platform::now,
};
use serde_json::{Value, json};

use crate::{
    llm_stream::{client, complete, request},
    support::server::{Answer, Server},
};

#[tokio::test]
async fn the_bytes_sent_are_the_body_and_others_can_read_them() {
    let server = Server::start([Answer::text("hi")]);
    complete(&client(&server, 0)).await.0.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(sent.bytes, serde_json::to_vec(&request().body()).unwrap());
    assert_eq!(sent.header("content-type"), Some("application/json"));
    // Compression is not spoken here, so it is not asked for.
    assert_eq!(sent.header("accept-encoding"), None);

    let read: CreateChatCompletionRequest = serde_json::from_slice(&sent.bytes).unwrap();
    assert_eq!(
        (read.model.as_str(), read.stream, read.messages.len()),
        ("test-model", Some(true), 2)
    );
}

#[tokio::test]
async fn a_conversation_with_calls_has_the_shape_others_read() {
    let server = Server::start([Answer::call("a", "add_todo", "{\"text\":\"milk\"}")]);
    let reply = complete(&client(&server, 0)).await.0.unwrap();
    let first = request();
    let mut messages = first.messages.clone();
    messages.push(reply.to_message());
    messages.push(json!({ "role": "tool", "tool_call_id": "a", "content": "{\"result\":{\"ok\":true}}" }));
    let next = Request::new("test-model", messages, Arc::clone(&first.observation));
    server.push(Answer::text("Added."));
    let reply = client(&server, 0)
        .complete(Arc::new(next), Arc::new(|_| {}))
        .await
        .unwrap();
    assert_eq!(reply.text, "Added.");
    let read: CreateChatCompletionRequest = serde_json::from_slice(&server.requests()[1].bytes).unwrap();
    assert_eq!(
        serde_json::to_value(&read.messages[2]).unwrap()["tool_calls"][0]["id"],
        "a"
    );
}

#[tokio::test]
async fn a20_retry_after_is_a_floor() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (value, floor) in [
        ("2", 2000),
        ("1.5", 1500),
        ("Sun, 06 Nov 1994 08:49:39 GMT", 2000),
        ("Sun, 06 Nov 1994 08:49:30 GMT", 0),
        ("abc", 0),
        ("-1", 0),
    ] {
        let server = Server::start([Answer::status(429).header("date", date).header("retry-after", value)]);
        let llm = OpenAi::new(&server.url("/v1"), "m").unwrap();
        let llm = llm.retry(RetryPolicy::new(
            1,
            Duration::from_millis(40),
            Duration::from_millis(80),
        ));
        // The wait is announced when it begins; it need not be sat through.
        let (announce, announced) = tokio::sync::oneshot::channel();
        let announce = Mutex::new(Some(announce));
        let reply = tokio::spawn(llm.complete(
            request(),
            Arc::new(move |delta| {
                if let (Delta::Retry { wait_millis, .. }, Some(announce)) = (delta, announce.lock().take()) {
                    announce.send(wait_millis).unwrap();
                }
            }),
        ));
        let wait = announced.await.unwrap();
        let expect = if floor == 0 { 40..=80 } else { floor..=floor };
        assert!(expect.contains(&wait), "{value}: {wait}");
        // Cancelling in the wait returns at once.
        reply.abort();
        assert!(reply.await.unwrap_err().is_cancelled());
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a20_no_attempt_before_the_wait_is_over() {
    let server = Server::start([Answer::status(429).header("retry-after", "0.08"), Answer::text("hi")]);
    let start = now();
    assert_eq!(complete(&client(&server, 1)).await.0.unwrap().text, "hi");
    assert!(start.elapsed() >= Duration::from_millis(80));
}

#[tokio::test]
async fn a20_a_wait_beyond_a_minute_is_shown() {
    let server = Server::start([Answer::status(429).header("retry-after", "86400")]);
    let error = complete(&client(&server, 3)).await.0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::RateLimited);
    assert!(error.message.contains("86400 seconds"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a20_one_attempt_and_the_retries() {
    for status in [408, 409, 429, 500, 502, 503, 529] {
        let answer = Answer::json(status, &json!({ "error": { "message": "busy" } }));
        let server = Server::start(vec![answer; 5]);
        let (reply, deltas) = complete(&client(&server, 2)).await;
        assert!(reply.unwrap_err().message.contains("busy"));
        assert_eq!(server.requests().len(), 3, "{status}");
        assert_eq!(deltas.len(), 2, "{status}");
    }
    for (status, body) in [
        (400, json!({ "error": { "message": "bad" } })),
        (401, json!({ "error": { "message": "who" } })),
        (403, json!({ "error": { "message": "no" } })),
        (404, json!({ "error": { "message": "where" } })),
        (413, json!({ "error": { "message": "big" } })),
        (
            429,
            json!({ "error": { "message": "pay", "code": "insufficient_quota" } }),
        ),
    ] {
        let server = Server::start([Answer::json(status, &body), Answer::text("never asked for")]);
        complete(&client(&server, 3)).await.0.unwrap_err();
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_refused_connection_is_tried_again_and_named() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let policy = RetryPolicy::new(2, Duration::ZERO, Duration::ZERO);
    let (reply, deltas) = complete(&OpenAi::new(&base, "m").unwrap().retry(policy)).await;
    let error = reply.unwrap_err();
    assert_eq!((error.kind, deltas.len()), (ErrorKind::Network, 2));
    assert!(error.message.contains(&base), "{error}");
}

#[tokio::test]
async fn a24_base_urls() {
    for (base, path) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/api/paas/v4", "/api/paas/v4/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/v1?api-version=x", "/v1/chat/completions?api-version=x"),
    ] {
        let server = Server::start([Answer::status(404)]);
        let error = complete(&OpenAi::new(&server.url(base), "m").unwrap())
            .await
            .0
            .unwrap_err();
        assert_eq!(server.requests()[0].path, path, "{base}");
        assert_eq!(error.kind, ErrorKind::ModelNotFound);
        assert!(error.message.contains(&server.url(path)), "{error}");
    }
}

#[tokio::test]
async fn a25_keys() {
    for (key, expect) in [
        ("", None),
        ("  ", None),
        ("\n", None),
        ("sk-1", Some("Bearer sk-1")),
        ("sk-1\n", Some("Bearer sk-1")),
        ("\tsk-1\r\n", Some("Bearer sk-1")),
    ] {
        let server = Server::start([Answer::text("hi")]);
        complete(&client(&server, 0).api_key(key).unwrap()).await.0.unwrap();
        assert_eq!(server.requests()[0].header("authorization"), expect, "{key:?}");
    }
    let server = Server::start([Answer::text("hi")]);
    complete(&client(&server, 0)).await.0.unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);

    for key in ["sk\n1", "sk-é", "sk\0"] {
        let error = client(&server, 0).api_key(key).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotConfigured);
        assert!(!error.message.contains("sk"), "{error}");
    }
}

#[tokio::test]
async fn no_error_and_no_debug_output_holds_the_key() {
    const KEY: &str = "sk-proj-0123456789abcdef";
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}.") } });
    let plain = Answer::status(500).bytes(format!("request with Bearer {KEY} failed"));
    let in_band = Answer::sse().event(&echo);
    for answer in [Answer::json(401, &echo), plain, in_band] {
        let server = Server::start([answer.clone(), answer]);
        let llm = client(&server, 1).api_key(KEY).unwrap();
        let (reply, deltas) = complete(&llm).await;
        let error = reply.unwrap_err();
        assert!(error.message.contains("***"), "{error}");
        for text in [
            format!("{error:?}"),
            format!("{deltas:?}"),
            format!("{llm:?}"),
            llm.name(),
        ] {
            assert!(!text.contains("0123456789"), "{text}");
        }
    }
}

#[tokio::test]
async fn a21_content_that_is_null_or_missing() {
    let call = json!({ "id": "a", "type": "function", "function": { "name": "x", "arguments": "{}" } });
    for message in [
        json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
        json!({ "role": "assistant", "tool_calls": [call] }),
    ] {
        let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
        let server = Server::start([Answer::json(200, &body)]);
        let reply = complete(&client(&server, 0)).await.0.unwrap();
        assert_eq!((reply.text.as_str(), reply.calls.len()), ("", 1));
    }
}

#[tokio::test]
async fn a32_compressed_bytes_labelled_or_not() {
    const GZIP: [u8; 8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0];
    for answer in [Answer::sse(), Answer::sse().header("content-encoding", "gzip")] {
        let server = Server::start([answer.bytes(GZIP)]);
        let error = complete(&client(&server, 3)).await.0.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert!(error.message.contains("compressed"), "{error}");
        // It was not asked for.
        assert_eq!(server.requests()[0].header("accept-encoding"), None);
    }
}

#[tokio::test]
async fn a33_a_reply_in_one_piece() {
    let message = json!({
        "role": "assistant",
        "content": "Adding it.",
        "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "add_todo", "arguments": "{\"text\":\"milk\"}" } }],
    });
    let body = json!({
        "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3 },
    });
    let mislabelled = Answer::status(200)
        .header("content-type", "text/event-stream")
        .bytes(body.to_string());
    for answer in [Answer::json(200, &body), mislabelled] {
        let server = Server::start([answer]);
        let (reply, deltas) = complete(&client(&server, 0)).await;
        let reply = reply.unwrap();
        assert_eq!(deltas, [Delta::Text("Adding it.".to_owned())]);
        assert_eq!((reply.calls.len(), &reply.finish), (1, &Finish::ToolCalls));
        assert_eq!(reply.usage.unwrap().prompt_tokens, 7);
        assert_eq!(reply.to_message(), message);
    }
}

#[tokio::test]
async fn a33_a_stream_nobody_asked_for() {
    let mislabelled = Answer::status(200)
        .header("content-type", "application/json")
        .bytes("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n");
    for answer in [Answer::text("hi"), mislabelled] {
        let server = Server::start([answer]);
        let mut whole = (*request()).clone();
        whole.stream = false;
        let reply = client(&server, 0)
            .complete(Arc::new(whole), Arc::new(|_| {}))
            .await
            .unwrap();
        assert_eq!(reply.text, "hi");
        assert_eq!(server.requests()[0].body["stream"], false);
        assert_eq!(server.requests()[0].body.get("stream_options"), None::<&Value>);
    }
}

#[tokio::test]
async fn pages_and_redirects_are_no_replies() {
    let page = "<!DOCTYPE html><title>Log in</title>";
    let server = Server::start([Answer::status(200).header("content-type", "text/html").bytes(page)]);
    let error = complete(&client(&server, 3)).await.0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(error.message.contains("HTML"), "{error}");

    let server = Server::start([Answer::status(301).header("location", "https://elsewhere.example/v1")]);
    let error = complete(&client(&server, 3)).await.0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(error.message.contains("https://elsewhere.example/v1"), "{error}");
    assert_eq!(server.requests().len(), 1);
}
