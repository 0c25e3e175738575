#![doc = include_str!("../README.md")]

mod act;
mod collect;
mod declare;
pub mod doc;
#[cfg(not(target_arch = "wasm32"))] // in a browser there is a page
pub mod headless;
mod host;
#[cfg(feature = "panel")]
mod panel;
mod pling;
mod plugin;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(all(feature = "web", target_arch = "wasm32"))]
pub mod web;

pub use declare::{ContextExt, Page, Record, RecordSource, Region, ResponseExt, Tool, ToolCall, UiExt};
#[cfg(feature = "table")]
pub use declare::{RecordRow, TableRowExt};
#[cfg(feature = "panel")]
pub use panel::{AssistantPanel, PanelText};
pub use pling::{Builder, Driver, Pling};
/// The GUI-free half: sessions, receipts, model clients.
pub use pling_core as core;
pub use pling_core::model::{Expect, Feedback, Level, RegionRole};
