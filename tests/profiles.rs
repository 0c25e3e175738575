//! What differs between providers: which profile an endpoint gets, what its requests look like, and what the client
//! learns from a provider that refuses a field.

use std::{sync::Arc, time::Duration};

use async_openai::types::chat::CreateChatCompletionRequest;
use parking_lot::Mutex;
use pling_core::{
    agent::{Config, ConfigPatch},
    llm::{Delta, ErrorKind, Llm as _, LlmError, OpenAi, Profile, Reply, Request, ToolContent},
};
use serde_json::{Value, json};

use crate::{
    llm_stream::{client, complete, request},
    support::server::{Answer, Server},
};

/// A conversation with a call of its own.
fn with_call() -> Request {
    let mut request = (*request()).clone();
    let call = json!({ "id": "a", "type": "function", "function": { "name": "x", "arguments": "{}" } });
    request.messages.extend([
        json!({ "role": "assistant", "content": null, "tool_calls": [call] }),
        json!({ "role": "tool", "tool_call_id": "a", "content": "{}" }),
    ]);
    request.tools = pling_core::observe::Observation::new(
        &Arc::new(crate::support::todo_page::snapshot()),
        &pling_core::observe::Budget::default(),
    )
    .tools;
    request
}

fn configured(server: &Server, explicit: &Value) -> OpenAi {
    let mut explicit = explicit.clone();
    if explicit.get("baseUrl").is_none() {
        explicit["baseUrl"] = server.url("/v1").into();
    }
    explicit["model"] = "m".into();
    let patch = ConfigPatch::from_value(explicit).expect("fields");
    let config = Config::resolve(|_| None, patch).expect("a valid configuration");
    config.client().expect("a client").expect("an endpoint")
}

async fn ask(llm: &OpenAi, request: Request) -> (Result<Reply, LlmError>, Vec<Delta>) {
    let deltas = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&deltas);
    let reply = llm
        .complete(Arc::new(request), Arc::new(move |delta| sink.lock().push(delta)))
        .await;
    let deltas = deltas.lock().clone();
    (reply, deltas)
}

#[test]
fn hosts_choose_before_models() {
    let check = |base_url: &str, model: &str, name: &str| {
        assert_eq!(Profile::detect(base_url, model).name, name, "{base_url} {model}");
    };
    check("https://api.openai.com/v1", "gpt-4.1", "openai");
    check("https://me.openai.azure.com/openai/v1", "my-deployment", "azure");
    check("https://me.services.ai.azure.com/models", "m", "azure");
    check(
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        "gemini-3-flash",
        "gemini",
    );
    check("https://api.deepseek.com", "deepseek-chat", "deepseek");
    check(
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "qwen-plus",
        "qwen",
    );
    check("https://open.bigmodel.cn/api/paas/v4", "glm-4.7", "glm");
    check("https://api.moonshot.ai/v1", "kimi-k2.6", "kimi");
    check("https://OpenRouter.ai/api/v1", "deepseek/deepseek-chat", "openrouter");
    check("https://api.mistral.ai/v1", "mistral-large-latest", "mistral");
    check("http://localhost:11434/v1", "deepseek-r1:8b", "ollama");
    check("http://user:pw@[::1]:11434/v1", "m", "ollama");
    // Behind a gateway the model says.
    check("http://gateway.example/v1", "vendor/Kimi-K2.6", "kimi");
    check("http://gateway.example/v1", "deepseek-chat", "deepseek");
    check("http://gateway.example/v1", "llama-3", "generic");
    // A host that only looks like one.
    check("https://api.openai.com.evil.example/v1", "m", "generic");
    check("https://evil.example/api.openai.com", "m", "generic");
    check("http://localhost:8080/v1", "m", "generic");
}

#[test]
fn every_name_is_a_profile() {
    for name in Profile::names() {
        let profile = Profile::named(name, "http://h", "m").expect(name);
        assert_eq!(profile.name, name);
    }
    assert_eq!(
        Profile::named("Azure", "http://h", "m").expect("any case").name,
        "azure"
    );
    assert!(Profile::named("no such", "http://h", "m").is_none());
}

/// Every body is one that another implementation of the API reads.
#[test]
fn bodies_of_every_profile_have_the_shape_others_read() {
    for name in Profile::names() {
        let profile = Profile::named(name, "http://h", "m").expect(name);
        let body = profile.body(&with_call());
        let read: CreateChatCompletionRequest = serde_json::from_value(body.clone()).expect(name);
        assert_eq!(read.messages.len(), 4);
        let roles: Vec<_> = body["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|m| &m["role"])
            .collect();
        assert_eq!(
            roles,
            ["system", "user", "assistant", "tool"],
            "never developer: {name}"
        );
        let limits = ["max_tokens", "max_completion_tokens"].map(|field| body.get(field).is_some());
        assert!(limits[0] != limits[1], "one output limit: {name}");
    }
}

#[test]
fn bodies_differ_where_providers_do() {
    let body = |base_url: &str, model: &str| Profile::detect(base_url, model).body(&with_call());
    let usual = body("http://h/v1", "m");
    assert_eq!(usual, with_call().body());
    assert_eq!(
        (&usual["max_tokens"], &usual["temperature"]),
        (&json!(1024), &json!(0.3))
    );

    let openai = body("https://api.openai.com/v1", "gpt-4.1");
    assert_eq!(
        (openai.get("max_tokens"), &openai["max_completion_tokens"]),
        (None, &json!(1024))
    );
    assert_eq!(openai["temperature"], 0.3);
    for (base_url, model) in [
        ("https://api.openai.com/v1", "gpt-5-mini"),
        ("https://me.openai.azure.com/openai/v1", "o4-mini"),
        ("http://gateway.example", "openai/gpt-5"),
    ] {
        let reasoning = body(base_url, model);
        assert_eq!(reasoning["max_completion_tokens"], 1024, "{base_url}");
        assert_eq!(reasoning.get("temperature"), None, "{base_url}");
    }
    let chat = body("https://api.openai.com/v1", "gpt-5-chat-latest");
    assert_eq!(chat["temperature"], 0.3);

    let routed = body("https://openrouter.ai/api/v1", "openai/gpt-5");
    assert_eq!((&routed["max_tokens"], routed.get("temperature")), (&json!(1024), None));
    assert_eq!(
        body("https://api.moonshot.cn/v1", "kimi-latest").get("temperature"),
        None
    );
    assert_eq!(body("https://api.mistral.ai/v1", "m").get("stream_options"), None);
    let glm = body("https://api.z.ai/api/paas/v4", "glm-4.7");
    assert_eq!((glm.get("stream_options"), &glm["tool_stream"]), (None, &json!(true)));

    let content = |body: &Value| body["messages"][2]["content"].clone();
    assert_eq!(content(&usual), Value::Null);
    assert_eq!(content(&body("http://localhost:11434", "m")), "");
    let llama = Profile::named("llama.cpp", "http://h", "m").expect("known");
    assert_eq!(llama.body(&with_call())["parallel_tool_calls"], true);
    assert_eq!(
        llama.body(&request()).get("parallel_tool_calls"),
        None,
        "only with tools"
    );
}

#[test]
fn a24_a_bare_host_gets_the_providers_own_root() {
    for (base_url, shown) in [
        (
            "https://me.openai.azure.com",
            "https://me.openai.azure.com/openai/v1/chat/completions",
        ),
        (
            "https://generativelanguage.googleapis.com/",
            "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
        ),
        ("https://openrouter.ai", "https://openrouter.ai/api/v1/chat/completions"),
        (
            "https://api.deepseek.com",
            "https://api.deepseek.com/v1/chat/completions",
        ),
        (
            "https://me.openai.azure.com/openai/deployments/d?api-version=x",
            "https://me.openai.azure.com/openai/deployments/d/chat/completions?api-version=x",
        ),
    ] {
        let llm = OpenAi::new(base_url, "m").expect("an address");
        assert!(format!("{llm:?}").contains(&format!("{shown:?}")), "{llm:?}");
    }
}

#[tokio::test]
async fn azure_wants_its_key_in_a_header_of_its_own_and_a_version() {
    let server = Server::start([Answer::text("hi")]);
    let llm = configured(
        &server,
        &json!({
            "apiKey": "azure-key-1234",
            "baseUrl": server.url("/openai/deployments/d"),
            "provider": { "profile": "azure" },
            "query": { "api-version": "2024-10-21" },
        }),
    );
    complete(&llm).await.0.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(
        sent.path,
        "/openai/deployments/d/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(sent.header("api-key"), Some("azure-key-1234"));
    assert_eq!(sent.header("authorization"), None);
}

#[tokio::test]
async fn configuration_has_the_last_word() {
    let server = Server::start([Answer::text("hi"), Answer::text("hi")]);
    let llm = configured(
        &server,
        &json!({
            "apiKey": "sk-1",
            "baseUrl": server.url(""),
            "provider": {
                "profile": "ollama", "root": "/own/v9", "keyHeader": "X-Key", "outputLimit": "max_completion_tokens",
                "sendTemperature": false, "streamUsage": false, "toolContent": "null",
                "body": { "thinking": { "type": "disabled" }, "stream": null },
            },
        }),
    );
    ask(&llm, with_call()).await.0.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(
        (sent.path.as_str(), sent.header("x-key")),
        ("/own/v9/chat/completions", Some("sk-1"))
    );
    assert_eq!(sent.body, llm.body(&with_call()), "the trace shows what is sent");
    assert_eq!(sent.body["max_completion_tokens"], 1024);
    assert_eq!(sent.body["messages"][2]["content"], Value::Null);
    assert_eq!(sent.body["thinking"]["type"], "disabled");
    for absent in ["max_tokens", "temperature", "stream_options", "stream"] {
        assert_eq!(sent.body.get(absent), None, "{absent}");
    }
}

#[tokio::test]
async fn further_headers_are_sent_and_their_keys_are_not_repeated() {
    let echo = json!({ "error": { "message": "no: gw-secret-0123456789 for Todo" } });
    let server = Server::start([Answer::text("hi"), Answer::json(401, &echo)]);
    let llm = configured(
        &server,
        &json!({
            "headers": { "X-Title": "Todo", "X-Gateway-Key": "gw-secret-0123456789" },
            "query": { "sig": "sig-0123456789", "tenant": "a b" },
        }),
    );
    complete(&llm).await.0.unwrap();
    let sent = &server.requests()[0];
    assert_eq!(sent.header("x-title"), Some("Todo"));
    assert_eq!(sent.header("x-gateway-key"), Some("gw-secret-0123456789"));
    assert_eq!(sent.path, "/v1/chat/completions?sig=sig-0123456789&tenant=a+b");

    let error = complete(&llm).await.0.unwrap_err();
    assert!(error.message.contains("no: *** for Todo"), "{error}");
    assert!(
        !format!("{error:?} {llm:?}").contains("0123456789"),
        "{error:?} {llm:?}"
    );

    let bad = OpenAi::new(&server.url(""), "m").unwrap();
    assert_eq!(
        bad.clone().header("bad name", "x").unwrap_err().kind,
        ErrorKind::NotConfigured
    );
    assert_eq!(
        bad.header("x", "line\nbreak").unwrap_err().kind,
        ErrorKind::NotConfigured
    );
}

fn refusal(status: u16, words: &str) -> Answer {
    Answer::json(
        status,
        &json!({ "error": { "message": words, "type": "invalid_request_error" } }),
    )
}

/// The words of real providers, and what the second request must look like.
#[tokio::test]
async fn a_refused_field_is_left_out_or_written_otherwise() {
    type Check = fn(&Value) -> bool;
    let cases: &[(u16, &str, Check)] = &[
        (
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            |body| body.get("max_tokens").is_none() && body["max_completion_tokens"] == 1024,
        ),
        (
            400,
            "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
            |body| body.get("temperature").is_none() && body["max_tokens"] == 1024,
        ),
        (400, "invalid temperature: only 1 is allowed for this model", |body| {
            body.get("temperature").is_none()
        }),
        (
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"Extra inputs are not permitted"}]}"#,
            |body| body.get("stream_options").is_none() && body["stream"] == true,
        ),
        (400, "invalid message content type: <nil>", |body| {
            body["messages"][2]["content"] == ""
        }),
        (
            400,
            "Invalid value for 'content': expected a string, got null.",
            |body| body["messages"][2]["content"] == "",
        ),
    ];
    for (status, words, check) in cases {
        let server = Server::start([refusal(*status, words), Answer::text("hi"), Answer::text("hi")]);
        let llm = client(&server, 0);
        let (reply, deltas) = ask(&llm, with_call()).await;
        assert_eq!(reply.unwrap().text, "hi", "{words}");
        assert!(
            matches!(
                &deltas[0],
                Delta::Retry {
                    attempt: 1,
                    wait_millis: 0,
                    ..
                }
            ),
            "{deltas:?}"
        );
        let sent = &server.requests()[1].body;
        assert!(check(sent), "{words}: {sent}");

        // Learned for good, by every clone, and shown by the trace.
        assert!(check(&llm.body(&with_call())), "{words}");
        ask(&llm.clone(), with_call()).await.0.unwrap();
        assert_eq!(server.requests().len(), 3, "{words}");
    }
}

#[tokio::test]
async fn a_flag_of_a_profile_is_given_up_too() {
    let words = "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.";
    let server = Server::start([refusal(400, words), Answer::text("hi")]);
    let llama = Profile::named("llama.cpp", "http://h", "m").unwrap();
    let llm = client(&server, 0).profile(llama).unwrap();
    ask(&llm, with_call()).await.0.unwrap();
    let bodies: Vec<_> = server
        .requests()
        .iter()
        .map(|sent| sent.body.get("parallel_tool_calls").cloned())
        .collect();
    assert_eq!(bodies, [Some(json!(true)), None]);
}

#[tokio::test]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    let words = "max_tokens, max_completion_tokens, temperature, stream_options: unknown, only null content";
    let server = Server::start(vec![refusal(400, words); 20]);
    let llm = client(&server, 3);
    let before = llm.current_profile();
    let error = ask(&llm, with_call()).await.0.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(server.requests().len() <= 6, "{}", server.requests().len());
    assert_eq!(llm.current_profile(), before, "nothing of it was right");

    // Words that refuse no field: one request.
    for words in [
        "invalid model",
        "max_tokens is too large: 99999",
        "temperature must be a number",
    ] {
        let server = Server::start(vec![refusal(400, words); 3]);
        ask(&client(&server, 3), with_call()).await.0.unwrap_err();
        assert_eq!(server.requests().len(), 1, "{words}");
    }
    // Nor is a refused key a refused field.
    let server = Server::start(vec![refusal(401, "unknown temperature"); 3]);
    ask(&client(&server, 3), with_call()).await.0.unwrap_err();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_idle_timeout_is_configured() {
    let server = Server::start([Answer::sse().stall()]);
    let llm = configured(&server, &json!({ "idleTimeoutMs": 50, "retry": { "maxRetries": 0 } }));
    let error = complete(&llm).await.0.unwrap_err();
    assert!(error.message.contains("0.05 seconds"), "{error}");
    tokio::time::timeout(Duration::from_secs(10), server.hung_up(1))
        .await
        .expect("the socket is closed");
}

#[test]
fn a_profile_is_overridden_field_by_field() {
    let patch = ConfigPatch::from_value(json!({
        "baseUrl": "http://localhost:11434/v1", "model": "m", "provider": { "streamUsage": false }
    }));
    let config = Config::resolve(|_| None, patch.expect("fields")).expect("valid");
    let profile = config.profile();
    assert_eq!(
        (&*profile.name, profile.tool_content, profile.stream_usage),
        ("ollama", ToolContent::Empty, false)
    );
}
