//! A second window: counts and sums by status.

use egui::{Align, CentralPanel, Grid, Layout, ProgressBar, RichText, Ui, ViewportBuilder, ViewportClass, ViewportId};
use pling_egui::{Region, ResponseExt as _, Tool, UiExt as _};
use serde_json::{Map, Value, json};

use super::{OrdersApp, look};
use crate::{
    data::{Orders, Status},
    format::{Money, grouped},
    work::{Rows, Totals, View},
};

/// The window and what it shows.
#[derive(Debug, Default)]
pub(super) struct TotalsWindow {
    only_matching: bool,
    totals: Option<Totals>,
}

impl TotalsWindow {
    /// Adds up for one pass; from the beginning where `fresh` numbers are wanted and the orders have changed.
    pub(super) fn advance(&mut self, view: &View, orders: &Orders, fresh: bool) {
        let rows = if self.only_matching {
            view.rows().clone()
        } else {
            Rows::all(orders.len())
        };
        match &mut self.totals {
            Some(totals) if !fresh || totals.is_of(&rows, orders) => totals.advance(orders),
            totals => *totals = Some(Totals::new(rows, orders)),
        }
    }

    pub(super) fn progress(&self) -> Option<f32> {
        self.totals.as_ref().map_or(Some(0.0), Totals::progress)
    }

    /// Whether it is to be closed.
    fn ui(&mut self, ui: &mut Ui, money: Money) -> bool {
        let matching = ui.checkbox(&mut self.only_matching, "Only orders that match the search");
        let _ = matching.tool(Tool::new("only_matching", "Add up only orders that match the search").read());
        ui.add_space(6.0);
        if let Some(totals) = &self.totals {
            lines_ui(ui, totals, money);
        }
        ui.add_space(6.0);
        if let Some(progress) = self.progress() {
            ui.busy("adding up");
            ui.add(ProgressBar::new(progress).desired_height(12.0));
        }
        let close = Tool::new("close_totals", "Close the window with the totals").read();
        ui.button("Close").tool(close).clicked()
    }
}

fn lines_ui(ui: &mut Ui, totals: &Totals, money: Money) {
    let mut facts = Map::new();
    let number = |ui: &mut Ui, text: RichText| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.label(text));
    };
    Grid::new("totals")
        .num_columns(3)
        .min_col_width(96.0)
        .spacing([16.0, 6.0])
        .show(ui, |ui| {
            for (status, (count, cents)) in Status::ALL.into_iter().zip(totals.lines) {
                look::badge(ui, status);
                number(ui, RichText::new(grouped(count)));
                number(ui, RichText::new(money.write(cents)));
                ui.end_row();
                facts.insert(status.name().to_owned(), json!([count, money.write(cents)]));
            }
            let (count, cents) = totals
                .lines
                .iter()
                .fold((0, 0), |(count, cents), line| (count + line.0, cents + line.1));
            ui.strong("all");
            number(ui, RichText::new(grouped(count)).strong());
            number(ui, RichText::new(money.write(cents)).strong());
            ui.end_row();
            facts.insert("all".to_owned(), json!([count, money.write(cents)]));
        });
    ui.state("totals", "count and sum by status", &Value::Object(facts));
}

impl OrdersApp {
    pub(super) fn totals_ui(&mut self, ui: &mut Ui) {
        let Some(window) = &mut self.totals else { return };
        let money = self.settings.money;
        let builder = ViewportBuilder::default()
            .with_title("Order totals")
            .with_inner_size([380.0, 290.0]);
        let id = ViewportId::from_hash_of("totals");
        let close = ui.ctx().show_viewport_immediate(id, builder, |ui, class| {
            look::apply(ui);
            let mut contents = |ui: &mut Ui| {
                let region = Region::new("totals", "Order totals").purpose("counts and sums by status");
                ui.region(region, |ui| window.ui(ui, money)).inner
            };
            // Where there is only one window of the system's, this one is drawn inside it.
            if class == ViewportClass::EmbeddedWindow {
                return contents(ui);
            }
            let close = CentralPanel::default().show(ui, contents).inner;
            close || ui.input(|input| input.viewport().close_requested())
        });
        if close {
            self.totals = None;
        }
    }
}
