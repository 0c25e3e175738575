//! What is no code in a text: headings, paragraphs, lists and tables. Without the feature `markdown` it is shown as it was
//! written.

use egui::Ui;
#[cfg(feature = "markdown")]
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};

/// What is kept of them from pass to pass.
#[derive(Default)]
pub(super) struct Prose {
    #[cfg(feature = "markdown")]
    cache: CommonMarkCache,
}

impl Prose {
    #[cfg(feature = "markdown")]
    pub(super) fn ui(&mut self, ui: &mut Ui, text: &str) {
        CommonMarkViewer::new().show_with_id(ui.scope_id(), ui, &mut self.cache, text);
    }

    #[cfg(not(feature = "markdown"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    pub(super) fn ui(&mut self, ui: &mut Ui, text: &str) {
        ui.label(text);
    }
}
