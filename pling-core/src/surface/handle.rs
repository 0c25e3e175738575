//! The Surface of one application: who its clients are.

use std::{collections::HashMap, fmt, sync::Arc};

use parking_lot::Mutex;

use super::{Client, ClientLimits, client::Ids};
use crate::act::Executor;
#[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
use crate::observe::Observation;

/// Clients remembered that were met by their name; beyond it, those that have nothing open are forgotten.
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
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    /// With limits that the application chose: as many as it admits, never forgotten.
    admitted: HashMap<Arc<str>, Client>,
    /// Met by a name that anybody may take.
    met: HashMap<Arc<str>, Client>,
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
    /// A name tells clients apart and is not verified: whoever takes it has the limits and the grants of that name.
    /// Whatever carries the words of clients decides who may speak at all. There is room for 64 of
    /// these; those that have nothing open make room, and what they used up is forgotten with what they were granted.
    #[must_use]
    pub fn client(&self, name: &str) -> Client {
        let name = plain(name);
        let mut clients = self.shared.clients.lock();
        let Clients { admitted, met } = &mut *clients;
        if let Some(client) = admitted.get(&*name).or_else(|| met.get(&*name)) {
            return client.clone();
        }
        if met.len() >= MAX_CLIENTS {
            met.retain(|_, client| {
                let is_busy = client.is_busy();
                if !is_busy {
                    client.revoke_grants();
                }
                is_busy
            });
        }
        let client = self.make(&name, self.shared.limits.lock().clone());
        // So many that each has something open: this one works, and is not remembered.
        if met.len() < MAX_CLIENTS {
            met.insert(name, client.clone());
        }
        client
    }

    /// The client of this name, with limits of its own if it is met for the first time. It is remembered from now on, so
    /// this is for names that the application knows, not for those that come in from outside.
    #[must_use]
    pub fn admit(&self, name: &str, limits: ClientLimits) -> Client {
        let name = plain(name);
        let mut clients = self.shared.clients.lock();
        let Clients { admitted, met } = &mut *clients;
        let known = met.remove(&*name);
        let client = admitted
            .entry(Arc::clone(&name))
            .or_insert_with(|| known.unwrap_or_else(|| self.make(&name, limits)));
        client.clone()
    }

    fn make(&self, name: &Arc<str>, limits: ClientLimits) -> Client {
        let Shared { executor, ids, .. } = &*self.shared;
        Client::new(executor.clone(), Arc::clone(name), limits, Arc::clone(ids))
    }

    /// The page as it is, without waiting for it to settle.
    #[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
    pub(super) async fn look(&self) -> Option<Arc<Observation>> {
        let executor = &self.shared.executor;
        let snapshot = executor.host().snapshot().await.ok()?;
        Some(Arc::new(Observation::new(&snapshot, &executor.policy().budget)))
    }

    /// Every client leaves, and with it what its user granted it.
    pub fn close(&self) {
        self.all().iter().for_each(Client::leave);
    }

    /// Whoever comes with another token is another, whatever its name.
    #[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
    pub(super) fn revoke_grants(&self) {
        self.all().iter().for_each(Client::revoke_grants);
    }

    fn all(&self) -> Vec<Client> {
        let clients = self.shared.clients.lock();
        let mut all: Vec<_> = clients.admitted.values().chain(clients.met.values()).cloned().collect();
        all.sort_by(|one, other| one.name().cmp(other.name()));
        all
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
            .field("clients", &self.all().len())
            .finish_non_exhaustive()
    }
}
