//! Helpers shared by the topics.

mod bench;
mod fake_app;
mod fake_host;
pub(crate) mod server;
pub(crate) mod validate;

pub use bench::{Asking, Bench};
pub use fake_app::{App, Todo};
pub use fake_host::FakeHost;
