//! A loopback HTTP server that follows a script, byte for byte.
//!
//! It writes HTTP itself, so that a test decides where a chunk ends, when nothing comes any more, and how a connection
//! breaks. It runs on a thread of its own: tests with and without an async runtime can use it.
//!
//! ```ignore
//! let server = Server::start([
//!     Answer::status(429).header("retry-after", "2"),
//!     Answer::sse().event(&json!({ "choices": [{ "delta": { "content": "hi" } }] })).done(),
//! ]);
//! let llm = OpenAi::new(&server.url("/v1"), "m")?;
//! // …
//! assert_eq!(server.requests()[1].body["stream"], true);
//! ```
//!
//! One answer is used up by each request. Requests beyond the script get status 418, which no client tries again.

use std::{collections::VecDeque, fmt::Write as _, net::SocketAddr, sync::Arc, thread};

use super::validate::assert_sendable;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{oneshot, watch},
    time::{Duration, sleep},
};

/// A running server. Dropping it ends its thread and every connection.
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<State>,
    hang_ups: watch::Receiver<usize>,
    _stop: oneshot::Sender<()>,
}

struct State {
    answers: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<Received>>,
    /// What no provider would have taken, with the reasons.
    refused: Mutex<Vec<String>>,
    hang_ups: watch::Sender<usize>,
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Path and query.
    pub(crate) path: String,
    /// In the order they came, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The exact bytes of the body.
    pub(crate) bytes: Vec<u8>,
    /// The body as JSON; null where it is none.
    pub(crate) body: Value,
}

impl Received {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }
}

/// One scripted answer: a status, headers, and what happens to the body, step by step.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// One HTTP chunk, flushed.
    Bytes(Vec<u8>),
    Wait(Duration),
    /// These bytes again and again, this far apart, until the client hangs up.
    Forever(Vec<u8>, Duration),
    /// Nothing more until the client hangs up.
    Stall,
    /// The connection breaks without the end of the body.
    Break,
}

impl Answer {
    /// An empty answer.
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// A stream of events, none yet.
    pub(crate) fn sse() -> Self {
        Self::status(200).header("content-type", "text/event-stream")
    }

    /// A JSON body.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::status(status)
            .header("content-type", "application/json")
            .bytes(body.to_string())
    }

    /// A stream of these deltas, then `finish_reason` and `[DONE]`.
    pub(crate) fn deltas(deltas: impl IntoIterator<Item = Value>, finish: &str) -> Self {
        let stream = deltas
            .into_iter()
            .fold(Self::sse(), |stream, delta| stream.delta(&delta));
        stream
            .event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] }))
            .done()
    }

    /// A whole streamed answer in words.
    pub(crate) fn text(text: &str) -> Self {
        Self::deltas([json!({ "content": text })], "stop")
    }

    /// A whole streamed answer of one call.
    pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Self {
        let function = json!({ "name": name, "arguments": arguments });
        let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
        Self::deltas([json!({ "tool_calls": [call] })], "tool_calls")
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds one chunk of exactly these bytes.
    pub(crate) fn bytes(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.steps.push(Step::Bytes(bytes.as_ref().to_vec()));
        self
    }

    /// Adds one `data:` event.
    pub(crate) fn event(self, data: &Value) -> Self {
        self.bytes(format!("data: {data}\n\n"))
    }

    /// Adds one event with a delta of the first choice.
    pub(crate) fn delta(self, delta: &Value) -> Self {
        self.event(&json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }))
    }

    /// Adds `data: [DONE]`.
    pub(crate) fn done(self) -> Self {
        self.bytes("data: [DONE]\n\n")
    }

    /// Waits before the next step.
    pub(crate) fn wait(mut self, duration: Duration) -> Self {
        self.steps.push(Step::Wait(duration));
        self
    }

    /// Sends these bytes again and again until the client hangs up.
    pub(crate) fn forever(mut self, bytes: &str, every: Duration) -> Self {
        self.steps.push(Step::Forever(bytes.as_bytes().to_vec(), every));
        self
    }

    /// Sends nothing more, and keeps the connection.
    pub(crate) fn stall(mut self) -> Self {
        self.steps.push(Step::Stall);
        self
    }

    /// Breaks the connection.
    pub(crate) fn hang_up(mut self) -> Self {
        self.steps.push(Step::Break);
        self
    }
}

impl Server {
    /// Starts on a free port of this machine.
    pub(crate) fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a socket without blocking");
        let address = listener.local_addr().expect("a bound socket");
        let (hang_ups_sender, hang_ups) = watch::channel(0);
        let state = Arc::new(State {
            answers: Mutex::new(answers.into_iter().collect()),
            requests: Mutex::default(),
            refused: Mutex::default(),
            hang_ups: hang_ups_sender,
        });
        let (stop, stopped) = oneshot::channel::<()>();
        let shared = Arc::clone(&state);
        thread::Builder::new()
            .name("scripted server".to_owned())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .expect("a runtime");
                runtime.block_on(async {
                    let listener = TcpListener::from_std(listener).expect("a socket for tokio");
                    tokio::select! {
                        () = accept(listener, shared) => {}
                        _ = stopped => {}
                    }
                });
            })
            .expect("a thread");
        Self {
            address,
            state,
            hang_ups,
            _stop: stop,
        }
    }

    /// The address with a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Adds an answer to the end of the script.
    pub(crate) fn push(&self, answer: Answer) {
        self.state.answers.lock().push_back(answer);
    }

    /// The requests so far, oldest first.
    pub(crate) fn requests(&self) -> Vec<Received> {
        self.state.requests.lock().clone()
    }

    /// Waits until this many clients hung up before their answer was complete.
    pub(crate) async fn hung_up(&self, count: usize) {
        let mut hang_ups = self.hang_ups.clone();
        let waited = hang_ups.wait_for(|so_far| *so_far >= count).await;
        waited.expect("the server lives as long as this handle");
    }
}

impl State {
    /// Holds a conversation to what the strictest provider takes. The test hears of it when the server goes.
    fn validate(&self, body: &Value) {
        if body.get("messages").is_none() {
            return;
        }
        if let Err(panic) = std::panic::catch_unwind(|| assert_sendable(body)) {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            self.refused.lock().push(text.unwrap_or("no words").to_owned());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let refused = std::mem::take(&mut *self.state.refused.lock());
        assert!(
            refused.is_empty() || thread::panicking(),
            "no provider would take this: {refused:#?}"
        );
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            return;
        };
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            // A client that goes away is what some tests are about.
            let _ = serve(stream, &state).await;
        });
    }
}

/// One request and its answer; then the connection is closed.
async fn serve(mut stream: TcpStream, state: &State) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let Some(received) = read_request(&mut stream).await? else {
        return Ok(());
    };
    state.validate(&received.body);
    state.requests.lock().push(received);
    let answer = state.answers.lock().pop_front();
    let answer = answer.unwrap_or_else(|| Answer::json(418, &json!({ "error": { "message": "the script ran out" } })));

    let mut head = format!(
        "HTTP/1.1 {} Scripted\r\nconnection: close\r\ntransfer-encoding: chunked\r\n",
        answer.status
    );
    for (name, value) in &answer.headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).await?;

    let (mut reader, mut writer) = stream.split();
    let mut byte = [0];
    tokio::select! {
        result = write_body(&mut writer, answer.steps) => result,
        _ = reader.read(&mut byte) => {
            state.hang_ups.send_modify(|count| *count += 1);
            Ok(())
        }
    }
}

async fn write_body(writer: &mut (impl tokio::io::AsyncWrite + Unpin), steps: Vec<Step>) -> std::io::Result<()> {
    for step in steps {
        match step {
            Step::Bytes(bytes) => write_chunk(writer, &bytes).await?,
            Step::Wait(duration) => sleep(duration).await,
            Step::Forever(bytes, every) => loop {
                write_chunk(writer, &bytes).await?;
                sleep(every).await;
            },
            Step::Stall => std::future::pending().await,
            Step::Break => return Ok(()),
        }
    }
    writer.write_all(b"0\r\n\r\n").await
}

async fn write_chunk(writer: &mut (impl tokio::io::AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    writer.write_all(&chunk).await?;
    writer.flush().await
}

/// `None`: the client went away before it said anything whole.
async fn read_request(stream: &mut TcpStream) -> std::io::Result<Option<Received>> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.lines();
    let path = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .unwrap_or_default()
        .to_owned();
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok());
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length.unwrap_or(0) {
        if stream.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some(Received {
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        bytes: body,
    }))
}
