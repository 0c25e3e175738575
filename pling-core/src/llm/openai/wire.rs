//! One attempt: the request as bytes, and the reply in whichever form it comes.

use bytes::{Bytes, BytesMut};
use http::{HeaderValue, header};
use n0_future::StreamExt as _;
use reqwest::{Client, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{
    assemble::{Assembler, Piece},
    backoff::retry_after,
    endpoint::Endpoint,
    error::{Failure, looks_like_html},
    sse::{ChunkError, Chunks, Event, Events, stalled},
};
use crate::{
    llm::{Delta, ErrorKind, LlmError, OnDelta, Reply},
    platform::{Duration, timeout},
};

/// The most bytes of one reply, and of what is read of an error's text.
const MAX_REPLY_BYTES: usize = 32 << 20;
const MAX_ERROR_BYTES: usize = 64 << 10;

/// How long to wait for what may still come after the finish reason: the usage.
const AFTER_FINISH: Duration = Duration::from_secs(2);

/// How many times longer than an event a reply may take that comes in one piece.
const WHOLE_REPLY: u32 = 5;

/// One request, ready to be sent as often as needed.
pub(super) struct Attempt<'a> {
    pub(super) client: &'a Client,
    pub(super) endpoint: &'a Endpoint,
    pub(super) key: Option<&'a SecretString>,
    pub(super) body: Bytes,
    pub(super) stream: bool,
    pub(super) idle: Duration,
    pub(super) max_event_bytes: usize,
    /// The beginning of ids for calls that come without one.
    pub(super) made_up: &'a str,
}

impl Attempt<'_> {
    /// Sends the request and reads the reply to its end.
    pub(super) async fn run(&self, on_delta: &OnDelta) -> Result<Reply, Failure> {
        let response = self.send().await?;
        let content_type = response
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_lowercase();
        let mut chunks = chunks(response);
        let start = self.start(&mut chunks).await?;
        let chunks: Chunks = Box::pin(n0_future::stream::once(Ok(start.clone())).chain(chunks));
        match Form::of(&content_type, &start) {
            Form::Events => self.read_events(chunks, on_delta).await,
            Form::Json => self.read_json(chunks, on_delta).await,
            Form::Other(what) => Err(Failure::lasting(
                ErrorKind::Protocol,
                format!("{} answered with {what}, not with a reply", self.endpoint.shown),
            )),
        }
    }

    async fn send(&self) -> Result<Response, Failure> {
        let mut request = self
            .client
            .post(self.endpoint.url.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header(
                header::ACCEPT,
                if self.stream {
                    "text/event-stream, application/json"
                } else {
                    "application/json"
                },
            );
        if let Some(key) = self.key {
            let value = bearer(key).map_err(|error| Failure::lasting(error.kind, error.message))?;
            request = request.header(header::AUTHORIZATION, value);
        }
        let request = request.body(self.body.clone()).send();
        let response = match timeout(self.patience(), request).await {
            Err(_) => return Err(stalled(self.patience())),
            Ok(Err(error)) => {
                let what = format!("no answer from {}: {}", self.endpoint.shown, words(error));
                return Err(Failure::broken(what));
            }
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers();
        if status.is_redirection() {
            let to = headers
                .get(header::LOCATION)
                .and_then(|value| value.to_str().ok())
                .unwrap_or("nowhere");
            let message = format!("{} redirects to {to}: use that as the base URL", self.endpoint.shown);
            return Err(Failure::lasting(ErrorKind::Protocol, message));
        }
        let wait = retry_after(headers);
        let body = self.read_some(chunks(response), MAX_ERROR_BYTES).await;
        let body = String::from_utf8_lossy(&body);
        Err(Failure::from_status(status.as_u16(), &body, &self.endpoint.shown, wait))
    }

    /// The body up to its first byte that is not white space.
    async fn start(&self, chunks: &mut Chunks) -> Result<Bytes, Failure> {
        let mut start = BytesMut::new();
        loop {
            match timeout(self.patience(), chunks.next()).await {
                Err(_) => return Err(stalled(self.patience())),
                Ok(None) => return Ok(start.freeze()),
                Ok(Some(chunk)) => start.extend_from_slice(&chunk?),
            }
            // A keep-alive comment may well come before the first event.
            if start.iter().any(|byte| !byte.is_ascii_whitespace()) || start.len() > MAX_ERROR_BYTES {
                return Ok(start.freeze());
            }
        }
    }

    async fn read_events(&self, chunks: Chunks, on_delta: &OnDelta) -> Result<Reply, Failure> {
        let mut events = Events::new(chunks, self.max_event_bytes);
        let mut assembler = Assembler::default();
        loop {
            let idle = if assembler.has_finish() {
                self.idle.min(AFTER_FINISH)
            } else {
                self.idle
            };
            let event = match events.next(idle).await {
                Ok(Some(event)) => event,
                Ok(None) => break,
                // All that matters has arrived.
                Err(_) if assembler.has_finish() => break,
                Err(failure) => return Err(failure),
            };
            if event.data.trim() == "[DONE]" {
                assembler.mark_done();
                break;
            }
            if event.is_error {
                return Err(Failure::in_band(&event.data));
            }
            match read_chunk(&event) {
                Ok(Some(chunk)) => self.take(&mut assembler, &chunk, on_delta)?,
                Ok(None) => {}
                Err(_) if assembler.has_finish() => break,
                Err(failure) => return Err(failure),
            }
        }
        self.finish(assembler)
    }

    async fn read_json(&self, chunks: Chunks, on_delta: &OnDelta) -> Result<Reply, Failure> {
        let body = self.read_all(chunks).await?;
        let json: Value = match serde_json::from_slice(&body) {
            Ok(json) => json,
            Err(error) if error.is_eof() => return Err(interrupted()),
            Err(error) => {
                let message = format!("the reply is not JSON: {error}");
                return Err(Failure::lasting(ErrorKind::Protocol, message));
            }
        };
        if !json["choices"].is_array() {
            return Err(Failure::in_band(&json.to_string()));
        }
        let mut assembler = Assembler::default();
        self.take(&mut assembler, &json, on_delta)?;
        assembler.mark_done();
        self.finish(assembler)
    }

    fn take(&self, assembler: &mut Assembler, chunk: &Value, on_delta: &OnDelta) -> Result<(), Failure> {
        match assembler.push(chunk) {
            Piece::Text(text) => {
                if !text.is_empty() {
                    on_delta(Delta::Text(text));
                }
                Ok(())
            }
            Piece::Error(report) => Err(Failure::in_band(&report)),
        }
    }

    fn finish(&self, assembler: Assembler) -> Result<Reply, Failure> {
        assembler.into_reply(self.made_up).ok_or_else(interrupted)
    }

    async fn read_all(&self, mut chunks: Chunks) -> Result<Bytes, Failure> {
        let mut body = BytesMut::new();
        loop {
            match timeout(self.patience(), chunks.next()).await {
                Err(_) => return Err(stalled(self.patience())),
                Ok(None) => return Ok(body.freeze()),
                Ok(Some(chunk)) => body.extend_from_slice(&chunk?),
            }
        }
    }

    /// As much of a body as there is, whatever happens to the rest.
    async fn read_some(&self, mut chunks: Chunks, max: usize) -> Bytes {
        let mut body = BytesMut::new();
        while body.len() < max {
            let Ok(Some(Ok(chunk))) = timeout(self.idle, chunks.next()).await else {
                break;
            };
            body.extend_from_slice(&chunk);
        }
        body.truncate(max);
        body.freeze()
    }

    /// How long to wait for the next bytes, whatever they are.
    fn patience(&self) -> Duration {
        if self.stream {
            self.idle
        } else {
            self.idle.saturating_mul(WHOLE_REPLY)
        }
    }
}

/// `Bearer` and the key, never shown by `Debug`.
pub(super) fn bearer(key: &SecretString) -> Result<HeaderValue, LlmError> {
    let key = key.expose_secret();
    // Bytes outside ASCII would go through as they are, and no server reads them the same way.
    match HeaderValue::from_str(&format!("Bearer {key}")) {
        Ok(mut value) if key.is_ascii() => {
            value.set_sensitive(true);
            Ok(value)
        }
        _ => {
            let why = "the API key has characters that no key has, such as a line break or a letter outside ASCII";
            Err(LlmError::new(ErrorKind::NotConfigured, why))
        }
    }
}

/// What a successful body is.
#[derive(Debug, PartialEq, Eq)]
enum Form {
    Events,
    Json,
    Other(&'static str),
}

impl Form {
    /// The label is not trusted where the content says otherwise.
    fn of(content_type: &str, start: &[u8]) -> Self {
        let text = start.trim_ascii_start();
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        match text.first() {
            Some(0x1f) => Self::Other("compressed bytes that it does not label"),
            Some(b'<') => Self::Other("an HTML page"),
            Some(b'{' | b'[') => Self::Json,
            _ if content_type.starts_with("text/html") || looks_like_html(&String::from_utf8_lossy(text)) => {
                Self::Other("an HTML page")
            }
            _ => Self::Events,
        }
    }
}

/// `None`: an event with nothing in it.
fn read_chunk(event: &Event) -> Result<Option<Value>, Failure> {
    if event.data.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str(&event.data) {
        Ok(chunk @ Value::Object(_)) => Ok(Some(chunk)),
        Err(_) if event.unclosed => Err(interrupted()),
        Ok(_) | Err(_) => {
            let message = "the event stream has a chunk that is not a JSON object";
            Err(Failure::lasting(ErrorKind::Protocol, message))
        }
    }
}

fn interrupted() -> Failure {
    Failure::broken("the reply was interrupted before it was complete")
}

fn chunks(response: Response) -> Chunks {
    let mut total = 0;
    Box::pin(response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(|error| ChunkError::Broken(words(error)))?;
        total += chunk.len();
        if total > MAX_REPLY_BYTES {
            return Err(ChunkError::ReplyTooLong(MAX_REPLY_BYTES));
        }
        Ok(chunk)
    }))
}

/// An error with its causes, and without the URL, which may hold a key.
fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}
