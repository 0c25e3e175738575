//! A model behind an OpenAI-compatible endpoint.
//!
//! ```text
//! Request ─ profile ─▶ body ─ transport ─▶ server, or cassette
//!                                        │ 200 event stream ─ sse ─▶ events ─┐
//!                                        │ 200 JSON ───────────────▶ one ────┴ assemble ─▶ Reply
//!                                        └ anything else ─ error ─▶ a kind, the provider's words, and whether to try again
//! ```
//!
//! A reply is handed on only when it is complete, so that sending a request again never repeats what a call did.

mod ask;
mod assemble;
mod backoff;
mod endpoint;
mod error;
mod keep;
mod mask;
mod probe;
mod sse;
mod transport;
mod wire;

use std::{fmt, sync::Arc};

use http::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::Mutex;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

pub use probe::{Finding, Probe, Verdict};

use self::{endpoint::Endpoint, transport::Transport};
use super::{
    ErrorKind, Llm, LlmError, OnDelta, Profile, Reply, Request, RetryPolicy,
    cassette::{Cassette, Recorder},
};
use crate::platform::{BoxFuture, Duration, net::Client};

/// A client of one OpenAI-compatible endpoint.
#[derive(Clone)]
pub struct OpenAi {
    transport: Transport,
    recorder: Option<Recorder>,
    base_url: String,
    endpoint: Endpoint,
    query: Vec<(String, SecretString)>,
    headers: HeaderMap,
    model: String,
    key: Option<SecretString>,
    /// What nobody may see of what a server repeats.
    secrets: Vec<SecretString>,
    /// Shared by clones: what one learns of the provider, all know.
    profile: Arc<Mutex<Profile>>,
    retry: RetryPolicy,
    idle_timeout: Duration,
    max_event_bytes: usize,
}

impl OpenAi {
    /// A client without a key. The base URL may end in nothing, in a version such as `/v1`, or in `/chat/completions`;
    /// its query is kept. What is sent is [`Request::model`]; this model chooses the profile, is probed, and stands in
    /// where a session's configuration names none.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] for what is no HTTP address.
    pub fn new(base_url: &str, model: impl Into<String>) -> Result<Self, LlmError> {
        let model = model.into();
        let profile = Profile::detect(base_url, &model);
        let endpoint = Endpoint::new(base_url, &profile.root)?;
        let client = Client::to(&endpoint.url)
            .map_err(|error| not_configured(format!("no HTTP client can be made here: {error}")))?;
        Ok(Self {
            transport: Transport::Network(client),
            recorder: None,
            base_url: base_url.to_owned(),
            secrets: secrets_of(&endpoint),
            endpoint,
            query: Vec::new(),
            headers: HeaderMap::new(),
            model,
            key: None,
            profile: Arc::new(Mutex::new(profile)),
            retry: RetryPolicy::default(),
            idle_timeout: Duration::from_secs(60),
            max_event_bytes: 4 << 20,
        })
    }

    /// The key; the profile says which header carries it. White space around it does not count; a blank one means none.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] for a key that no header can carry.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Result<Self, LlmError> {
        let key = key.into();
        let trimmed = key.expose_secret().trim();
        self.key = None;
        if !trimmed.is_empty() {
            let key = SecretString::from(trimmed);
            secret_value(trimmed).ok_or_else(|| not_configured(BAD_KEY))?;
            self.secrets.push(key.clone());
            self.key = Some(key);
        }
        Ok(self)
    }

    /// How this provider wants its requests; by default [`Profile::detect`] says.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] for a header or a root that cannot be.
    pub fn profile(mut self, profile: Profile) -> Result<Self, LlmError> {
        header_name(&profile.key_header)?;
        self.endpoint = Endpoint::new(&self.base_url, &profile.root)?;
        for (name, value) in &self.query {
            self.endpoint.set_query(name, value.expose_secret());
        }
        self.profile = Arc::new(Mutex::new(profile));
        Ok(self)
    }

    /// A further header of each request, such as a gateway's own key or OpenRouter's `X-Title`. It replaces one of the
    /// same name.
    ///
    /// # Errors
    /// [`ErrorKind::NotConfigured`] for a name or a value that no header can have.
    pub fn header(mut self, name: &str, value: impl Into<SecretString>) -> Result<Self, LlmError> {
        let value = value.into();
        let trimmed = value.expose_secret().trim();
        let bad = || not_configured(format!("the value of the header {name} cannot be sent in a header"));
        self.headers
            .insert(header_name(name)?, secret_value(trimmed).ok_or_else(bad)?);
        if endpoint::is_secret(name) {
            self.secrets.push(trimmed.into());
        }
        Ok(self)
    }

    /// A further query field of the URL, such as Azure's `api-version`. It replaces one of the same name.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl Into<SecretString>) -> Self {
        let value = value.into();
        self.endpoint.set_query(name, value.expose_secret());
        self.secrets.extend(secrets_of(&self.endpoint));
        self.query.push((name.to_owned(), value));
        self
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

    /// Records every attempt.
    #[must_use]
    pub fn record(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Takes replies from a cassette, and never touches the network.
    #[must_use]
    pub fn replay(mut self, cassette: Cassette) -> Self {
        self.transport = Transport::Cassette(cassette);
        self
    }

    /// The profile in force, with what was learned from the provider's refusals.
    #[must_use]
    pub fn current_profile(&self) -> Profile {
        self.profile.lock().clone()
    }
}

impl Llm for OpenAi {
    fn name(&self) -> String {
        format!("{} at {}", self.model, self.endpoint.host)
    }

    fn model(&self) -> String {
        self.model.clone()
    }

    fn body(&self, request: &Request) -> Value {
        self.profile.lock().body(request)
    }

    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let this = self.clone();
        Box::pin(async move {
            let heard = this.ask(&request, &this.retry, &on_delta).await?;
            Ok(heard.assembled.reply)
        })
    }
}

/// Without keys.
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

const BAD_KEY: &str = "the API key has characters that no key has, such as a line break or a letter outside ASCII";

fn not_configured(message: impl Into<String>) -> LlmError {
    LlmError::new(ErrorKind::NotConfigured, message)
}

fn header_name(name: &str) -> Result<HeaderName, LlmError> {
    HeaderName::try_from(name.trim()).map_err(|_error| not_configured(format!("“{name}” is no name of a header")))
}

/// A value that `Debug` does not show. Bytes outside ASCII would go through as they are, and no server reads them the
/// same way.
fn secret_value(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok().filter(|_| text.is_ascii())?;
    value.set_sensitive(true);
    Some(value)
}

fn secrets_of(endpoint: &Endpoint) -> Vec<SecretString> {
    endpoint.secrets().into_iter().map(SecretString::from).collect()
}
