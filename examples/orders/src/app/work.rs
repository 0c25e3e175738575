//! What takes many passes: each goes on a little in every one.

use egui::Ui;
use pling_egui::{Tool, ToolCall, UiExt as _, core::model::Level};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::OrdersApp;
use crate::{
    format::grouped,
    work::{Export, Rows, Sink},
};

/// What an export takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct ExportArgs {
    /// Only orders with a check mark, instead of all that match.
    #[serde(default)]
    selected: bool,
}

/// An export under way, and who called it.
#[derive(Debug)]
pub(super) struct Exporting {
    export: Export,
    /// `None`: the user did.
    call: Option<ToolCall<ExportArgs>>,
}

impl OrdersApp {
    /// Goes on with everything that is under way.
    pub(super) fn work(&mut self, ui: &mut Ui) {
        let export = Tool::new("export", "Export orders as CSV, to where the user chose").read();
        if let Some(call) = ui.tool_call::<ExportArgs>(export) {
            if self.export.is_some() {
                call.fail("another export is under way");
            } else {
                self.begin_export(call.args().selected, Some(call));
            }
        }
        self.rows_are_new |= self.view.advance(&self.orders);
        self.advance_bulk();
        self.advance_export();
        if let Some(totals) = &mut self.totals {
            totals.advance(&self.view, &self.orders, self.bulk.is_none());
        }
        if self.under_way().is_some() {
            ui.ctx().request_repaint();
        }
    }

    /// What the user waits for, and how far it is.
    #[must_use]
    pub fn under_way(&self) -> Option<(String, f32)> {
        if let Some(bulk) = &self.bulk {
            return Some((
                format!("Marking {} orders", grouped(bulk.len() as u64)),
                bulk.progress(),
            ));
        }
        if let Some(progress) = self.view.progress() {
            return Some(("Looking through the orders".to_owned(), progress));
        }
        if let Some(Exporting { export, .. }) = &self.export {
            return Some((
                format!("Exporting {} orders", grouped(export.len() as u64)),
                export.progress(),
            ));
        }
        let totals = self.totals.as_ref().and_then(|totals| totals.progress())?;
        Some(("Adding up".to_owned(), totals))
    }

    fn advance_bulk(&mut self) {
        let Some(bulk) = &mut self.bulk else { return };
        if !bulk.advance(&mut self.orders) {
            return;
        }
        let (changed, all) = (bulk.changed, bulk.len());
        self.bulk = None;
        self.view.refresh(&self.orders);
        let mut text = format!("{} marked as shipped", grouped(changed as u64));
        if changed < all {
            text += &format!("; {} were not paid, or shipped before", grouped((all - changed) as u64));
        }
        self.say(Level::Success, text);
    }

    pub(super) fn begin_export(&mut self, selected: bool, call: Option<ToolCall<ExportArgs>>) {
        self.handled.export += 1;
        let rows = if selected {
            Rows::sorted(self.selection.iter().map(u64::from).collect(), self.orders.len())
        } else {
            self.view.rows().clone()
        };
        self.exported = None;
        self.message = None;
        match Sink::at(&self.settings.export_path).and_then(|sink| Export::new(rows, sink)) {
            Ok(export) => self.export = Some(Exporting { export, call }),
            Err(error) => self.export_failed(&error, call),
        }
    }

    fn advance_export(&mut self) {
        let Some(exporting) = &mut self.export else { return };
        if exporting.call.as_ref().is_some_and(ToolCall::is_cancelled) {
            self.cancel_export();
            return;
        }
        match exporting.export.advance(&self.orders) {
            Ok(false) => {}
            Ok(true) => self.export_done(),
            Err(error) => {
                let call = self.export.take().and_then(|exporting| exporting.call);
                self.export_failed(&error, call);
            }
        }
    }

    fn export_done(&mut self) {
        let Some(Exporting { export, call }) = self.export.take() else {
            return;
        };
        let count = export.len();
        let place = match export.sink {
            Sink::Memory(bytes) => {
                self.exported = Some(bytes);
                "memory"
            }
            Sink::File(_) => "file",
        };
        self.say(Level::Success, format!("{} orders exported", grouped(count as u64)));
        if let Some(call) = call {
            call.finish(json!({ "orders": count, "written_to": place }));
        }
    }

    fn export_failed(&mut self, error: &std::io::Error, call: Option<ToolCall<ExportArgs>>) {
        let text = format!("Not exported: {error}");
        if let Some(call) = call {
            call.fail(&text);
        }
        self.say(Level::Error, text);
    }

    pub(super) fn cancel_export(&mut self) {
        if let Some(Exporting { call, .. }) = self.export.take() {
            if let Some(call) = call {
                call.fail("the export was stopped");
            }
            self.say(Level::Warning, "The export was stopped");
        }
    }
}
