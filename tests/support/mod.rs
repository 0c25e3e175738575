//! Helpers shared by the topics.

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) mod any;
mod bench;
pub(crate) mod desk;
mod fake_app;
mod fake_host;
pub(crate) mod fence;
pub(crate) mod log;
mod refused;
mod scripted;
pub(crate) mod server;
pub(crate) mod todo_page;
pub(crate) mod validate;

pub(crate) use bench::{Asking, Bench};
pub(crate) use fake_app::App;
pub(crate) use fake_host::FakeHost;
pub(crate) use refused::{assert_refused, message};
pub(crate) use scripted::Scripted;

/// An id that no other call has: one that comes twice runs once.
pub(crate) fn call_id() -> String {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    format!("call_{}", CALLS.fetch_add(1, Ordering::Relaxed))
}
