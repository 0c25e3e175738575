//! Helpers of the tests.

mod bench;
mod fake_app;
mod fake_host;
mod refused;

pub(crate) use bench::{Asking, Bench};
pub(crate) use fake_app::App;
pub(crate) use fake_host::FakeHost;
pub(crate) use refused::{assert_refused, message};
