//! What stands around the table: title, search, edits of many, and what is going on.

use egui::{Align, Button, ComboBox, Layout, ProgressBar, RichText, TextEdit, Ui};
use pling_egui::{Feedback, ResponseExt as _, Tool, UiExt as _, core::model::Level};

use super::{OrdersApp, totals::TotalsWindow};
use crate::{
    data::Status,
    format::grouped,
    work::{Bulk, Query},
};

/// The choice that shows every status.
const ANY: &str = "any status";

impl OrdersApp {
    pub(super) fn title_ui(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.heading("Orders");
            let total = grouped(self.orders.len().into());
            ui.label(RichText::new(format!("{total} in all")).weak());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let settings = Tool::new("open_settings", "Open the settings").read().opens("settings");
                if ui.button("Settings…").tool(settings).clicked() {
                    self.settings_open = true;
                }
                let totals = Tool::new("open_totals", "Open the window with counts and sums by status")
                    .read()
                    .opens("totals");
                if ui.button("Totals…").tool(totals).clicked() {
                    self.totals.get_or_insert_with(TotalsWindow::default);
                }
                // Declared as a function, with what to export as its argument.
                let export = ui.add_enabled(self.export.is_none(), Button::new("Export CSV"));
                if export.on_hover_text("All orders shown in the table").clicked() {
                    self.begin_export(false, None);
                }
            });
        });
    }

    pub(super) fn find_ui(&mut self, ui: &mut Ui) {
        let mut query = self.view.query().clone();
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.search)
                .id_salt("search")
                .hint_text("Customer or order number")
                .desired_width(240.0);
            let field = ui.add(field).tool(
                Tool::new("search", "Search orders by customer or number")
                    .read()
                    .input("text", "words of the name, or a number; empty: all"),
            );
            if field.changed() {
                query.text.clone_from(&self.search);
            }
            field.accessible_name("Search orders");

            let combo = ComboBox::from_id_salt("status")
                .selected_text(query.status.map_or(ANY, Status::name))
                .show_ui(ui, |ui| {
                    ui.selectable_value(&mut query.status, None, ANY);
                    for status in Status::ALL {
                        ui.selectable_value(&mut query.status, Some(status), status.name());
                    }
                });
            let choices = [ANY].into_iter().chain(Status::ALL.map(Status::name));
            combo
                .response
                .tool(
                    Tool::new("filter_status", "Show only orders of a status")
                        .read()
                        .choices(choices),
                )
                .accessible_name("Status");

            let count = self.view.rows().len();
            ui.label(RichText::new(format!("{} match", grouped(count as u64))).weak());
            ui.state("matching", "orders that match", &count);
        });
        self.show(query);
    }

    /// Shows something else in the table.
    pub(super) fn show(&mut self, query: Query) {
        self.view.ask(query, &self.orders);
    }

    pub(super) fn bulk_ui(&mut self, ui: &mut Ui) {
        let count = self.selection.len();
        let needs = "an order with a check mark";
        ui.state("selected", "orders with a check mark", &count);
        ui.horizontal(|ui| {
            let all = Tool::new("select_matching", "Check all orders that match");
            if ui.button("Select all matching").tool(all).clicked() {
                self.select_matching();
            }
            let clear = Tool::new("clear_selection", "Take all check marks away").available_if(count > 0, needs);
            if ui.add_enabled(count > 0, Button::new("Clear")).tool(clear).clicked() {
                self.selection.clear();
            }
            let free = count > 0 && self.bulk.is_none();
            let ship =
                Tool::new("mark_shipped", "Mark the checked orders that are paid as shipped").available_if(free, needs);
            if ui
                .add_enabled(free, Button::new("Mark as shipped"))
                .tool(ship)
                .clicked()
            {
                self.handled.bulk += 1;
                self.bulk = Some(Bulk::new(&self.selection, &mut self.orders));
            }
            let what = self
                .orders
                .undoable()
                .filter(|_| self.bulk.is_none())
                .map(str::to_owned);
            let undo =
                Tool::new("undo", "Undo the last edit").available_if(what.is_some(), "an edit that can be undone");
            let undo = ui.add_enabled(what.is_some(), Button::new("Undo")).tool(undo);
            if undo.on_hover_text(what.unwrap_or_default()).clicked() {
                self.undo();
            }
            if count > 0 {
                ui.label(RichText::new(format!("{} selected", grouped(count as u64))).strong());
            }
        });
    }

    fn select_matching(&mut self) {
        let rows = self.view.rows();
        for index in rows.slice(0, rows.len()) {
            self.selection.set(index, true);
        }
    }

    fn undo(&mut self) {
        if let Some(what) = self.orders.undo() {
            self.view.refresh(&self.orders);
            self.say(Level::Info, format!("Undone: {what}"));
        }
    }

    pub(super) fn status_ui(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            if let Some((what, progress)) = self.under_way() {
                ui.busy(&what);
                ui.add(ProgressBar::new(progress).desired_width(180.0).desired_height(12.0));
                ui.label(RichText::new(format!("{what}…")).weak());
                if self.export.is_some() {
                    let cancel = Tool::new("cancel_export", "Stop the export");
                    if ui.button("Stop").tool(cancel).clicked() {
                        self.cancel_export();
                    }
                }
                return;
            }
            let Some((level, text)) = &self.message else {
                ui.label(RichText::new("Ready").weak());
                return;
            };
            let color = match level {
                Level::Error => ui.visuals().error_fg_color,
                Level::Warning => ui.visuals().warn_fg_color,
                _ => ui.visuals().text_color(),
            };
            let _ = ui.colored_label(color, text).feedback(Feedback::new(*level));
            if let Some(csv) = &self.exported
                && ui.button("Copy").on_hover_text("Copy the exported text").clicked()
            {
                ui.ctx().copy_text(String::from_utf8_lossy(csv).into_owned());
            }
        });
    }
}
