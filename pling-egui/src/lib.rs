#![doc = include_str!("../README.md")]

mod act;
mod collect;
mod declare;
mod host;
mod plugin;

pub use declare::{ContextExt, Page, Record, RecordSource, Region, ResponseExt, Tool, ToolCall, UiExt};
#[cfg(feature = "table")]
pub use declare::{RecordRow, TableRowExt};
/// The GUI-free half: sessions, receipts, model clients.
pub use pling_core as core;
pub use pling_core::model::{Expect, Feedback, Level};
