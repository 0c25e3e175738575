//! Server-sent events of one reply: bounded before they are decoded, and timed by real progress only.
//!
//! ```text
//! body chunks → Bounded (size, end of stream) → SseByteStream (lines, fields) → Events (idle timer)
//! ```

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use n0_future::{Stream, StreamExt as _, boxed::BoxStream};
use sse_stream::{Error as SseError, SseByteStream};

use super::error::Failure;
use crate::{
    llm::ErrorKind,
    platform::{Duration, now, timeout},
};

/// A body as it comes in.
pub(super) type Chunks = BoxStream<Result<Bytes, ChunkError>>;

/// Why a body ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChunkError {
    #[error("the connection broke: {0}")]
    Broken(String),
    #[error("the reply has an event of more than {0} bytes")]
    EventTooLong(usize),
    #[error("the reply has more than {0} bytes")]
    ReplyTooLong(usize),
}

impl From<ChunkError> for Failure {
    fn from(error: ChunkError) -> Self {
        match error {
            ChunkError::Broken(_) => Self::broken(error.to_string()),
            ChunkError::EventTooLong(_) | ChunkError::ReplyTooLong(_) => {
                Self::lasting(ErrorKind::Protocol, error.to_string())
            }
        }
    }
}

/// One event that carries data.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Whether it is named `error`.
    pub(super) is_error: bool,
    pub(super) data: String,
    /// Whether the stream ended before the blank line that closes an event: its data may be cut.
    pub(super) unclosed: bool,
}

/// The events of a body.
pub(super) struct Events {
    decoder: SseByteStream<Bounded>,
    ended: Arc<AtomicBool>,
}

impl Events {
    pub(super) fn new(chunks: Chunks, max_event_bytes: usize) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let bounded = Bounded {
            chunks,
            max_event_bytes,
            event_bytes: 0,
            line_is_empty: true,
            after_cr: false,
            ended: Arc::clone(&ended),
        };
        Self {
            decoder: SseByteStream::new(bounded),
            ended,
        }
    }

    /// The next event with data, or `None` at the end. Comments and events without data do not count as progress:
    /// a server that only keeps the connection alive runs into `idle`.
    pub(super) async fn next(&mut self, idle: Duration) -> Result<Option<Event>, Failure> {
        let deadline = now() + idle;
        loop {
            let left = deadline.saturating_duration_since(now());
            let Ok(event) = timeout(left, self.decoder.next()).await else {
                return Err(stalled(idle));
            };
            match event {
                None => return Ok(None),
                Some(Ok(event)) => {
                    if let Some(data) = event.data {
                        return Ok(Some(Event {
                            is_error: event.event.as_deref() == Some("error"),
                            data,
                            unclosed: self.ended.load(Ordering::Relaxed),
                        }));
                    }
                }
                Some(Err(SseError::Body(error))) => {
                    return Err(match error.downcast::<ChunkError>() {
                        Ok(error) => (*error).into(),
                        Err(error) => Failure::broken(error.to_string()),
                    });
                }
                Some(Err(error)) => {
                    let message = format!("the reply is not an event stream: {error}");
                    return Err(Failure::lasting(ErrorKind::Protocol, message));
                }
            }
        }
    }
}

/// Silence. Not tried again: a server that was silent for so long will be again, and the user has waited enough.
pub(super) fn stalled(idle: Duration) -> Failure {
    Failure::lasting(
        ErrorKind::Network,
        format!(
            "the server sent nothing for {} seconds; a slow model may need a longer idleTimeoutMs",
            idle.as_secs_f32()
        ),
    )
}

/// Bytes on their way to the decoder, which itself has no bound and drops a last event without a blank line.
struct Bounded {
    chunks: Chunks,
    max_event_bytes: usize,
    /// Bytes since the last blank line.
    event_bytes: usize,
    line_is_empty: bool,
    after_cr: bool,
    /// Whether the body is over and the closing blank line was added.
    ended: Arc<AtomicBool>,
}

impl Bounded {
    fn admit(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                b'\n' if self.after_cr => self.after_cr = false,
                b'\n' | b'\r' => {
                    if self.line_is_empty {
                        self.event_bytes = 0;
                    }
                    self.line_is_empty = true;
                    self.after_cr = *byte == b'\r';
                }
                _ => {
                    self.line_is_empty = false;
                    self.after_cr = false;
                    self.event_bytes += 1;
                    if self.event_bytes > self.max_event_bytes {
                        return false;
                    }
                }
            }
        }
        true
    }
}

impl Stream for Bounded {
    type Item = Result<Bytes, ChunkError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended.load(Ordering::Relaxed) {
            return Poll::Ready(None);
        }
        Poll::Ready(Some(match ready!(self.chunks.poll_next(cx)) {
            Some(Ok(bytes)) if self.admit(&bytes) => Ok(bytes),
            Some(Ok(_)) => Err(ChunkError::EventTooLong(self.max_event_bytes)),
            Some(Err(error)) => Err(error),
            None => {
                self.ended.store(true, Ordering::Relaxed);
                Ok(Bytes::from_static(b"\n\n"))
            }
        }))
    }
}
