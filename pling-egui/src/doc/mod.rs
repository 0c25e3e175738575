//! Chapters on what the short docs leave open.

#[cfg(feature = "panel")]
#[doc = include_str!("panel.md")]
pub mod panel {}

#[doc = include_str!("widgets.md")]
pub mod widgets {}

#[doc = include_str!("web.md")]
pub mod web {}
