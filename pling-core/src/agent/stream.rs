//! Who is told of events: bounded streams and callbacks.

use std::{
    fmt,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;
use tokio::sync::broadcast::{
    self,
    error::{RecvError, TryRecvError},
};

use super::Event;

/// Events kept for a slow reader.
const CAPACITY: usize = 1024;

/// A callback for events. It may use any handle of the session: no lock is held while it runs.
#[cfg(not(target_arch = "wasm32"))]
pub type OnEvent = Arc<dyn Fn(&Event) + Send + Sync>;
/// A callback for events. It may use any handle of the session: no lock is held while it runs.
#[cfg(target_arch = "wasm32")]
pub type OnEvent = Arc<dyn Fn(&Event)>;

/// What a reader of an [`EventStream`] gets.
#[derive(Clone, Debug)]
pub enum Streamed {
    /// The next event.
    Event(Event),
    /// So many events were dropped because this reader was slow; the stream goes on behind them.
    Missed(u64),
}

/// Events from the moment of subscription on. Bounded: a slow reader misses some and is told how many.
pub struct EventStream(broadcast::Receiver<Event>);

impl EventStream {
    /// Waits for what comes next. `None`: the session is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Streamed> {
        match self.0.recv().await {
            Ok(event) => Some(Streamed::Event(event)),
            Err(RecvError::Lagged(missed)) => Some(Streamed::Missed(missed)),
            Err(RecvError::Closed) => None,
        }
    }

    /// What is there already; never waits. `None`: nothing (more) at the moment.
    pub fn try_next(&mut self) -> Option<Streamed> {
        match self.0.try_recv() {
            Ok(event) => Some(Streamed::Event(event)),
            Err(TryRecvError::Lagged(missed)) => Some(Streamed::Missed(missed)),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}

/// Takes a callback off again; dropping it leaves the callback in place.
#[derive(Debug)]
pub struct Listener {
    listeners: Weak<Mutex<Listeners>>,
    serial: u64,
}

impl Listener {
    /// Takes the callback off. A call that is under way ends.
    pub fn remove(self) {
        if let Some(listeners) = self.listeners.upgrade() {
            // Dropped outside the lock: what the callback holds may have a destructor that comes back here.
            let removed = listeners.lock().take(self.serial);
            drop(removed);
        }
    }
}

/// Where events go out.
pub(super) struct Outlet {
    stream: broadcast::Sender<Event>,
    listeners: Arc<Mutex<Listeners>>,
}

#[derive(Default)]
struct Listeners {
    next_serial: u64,
    callbacks: Vec<(u64, OnEvent)>,
}

impl Listeners {
    fn take(&mut self, serial: u64) -> Option<OnEvent> {
        let position = self.callbacks.iter().position(|(own, _)| *own == serial)?;
        Some(self.callbacks.remove(position).1)
    }
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners")
            .field("callbacks", &self.callbacks.len())
            .finish()
    }
}

impl Outlet {
    pub(super) fn new() -> Self {
        Self {
            stream: broadcast::Sender::new(CAPACITY),
            listeners: Arc::default(),
        }
    }

    pub(super) fn subscribe(&self) -> EventStream {
        EventStream(self.stream.subscribe())
    }

    pub(super) fn listen(&self, callback: OnEvent) -> Listener {
        let mut listeners = self.listeners.lock();
        let serial = listeners.next_serial;
        listeners.next_serial += 1;
        listeners.callbacks.push((serial, callback));
        Listener {
            listeners: Arc::downgrade(&self.listeners),
            serial,
        }
    }

    pub(super) fn emit(&self, event: Event) {
        let callbacks: Vec<_> = {
            let listeners = self.listeners.lock();
            listeners.callbacks.iter().map(|(_, call)| Arc::clone(call)).collect()
        };
        for call in callbacks {
            call(&event);
        }
        // Fails when nobody reads, which is nobody's loss.
        let _ = self.stream.send(event);
    }
}
