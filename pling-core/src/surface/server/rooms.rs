//! The connections there are, and room for new ones.
//!
//! Whoever opens connections and shows no token must not keep those out who have it: where there is no room, the oldest
//! connection that has not shown it yet is closed.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Connections at once.
const MAX_CONNECTIONS: usize = 64;

/// All connections, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    taken: Arc<Mutex<VecDeque<Arc<State>>>>,
}

#[derive(Debug, Default)]
struct State {
    is_known: AtomicBool,
    leave: CancellationToken,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Room {
    rooms: Rooms,
    state: Arc<State>,
}

impl Rooms {
    /// A place for a new connection. `None`: all are taken by those who have the token.
    pub(super) fn take(&self) -> Option<Room> {
        let mut taken = self.taken.lock();
        if taken.len() >= MAX_CONNECTIONS {
            let unknown = taken.iter().position(|state| !state.is_known.load(Ordering::Relaxed))?;
            if let Some(state) = taken.remove(unknown) {
                state.leave.cancel();
            }
        }
        let state = Arc::<State>::default();
        taken.push_back(Arc::clone(&state));
        Some(Room {
            rooms: self.clone(),
            state,
        })
    }
}

impl Room {
    /// A request with the token came in by it.
    pub(super) fn is_known(&self) {
        self.state.is_known.store(true, Ordering::Relaxed);
    }

    /// Waits until it has to make room.
    pub(super) async fn left(&self) {
        self.state.leave.cancelled().await;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.rooms.taken.lock().retain(|state| !Arc::ptr_eq(state, &self.state));
    }
}
