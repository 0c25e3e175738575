//! The gateway example: what goes to the provider, what comes back, and that the key does neither leave nor leak.

use std::{net::SocketAddr, sync::Arc};

use gateway::{Config, router};
use pling_core::llm::{Llm as _, OpenAi};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::{
    llm_stream,
    mcp::{Reply, exchange, open},
    support::{
        log::Log,
        server::{Answer, Server},
    },
};

const KEY: &str = "sk-provider-0123456789abcdef";
const TOKEN: &str = "session-token-of-one-user";

async fn start(upstream: &Server, edit: impl FnOnce(&mut Config)) -> SocketAddr {
    let url = upstream.url("/v1");
    let mut config = Config::from_env(|name| {
        Some(match name {
            "GATEWAY_UPSTREAM" => url.clone(),
            "GATEWAY_API_KEY" => KEY.to_owned(),
            "GATEWAY_MODEL" => "the-model".to_owned(),
            "GATEWAY_TOKENS" => format!("another, {TOKEN}"),
            "GATEWAY_ORIGINS" => "https://app.test".to_owned(),
            _ => return None,
        })
    })
    .expect("a configuration");
    edit(&mut config);
    assert!(!format!("{config:?}").contains(KEY));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router(config)).await });
    address
}

fn ask() -> Value {
    json!({
        "model": "the-most-expensive", "max_tokens": 1_000_000, "n": 50, "stream": true,
        "messages": [{ "role": "system", "content": "Help." }, { "role": "user", "content": "Hello" }]
    })
}

async fn send(address: SocketAddr, token: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("Host", "gateway.test"),
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Origin", "https://app.test"),
        ("Cookie", "private=1"),
        ("X-Private", "private"),
    ];
    exchange(address, &headers, "/v1/chat/completions", &body.to_string()).await
}

#[tokio::test]
async fn the_provider_gets_the_key_and_the_gateway_s_own_model_and_limits() {
    let upstream = Server::start([Answer::text("Hi")]);
    let address = start(&upstream, |_| {}).await;
    let reply = send(address, TOKEN, &ask()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.body.contains("Hi") && reply.body.contains("[DONE]"));
    assert!(reply.head.contains("access-control-allow-origin: https://app.test"));
    let request = upstream.requests().remove(0);
    assert_eq!(request.header("authorization"), Some(&*format!("Bearer {KEY}")));
    assert_eq!(request.body["model"], "the-model");
    assert_eq!(request.body["max_tokens"], 2048);
    assert!(request.body.get("n").is_none());
    let all = format!("{request:?}");
    assert!(
        !all.contains("private") && !all.contains(TOKEN),
        "nothing else of the client goes on"
    );
}

#[tokio::test]
async fn a_provider_that_wants_its_output_limit_by_another_name_gets_it() {
    let refusal = json!({ "error": { "message": "Unsupported parameter: 'max_tokens' is not supported with this model. \
        Use 'max_completion_tokens' instead.", "type": "invalid_request_error" } });
    let upstream = Server::start([Answer::json(400, &refusal), Answer::text("Hi")]);
    let address = start(&upstream, |_| {}).await;
    let client = OpenAi::new(&format!("http://{address}/v1"), "any").expect("an address");
    let client = client.api_key(TOKEN).expect("a token");
    let mut request = (*llm_stream::request()).clone();
    request.max_tokens = 100_000;
    let reply = client
        .complete(Arc::new(request), Arc::new(|_| {}))
        .await
        .expect("a reply");
    assert_eq!(reply.text, "Hi");
    let [refused, taken] = <[_; 2]>::try_from(upstream.requests()).expect("two requests");
    assert_eq!(refused.body["max_tokens"], 2048, "within the gateway's own limit");
    assert_eq!(taken.body["max_completion_tokens"], 2048, "and again");
    assert!(taken.body.get("max_tokens").is_none());
}

#[tokio::test]
async fn what_costs_more_than_its_length_is_not_passed_on() {
    let upstream = Server::start([Answer::text("Hi")]);
    let address = start(&upstream, |_| {}).await;
    let picture = json!({ "type": "image_url", "image_url": { "url": "https://a.test/b.png" } });
    let function = json!({ "type": "function", "function": { "name": "toggle", "description": "Marks", "parameters": { "type": "object", "properties": {} } } });
    let refused = [
        json!({ "messages": [{ "role": "user", "content": [picture] }] }),
        json!({ "messages": [{ "role": "user", "content": [{ "type": "input_audio", "text": "", "input_audio": {} }] }] }),
        json!({ "messages": [{ "role": "user", "content": { "type": "file" } }] }),
        json!({ "messages": [], "tools": [function, { "type": "web_search" }] }),
        json!({ "prompt": "Hello" }),
    ];
    for body in refused {
        let reply = send(address, TOKEN, &body).await;
        assert_eq!(reply.status, 400, "{body}: {reply:?}");
    }
    let mut body = ask();
    for (name, value) in [
        ("models", json!(["dear"])),
        ("route", json!("fallback")),
        ("plugins", json!([{ "id": "web" }])),
        ("service_tier", json!("priority")),
        ("web_search_options", json!({})),
        ("modalities", json!(["text", "audio"])),
        ("tools", json!([function])),
    ] {
        body[name] = value;
    }
    body["messages"] = json!([
        { "role": "system", "content": "Help." },
        { "role": "user", "content": "Hello", "image_url": "https://a.test/b.png" },
        { "role": "assistant", "content": "Hi", "audio": { "id": "a" }, "images": [picture], "reasoning_content": "so" },
        { "role": "user", "content": "Go on" },
    ]);
    assert_eq!(send(address, TOKEN, &body).await.status, 200);
    let mut passed = upstream.requests().remove(0).body;
    let messages = json!([
        { "role": "system", "content": "Help." },
        { "role": "user", "content": "Hello" },
        { "role": "assistant", "content": "Hi", "reasoning_content": "so" },
        { "role": "user", "content": "Go on" },
    ]);
    assert_eq!(passed["messages"].take(), messages);
    assert_eq!(passed["tools"].take(), json!([function]));
    let rest = json!({ "messages": null, "tools": null, "model": "the-model", "max_tokens": 2048, "stream": true });
    assert_eq!(passed, rest);
    assert_eq!(upstream.requests().len(), 1);
}

#[tokio::test]
async fn without_a_key_there_is_nothing_to_take_out() {
    let upstream = Server::start([Answer::text("Hi")]);
    let address = start(&upstream, |config| config.api_key = String::new().into()).await;
    let reply = send(address, TOKEN, &ask()).await;
    assert!(reply.body.contains("Hi") && !reply.body.contains("***"), "{reply:?}");
}

#[tokio::test]
async fn without_a_session_token_nothing_is_asked() {
    let upstream = Server::start([]);
    let address = start(&upstream, |_| {}).await;
    for token in ["", "x", KEY, &TOKEN[1..], "session-token-of-one-usex"] {
        assert_eq!(send(address, token, &ask()).await.status, 401, "{token}");
    }
    assert!(upstream.requests().is_empty());
}

#[tokio::test]
async fn rate_spend_and_size_are_limited_for_each_session() {
    let upstream = Server::start((0..4).map(|_| Answer::text("Hi")));
    let address = start(&upstream, |config| config.per_minute = 2).await;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(send(address, TOKEN, &ask()).await.status);
    }
    assert_eq!(statuses, [200, 200, 429]);
    let limited = send(address, TOKEN, &ask()).await;
    assert!(limited.head.contains("retry-after: "), "{limited:?}");
    assert_eq!(
        send(address, "another", &ask()).await.status,
        200,
        "the other session goes on"
    );

    let address = start(&upstream, |config| config.spend = 3000).await;
    assert_eq!(send(address, TOKEN, &ask()).await.status, 200);
    assert_eq!(send(address, TOKEN, &ask()).await.status, 402);

    let address = start(&upstream, |config| config.max_body = 100).await;
    assert_eq!(send(address, TOKEN, &ask()).await.status, 413);
    assert_eq!(upstream.requests().len(), 4);
}

#[tokio::test]
async fn no_key_comes_back_whatever_the_provider_does_with_it() {
    let words = format!("Incorrect API key provided: {KEY}");
    let (one, two) = KEY.split_at(9);
    let answers = [
        Answer::json(401, &json!({ "error": { "message": words } })),
        Answer::json(400, &json!({ "error": { "message": words } })),
        Answer::json(500, &json!({ "error": { "message": words } }))
            .header("x-echo", KEY)
            .header("set-cookie", KEY),
        Answer::sse()
            .bytes(format!("data: \"{one}"))
            .bytes(format!("{two}\"\n\ndata: {KEY}{KEY}\n\n"))
            .done(),
        Answer::sse().bytes(format!("data: sk-sk-provider-0{one}")),
        Answer::status(302).header("location", &format!("https://evil.test/{KEY}")),
    ];
    let count = answers.len();
    let upstream = Server::start(answers);
    let address = start(&upstream, |_| {}).await;
    let mut bodies = Vec::new();
    for _ in 0..count {
        let reply = send(address, TOKEN, &ask()).await;
        let plain: String = reply.body.split("\r\n").collect();
        assert!(!format!("{reply:?}{plain}").contains(KEY), "{reply:?}");
        assert!(!format!("{reply:?}{plain}").contains(&KEY[4..]), "{reply:?}");
        bodies.push((reply.status, plain));
    }
    let statuses: Vec<_> = bodies.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [502, 400, 500, 200, 200, 502]);
    assert!(bodies[3].1.contains("***"), "{bodies:?}");
    assert!(
        bodies[4].1.contains("sk-sk-provider-0"),
        "what only looks like it passes: {bodies:?}"
    );
}

#[tokio::test]
async fn no_key_token_or_content_is_logged_whatever_happens() {
    let log = Log::default();
    // The gateway, its client and its server are all on this thread. With one subscriber alone, `tracing` asks only the
    // thread that comes first whether a line is wanted.
    let _second = tracing::Dispatch::new(log.clone());
    let _hearing = tracing::subscriber::set_default(log.clone());
    let upstream = Server::start([
        Answer::text("private answer"),
        Answer::json(401, &json!({ "error": { "message": KEY } })).header("x-echo", KEY),
        Answer::sse().bytes(format!("data: private {KEY}")).hang_up(),
    ]);
    let address = start(&upstream, |config| config.per_minute = 3).await;
    let mut question = ask();
    question["messages"][1]["content"] = json!("private question");
    let mut statuses = Vec::new();
    for token in [TOKEN, TOKEN, TOKEN, TOKEN, "private token"] {
        let body = question.to_string();
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Host", "gateway.test"),
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("X-Private", "private header"),
        ];
        let mut stream = open(address, &headers, "/v1/chat/completions", &body).await;
        let mut reply = Vec::new();
        // One of them breaks off.
        drop(stream.read_to_end(&mut reply).await);
        let reply = String::from_utf8_lossy(&reply).into_owned();
        assert!(!reply.contains(KEY), "{reply}");
        statuses.push(reply.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok()));
    }
    assert_eq!(statuses, [200, 502, 200, 429, 401].map(Some));
    let said = log.words();
    assert!(said.contains("http"), "it hears the libraries underneath: {said}");
    for secret in [KEY, TOKEN, "private"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

#[tokio::test]
async fn pieces_are_passed_on_as_they_come() {
    let upstream = Server::start([Answer::sse().delta(&json!({ "content": "first" })).stall()]);
    let address = start(&upstream, |_| {}).await;
    let bearer = format!("Bearer {TOKEN}");
    let headers = [
        ("Host", "gateway.test"),
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
    ];
    let mut stream = open(address, &headers, "/v1/chat/completions", &ask().to_string()).await;
    let mut seen = String::new();
    while !seen.contains("first") {
        let mut piece = [0; 4096];
        let read = stream.read(&mut piece).await.expect("a piece");
        assert_ne!(read, 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
    drop(stream);
    // The client gone, the provider is not kept talking.
    upstream.hung_up(1).await;
}
