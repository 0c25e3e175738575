//! Declarations for code that has only a `Context` at hand.

use egui::Context;
use pling_core::model::Feedback;
use serde::Serialize;

use super::Page;
use crate::collect;

/// Declarations for code that has only a [`Context`] at hand. Use them inside a pass;
/// not inside a closure that holds the context's lock (`ctx.input(|i| …)`), as for everything in egui.
pub trait ContextExt {
    /// Says where the user is.
    fn page(&self, page: Page);
    /// Declares a read-only value.
    fn state(&self, id: &str, description: &str, value: &impl Serialize);
    /// Declares a message that the page shows.
    fn feedback(&self, feedback: impl Into<Feedback>, text: impl AsRef<str>);
    /// Says that the app is waiting for something.
    fn busy(&self, reason: impl AsRef<str>);
}

impl ContextExt for Context {
    fn page(&self, page: Page) {
        collect::page(page);
    }

    fn state(&self, id: &str, description: &str, value: &impl Serialize) {
        collect::state(id, description, Some(value));
    }

    fn feedback(&self, feedback: impl Into<Feedback>, text: impl AsRef<str>) {
        collect::feedback(|| feedback.into(), text.as_ref());
    }

    fn busy(&self, reason: impl AsRef<str>) {
        collect::busy(reason.as_ref());
    }
}
