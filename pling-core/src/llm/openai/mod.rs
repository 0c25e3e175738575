//! A model behind an OpenAI-compatible endpoint.
//!
//! ```text
//! Request::body ─ wire ─▶ server
//!                        │ 200 event stream ─ sse ─▶ events ─┐
//!                        │ 200 JSON ───────────────▶ one ────┴ assemble ─▶ Reply
//!                        └ anything else ─ error ─▶ a kind, the provider's words, and whether to try again
//! ```
//!
//! A reply is handed on only when it is complete, so that sending a request again never repeats what a call did.

mod assemble;
mod backoff;
mod endpoint;
mod error;
mod sse;
mod wire;

use std::{fmt, sync::Arc};

use bytes::Bytes;
use reqwest::Client;
use secrecy::{ExposeSecret as _, SecretString};

use self::{endpoint::Endpoint, wire::Attempt};
use super::{Delta, ErrorKind, Llm, LlmError, OnDelta, Reply, Request, RetryPolicy};
use crate::platform::{BoxFuture, Duration, sleep};

/// A client of one OpenAI-compatible endpoint.
#[derive(Clone)]
pub struct OpenAi {
    client: Client,
    endpoint: Endpoint,
    model: String,
    key: Option<SecretString>,
    retry: RetryPolicy,
    idle_timeout: Duration,
    max_event_bytes: usize,
}

impl OpenAi {
    /// A client without a key. The base URL may end in nothing, in a version such as `/v1`, or in `/chat/completions`;
    /// its query is kept. The model is a name for people: what is sent is [`Request::model`].
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] for what is no HTTP address.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, LlmError> {
        let endpoint = Endpoint::new(base_url)?;
        let builder = Client::builder();
        #[cfg(not(target_arch = "wasm32"))]
        let builder = {
            // A redirect would turn the request into a GET, or carry the page's content to a place nobody configured.
            let builder = builder.redirect(reqwest::redirect::Policy::none());
            if endpoint.is_loopback() {
                builder.no_proxy()
            } else {
                builder
            }
        };
        let client = builder.build().map_err(|error| {
            LlmError::new(
                ErrorKind::NotConfigured,
                format!("no HTTP client can be made here: {error}"),
            )
        })?;
        Ok(Self {
            client,
            endpoint,
            model: model.into(),
            key: None,
            retry: RetryPolicy::default(),
            idle_timeout: Duration::from_secs(60),
            max_event_bytes: 4 << 20,
        })
    }

    /// The key, sent as a bearer token. White space around it does not count; a blank one means none.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] for a key that no header can carry.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Result<Self, LlmError> {
        let key = key.into();
        let trimmed = key.expose_secret().trim();
        self.key = None;
        if !trimmed.is_empty() {
            let key = SecretString::from(trimmed);
            wire::bearer(&key)?;
            self.key = Some(key);
        }
        Ok(self)
    }

    /// How often and how long a failed request is tried again.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// The longest silence: until the answer begins, and between two events with data. Default 60 s.
    /// A reply that is not streamed may take five times as long.
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// The most bytes of one event of a stream. Default 4 MiB.
    #[must_use]
    pub fn max_event_bytes(mut self, limit: usize) -> Self {
        self.max_event_bytes = limit;
        self
    }

    /// Sends a request until a reply is complete or nothing more may be tried.
    async fn ask(&self, request: &Request, on_delta: &OnDelta) -> Result<Reply, LlmError> {
        let body = serde_json::to_vec(&request.body())
            .map_err(|error| LlmError::new(ErrorKind::Protocol, format!("the request cannot be written: {error}")))?;
        let made_up = format!("call_{}", request.messages.len());
        let attempt = Attempt {
            client: &self.client,
            endpoint: &self.endpoint,
            key: self.key.as_ref(),
            body: Bytes::from(body),
            stream: request.stream,
            idle: self.idle_timeout,
            max_event_bytes: self.max_event_bytes,
            made_up: &made_up,
        };
        let mut waits = backoff::waits(&self.retry);
        let mut retries = 0;
        loop {
            let failure = match attempt.run(on_delta).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure.masked(self.key.as_ref()),
            };
            let Some(wait) = waits.next().filter(|_| failure.retry) else {
                return Err(failure.error);
            };
            let wait = wait.max(failure.wait.unwrap_or_default());
            retries += 1;
            tracing::debug!(
                retry = retries,
                kind = failure.error.kind.as_str(),
                "the request is sent again"
            );
            on_delta(Delta::Retry {
                attempt: retries,
                wait_millis: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                why: failure.error.to_string(),
            });
            sleep(wait).await;
        }
    }
}

impl Llm for OpenAi {
    fn name(&self) -> String {
        format!("{} at {}", self.model, self.endpoint.host())
    }

    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let this = self.clone();
        Box::pin(async move { this.ask(&request, &on_delta).await })
    }
}

/// Without the key.
impl fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAi")
            .field("url", &self.endpoint.shown)
            .field("model", &self.model)
            .field("has_key", &self.key.is_some())
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}
