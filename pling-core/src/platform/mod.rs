//! What differs between a native program and a browser tab: tasks, timers, the clock, `Send`, the page around, and the network.

#[cfg(feature = "openai")]
pub(crate) mod net;

pub use n0_future::boxed::BoxFuture;
pub use n0_future::task::spawn;
use n0_future::time::SystemTime;
pub use n0_future::time::{Duration, Instant, sleep, timeout};

/// The current instant of the monotonic clock; a paused tokio clock counts.
#[must_use]
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::disallowed_methods, reason = "the one place that may read the clock")
)]
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

/// Whether this is a browser tab that nobody sees: it draws nothing then, and its timers are slow.
#[must_use]
#[cfg(not(target_arch = "wasm32"))]
pub fn is_hidden_tab() -> bool {
    false
}
/// Whether this is a browser tab that nobody sees: it draws nothing then, and its timers are slow.
#[must_use]
#[cfg(target_arch = "wasm32")]
pub fn is_hidden_tab() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.is_some_and(|document| document.hidden())
}

/// The address of the page in a browser, which relative addresses start from. `None`: there is no page.
#[must_use]
#[cfg(not(target_arch = "wasm32"))]
pub fn page_url() -> Option<String> {
    None
}
/// The address of the page in a browser, which relative addresses start from. `None`: there is no page.
#[must_use]
#[cfg(target_arch = "wasm32")]
pub fn page_url() -> Option<String> {
    web_sys::window()?.document()?.base_uri().ok()?
}
