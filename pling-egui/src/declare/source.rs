//! Sets of records of which only a few are drawn.

use egui::{Id, Ui};
use pling_core::model::RecordId;

use super::{Record, rows::Rows};
use crate::collect::{self, SeenSource};

/// Ids of a source that an observation lists; the others are counted.
const LISTED_IDS: usize = 200;

/// A declared set of records. It borrows nothing, so rows may be drawn and edited while it lives.
#[derive(Debug)]
#[must_use = "ask it for the row to scroll to: `reveal()`, or draw it with `ui.record_rows(..)`"]
pub struct RecordSource {
    id: Id,
    len: usize,
    /// As it was declared, without ids of rows; `None` while nobody observes.
    seen: Option<SeenSource>,
}

/// Declares a source. Its rows are asked for only while somebody waits for facts.
pub(crate) fn declare(id: &str, len: usize, mut record: impl FnMut(usize) -> Record) -> RecordSource {
    let mut source = RecordSource {
        id: Id::unique(("pling.source", id)),
        len,
        seen: None,
    };
    let Some(region) = collect::region_here() else {
        return source;
    };
    // The application's closure runs with nothing of Pling's borrowed: it may declare.
    let first_ids: Vec<RecordId> = (0..len.min(LISTED_IDS))
        .filter_map(|row| record(row).id().cloned())
        .collect();
    let mut seen = SeenSource {
        id: id.to_owned(),
        region: region.clone(),
        len,
        first_ids,
    };
    if let Some(mut errand) = collect::take_errand() {
        errand.at_source(&seen, &mut record);
        collect::put_errand(errand);
    }
    let first_ids = std::mem::take(&mut seen.first_ids);
    source.seen = Some(SeenSource {
        id: id.to_owned(),
        region,
        len,
        first_ids: Vec::new(),
    });
    collect::source(SeenSource { first_ids, ..seen });
    source
}

impl RecordSource {
    /// Finds a row at once, where the application can: without it, rows are looked through in slices.
    pub fn index_of(self, find: impl FnOnce(&str) -> Option<usize>) -> Self {
        if let Some(seen) = &self.seen
            && let Some(mut errand) = collect::take_errand()
        {
            errand.index_of(seen, |id| find(id.as_str()).filter(|row| *row < self.len));
            collect::put_errand(errand);
        }
        self
    }

    /// The row to scroll to now, because an agent is about to operate it. For `TableBuilder::scroll_to_row`, and
    /// for `ScrollArea::vertical_scroll_offset` around rows of your own.
    #[must_use]
    pub fn reveal(&self) -> Option<usize> {
        let seen = self.seen.as_ref()?;
        collect::with_errand(|_, errand| errand.row_to_show(seen)).flatten()
    }

    /// Draws the rows in view in a scroll area of their own.
    pub(crate) fn show_rows(&self, ui: &mut Ui, row_height: f32, mut add_row: impl FnMut(&mut Ui, usize)) {
        let rows = Rows {
            id: self.id,
            height: row_height,
            len: self.len,
            reveal: self.reveal(),
        };
        let area = rows.show(ui, |ui, rows| {
            for row in rows {
                add_row(ui, row);
            }
        });
        if let Some(seen) = &self.seen {
            collect::rows_end(seen, ui, area);
        }
    }
}
