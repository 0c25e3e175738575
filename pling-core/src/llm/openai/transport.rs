//! How a request gets to a server and its answer back: over the network, or from a cassette; recorded on the way where
//! somebody asked for that.

use std::{
    collections::BTreeMap,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use n0_future::{Stream, StreamExt as _};
use secrecy::SecretString;
use serde_json::Value;

use super::{
    endpoint::Endpoint,
    error::Failure,
    mask::masked,
    sse::{ChunkError, Chunks},
};
use crate::{
    llm::{
        ErrorKind,
        cassette::{Cassette, Line, Recorded, Recorder},
    },
    platform::net::{Client, Response},
};

/// The headers of an answer that the reader looks at, and so the ones that are recorded.
const RECORDED: &[&str] = &["content-type", "date", "location", "retry-after", "retry-after-ms"];

/// Where answers come from.
#[derive(Clone, Debug)]
pub(super) enum Transport {
    Network(Client),
    Cassette(Cassette),
}

/// An answer whose body is still to come.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) chunks: Chunks,
}

impl Answer {
    /// A header as text; empty where there is none.
    pub(super) fn header(&self, name: HeaderName) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

/// One request, and who keeps a copy of its answer.
pub(super) struct Outgoing<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) headers: HeaderMap,
    pub(super) body: &'a Value,
    pub(super) recorder: Option<&'a Recorder>,
    pub(super) secrets: &'a [SecretString],
}

impl Transport {
    pub(super) async fn send(&self, request: Outgoing<'_>) -> Result<Answer, Failure> {
        let Outgoing {
            endpoint,
            headers,
            body,
            recorder,
            secrets,
        } = request;
        let answer = match self {
            Self::Network(client) => over_network(client, endpoint, headers, body).await,
            Self::Cassette(cassette) => from_cassette(cassette, body),
        };
        let Some(recorder) = recorder else { return answer };
        let mut take = Take {
            recorder: recorder.clone(),
            body: body.clone(),
            reply: Recorded::default(),
            secrets: secrets.to_vec(),
        };
        match answer {
            Ok(answer) => {
                take.reply.status = Some(answer.status.as_u16());
                take.reply.headers = recorded_headers(&answer.headers);
                let chunks = Box::pin(Taped {
                    chunks: answer.chunks,
                    take,
                });
                Ok(Answer { chunks, ..answer })
            }
            Err(failure) => {
                take.reply.broken = Some(failure.error.message.clone());
                Err(failure)
            }
        }
    }
}

async fn over_network(
    client: &Client,
    endpoint: &Endpoint,
    headers: HeaderMap,
    body: &Value,
) -> Result<Answer, Failure> {
    let bytes = serde_json::to_vec(body)
        .map_err(|error| Failure::lasting(ErrorKind::Protocol, format!("the request cannot be written: {error}")))?;
    let Response { status, headers, body } = client
        .post(&endpoint.url, headers, bytes)
        .await
        .map_err(|words| Failure::broken(format!("no answer from {}: {words}", endpoint.shown)))?;
    Ok(Answer {
        status,
        headers,
        chunks: Box::pin(body.map(|piece| piece.map_err(ChunkError::Broken))),
    })
}

fn from_cassette(cassette: &Cassette, body: &Value) -> Result<Answer, Failure> {
    let reply = cassette
        .play(body)
        .map_err(|words| Failure::lasting(ErrorKind::Protocol, words))?;
    let Some(status) = reply.status.and_then(|status| StatusCode::from_u16(status).ok()) else {
        return Err(Failure::broken(reply.broken.unwrap_or_else(|| "no answer".to_owned())));
    };
    let headers = reply.headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(name).ok()?;
        Some((name, HeaderValue::try_from(value).ok()?))
    });
    let chunks = reply.chunks.into_iter().map(|bytes| Ok(Bytes::from(bytes)));
    let broken = reply.broken.map(|words| Err(ChunkError::Broken(words)));
    Ok(Answer {
        status,
        headers: headers.collect(),
        chunks: Box::pin(n0_future::stream::iter(chunks.chain(broken).collect::<Vec<_>>())),
    })
}

fn recorded_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let known = RECORDED.iter().filter_map(|name| {
        let value = headers.get(*name)?.to_str().ok()?;
        Some(((*name).to_owned(), value.to_owned()))
    });
    known.collect()
}

/// A body on its way to the reader, and onto the tape.
struct Taped {
    chunks: Chunks,
    take: Take,
}

impl Stream for Taped {
    type Item = Result<Bytes, ChunkError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunk = ready!(self.chunks.poll_next(cx));
        match &chunk {
            Some(Ok(bytes)) => self.take.reply.chunks.push(bytes.to_vec()),
            Some(Err(ChunkError::Broken(words))) => self.take.reply.broken = Some(words.clone()),
            _ => {}
        }
        Poll::Ready(chunk)
    }
}

/// What is written when nothing more is read: a reader stops at `[DONE]`, not at the end of the body.
struct Take {
    recorder: Recorder,
    body: Value,
    reply: Recorded,
    secrets: Vec<SecretString>,
}

impl Drop for Take {
    fn drop(&mut self) {
        let reply = std::mem::take(&mut self.reply);
        self.recorder
            .write(&Line::new(&self.body, reply, |text| masked(text, &self.secrets)));
    }
}

/// The headers of every request.
pub(super) fn usual_headers(stream: bool) -> HeaderMap {
    let accept = if stream {
        "text/event-stream, application/json"
    } else {
        "application/json"
    };
    HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::ACCEPT, HeaderValue::from_static(accept)),
    ])
}
