//! Opt-in diagnostics: the exact body of each request. It holds page text and the conversation; never a key, nor what
//! goes into a sensitive input.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use super::Config;

/// The shortest text that is taken for a key.
const MIN_KEY_BYTES: usize = 6;
/// Bytes of all bodies kept, unless said otherwise.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// Told of the body of each request before it is sent. A request that is sent again has the same body.
#[cfg(not(target_arch = "wasm32"))]
pub type TraceSink = Arc<dyn Fn(&Value) + Send + Sync>;
/// Told of the body of each request before it is sent. A request that is sent again has the same body.
#[cfg(target_arch = "wasm32")]
pub type TraceSink = Arc<dyn Fn(&Value)>;

/// The latest request bodies, bounded in number and in bytes; a cheap handle.
#[derive(Clone, Debug)]
pub struct TraceRing {
    requests: Arc<Mutex<VecDeque<Kept>>>,
    max_requests: usize,
    max_bytes: usize,
}

#[derive(Debug)]
struct Kept {
    body: Arc<Value>,
    bytes: usize,
}

impl TraceRing {
    /// Keeps at most this many bodies, at least one, and at most 8 MB of them.
    #[must_use]
    pub fn new(max_requests: usize) -> Self {
        Self {
            requests: Arc::default(),
            max_requests: max_requests.max(1),
            max_bytes: MAX_BYTES,
        }
    }

    /// Changes how many bytes of bodies are kept together. The latest one is kept whatever its size.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// What to hand to [`super::Session::set_trace`].
    #[must_use]
    pub fn sink(&self) -> TraceSink {
        let ring = self.clone();
        Arc::new(move |body| ring.push(Arc::new(body.clone())))
    }

    /// The bodies kept, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<Value>> {
        self.requests.lock().iter().map(|kept| Arc::clone(&kept.body)).collect()
    }

    /// Forgets all bodies.
    pub fn clear(&self) {
        self.requests.lock().clear();
    }

    fn push(&self, body: Arc<Value>) {
        let bytes = body.to_string().len();
        let mut requests = self.requests.lock();
        requests.push_back(Kept { body, bytes });
        let mut sum: usize = requests.iter().map(|kept| kept.bytes).sum();
        while requests.len() > self.max_requests || (sum > self.max_bytes && requests.len() > 1) {
            sum -= requests.pop_front().map_or(0, |kept| kept.bytes);
        }
    }
}

/// The body without the key, wherever somebody put it.
pub(super) fn redacted(mut body: Value, config: &Config) -> Value {
    let key = config.api_key.expose_secret().trim();
    // A shorter one would be found in ordinary words.
    if key.len() >= MIN_KEY_BYTES {
        redact(&mut body, key);
    }
    body
}

fn redact(value: &mut Value, key: &str) {
    match value {
        Value::String(text) if text.contains(key) => *text = text.replace(key, "[key]"),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, key)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| redact(field, key)),
        _ => {}
    }
}
