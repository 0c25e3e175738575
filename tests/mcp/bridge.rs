//! The bridge for clients that only speak over stdio.

use pling_core::{
    platform::timeout,
    surface::{Surface, server::ServeOptions},
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex};

use super::{PATIENCE, Served};
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
    let meta = meta();
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
async fn a_line_without_an_end_is_refused_before_it_is_whole() {
    let served = Served::trusted();
    let mut stdio = Stdio::new("fake", served.directory.clone());
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..5 {
        stdio.to.write_all(&piece).await.expect("it reads");
    }
    let refused = timeout(PATIENCE, stdio.hear()).await.expect("an answer");
    assert_eq!(refused["error"]["code"], -32600);
    stdio.say("the rest of it").await;
    stdio.initialize().await;
}

/// What each request of the revision without sessions carries.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "stdio", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

fn toggle() -> Value {
    let arguments = json!({ "action": "toggle", "arguments": { "record": "t1" } });
    json!({ "name": "pling_invoke", "arguments": arguments, "_meta": meta() })
}

#[tokio::test]
async fn e10_a_call_never_goes_to_another_window_unasked() {
    let (one, other) = (Bench::trusted(), Bench::trusted());
    let options = ServeOptions::new("fake").directory(super::directory());
    let open = |bench: &Bench| {
        Surface::new(bench.executor.clone())
            .serve(&options)
            .expect("a free port")
    };
    let window = open(&one);
    let mut stdio = Stdio::new("fake", options.directory.clone().expect("a directory"));
    let first = stdio.ask(1, "tools/call", toggle()).await;
    assert_eq!(first["result"]["isError"], false, "{first}");
    let _other = open(&other);
    drop(window);

    let listed = stdio.ask(2, "tools/list", json!({ "_meta": meta() })).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    let refused = stdio.ask(3, "tools/call", toggle()).await;
    let words = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        words.contains("nothing was run") && words.contains("describe"),
        "{refused}"
    );
    assert!(other.host.handled().is_empty());
    let describe = json!({ "name": "pling_describe", "arguments": {}, "_meta": meta() });
    let page = stdio.ask(4, "tools/call", describe).await;
    assert_eq!(page["result"]["isError"], false, "{page}");
    let done = stdio.ask(5, "tools/call", toggle()).await;
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!((one.host.handled().len(), other.host.handled().len()), (1, 1));
}

#[tokio::test]
async fn e10_started_again_at_the_same_address_it_is_found_by_its_new_token() {
    let (one, next) = (Bench::trusted(), Bench::trusted());
    let options = ServeOptions::new("fake").directory(super::directory());
    let open = |bench: &Bench, options: &ServeOptions| Surface::new(bench.executor.clone()).serve(options);
    let serving = open(&one, &options).expect("a free port");
    let url = &serving.running().url;
    let address = url["http://".len()..]
        .trim_end_matches("/mcp")
        .parse()
        .expect("an address");
    let mut stdio = Stdio::new("fake", options.directory.clone().expect("a directory"));
    let first = stdio.ask(1, "tools/call", toggle()).await;
    assert_eq!(first["result"]["isError"], false, "{first}");
    drop(serving);
    let _again = open(&next, &options.address(address)).expect("the port is free at once");
    let told = stdio.ask(2, "tools/call", toggle()).await;
    assert!(
        told["error"]["message"].as_str().unwrap().contains("started again"),
        "{told}"
    );
    let done = stdio.ask(3, "tools/call", toggle()).await;
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!((one.host.handled().len(), next.host.handled().len()), (1, 1));
}

#[tokio::test]
async fn a_call_that_broke_off_is_not_sent_to_the_next_application() {
    let served = Served::trusted();
    // Takes a request and says nothing, as an application that ends while it works.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let notice = json!({ "name": "fake", "url": format!("http://{address}/mcp"), "token": "t", "pid": 1 });
    let file = served.directory.join("fake-1-1.json");
    std::fs::write(&file, notice.to_string()).expect("a file");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    let written = std::fs::File::options().append(true).open(&file).expect("a file");
    written.set_modified(later).expect("a time");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut start = [0; 4];
            drop(stream.read_exact(&mut start).await);
            if start == *b"GET " {
                drop(
                    stream
                        .write_all(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
                        .await,
                );
            }
        }
    });
    let mut stdio = Stdio::new("fake", served.directory.clone());
    let answer = stdio.ask(1, "tools/call", toggle()).await;
    assert!(
        answer["error"]["message"].as_str().unwrap().contains("broke"),
        "{answer}"
    );
    assert!(served.bench.host.handled().is_empty());
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
