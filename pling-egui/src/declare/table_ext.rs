//! Rows of `egui_extras` tables, which have no `Ui` of their own.

use egui::{Rect, Response, Ui, UiBuilder};
use egui_extras::TableRow;

use super::Record;
use crate::collect;

/// Records as rows of `egui_extras` tables.
pub trait TableRowExt<'a, 'b> {
    /// Wraps the cells of a row that shows one business object. Ids inside the cells follow the record.
    /// A function of yours that draws the cells takes `&mut RecordRow<'_, '_, '_>` instead of a `TableRow`.
    fn record<R>(&mut self, record: Record, add_cells: impl FnOnce(&mut RecordRow<'_, 'a, 'b>) -> R) -> R;
}

/// A row that shows a record.
#[expect(missing_debug_implementations, reason = "egui_extras::TableRow has none")]
pub struct RecordRow<'r, 'a, 'b> {
    row: &'r mut TableRow<'a, 'b>,
    key: (&'static str, u64),
    drawn: bool,
}

impl<'a, 'b> TableRowExt<'a, 'b> for TableRow<'a, 'b> {
    fn record<R>(&mut self, record: Record, add_cells: impl FnOnce(&mut RecordRow<'_, 'a, 'b>) -> R) -> R {
        let key = record.key();
        let mut row = RecordRow {
            row: self,
            key,
            drawn: false,
        };
        if !collect::collecting() {
            return add_cells(&mut row);
        }
        let open = collect::open_row(record);
        let result = add_cells(&mut row);
        let response = row.drawn.then(|| row.row.response());
        open.close_row(response.as_ref());
        result
    }
}

impl RecordRow<'_, '_, '_> {
    /// Adds a cell, as [`TableRow::col`].
    pub fn col(&mut self, add_cell_contents: impl FnOnce(&mut Ui)) -> (Rect, Response) {
        self.drawn = true;
        let key = self.key;
        let column = self.row.col_index();
        self.row.col(|ui| {
            // A cell's own id is made of row and column, and the rows may be sorted in the very next pass.
            // Its parent is the table's body, the same for all rows.
            let body = ui
                .stack()
                .parent
                .as_ref()
                .map_or_else(|| ui.scope_id(), |body| body.scope_id);
            let scope = body.with(("pling.cell", key, column));
            if collect::collecting() {
                collect::open_cell(ui.ctx(), scope);
            }
            ui.scope_builder(UiBuilder::new().scope_id(scope), |ui| {
                collect::within_record(ui);
                add_cell_contents(ui);
            });
        })
    }

    /// Sets the selection highlight, as [`TableRow::set_selected`].
    pub fn set_selected(&mut self, selected: bool) {
        self.row.set_selected(selected);
    }

    /// Sets the hover highlight, as [`TableRow::set_hovered`].
    pub fn set_hovered(&mut self, hovered: bool) {
        self.row.set_hovered(hovered);
    }

    /// The union of the cells' responses, as [`TableRow::response`]. Declare a tool on it, and its `clicked()` is
    /// the row's.
    ///
    /// # Panics
    /// Before the first cell, as `egui_extras` does.
    #[must_use]
    pub fn response(&self) -> Response {
        self.row.response()
    }

    /// The row's index, as [`TableRow::index`].
    #[must_use]
    pub fn index(&self) -> usize {
        self.row.index()
    }
}
