//! The dialogue: one session, its runs, and the loop that drives them.
//!
//! A [`Session`] is the handle. Each message sent becomes a [`Run`], a step machine without IO that decides what is
//! done next; the driver beside the session does it: it takes an observation, asks the model, takes calls to the
//! executor. Every request is rules, role and page in one system message, then the [`History`], which is folded when it
//! does not fit any more and outlives the process as a [`Checkpoint`]. The chapter is [`crate::doc::sessions`].

mod ag_ui;
mod compact;
mod config;
mod driver;
mod event;
mod history;
mod prompt;
mod run;
mod session;
mod stream;
mod telemetry;
mod tokens;
mod trace;

pub use session::{Sent, Session, SessionParts, Status};

pub use config::{
    Config, ConfigError, ConfigPatch, Endpoint, Limits, LimitsPatch, Price, Prices, ProviderConfig, ProviderPatch,
    RetryConfig, RetryPatch, SecretPairs,
};
pub use event::{End, Event, Outcome};
pub use history::{Checkpoint, CheckpointError, History};
pub use prompt::system_message;
pub use run::{Run, RunLimits, Spent, Step, Summarize};
/// How a key is kept: printed by nothing, wiped when dropped.
pub use secrecy::{ExposeSecret, SecretString};
pub use stream::{EventStream, Listener, OnEvent, Streamed};
pub use telemetry::Telemetry;
pub use trace::{TraceRing, TraceSink};
