//! The protocol, by the official Rust client and by hand.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use pling_core::act::Decision;
use rmcp::{
    ClientHandler, RoleClient,
    model::{CallToolRequest, ClientRequest, ProgressNotificationParam},
    service::{NotificationContext, PeerRequestOptions, ServiceError, ServiceExt as _},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Value, json};

use super::{REVISIONS, Served, call, structured};

#[tokio::test]
async fn four_tools_with_titles_annotations_and_schemas() {
    for revision in REVISIONS {
        let served = Served::new();
        let sdk = served.sdk(revision).await;
        let tools = sdk.list_all_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, ["pling_describe", "pling_search", "pling_invoke", "pling_wait"]);
        for tool in &tools {
            let hints = tool.annotations.as_ref().expect("annotations");
            let all = [
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            ];
            assert!(all.iter().all(Option::is_some), "{tool:?}");
            assert!(tool.title.is_some() && tool.description.is_some());
            assert!(tool.output_schema.is_some());
        }
        sdk.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn every_revision_describes_finds_and_does() {
    for revision in REVISIONS {
        let served = Served::trusted();
        let sdk = served.sdk(revision).await;
        let page = sdk.call_tool(call("pling_describe", json!({}))).await.unwrap();
        let page = structured(&page);
        assert!(page["text"].as_str().unwrap().contains("Milk"), "{page}");
        let found = sdk
            .call_tool(call("pling_search", json!({ "query": "bread" })))
            .await
            .unwrap();
        let record = structured(&found)["records"][0]["id"].clone();
        let arguments = json!({ "action": "toggle", "arguments": { "record": record } });
        let done = sdk.call_tool(call("pling_invoke", arguments)).await.unwrap();
        assert_eq!(done.is_error, Some(false), "{done:?}");
        assert_eq!(structured(&done)["result"]["ok"], true);
        assert_eq!(served.bench.host.handled(), ["toggle t2"], "{revision}");
        sdk.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn e12_what_a_model_can_mend_is_a_result_and_the_rest_an_error_of_the_protocol() {
    let served = Served::trusted();
    let sdk = served.sdk("2025-11-25").await;
    let wrong = [
        (
            json!({ "action": "toggle", "arguments": { "record": "t1", "checked": "maybe" } }),
            "checked",
        ),
        (json!({ "action": "add_todo", "arguments": {} }), "text"),
        (json!({ "action": "no_such" }), "no_such"),
        (json!({ "arguments": {} }), "action"),
        (json!({ "action": "toggle", "arguments": "t1" }), "arguments"),
        (json!({ "action": "toggle", "argumentz": {} }), "argumentz"),
    ];
    for (arguments, named) in wrong {
        let result = sdk.call_tool(call("pling_invoke", arguments.clone())).await.unwrap();
        assert_eq!(result.is_error, Some(true), "{arguments}");
        let error = &structured(&result)["error"];
        assert!(
            error["message"].as_str().unwrap().contains(named),
            "{arguments}: {error}"
        );
    }
    assert!(served.bench.host.handled().is_empty());

    let failed = json!({ "action": "export", "arguments": { "format": "bad" } });
    let failed = sdk.call_tool(call("pling_invoke", failed)).await.unwrap();
    assert_eq!(structured(&failed)["error"]["code"], "HANDLER_FAILED", "{failed:?}");

    let unknown = sdk.call_tool(call("no_such_tool", json!({}))).await.unwrap_err();
    let ServiceError::McpError(error) = unknown else {
        panic!("{unknown:?}");
    };
    assert_eq!(error.code.0, -32602);

    let accept = ("Accept", "application/json, text/event-stream");
    let host = served.address().to_string();
    let broken = served.send(&[("Host", &host), accept], "/mcp", "{\"jsonrpc\":").await;
    assert_eq!(broken.json()["error"]["code"], -32700);
    let none = served.send(&[("Host", &host), accept], "/mcp", "[]").await;
    assert_eq!(none.json()["error"]["code"], -32600);
    assert!(
        sdk.call_tool(call("pling_describe", json!({}))).await.is_ok(),
        "the server lives"
    );
    sdk.cancel().await.unwrap();
}

#[tokio::test]
async fn e08_cancelled_while_the_user_is_asked_nothing_runs_and_the_next_request_is_answered() {
    for revision in REVISIONS {
        let served = Served::new();
        let sdk = served.sdk(revision).await;
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(call(
            "pling_invoke",
            json!({ "action": "clear_done" }),
        )));
        let handle = sdk
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await
            .unwrap();
        let card = served.card().await;
        handle.cancel(Some("changed my mind".to_owned())).await.unwrap();
        served.no_card().await;
        assert!(
            !served.bench.executor.approvals().decide(&card, Decision::Allow),
            "{revision}"
        );
        let next = sdk.call_tool(call("pling_describe", json!({}))).await.unwrap();
        assert_eq!(next.is_error, Some(false), "{revision}");
        assert!(served.bench.host.handled().is_empty(), "{revision}");
        sdk.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn e08_cancelling_what_is_unknown_or_over_is_ignored() {
    let served = Served::trusted();
    let sdk = served.sdk("2025-11-25").await;
    let arguments = json!({ "action": "toggle", "arguments": { "record": "t1" } });
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(call("pling_invoke", arguments)));
    let handle = sdk
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .unwrap();
    let id = handle.id.clone();
    handle.await_response().await.unwrap();
    for id in [json!(id), json!(987_654), json!("nobody")] {
        let cancelled = serde_json::from_value(json!({ "requestId": id })).unwrap();
        sdk.notify_cancelled(cancelled).await.unwrap();
    }
    assert!(sdk.call_tool(call("pling_describe", json!({}))).await.is_ok());
    assert_eq!(served.bench.host.handled(), ["toggle t1"]);
    sdk.cancel().await.unwrap();
}

/// Counts what it is told.
#[derive(Clone, Default)]
struct Listening {
    progress: Arc<AtomicUsize>,
    changed: Arc<AtomicUsize>,
}

impl ClientHandler for Listening {
    async fn on_progress(&self, _params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_waiting_call_tells_of_progress_then_hands_out_a_handle() {
    let served = Served::new();
    let listening = Listening::default();
    let config = StreamableHttpClientTransportConfig::with_uri(served.serving.running().url.as_str());
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(served.token()));
    let sdk = listening.clone().serve(transport).await.unwrap();
    let pending = sdk
        .call_tool(call("pling_invoke", json!({ "action": "clear_done" })))
        .await
        .unwrap();
    assert_eq!(pending.is_error, Some(true));
    assert_eq!(structured(&pending)["error"]["code"], "APPROVAL_PENDING");
    assert!(listening.progress.load(Ordering::Relaxed) >= 1);
    let handle = structured(&pending)["handle"].as_str().expect("a handle").to_owned();

    let card = served.card().await;
    assert!(served.bench.executor.approvals().decide(&card, Decision::Allow));
    let done = sdk
        .call_tool(call("pling_wait", json!({ "handle": handle })))
        .await
        .unwrap();
    assert_eq!(structured(&done)["result"]["ok"], true, "{done:?}");
    assert_eq!(served.bench.host.handled(), ["clear_done"]);
    sdk.cancel().await.unwrap();
}

#[tokio::test]
async fn e06_the_tools_never_change_and_no_change_is_told() {
    let served = Served::trusted();
    let listening = Listening::default();
    let config = StreamableHttpClientTransportConfig::with_uri(served.serving.running().url.as_str());
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(served.token()));
    let sdk = listening.clone().serve(transport).await.unwrap();
    let info = sdk.peer_info().expect("info");
    assert_eq!(
        info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed),
        None
    );
    let before = sdk.list_all_tools().await.unwrap();
    for action in ["open_settings", "close_settings"].repeat(5) {
        let done = sdk
            .call_tool(call("pling_invoke", json!({ "action": action })))
            .await
            .unwrap();
        assert_eq!(done.is_error, Some(false), "{done:?}");
        assert_eq!(sdk.list_all_tools().await.unwrap(), before);
    }
    assert_eq!(listening.changed.load(Ordering::Relaxed), 0);
    sdk.cancel().await.unwrap();
}

#[tokio::test]
async fn e09_a_large_page_is_bounded_counted_and_told_once() {
    let served = Served::trusted();
    served.bench.host.with(|app| {
        for number in 0..5000 {
            app.add(&format!("Task \u{7}{number} \u{1b}[31m"));
        }
        app.archived = 5000;
    });
    let sdk = served.sdk("2025-11-25").await;
    let result = sdk.call_tool(call("pling_describe", json!({}))).await.unwrap();
    let page = structured(&result).clone();
    let omitted = &page["omitted"];
    assert!(omitted["records"].as_u64().unwrap() > 4900, "{omitted}");
    assert!(page["text"].as_str().unwrap().contains("find_records"), "how to go on");
    let whole = serde_json::to_string(&result).unwrap();
    assert!(whole.len() < 64 * 1024, "{}", whole.len());
    assert_eq!(whole.matches("A JSON Schema").count(), 0);
    assert_eq!(
        whole.matches("\"required\":[\"record\"]").count(),
        whole.matches("\"required\":[\"record\"]").count()
    );
    let schemas = |text: &str| text.matches("record id").count();
    assert_eq!(
        schemas(&whole),
        schemas(&page["actions"].to_string()),
        "schemas are there once"
    );

    let found = sdk
        .call_tool(call("pling_search", json!({ "query": "task" })))
        .await
        .unwrap();
    let found = structured(&found);
    assert!(found["records"].as_array().unwrap().len() <= 20);
    assert_eq!(found["complete"], Value::Bool(false));
    sdk.cancel().await.unwrap();
}

#[tokio::test]
async fn who_called_is_the_name_that_the_client_gave() {
    struct Who(super::Shared<Vec<String>>);
    impl pling_core::act::AuditSink for Who {
        fn record(&self, entry: &pling_core::act::AuditEntry) {
            self.0.lock().push(entry.who.clone());
        }
    }
    let served = Served::trusted();
    let who = super::Shared::default();
    served.bench.executor.set_audit(Some(Arc::new(Who(Arc::clone(&who)))));
    for revision in REVISIONS {
        let sdk = served.sdk(revision).await;
        let arguments = json!({ "action": "toggle", "arguments": { "record": "t1" } });
        sdk.call_tool(call("pling_invoke", arguments)).await.unwrap();
        sdk.cancel().await.unwrap();
    }
    let host = served.address().to_string();
    let body = r#"{"action":"toggle","arguments":{"record":"t1"}}"#;
    served
        .send(&[("Host", &host), ("X-Pling-Client", "script")], "/invoke", body)
        .await;
    assert_eq!(*who.lock(), ["client:sdk", "client:sdk", "client:sdk", "client:script"]);
}
