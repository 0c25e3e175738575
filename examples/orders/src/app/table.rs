//! The table: rows are drawn only where they are in view, and any of them can be brought there.

use egui::{Align, Button, Layout, RichText, Ui, vec2};
use egui_extras::{Column as Width, TableBuilder, TableRow};
use pling_egui::{Record, ResponseExt as _, TableRowExt as _, Tool, UiExt as _, core::model::Level};

use super::{Detail, OrdersApp, look};
use crate::{
    data::{Order, Status},
    format::Money,
    work::{Column, Query, Selection},
};

/// Height of a row and what is between two: together an even number, so that a million rows lie at exact positions.
const ROW: f32 = 22.0;
const GAP: f32 = 2.0;
/// What is kept free below the table.
const FOOTER: f32 = 30.0;

/// What the user did in a row. Carried out after the table, which borrows what it shows.
#[derive(Clone, Copy)]
enum RowAction {
    Select(u32, bool),
    Open(u32),
    Refund(u32),
}

/// A header: what is sorted, what it says, the tool that sorts.
const HEADERS: [(Column, &str, &str, &str); 6] = [
    (Column::Id, "Order", "sort_by_number", "Sort by number; again: reversed"),
    (
        Column::Customer,
        "Customer",
        "sort_by_customer",
        "Sort by customer; again: reversed",
    ),
    (Column::Date, "Date", "sort_by_date", "Sort by date; again: reversed"),
    (
        Column::Status,
        "Status",
        "sort_by_status",
        "Sort by status; again: reversed",
    ),
    (
        Column::Items,
        "Items",
        "sort_by_items",
        "Sort by items; again: reversed",
    ),
    (
        Column::Total,
        "Total",
        "sort_by_total",
        "Sort by total; again: reversed",
    ),
];

/// An order as the table shows it.
pub(super) fn record_of(order: &Order, money: Money) -> Record {
    let name = order.customer.name();
    Record::new(order.id(), format!("{} {name}", order.id()))
        .field("date", order.placed.to_string())
        .field("status", order.status)
        .field("items", order.quantity)
        .field("total", money.write(order.total_cents().into()))
}

impl OrdersApp {
    pub(super) fn table_ui(&mut self, ui: &mut Ui) {
        let mut query = self.view.query().clone();
        let sort = query.sort;
        let by = HEADERS.iter().find(|(column, ..)| *column == sort.by);
        let by = by.map_or("", |(_, title, ..)| title);
        let direction = if sort.descending { "descending" } else { "ascending" };
        ui.state("sort", "order of the rows", &format!("{by}, {direction}"));

        let (orders, view, money) = (&self.orders, &self.view, self.settings.money);
        let rows = view.rows();
        let source = ui
            .record_source("orders", rows.len(), |row| record_of(&orders.get(rows.at(row)), money))
            .index_of(|id| view.row_of(orders.index_of(id)?, orders));
        if rows.is_empty() {
            self.empty_ui(ui);
            return;
        }

        let mut done = None;
        let height = ui.available_height() - FOOTER;
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing = vec2(8.0, GAP);
            ui.spacing_mut().button_padding.y = 0.0;
            look::soften_selection(ui);
            let mut table = TableBuilder::new(ui)
                .id_salt("orders")
                .striped(self.settings.stripes)
                .cell_layout(Layout::left_to_right(Align::Center))
                .max_scroll_height(height - ROW - GAP)
                .auto_shrink(false)
                .animate_scrolling(false)
                .column(Width::exact(24.0))
                .column(Width::exact(110.0))
                .column(Width::remainder().at_least(120.0).clip(true))
                .column(Width::exact(90.0))
                .column(Width::exact(90.0))
                .column(Width::exact(60.0))
                .column(Width::exact(110.0))
                .column(Width::exact(152.0));
            if let Some(row) = source.reveal() {
                table = table.scroll_to_row(row, Some(Align::Center));
            } else if std::mem::take(&mut self.rows_are_new) {
                table = table.vertical_scroll_offset(0.0);
            }
            let table = table.header(ROW, |header| header_ui(header, &mut query));
            table.body(|body| {
                body.rows(ROW, rows.len(), |row| {
                    let order = orders.get(rows.at(row.index()));
                    done = row_ui(row, &order, money, &self.selection).or(done);
                });
            });
        });
        self.show(query);
        self.carry_out(done);
    }

    fn carry_out(&mut self, done: Option<RowAction>) {
        match done {
            None => {}
            Some(RowAction::Select(index, checked)) => {
                self.handled.select += 1;
                self.selection.set(index, checked);
            }
            Some(RowAction::Open(index)) => {
                self.handled.open += 1;
                self.detail = Some(Detail::new(self.orders.details(index)));
            }
            Some(RowAction::Refund(index)) => self.refund(index),
        }
    }

    fn refund(&mut self, index: u32) {
        let order = self.orders.get(index);
        if order.status.refund_needs().is_some() {
            return;
        }
        self.handled.refund += 1;
        self.orders.forget_undo();
        self.set_status(index, Status::Refunded);
        let amount = self.settings.money.write(order.total_cents().into());
        self.say(Level::Success, format!("{amount} refunded for {}", order.id()));
    }

    fn empty_ui(&mut self, ui: &mut Ui) {
        let height = ui.available_height() - FOOTER;
        ui.allocate_ui_with_layout(
            vec2(ui.available_width(), height),
            Layout::top_down(Align::Center),
            |ui| {
                ui.set_min_height(height);
                ui.add_space(height * 0.35);
                ui.heading("No orders match");
                ui.label(RichText::new("Try fewer words, or another status.").weak());
                let clear = Tool::new("clear_filters", "Show all orders again").read();
                if ui.button("Clear filters").tool(clear).clicked() {
                    self.search.clear();
                    self.show(Query::default());
                }
            },
        );
    }
}

fn header_ui(mut header: TableRow<'_, '_>, query: &mut Query) {
    header.col(|_| {});
    for (column, title, id, description) in HEADERS {
        header.col(|ui| {
            let sort = query.sort;
            aligned(ui, column, |ui| {
                ui.spacing_mut().item_spacing.x = 5.0;
                let title = Button::new(RichText::new(title).strong()).frame(false);
                if ui.add(title).tool(Tool::new(id, description).read()).clicked() {
                    query.sort = sort.clicked(column);
                }
                if sort.by == column {
                    look::sort_mark(ui, sort.descending);
                }
            });
        });
    }
    header.col(|_| {});
}

fn row_ui(mut row: TableRow<'_, '_>, order: &Order, money: Money, selection: &Selection) -> Option<RowAction> {
    let mut done = None;
    let index = order.index;
    let mut checked = selection.contains(index);
    row.set_selected(checked);
    row.record(record_of(order, money), |row| {
        row.col(|ui| {
            let check = ui
                .checkbox(&mut checked, "")
                .tool(Tool::new("select", "Check the order, for edits of many"));
            if check.changed() {
                done = Some(RowAction::Select(index, checked));
            }
            check.accessible_name(order.id().to_string());
        });
        row.col(|ui| {
            ui.monospace(order.id().to_string());
        });
        row.col(|ui| {
            ui.label(order.customer.name());
        });
        row.col(|ui| {
            ui.label(order.placed.to_string());
        });
        row.col(|ui| {
            look::badge(ui, order.status);
        });
        row.col(|ui| {
            aligned(ui, Column::Items, |ui| ui.label(order.quantity.to_string()));
        });
        let total = money.write(order.total_cents().into());
        row.col(|ui| {
            aligned(ui, Column::Total, |ui| ui.label(&total));
        });
        row.col(|ui| {
            ui.add_space(12.0);
            let open = Tool::new("open", "Open the order's details").read().opens("order");
            if ui.button("Open…").tool(open).clicked() {
                done = Some(RowAction::Open(index));
            }
            let needs = order.status.refund_needs();
            let refund = Tool::new("refund", "Pay the order back to the customer")
                .danger()
                .irreversible()
                .preview(format!("Refund {total} to {}", order.customer.name()))
                .available_if(needs.is_none(), needs.unwrap_or_default());
            if ui
                .add_enabled(needs.is_none(), Button::new("Refund"))
                .tool(refund)
                .clicked()
            {
                done = Some(RowAction::Refund(index));
            }
        });
    });
    done
}

/// Numbers stand at the right of their column, and so do their titles.
fn aligned<R>(ui: &mut Ui, column: Column, add_contents: impl FnOnce(&mut Ui) -> R) {
    if matches!(column, Column::Items | Column::Total) {
        ui.with_layout(Layout::right_to_left(Align::Center), add_contents);
    } else {
        add_contents(ui);
    }
}
