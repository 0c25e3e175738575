//! One app, with its declarations and without: 1,000 widgets in 250 rows of four, or the rows of a source.
//! Without them, a row still has a child `Ui` with an id of its own, as a careful author would give it.

use egui::{ScrollArea, Ui, UiBuilder};
use pling_egui::{Record, Region, ResponseExt as _, Tool, UiExt as _};

/// Rows of [`App::page_ui`]; four widgets each.
const ROWS: usize = 250;

/// The height of a row of a source in points.
const ROW_HEIGHT: f32 = 15.0;

/// What the widgets edit.
pub(crate) struct App {
    rows: Vec<Row>,
    /// Rows of the source.
    pub(crate) len: usize,
    /// The row whose button was clicked last.
    pub(crate) opened: Option<usize>,
    pub(crate) clicks: usize,
}

struct Row {
    id: usize,
    title: String,
    done: bool,
    count: f64,
}

impl App {
    pub(crate) fn new(len: usize) -> Self {
        let row = |id| Row {
            id,
            title: format!("Row {id}"),
            done: id % 3 == 0,
            count: 1.0,
        };
        Self {
            rows: (0..ROWS).map(row).collect(),
            len,
            opened: None,
            clicks: 0,
        }
    }

    /// 1,000 widgets; with `DECLARED`, each is a tool of the record around it.
    pub(crate) fn page_ui<const DECLARED: bool>(&mut self, ui: &mut Ui) {
        let Self { rows, clicks, .. } = self;
        region::<DECLARED>(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                for row in rows {
                    row_ui::<DECLARED>(ui, row, clicks);
                }
            });
        });
    }

    /// A virtual list of `len` rows, with a button each.
    pub(crate) fn source_ui<const DECLARED: bool>(&mut self, ui: &mut Ui) {
        let Self { len, opened, .. } = self;
        if !DECLARED {
            let row_ui = |ui: &mut Ui, row: usize| {
                let scope = ui.scope_id().with(row);
                ui.scope_builder(UiBuilder::new().scope_id(scope), |ui| {
                    if ui.small_button(format!("Open {row}")).clicked() {
                        *opened = Some(row);
                    }
                });
            };
            let mut row_ui = row_ui;
            region::<false>(ui, |ui| {
                ScrollArea::vertical()
                    .auto_shrink([false, true])
                    .show_rows(ui, ROW_HEIGHT, *len, |ui, rows| rows.for_each(|row| row_ui(ui, row)));
            });
            return;
        }
        let record = |row: usize| Record::new(row, format!("Row {row}"));
        region::<true>(ui, |ui| {
            let source = ui.record_source("rows", *len, record).index_of(|id| id.parse().ok());
            ui.record_rows(source, ROW_HEIGHT, |ui, row| {
                ui.record(record(row), |ui| {
                    let open = ui.small_button(format!("Open {row}"));
                    if open.tool(Tool::new("open", "Open the row")).clicked() {
                        *opened = Some(row);
                    }
                });
            });
        });
    }
}

fn region<const DECLARED: bool>(ui: &mut Ui, add_contents: impl FnOnce(&mut Ui)) {
    if DECLARED {
        ui.region(Region::new("rows", "Rows"), add_contents);
    } else {
        let scope = ui.scope_id().with("rows");
        ui.scope_builder(UiBuilder::new().scope_id(scope), add_contents);
    }
}

fn row_ui<const DECLARED: bool>(ui: &mut Ui, row: &mut Row, clicks: &mut usize) {
    if DECLARED {
        let record = Record::new(row.id, &row.title).field("done", row.done);
        ui.record(record, |ui| widgets_ui::<true>(ui, row, clicks));
    } else {
        let scope = ui.scope_id().with(row.id);
        ui.scope_builder(UiBuilder::new().scope_id(scope), |ui| {
            widgets_ui::<false>(ui, row, clicks);
        });
    }
}

fn widgets_ui<const DECLARED: bool>(ui: &mut Ui, row: &mut Row, clicks: &mut usize) {
    ui.horizontal(|ui| {
        let Row { title, done, count, .. } = row;
        let done = ui.checkbox(done, "Done");
        let title = ui.text_edit_singleline(title);
        let count = ui.add(egui::DragValue::new(count));
        let mut delete = ui.button("Delete");
        if DECLARED {
            let _ = done.tool(Tool::new("toggle", "Mark the row as done"));
            let _ = title.tool(Tool::new("rename", "Rename the row").submit());
            let _ = count.tool(Tool::new("count", "Set how many"));
            delete = delete.tool(Tool::new("delete", "Delete the row").danger());
        }
        if delete.clicked() {
            *clicks += 1;
        }
    });
}
