//! Where the app's declarations come from. With the feature `plain` they do nothing.

#[cfg(feature = "plain")]
mod inert;
#[cfg(feature = "plain")]
pub(crate) use inert::{Feedback, Page, Record, Region, ResponseExt, Tool, UiExt};
#[cfg(not(feature = "plain"))]
pub(crate) use pling_egui::{Feedback, Page, Record, Region, ResponseExt, Tool, UiExt};
