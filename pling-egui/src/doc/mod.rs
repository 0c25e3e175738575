//! Chapters on what the short docs leave open.

#[doc = include_str!("widgets.md")]
pub mod widgets {}
