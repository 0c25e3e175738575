//! The Surface of one application: who its clients are.

use std::{collections::HashMap, fmt, sync::Arc};

use parking_lot::Mutex;

use super::{Client, ClientLimits, client::Ids};
use crate::act::Executor;
#[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
use crate::observe::Observation;

/// Clients remembered; beyond it, those that have nothing open are forgotten.
const MAX_CLIENTS: usize = 64;
/// Characters of a client's name.
const NAME_CHARS: usize = 60;

/// The Surface of one application; a cheap handle.
#[derive(Clone)]
pub struct Surface {
    shared: Arc<Shared>,
}

struct Shared {
    executor: Executor,
    ids: Arc<Ids>,
    limits: Mutex<ClientLimits>,
    clients: Mutex<HashMap<Arc<str>, Client>>,
}

impl Surface {
    /// A Surface over an executor.
    #[must_use]
    pub fn new(executor: Executor) -> Self {
        Self {
            shared: Arc::new(Shared {
                executor,
                ids: Arc::new(Ids::new()),
                limits: Mutex::default(),
                clients: Mutex::default(),
            }),
        }
    }

    /// What a client may do that is met for the first time from now on.
    pub fn set_limits(&self, limits: ClientLimits) {
        *self.shared.limits.lock() = limits;
    }

    /// The client of this name: the same one each time, with the limits of [`Self::set_limits`].
    ///
    /// A name tells clients apart and is not verified: whatever carries their words decides who may speak at all.
    #[must_use]
    pub fn client(&self, name: &str) -> Client {
        let limits = self.shared.limits.lock().clone();
        self.admit(name, limits)
    }

    /// The client of this name, with limits of its own if it is met for the first time.
    #[must_use]
    pub fn admit(&self, name: &str, limits: ClientLimits) -> Client {
        let name = plain(name);
        let mut clients = self.shared.clients.lock();
        if let Some(client) = clients.get(&*name) {
            return client.clone();
        }
        if clients.len() >= MAX_CLIENTS {
            clients.retain(|_, client| client.is_busy());
        }
        let Shared { executor, ids, .. } = &*self.shared;
        let client = Client::new(executor.clone(), Arc::clone(&name), limits, Arc::clone(ids));
        // So many that each has something open: this one works, and is not remembered.
        if clients.len() < MAX_CLIENTS {
            clients.insert(name, client.clone());
        }
        client
    }

    /// The page as it is, without waiting for it to settle.
    #[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
    pub(super) async fn look(&self) -> Option<Arc<Observation>> {
        let executor = &self.shared.executor;
        let snapshot = executor.host().snapshot().await.ok()?;
        Some(Arc::new(Observation::new(&snapshot, &executor.policy().budget)))
    }

    /// Every client leaves.
    pub fn close(&self) {
        let mut clients: Vec<_> = self.shared.clients.lock().values().cloned().collect();
        clients.sort_by(|one, other| one.name().cmp(other.name()));
        clients.iter().for_each(Client::leave);
    }
}

/// A name on one line, without what hides or reorders.
fn plain(name: &str) -> Arc<str> {
    let shown = name.chars().filter(|c| c.is_alphanumeric() || " -_./@:".contains(*c));
    let name: String = shown.take(NAME_CHARS).collect();
    match name.trim() {
        "" => Arc::from("unnamed"),
        name => Arc::from(name),
    }
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface")
            .field("clients", &self.shared.clients.lock().len())
            .finish_non_exhaustive()
    }
}
