//! Opt-in diagnostics: the exact body of each request. It holds page text and the conversation; never a key.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use serde_json::Value;

/// Told of the body of each request before it is sent. A request that is sent again has the same body.
#[cfg(not(target_arch = "wasm32"))]
pub type TraceSink = Arc<dyn Fn(&Value) + Send + Sync>;
/// Told of the body of each request before it is sent. A request that is sent again has the same body.
#[cfg(target_arch = "wasm32")]
pub type TraceSink = Arc<dyn Fn(&Value)>;

/// The latest request bodies, bounded in number; a cheap handle.
#[derive(Clone, Debug)]
pub struct TraceRing {
    requests: Arc<Mutex<VecDeque<Arc<Value>>>>,
    max_requests: usize,
}

impl TraceRing {
    /// Keeps at most this many bodies, at least one.
    #[must_use]
    pub fn new(max_requests: usize) -> Self {
        Self {
            requests: Arc::default(),
            max_requests: max_requests.max(1),
        }
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
        self.requests.lock().iter().cloned().collect()
    }

    /// Forgets all bodies.
    pub fn clear(&self) {
        self.requests.lock().clear();
    }

    fn push(&self, body: Arc<Value>) {
        let mut requests = self.requests.lock();
        while requests.len() >= self.max_requests {
            requests.pop_front();
        }
        requests.push_back(body);
    }
}
