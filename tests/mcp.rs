//! The Surface over HTTP, in real time: who is let in, the protocol, its official client, and clients that leave.

mod attacks;
mod bridge;
mod door;
mod per_action;
mod protocol;

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use pling_core::{
    act::{ApprovalMode, Policy},
    platform::{Duration, sleep, timeout},
    surface::{
        ClientLimits, Surface,
        server::{ServeOptions, Serving},
    },
};
use rmcp::{
    RoleClient,
    model::{CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt as _, RunningService},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::support::Bench;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// The fake app, listening.
struct Served {
    bench: Bench,
    surface: Surface,
    serving: Serving,
    directory: PathBuf,
}

impl Served {
    fn new() -> Self {
        Self::over(Bench::new())
    }

    fn trusted() -> Self {
        Self::over(Bench::with(Policy::default(), ApprovalMode::AllowAll))
    }

    fn over(bench: Bench) -> Self {
        let surface = Surface::new(bench.executor.clone());
        surface.set_limits(
            ClientLimits::default()
                .per_minute(100_000)
                .answer_within(Duration::from_secs(5)),
        );
        let directory = directory();
        let options = ServeOptions::new("fake").directory(&directory).per_minute(100_000);
        let serving = surface.serve(&options).expect("a free port");
        Self {
            bench,
            surface,
            serving,
            directory,
        }
    }

    fn token(&self) -> &str {
        &self.serving.running().token
    }

    fn address(&self) -> SocketAddr {
        let url = &self.serving.running().url;
        url["http://".len()..url.len() - "/mcp".len()]
            .parse()
            .expect("an address")
    }

    /// A request as any well-behaved client sends it.
    async fn post(&self, path: &str, body: &str) -> Reply {
        let port = self.address().port();
        self.send(&[("Host", &format!("127.0.0.1:{port}"))], path, body).await
    }

    async fn send(&self, headers: &[(&str, &str)], path: &str, body: &str) -> Reply {
        let token = format!("Bearer {}", self.token());
        let mut all = vec![("Authorization", token.as_str()), ("Content-Type", "application/json")];
        all.extend(headers);
        exchange(self.address(), &all, path, body).await
    }

    /// The id of the one open card.
    async fn card(&self) -> String {
        timeout(PATIENCE, async {
            loop {
                if let [card] = &self.bench.executor.approvals().pending()[..] {
                    return card.call_id.clone();
                }
                sleep(Duration::from_millis(2)).await;
            }
        })
        .await
        .expect("the user is asked")
    }

    async fn no_card(&self) {
        timeout(PATIENCE, async {
            while !self.bench.executor.approvals().pending().is_empty() {
                sleep(Duration::from_millis(2)).await;
            }
        })
        .await
        .expect("the card goes away");
    }

    /// A client by the official SDK.
    async fn sdk(&self, version: &str) -> RunningService<RoleClient, ClientConfig> {
        sdk_at(&self.serving.running().url, self.token(), version, "sdk").await
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.surface.close();
        // Where it is not there, nothing is left behind.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// A client by the official SDK, of this name.
pub(crate) async fn sdk_at(
    url: &str,
    token: &str,
    version: &str,
    name: &str,
) -> RunningService<RoleClient, ClientConfig> {
    let version: ProtocolVersion = serde_json::from_value(version.into()).expect("a version");
    let lifecycle = if version.as_str() < "2026-07-28" {
        ClientLifecycleMode::Initialize
    } else {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![version.clone()],
        }
    };
    let mut about = ClientConfig::new(ClientCapabilities::default(), Implementation::new(name, "1"));
    about.protocol_version = version;
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::from_config(config.auth_header(token));
    about
        .serve_with_lifecycle(transport, lifecycle)
        .await
        .expect("a connection")
}

/// A directory of one test's own.
fn directory() -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("pling-test-{}-{number}", std::process::id()))
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// One request on a connection of its own, byte for byte.
pub(crate) async fn exchange(address: SocketAddr, headers: &[(&str, &str)], path: &str, body: &str) -> Reply {
    exchange_by("POST", address, headers, path, body).await
}

async fn exchange_by(method: &str, address: SocketAddr, headers: &[(&str, &str)], path: &str, body: &str) -> Reply {
    let mut stream = open_by(method, address, headers, path, body).await;
    let mut bytes = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .expect("an end")
        .expect("an answer");
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .expect("a status");
    Reply {
        status,
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

/// Sends a request and leaves the connection open.
pub(crate) async fn open(address: SocketAddr, headers: &[(&str, &str)], path: &str, body: &str) -> TcpStream {
    open_by("POST", address, headers, path, body).await
}

async fn open_by(method: &str, address: SocketAddr, headers: &[(&str, &str)], path: &str, body: &str) -> TcpStream {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = [&head, "\r\n", body].concat();
    stream.write_all(request.as_bytes()).await.expect("it reads");
    stream
}

pub(crate) fn call(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    match arguments {
        Value::Object(arguments) => CallToolRequestParams::new(tool).with_arguments(arguments),
        other => panic!("no arguments: {other}"),
    }
}

fn structured(result: &CallToolResult) -> &Value {
    result.structured_content.as_ref().expect("structured content")
}

/// The revisions that clients speak: with sessions, and without.
const REVISIONS: [&str; 3] = ["2025-03-26", "2025-11-25", "2026-07-28"];

/// So that a sink can be shared.
type Shared<T> = Arc<parking_lot::Mutex<T>>;
