//! Sets of records of which only a few are drawn.

use egui::{ScrollArea, Ui};
use pling_core::model::RecordId;

use super::Record;
use crate::collect;

/// Ids of a source that an observation lists; the others are counted.
const LISTED_IDS: usize = 200;

/// A declared set of records. It borrows nothing, so rows may be drawn and edited while it lives.
#[derive(Debug)]
#[must_use = "ask it for the row to scroll to: `reveal()`, or draw it with `ui.record_rows(..)`"]
pub struct RecordSource {
    id: String,
    len: usize,
}

/// Declares a source. Its rows are asked for only while somebody waits for facts.
pub(crate) fn declare(id: &str, len: usize, mut record: impl FnMut(usize) -> Record) -> RecordSource {
    let Some(index) = collect::source(id, len) else {
        return RecordSource { id: String::new(), len };
    };
    // The application's closure runs with nothing of Pling's borrowed: it may declare.
    let first_ids: Vec<RecordId> = (0..len.min(LISTED_IDS))
        .filter_map(|row| record(row).id().cloned())
        .collect();
    collect::source_ids(index, first_ids);
    if let Some(mut errand) = collect::take_errand() {
        collect::at_source(&mut errand, index, &mut record);
        collect::put_errand(errand);
    }
    RecordSource { id: id.to_owned(), len }
}

impl RecordSource {
    /// Finds a row at once, where the application can: without it, rows are looked through in slices.
    pub fn index_of(self, find: impl FnOnce(&str) -> Option<usize>) -> Self {
        if let Some(mut errand) = collect::take_errand() {
            errand.index_of(&self.id, |id| find(id.as_str()).filter(|row| *row < self.len));
            collect::put_errand(errand);
        }
        self
    }

    /// The row to scroll to now, because an agent is about to operate it. For `TableBuilder::scroll_to_row`.
    #[must_use]
    pub fn reveal(&self) -> Option<usize> {
        collect::with_errand(|_, errand| errand.row_to_show(&self.id)).flatten()
    }

    /// Draws the rows in view in a scroll area of their own.
    pub(crate) fn show_rows(&self, ui: &mut Ui, row_height: f32, mut add_row: impl FnMut(&mut Ui, usize)) {
        let mut area = ScrollArea::vertical()
            .id_salt(("pling.rows", &self.id))
            .auto_shrink([false, true]);
        if let Some(row) = self.reveal() {
            #[expect(
                clippy::cast_precision_loss,
                reason = "pixel positions are f32 in egui; the limit is documented"
            )]
            let top = row as f32 * (row_height + ui.spacing().item_spacing.y);
            // A row in the middle: whatever is above it helps to see where one is.
            area = area.vertical_scroll_offset((top - (ui.available_height() - row_height) / 2.0).max(0.0));
        }
        area.show_rows(ui, row_height, self.len, |ui, rows| {
            for row in rows {
                add_row(ui, row);
            }
        });
    }
}
