//! Helpers shared by the topics.

mod bench;
mod fake_app;
mod fake_host;
mod refused;
pub(crate) mod server;
pub(crate) mod validate;

pub(crate) use bench::{Asking, Bench};
pub(crate) use fake_app::App;
pub(crate) use fake_host::FakeHost;
pub(crate) use refused::{assert_refused, message};
