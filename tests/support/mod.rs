//! Helpers of the tests.

mod bench;
mod fake_app;
mod fake_host;
pub mod validate;

pub use bench::{Asking, Bench};
pub use fake_app::{App, Todo};
pub use fake_host::FakeHost;
