//! One attempt: the request on its way, and the reply in whichever form it comes.

use bytes::{Bytes, BytesMut};
use http::header;
use n0_future::StreamExt as _;
use serde_json::Value;

use super::{
    assemble::{Assembled, Assembler, Piece},
    backoff::retry_after,
    error::{Failure, looks_like_html},
    sse::{ChunkError, Chunks, Event, Events, stalled},
    transport::{Answer, Outgoing, Transport},
};
use crate::{
    llm::{Delta, ErrorKind, OnDelta},
    platform::{Duration, timeout},
};

/// The most bytes of one reply, and of what is read of an error's text.
const MAX_REPLY_BYTES: usize = 32 << 20;
const MAX_ERROR_BYTES: usize = 64 << 10;

/// How long to wait for what may still come after the finish reason: the usage.
const AFTER_FINISH: Duration = Duration::from_secs(2);

/// How many times longer than an event a reply may take that comes in one piece.
const WHOLE_REPLY: u32 = 5;

/// How to read what comes back.
pub(super) struct Reader<'a> {
    /// The URL for people.
    pub(super) url: &'a str,
    /// Whether a stream was asked for.
    pub(super) stream: bool,
    pub(super) idle: Duration,
    pub(super) max_event_bytes: usize,
    /// The beginning of ids for calls that come without one.
    pub(super) made_up: &'a str,
}

/// A reply, and how it came.
pub(super) struct Heard {
    pub(super) assembled: Assembled,
    /// As events, not in one piece.
    pub(super) streamed: bool,
}

impl Reader<'_> {
    /// Sends the request and reads the reply to its end.
    pub(super) async fn run(
        &self,
        transport: &Transport,
        request: Outgoing<'_>,
        on_delta: &OnDelta,
    ) -> Result<Heard, Failure> {
        let answer = match timeout(self.patience(), transport.send(request)).await {
            Err(_) => return Err(stalled(self.patience())),
            Ok(answer) => self.check(answer?).await?,
        };
        let content_type = answer.header(header::CONTENT_TYPE).to_lowercase();
        let mut chunks = bounded(answer.chunks);
        let start = self.start(&mut chunks).await?;
        let chunks: Chunks = Box::pin(n0_future::stream::once(Ok(start.clone())).chain(chunks));
        match Form::of(&content_type, &start) {
            Form::Events => Ok(Heard {
                assembled: self.read_events(chunks, on_delta).await?,
                streamed: true,
            }),
            Form::Json => Ok(Heard {
                assembled: self.read_json(chunks, on_delta).await?,
                streamed: false,
            }),
            Form::Other(what) => Err(Failure::lasting(
                ErrorKind::Protocol,
                format!("{} answered with {what}, not with a reply", self.url),
            )),
        }
    }

    /// Turns everything but success into a failure.
    async fn check(&self, answer: Answer) -> Result<Answer, Failure> {
        let status = answer.status;
        if status.is_success() {
            return Ok(answer);
        }
        if status.is_redirection() {
            let message = match answer.header(header::LOCATION) {
                // A browser does not tell the page.
                "" => format!(
                    "{} redirects: the base URL must be the address where that ends",
                    self.url
                ),
                to => format!("{} redirects to {to}: use that as the base URL", self.url),
            };
            return Err(Failure::lasting(ErrorKind::Protocol, message));
        }
        let wait = retry_after(&answer.headers);
        let body = self.read_some(bounded(answer.chunks), MAX_ERROR_BYTES).await;
        let body = String::from_utf8_lossy(&body);
        Err(Failure::from_status(status.as_u16(), &body, self.url, wait))
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

    async fn read_events(&self, chunks: Chunks, on_delta: &OnDelta) -> Result<Assembled, Failure> {
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

    async fn read_json(&self, chunks: Chunks, on_delta: &OnDelta) -> Result<Assembled, Failure> {
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

    fn finish(&self, assembler: Assembler) -> Result<Assembled, Failure> {
        assembler.finish(self.made_up).ok_or_else(interrupted)
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
            Some(0x1f) => Self::Other("compressed bytes that nobody asked for"),
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

/// No more than a reply may have.
fn bounded(chunks: Chunks) -> Chunks {
    let mut total = 0;
    Box::pin(chunks.map(move |chunk| {
        let chunk = chunk?;
        total += chunk.len();
        if total > MAX_REPLY_BYTES {
            return Err(ChunkError::ReplyTooLong(MAX_REPLY_BYTES));
        }
        Ok(chunk)
    }))
}
