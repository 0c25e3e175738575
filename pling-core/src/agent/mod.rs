//! The dialogue: one session, its runs, and the loop that drives them.

mod config;
mod event;
mod history;
mod prompt;
mod run;
mod telemetry;
mod trace;

pub use config::{Config, ConfigError, ConfigPatch, Endpoint, Limits, LimitsPatch, RetryConfig, RetryPatch};
pub use event::{End, Event, Outcome};
pub use history::History;
pub use prompt::system_message;
pub use run::{Run, RunLimits, Step};
pub use telemetry::Telemetry;
pub use trace::{TraceRing, TraceSink};
