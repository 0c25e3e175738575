//! The bridge for clients that only speak over stdio.

use pling_core::surface::{Surface, server::ServeOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex};

use super::Served;
use crate::support::Bench;

struct Stdio {
    to: DuplexStream,
    from: Lines<BufReader<DuplexStream>>,
}

impl Stdio {
    /// The bridge to an application of this name, in a task.
    fn new(name: &'static str, directory: std::path::PathBuf) -> Self {
        let (to, stdin) = duplex(64 * 1024);
        let (stdout, from) = duplex(64 * 1024);
        tokio::spawn(async move { pling_mcp::bridge(name, Some(directory), stdin, stdout).await });
        Self {
            to,
            from: BufReader::new(from).lines(),
        }
    }

    async fn say(&mut self, line: &str) {
        self.to
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("it reads");
    }

    /// The next line, which is a message.
    async fn hear(&mut self) -> Value {
        let line = self.from.next_line().await.expect("a line").expect("not the end");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
            .await;
        loop {
            let message = self.hear().await;
            if message["id"] == id {
                return message;
            }
        }
    }

    async fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "stdio", "version": "1" }
        });
        let answer = self.ask(1, "initialize", params).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "fake", "{answer}");
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
    }
}

#[tokio::test]
async fn e03_every_line_is_a_message_whatever_comes_in() {
    let served = Served::trusted();
    let mut stdio = Stdio::new("fake", served.directory.clone());
    stdio.initialize().await;
    for nonsense in ["println!(\"hello\")", "", "{\"jsonrpc\":", "[1,2]"] {
        stdio.say(nonsense).await;
        if !nonsense.is_empty() {
            assert_eq!(stdio.hear().await["error"]["code"], -32700);
        }
    }
    let arguments = json!({ "action": "add_todo", "arguments": { "text": "two\nlines" } });
    let params = json!({ "name": "pling_invoke", "arguments": arguments });
    let answer = stdio.ask(2, "tools/call", params).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(served.bench.host.handled().len(), 1);
}

#[tokio::test]
async fn e08_a_cancelled_request_and_a_closed_end_withdraw_the_call() {
    let served = Served::new();
    let mut stdio = Stdio::new("fake", served.directory.clone());
    stdio.initialize().await;
    let call = |id: u64| {
        let params = json!({ "name": "pling_invoke", "arguments": { "action": "clear_done" } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    stdio.say(&call(7)).await;
    served.card().await;
    stdio
        .say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#)
        .await;
    served.no_card().await;
    stdio.say(&call(8)).await;
    served.card().await;
    drop(stdio);
    served.no_card().await;
    assert!(served.bench.host.handled().is_empty());
}

#[tokio::test]
async fn the_revision_without_sessions_goes_through_as_well() {
    let served = Served::trusted();
    let mut stdio = Stdio::new("fake", served.directory.clone());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "stdio", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let found = stdio.ask(1, "server/discover", json!({ "_meta": meta })).await;
    assert!(
        found["result"]["supportedVersions"].to_string().contains("2026-07-28"),
        "{found}"
    );
    let arguments = json!({ "action": "toggle", "arguments": { "record": "t1" } });
    let params = json!({ "name": "pling_invoke", "arguments": arguments, "_meta": meta });
    let answer = stdio.ask(2, "tools/call", params).await;
    assert_eq!(answer["result"]["structuredContent"]["result"]["ok"], true, "{answer}");
}

#[tokio::test]
async fn an_application_that_is_started_again_is_found_without_the_client_noticing() {
    let served = Served::trusted();
    let directory = served.directory.clone();
    let mut stdio = Stdio::new("fake", directory.clone());
    stdio.initialize().await;
    let arguments = json!({ "action": "toggle", "arguments": { "record": "t1" } });
    let params = json!({ "name": "pling_invoke", "arguments": arguments });
    let answer = stdio.ask(2, "tools/call", params.clone()).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    drop(served);
    let gone = stdio.ask(3, "tools/call", params.clone()).await;
    assert!(
        gone["error"]["message"].as_str().unwrap().contains("no application"),
        "{gone}"
    );

    let bench = Bench::trusted();
    let surface = Surface::new(bench.executor.clone());
    let _serving = surface
        .serve(&ServeOptions::new("fake").directory(&directory))
        .expect("a port");
    for id in [4, 5] {
        let answer = stdio.ask(id, "tools/call", params.clone()).await;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(bench.host.handled(), ["toggle t1", "toggle t1"]);
}

#[tokio::test]
async fn an_application_that_is_not_running_is_said_in_an_answer() {
    let mut stdio = Stdio::new("nobody", super::directory());
    let answer = stdio.ask(1, "initialize", json!({})).await;
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("nobody"),
        "{answer}"
    );
}
