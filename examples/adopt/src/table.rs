//! A seed bank: ten thousand samples in a table, of which only those in view are drawn.

use std::collections::BTreeSet;

use egui::{Align, DragValue, Layout, Sense, Ui};
use egui_extras::{Column, TableBuilder, TableRow};
use pling_egui::{Page, Record, RecordRow, Region, ResponseExt as _, TableRowExt as _, Tool, UiExt as _};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
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
        ui.page(Page::new("Seed bank"));
        ui.horizontal(|ui| {
            ui.add(DragValue::new(&mut self.row).range(1..=SAMPLES).prefix("Row "))
                .tool(Tool::new("row", "Choose a row to go to").read());
            if ui
                .button("Go")
                .tool(Tool::new("go", "Scroll to the chosen row").read())
                .clicked()
            {
                self.go_to = Some(self.row - 1);
            }
            ui.separator();
            ui.checkbox(&mut self.varied, "Varied heights")
                .tool(Tool::new("varied", "Make some rows higher").read());
            ui.separator();
            ui.label(format!("{} selected", self.selected.len()));
            ui.state("selected", "Numbers of the selected samples", &self.selected);
            if ui
                .button("Select none")
                .tool(("select_none", "Take all samples out of the selection"))
                .clicked()
            {
                self.selected.clear();
            }
        });
        self.card_ui(ui);
        ui.state("card", "Number of the sample whose card is shown", &self.card);
        ui.state(
            "sorted",
            "What the rows are sorted by, and whether downwards",
            &(self.sort, self.descending),
        );
        ui.separator();
        ui.region(Region::new("samples", "Samples").total(SAMPLES), |ui| self.table_ui(ui));
    }

    fn card_ui(&mut self, ui: &mut Ui) {
        let card = self.samples.iter().find(|sample| Some(sample.number) == self.card);
        let Some(sample) = card else { return };
        ui.group(|ui| {
            ui.strong(format!("Sample {}: {}", sample.number, sample.plant));
            ui.label(format!("{} g in the bag", sample.grams));
            if ui
                .button("Close the card")
                .tool(Tool::new("close_card", "Close the card").read())
                .clicked()
            {
                self.card = None;
            }
        });
    }

    fn table_ui(&mut self, ui: &mut Ui) {
        // Text that could be selected would take the clicks of the rows.
        ui.style_mut().interaction.selectable_labels = false;
        let source = ui.record_source("samples", SAMPLES, |row| self.record(row));
        let source = source.index_of(|id| self.samples.iter().position(|sample| sample.number.to_string() == id));
        let mut table = TableBuilder::new(ui)
            .striped(true)
            .sense(Sense::click())
            .animate_scrolling(false)
            .cell_layout(Layout::left_to_right(Align::Center))
            .column(Column::exact(60.0))
            .columns(Column::exact(110.0), 3)
            .column(Column::remainder());
        if let Some(row) = self.go_to.take().or(source.reveal()) {
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
            let row = |mut row: TableRow<'_, '_>| row.record(self.record(row.index()), |row| self.row_ui(row));
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
        let tool = match sort {
            Sort::Number => Tool::new("sort_number", "Sort by number; again: the other way"),
            Sort::Plant => Tool::new("sort_plant", "Sort by plant; again: the other way"),
            Sort::Weight => Tool::new("sort_weight", "Sort by weight; again: the other way"),
        };
        if ui.button(format!("{title}{order}")).tool(tool.read()).clicked() {
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

    fn row_ui(&mut self, row: &mut RecordRow<'_, '_, '_>) {
        let sample = &mut self.samples[row.index()];
        row.set_selected(self.selected.contains(&sample.number));
        row.col(|ui| {
            ui.checkbox(&mut sample.tested, "")
                .tool(("tested", "Mark the sample as tested"));
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
            if ui
                .button("Show")
                .tool(Tool::new("show_card", "Show the card of the sample").read())
                .clicked()
            {
                self.card = Some(sample.number);
            }
        });
        if row
            .response()
            .tool(("select", "Put the sample into the selection, or take it out"))
            .clicked()
            && !self.selected.remove(&sample.number)
        {
            self.selected.insert(sample.number);
        }
    }

    /// What an agent sees of a row.
    fn record(&self, row: usize) -> Record {
        let sample = &self.samples[row];
        Record::new(sample.number, sample.plant).field("grams", sample.grams)
    }
}
