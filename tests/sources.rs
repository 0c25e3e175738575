//! Record sets of which only a few rows are drawn.

use std::{cell::Cell, rc::Rc};

use egui_extras::{Column, TableBuilder};
use pling_core::act::Code;
use pling_egui::{Record, Region, ResponseExt as _, TableRowExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

/// Which rows were toggled, in order, and how often the source was asked for a row.
#[derive(Default)]
struct Log {
    toggled: Vec<usize>,
}

fn list(ui: &mut egui::Ui, log: &mut Log, rows: usize, asked: &Cell<usize>, indexed: bool) {
    ui.region(Region::new("list", "List"), |ui| {
        let mut source = ui.record_source("rows", rows, |row| {
            asked.set(asked.get() + 1);
            Record::new(format!("r{row}"), format!("Row {row}")).field("even", row % 2 == 0)
        });
        if indexed {
            source = source.index_of(|id| id.strip_prefix('r')?.parse().ok());
        }
        ui.set_max_height(120.0);
        ui.record_rows(source, 18.0, |ui, row| {
            ui.record(Record::new(format!("r{row}"), format!("Row {row}")), |ui| {
                let mut on = log.toggled.contains(&row);
                if ui
                    .checkbox(&mut on, format!("Row {row}"))
                    .tool(Tool::new("toggle", "Toggle it"))
                    .changed()
                {
                    log.toggled.push(row);
                }
            });
        });
    });
}

#[test]
fn c13_a_row_that_is_not_drawn_is_revealed_and_its_own_widget_operated() {
    for indexed in [false, true] {
        let asked = Cell::new(0);
        let mut harness =
            AgentHarness::new_ui_state(|ui, log: &mut Log| list(ui, log, 1000, &asked, indexed), Log::default());
        let receipt = harness.invoke("toggle", json!({ "record": "r500" }));
        assert!(receipt.is_ok(), "{receipt:?}");
        assert_eq!(harness.state().toggled, [500]);
        let text = harness.observation();
        assert!(text.contains("of 1000"), "the rest is counted: {text}");
        let missing = harness.invoke("toggle", json!({ "record": "r1000" }));
        assert_eq!(missing.code(), Some(Code::UnknownRecord), "{missing:?}");
        assert_eq!(harness.state().toggled, [500]);
    }
}

#[test]
fn a_search_in_a_list_that_never_stays_as_long_comes_to_an_end() {
    let (asked, rows) = (Cell::new(0), Cell::new(20_000));
    let page = |ui: &mut egui::Ui, log: &mut Log| {
        rows.set(rows.get() + 1);
        list(ui, log, rows.get(), &asked, false);
    };
    let mut harness = AgentHarness::new_ui_state(page, Log::default());
    let missing = harness.invoke("toggle", json!({ "record": "never" }));
    assert_eq!(missing.code(), Some(Code::UnknownRecord), "{missing:?}");
}

#[test]
fn any_of_a_million_rows_is_operated_within_a_few_passes_and_an_idle_list_asks_for_nothing() {
    let (asked, passes) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (asks, drawn) = (Rc::clone(&asked), Rc::clone(&passes));
    let mut harness = AgentHarness::new_ui_state(
        move |ui, log: &mut Log| {
            drawn.set(drawn.get() + 1);
            list(ui, log, 1_000_000, &asks, true);
        },
        Log::default(),
    );
    harness.kittest().run_steps(20);
    assert_eq!(asked.get(), 0, "nobody observes");
    for row in [0_usize, 1, 499_999, 777_777, 999_998, 999_999] {
        let before = passes.get();
        let receipt = harness.invoke("toggle", json!({ "record": format!("r{row}") }));
        assert!(receipt.is_ok(), "{row}: {receipt:?}");
        assert_eq!(harness.state().toggled.last(), Some(&row));
        assert!(
            passes.get() - before <= 20,
            "{row}: {} passes with observing and settling",
            passes.get() - before
        );
    }
}

/// Two sources of one name in two regions, with something to find in labels, in shown and in withheld fields.
fn shelves(ui: &mut egui::Ui, rows: usize, asked: &Cell<usize>) {
    for shelf in ["upper", "lower"] {
        ui.region(Region::new(shelf, shelf), |ui| {
            let source = ui.record_source("books", rows, |row| {
                asked.set(asked.get() + 1);
                Record::new(format!("{shelf}-{row}"), format!("Book {row}"))
                    .field("shelf", shelf)
                    .field("pages", row * 10)
                    .sensitive_field("owner-of-it")
            });
            ui.scope(|ui| {
                ui.set_max_height(60.0);
                ui.record_rows(source, 18.0, |ui, row| {
                    ui.record(Record::new(format!("{shelf}-{row}"), format!("Book {row}")), |ui| {
                        drop(ui.button("Read").tool(Tool::new("read", "Read it").read()));
                    });
                });
            });
        });
    }
}

fn found(receipt: &pling_core::act::Receipt) -> (Vec<&str>, bool) {
    let value = receipt.value.as_ref().expect("a result");
    let records = value["records"].as_array().expect("a list");
    let ids = records.iter().map(|record| record["id"].as_str().expect("an id"));
    (ids.collect(), value["complete"] == true)
}

#[test]
fn find_records_looks_at_labels_and_shown_fields_of_every_source() {
    let asked = Cell::new(0);
    let mut harness = AgentHarness::new_ui(|ui| shelves(ui, 5000, &asked));
    let mut find = |query: &str| harness.invoke("find_records", json!({ "query": query }));
    let book = find("BOOK 4321");
    assert_eq!(found(&book), (vec!["upper-4321", "lower-4321"], true), "{book:?}");
    let lower = find("lower 43210 book");
    assert_eq!(
        found(&lower),
        (vec!["lower-4321"], true),
        "words in any order: {lower:?}"
    );
    assert_eq!(
        found(&find("owner-of-it")),
        (vec![], true),
        "names and withheld values are not looked at"
    );
    let many = find("book");
    let (ids, complete) = found(&many);
    assert_eq!(ids.len(), 20);
    assert!(!complete, "it says that there is more");
    let id = json!({ "record": "lower-4321" });
    let executor = harness.observe().expect("a pass is drawn");
    let read = executor
        .tools
        .iter()
        .find(|tool| tool.name.contains("read") && tool.name.contains("lower"));
    let receipt = harness.invoke(&read.expect("it is offered").name.clone(), id);
    assert!(receipt.is_ok(), "what was found can be operated: {receipt:?}");
}

#[test]
fn a_search_goes_on_over_passes_with_a_bounded_number_of_rows_in_each() {
    let asked = Cell::new(0);
    let most = Cell::new(0);
    let ui = |ui: &mut egui::Ui| {
        let before = asked.get();
        shelves(ui, 20_000, &asked);
        most.set(most.get().max(asked.get() - before));
    };
    let mut harness = AgentHarness::new_ui(ui);
    let nothing = harness.invoke("find_records", json!({ "query": "no such book" }));
    assert_eq!(found(&nothing), (vec![], true), "{nothing:?}");
    assert!(asked.get() > 40_000, "all were looked at");
    assert!(most.get() <= 2048 + 2 * 200, "{} in one pass", most.get());
}

#[test]
fn a_source_that_goes_away_during_a_search_ends_it_and_it_says_so() {
    let asked = Cell::new(0);
    let passes = Cell::new(0);
    let ui = |ui: &mut egui::Ui| {
        passes.set(passes.get() + 1);
        if asked.get() < 10_000 {
            shelves(ui, 20_000, &asked);
        }
    };
    let mut harness = AgentHarness::new_ui(ui);
    let receipt = harness.invoke("find_records", json!({ "query": "no such book" }));
    assert_eq!(found(&receipt), (vec![], false), "{receipt:?}");
    assert!(passes.get() < 50, "{} passes", passes.get());
}

#[test]
fn rows_of_a_table_keep_their_widgets_when_sorted() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut (Vec<u32>, Vec<u32>)| {
            let (rows, toggled) = state;
            // The app sorts the other way round in every pass.
            rows.reverse();
            TableBuilder::new(ui).columns(Column::auto(), 2).body(|body| {
                body.rows(18.0, rows.len(), |mut row| {
                    let id = rows[row.index()];
                    row.record(Record::new(id, format!("Row {id}")), |row| {
                        row.col(|ui| {
                            ui.label(format!("Row {id}"));
                        });
                        row.col(|ui| {
                            let mut on = toggled.contains(&id);
                            if ui
                                .checkbox(&mut on, "On")
                                .tool(Tool::new("on", "Switch it on"))
                                .changed()
                            {
                                toggled.push(id);
                            }
                        });
                    });
                });
            });
        },
        ((1..=8).collect(), Vec::new()),
    );
    let receipt = harness.invoke("on", json!({ "record": "2" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().1, [2]);
}
