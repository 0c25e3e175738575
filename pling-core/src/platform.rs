//! What differs between a native program and a browser tab: tasks, timers, the clock, and `Send`.

pub use n0_future::boxed::BoxFuture;
pub use n0_future::task::spawn;
use n0_future::time::SystemTime;
pub use n0_future::time::{Duration, Instant, sleep, timeout};

/// The current instant of the monotonic clock; a paused tokio clock counts.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place that may read the clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// Milliseconds since 1970, by the clock on the wall.
#[must_use]
pub fn unix_millis() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// `Send` where tasks move between threads; nothing in a browser tab.
#[cfg(not(target_arch = "wasm32"))]
pub trait MaybeSend: Send {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Send + ?Sized> MaybeSend for T {}
/// `Send` where tasks move between threads; nothing in a browser tab.
#[cfg(target_arch = "wasm32")]
pub trait MaybeSend {}
#[cfg(target_arch = "wasm32")]
impl<T: ?Sized> MaybeSend for T {}

/// `Sync` where tasks move between threads; nothing in a browser tab.
#[cfg(not(target_arch = "wasm32"))]
pub trait MaybeSync: Sync {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Sync + ?Sized> MaybeSync for T {}
/// `Sync` where tasks move between threads; nothing in a browser tab.
#[cfg(target_arch = "wasm32")]
pub trait MaybeSync {}
#[cfg(target_arch = "wasm32")]
impl<T: ?Sized> MaybeSync for T {}
