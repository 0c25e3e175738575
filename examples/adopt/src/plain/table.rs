//! A seed bank: ten thousand samples in a table, of which only those in view are drawn.

use std::collections::BTreeSet;

use egui::{Align, DragValue, Layout, Sense, Ui};
use egui_extras::{Column, TableBuilder, TableRow};

/// How many samples there are.
const SAMPLES: usize = 10_000;

/// The height of a row; every fourth is twice as high where heights vary.
const ROW: f32 = 20.0;

const PLANTS: [&str; 7] = ["Oat", "Flax", "Barley", "Rye", "Millet", "Spelt", "Lentil"];

/// A bag of seeds.
#[derive(Clone, Debug)]
pub struct Sample {
    pub number: usize,
    pub plant: &'static str,
    pub grams: usize,
    pub tested: bool,
}

/// What the rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Number,
    Plant,
    Weight,
}

/// The seed bank and how it is looked at.
#[derive(Debug)]
pub struct Table {
    /// In the order of their rows.
    pub samples: Vec<Sample>,
    pub sort: Sort,
    pub descending: bool,
    pub varied: bool,
    pub selected: BTreeSet<usize>,
    /// The number of the sample whose card is shown.
    pub card: Option<usize>,
    row: usize,
    go_to: Option<usize>,
}

impl Default for Table {
    fn default() -> Self {
        let sample = |i: usize| Sample {
            number: i + 1,
            plant: PLANTS[i * 31 % 97 % PLANTS.len()],
            grams: 5 + i * 7919 % 491,
            tested: i.is_multiple_of(5),
        };
        Self {
            samples: (0..SAMPLES).map(sample).collect(),
            sort: Sort::Number,
            descending: false,
            varied: false,
            selected: BTreeSet::new(),
            card: None,
            row: 1,
            go_to: None,
        }
    }
}

impl Table {
    /// Draws the seed bank.
    pub fn ui(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            ui.add(DragValue::new(&mut self.row).range(1..=SAMPLES).prefix("Row "));
            if ui.button("Go").clicked() {
                self.go_to = Some(self.row - 1);
            }
            ui.separator();
            ui.checkbox(&mut self.varied, "Varied heights");
            ui.separator();
            ui.label(format!("{} selected", self.selected.len()));
            if ui.button("Select none").clicked() {
                self.selected.clear();
            }
        });
        self.card_ui(ui);
        ui.separator();
        self.table_ui(ui);
    }

    fn card_ui(&mut self, ui: &mut Ui) {
        let card = self.samples.iter().find(|sample| Some(sample.number) == self.card);
        let Some(sample) = card else { return };
        ui.group(|ui| {
            ui.strong(format!("Sample {}: {}", sample.number, sample.plant));
            ui.label(format!("{} g in the bag", sample.grams));
            if ui.button("Close the card").clicked() {
                self.card = None;
            }
        });
    }

    fn table_ui(&mut self, ui: &mut Ui) {
        // Text that could be selected would take the clicks of the rows.
        ui.style_mut().interaction.selectable_labels = false;
        let mut table = TableBuilder::new(ui)
            .striped(true)
            .sense(Sense::click())
            .animate_scrolling(false)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(60.0))
            .columns(Column::exact(110.0), 3)
            .column(Column::remainder());
        if let Some(row) = self.go_to.take() {
            table = table.scroll_to_row(row, Some(Align::Center));
        }
        let table = table.header(ROW, |mut header| {
            header.col(|ui| {
                ui.strong("Tested");
            });
            for (sort, title) in [
                (Sort::Number, "Number"),
                (Sort::Plant, "Plant"),
                (Sort::Weight, "Weight"),
            ] {
                header.col(|ui| self.title_ui(ui, sort, title));
            }
            header.col(|ui| {
                ui.strong("Card");
            });
        });
        table.body(|body| {
            let varied = self.varied;
            let heights = (0..SAMPLES).map(|i| if i.is_multiple_of(4) { 2.0 * ROW } else { ROW });
            let row = |mut row: TableRow<'_, '_>| self.row_ui(&mut row);
            if varied {
                body.heterogeneous_rows(heights, row);
            } else {
                body.rows(ROW, SAMPLES, row);
            }
        });
    }

    fn title_ui(&mut self, ui: &mut Ui, sort: Sort, title: &'static str) {
        let order = match self.descending {
            _ if self.sort != sort => "",
            true => ", down",
            false => ", up",
        };
        if ui.button(format!("{title}{order}")).clicked() {
            self.descending = self.sort == sort && !self.descending;
            self.sort = sort;
            match sort {
                Sort::Number => self.samples.sort_by_key(|sample| sample.number),
                Sort::Plant => self.samples.sort_by_key(|sample| sample.plant),
                Sort::Weight => self.samples.sort_by_key(|sample| sample.grams),
            }
            if self.descending {
                self.samples.reverse();
            }
        }
    }

    fn row_ui(&mut self, row: &mut TableRow<'_, '_>) {
        let sample = &mut self.samples[row.index()];
        row.set_selected(self.selected.contains(&sample.number));
        row.col(|ui| {
            ui.checkbox(&mut sample.tested, "");
        });
        row.col(|ui| {
            ui.monospace(sample.number.to_string());
        });
        row.col(|ui| {
            ui.label(sample.plant);
        });
        row.col(|ui| {
            ui.label(format!("{} g", sample.grams));
        });
        row.col(|ui| {
            if ui.button("Show").clicked() {
                self.card = Some(sample.number);
            }
        });
        if row.response().clicked() && !self.selected.remove(&sample.number) {
            self.selected.insert(sample.number);
        }
    }
}
