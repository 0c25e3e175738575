//! Lists of every make: the record that is meant is brought into view and operated by its own widget, once.

use std::{cell::Cell, ops::Range, rc::Rc, sync::Arc};

use egui::{ScrollArea, Ui};
use egui_extras::{Column, TableBuilder, TableRow};
use pling_core::{
    act::{Call, CancellationToken, Code, Receipt},
    observe::Observation,
};
use pling_egui::{
    Record, RecordSource, Region, ResponseExt as _, TableRowExt as _, Tool, UiExt as _, testing::AgentHarness,
};
use serde_json::{Value, json};

use crate::support::call_id;

/// The page under test: how its list is drawn, and what its handlers were asked.
#[derive(Default)]
struct List {
    ids: Vec<u64>,
    checked: Vec<u64>,
    clicked: Vec<u64>,
    /// Rows that come into the list above in each pass while it is above zero.
    growing: u32,
    /// Passes drawn so far, and in which a handler ran last.
    passes: u32,
    ran_in: u32,
}

impl List {
    fn new(len: u64) -> Self {
        Self {
            ids: (0..len).collect(),
            ..Self::default()
        }
    }

    fn begin(&mut self) {
        self.passes += 1;
        if self.growing > 0 {
            self.growing -= 1;
            self.ids.insert(0, 1_000_000 + u64::from(self.growing));
        }
    }

    /// The widgets of one row; whatever surrounds them declares the record.
    fn widgets(&mut self, ui: &mut Ui, id: u64) {
        let mut on = self.checked.contains(&id);
        let check = ui.checkbox(&mut on, format!("{id}"));
        if check.tool(Tool::new("check", "Check it")).changed() {
            self.checked.push(id);
            self.ran_in = self.passes;
        }
        if ui.button("Open").tool(Tool::new("open", "Open it")).clicked() {
            self.clicked.push(id);
            self.ran_in = self.passes;
        }
    }

    fn row(&mut self, ui: &mut Ui, index: usize) {
        let id = self.ids[index];
        ui.record(record(id), |ui| ui.horizontal(|ui| self.widgets(ui, id)));
    }
}

fn record(id: u64) -> Record {
    Record::new(format!("r{id}"), format!("Row {id}"))
}

fn source(ui: &mut Ui, list: &List, indexed: bool) -> RecordSource {
    let source = ui.record_source("rows", list.ids.len(), |row| record(list.ids[row]));
    if indexed {
        source.index_of(|id| {
            let id: u64 = id.strip_prefix('r')?.parse().ok()?;
            list.ids.iter().position(|known| *known == id)
        })
    } else {
        source
    }
}

const ROW: f32 = 20.0;

fn plain(ui: &mut Ui, list: &mut List) {
    ScrollArea::vertical().max_height(150.0).show(ui, |ui| {
        for index in 0..list.ids.len() {
            list.row(ui, index);
        }
    });
}

fn record_rows(ui: &mut Ui, list: &mut List, indexed: bool) {
    let source = source(ui, list, indexed);
    ui.set_max_height(150.0);
    ui.record_rows(source, ROW, |ui, index| list.row(ui, index));
}

/// The app's own `show_rows`, with the one line that the source asks for.
fn show_rows(ui: &mut Ui, list: &mut List, indexed: bool, stick: bool) {
    let source = source(ui, list, indexed);
    let mut area = ScrollArea::vertical().max_height(150.0).stick_to_bottom(stick);
    if let Some(row) = source.reveal() {
        area = area.vertical_scroll_offset(row as f32 * (ROW + ui.spacing().item_spacing.y));
    }
    area.show_rows(ui, ROW, list.ids.len(), |ui, rows: Range<usize>| {
        rows.for_each(|index| list.row(ui, index));
    });
}

fn cells(row: &mut TableRow<'_, '_>, list: &mut List) {
    let id = list.ids[row.index()];
    row.record(record(id), |row| {
        row.col(|ui| {
            ui.label(format!("Row {id}"));
        });
        row.col(|ui| {
            ui.horizontal(|ui| list.widgets(ui, id));
        });
    });
}

/// A table of rows of one height, or of many.
fn table(ui: &mut Ui, list: &mut List, indexed: bool, heterogeneous: bool) {
    let source = source(ui, list, indexed);
    let mut table = TableBuilder::new(ui)
        .columns(Column::exact(200.0), 2)
        .max_scroll_height(150.0)
        .animate_scrolling(false);
    if let Some(row) = source.reveal() {
        table = table.scroll_to_row(row, None);
    }
    table.body(|body| {
        if heterogeneous {
            let heights: Vec<_> = list.ids.iter().map(|id| 18.0 + (id % 5) as f32 * 9.0).collect();
            body.heterogeneous_rows(heights.into_iter(), |mut row| cells(&mut row, list));
        } else {
            body.rows(ROW, list.ids.len(), |mut row| cells(&mut row, list));
        }
    });
}

/// Rows of differing heights that all are drawn, in a log that sticks to its end.
fn log(ui: &mut Ui, list: &mut List) {
    ScrollArea::vertical()
        .max_height(150.0)
        .stick_to_bottom(true)
        .show(ui, |ui| {
            for index in 0..list.ids.len() {
                let height = 10.0 + (index % 7) as f32 * 8.0;
                list.row(ui, index);
                ui.allocate_space(egui::vec2(50.0, height));
            }
        });
}

/// A wide list in a scroll area of both directions, below the fold of another.
fn nested(ui: &mut Ui, list: &mut List) {
    ScrollArea::vertical()
        .id_salt("outer")
        .max_height(200.0)
        .show(ui, |ui| {
            ui.allocate_space(egui::vec2(50.0, 700.0));
            ui.region(Region::new("inner", "Inner"), |ui| {
                ScrollArea::both().max_height(120.0).max_width(150.0).show(ui, |ui| {
                    for index in 0..list.ids.len() {
                        ui.horizontal(|ui| {
                            ui.allocate_space(egui::vec2(400.0, 10.0));
                            list.row(ui, index);
                        });
                    }
                });
            });
            ui.allocate_space(egui::vec2(50.0, 700.0));
        });
}

/// Columns next to each other.
fn horizontal(ui: &mut Ui, list: &mut List) {
    ScrollArea::horizontal().max_width(200.0).show(ui, |ui| {
        ui.horizontal(|ui| {
            for index in 0..list.ids.len() {
                list.row(ui, index);
            }
        });
    });
}

type Draw = fn(&mut Ui, &mut List);

const LISTS: [(&str, Draw); 14] = [
    ("plain", plain),
    ("record_rows", |ui, list| record_rows(ui, list, false)),
    ("record_rows, indexed", |ui, list| record_rows(ui, list, true)),
    ("show_rows", |ui, list| show_rows(ui, list, false, false)),
    ("show_rows, indexed", |ui, list| show_rows(ui, list, true, false)),
    ("show_rows, sticking", |ui, list| show_rows(ui, list, true, true)),
    ("table", |ui, list| table(ui, list, false, false)),
    ("table, indexed", |ui, list| table(ui, list, true, false)),
    ("uneven table", |ui, list| table(ui, list, false, true)),
    ("uneven table, indexed", |ui, list| table(ui, list, true, true)),
    ("log", log),
    ("nested", nested),
    ("horizontal", horizontal),
    ("record_rows below", |ui, list| {
        ScrollArea::vertical()
            .id_salt("outer")
            .max_height(200.0)
            .show(ui, |ui| {
                ui.allocate_space(egui::vec2(50.0, 700.0));
                ui.scope(|ui| record_rows(ui, list, true));
            });
    }),
];

fn harness(draw: Draw, len: u64) -> AgentHarness<'static, List> {
    let ui = move |ui: &mut Ui, list: &mut List| {
        list.begin();
        ui.region(Region::new("list", "List"), |ui| draw(ui, list));
    };
    AgentHarness::new_ui_state(ui, List::new(len))
}

fn invoke(harness: &mut AgentHarness<'_, List>, action: &str, id: u64) -> Receipt {
    harness.invoke(action, json!({ "record": format!("r{id}") }))
}

/// Calls on what was seen before, so that every pass from here on is one of the call.
fn call<State>(
    harness: &mut AgentHarness<'_, State>,
    seen: &Arc<Observation>,
    action: &str,
    arguments: Value,
) -> Receipt {
    let tools = seen.tools.iter();
    let tool = tools
        .map(|tool| &tool.name)
        .find(|name| name.starts_with(action))
        .expect("it is offered");
    let call = Call::new(call_id(), tool.clone(), arguments.into(), Arc::clone(seen));
    let executor = harness.pling().executor().clone();
    harness.run(async move { executor.invoke(call, &CancellationToken::new()).await })
}

#[test]
fn c13_in_every_list_the_row_that_is_meant_is_operated_by_its_own_widget() {
    for (name, draw) in LISTS {
        let mut harness = harness(draw, 120);
        let seen = harness.observe().expect("a pass is drawn");
        let mut expected = Vec::new();
        for id in [0, 60, 119, 1] {
            let before = harness.state().passes;
            let checked = call(&mut harness, &seen, "check", json!({ "record": format!("r{id}") }));
            assert!(checked.is_ok(), "{name}, check {id}: {checked:?}");
            let passes = harness.state().ran_in - before;
            let few = if name.contains("indexed") { 6 } else { 12 };
            assert!(passes <= few, "{name}, check {id}: {passes} passes to the handler");
            let opened = invoke(&mut harness, "open", id);
            assert!(opened.is_ok(), "{name}, open {id}: {opened:?}");
            expected.push(id);
            assert_eq!(harness.state().checked, expected, "{name}");
            assert_eq!(harness.state().clicked, expected, "{name}");
        }
        let missing = invoke(&mut harness, "open", 120);
        assert_eq!(missing.code(), Some(Code::UnknownRecord), "{name}: {missing:?}");
        assert_eq!(harness.state().clicked, expected, "{name}");
    }
}

#[test]
fn c13_rows_that_come_in_above_meanwhile_turn_no_call_onto_another_row() {
    for (name, draw) in LISTS {
        let mut harness = harness(draw, 50);
        harness.snapshot();
        let (mut applied, mut expected) = (0, Vec::new());
        for id in [0, 25, 49] {
            for action in ["check", "open"] {
                harness.state_mut().growing = 6;
                let receipt = invoke(&mut harness, action, id);
                if receipt.is_ok() {
                    applied += 1;
                    expected.push((action, id));
                }
                let state = harness.state();
                let checked = state.checked.iter().map(|id| ("check", *id));
                let mut seen: Vec<_> = checked.chain(state.clicked.iter().map(|id| ("open", *id))).collect();
                seen.sort_unstable();
                let mut done = expected.clone();
                done.sort_unstable();
                assert_eq!(seen, done, "{name}: {receipt:?}");
            }
        }
        assert!(applied >= 5, "{name}: most calls get through, {applied} of 6");
    }
}

#[test]
fn c13_a_log_that_grows_at_its_end_is_read_and_operated_and_sticks_again() {
    let ui = |ui: &mut Ui, list: &mut List| {
        list.begin();
        let next = list.ids.len() as u64;
        list.ids.push(next);
        ui.region(Region::new("list", "List"), |ui| show_rows(ui, list, false, true));
    };
    let mut harness = AgentHarness::new_ui_state(ui, List::new(300));
    for id in [0, 150, 299] {
        let receipt = invoke(&mut harness, "check", id);
        assert!(receipt.is_ok(), "{id}: {receipt:?}");
        assert!(harness.observation().contains("Row"), "it can be read all the while");
    }
    assert_eq!(harness.state().checked, [0, 150, 299]);
}

/// A list of which only the length is real.
fn endless(ui: &mut Ui, rows: usize, height: f32, indexed: bool, toggled: &mut Vec<usize>, asked: &Cell<usize>) {
    ui.region(Region::new("list", "List"), |ui| {
        let mut source = ui.record_source("rows", rows, |row| {
            asked.set(asked.get() + 1);
            Record::new(format!("r{row}"), format!("Row {row}")).field("place", row)
        });
        if indexed {
            source = source.index_of(|id| id.strip_prefix('r')?.parse().ok());
        }
        ui.set_max_height(300.0);
        ui.record_rows(source, height, |ui, row| {
            ui.record(Record::new(format!("r{row}"), format!("Row {row}")), |ui| {
                ui.set_height(height);
                let mut on = toggled.contains(&row);
                let check = ui.checkbox(&mut on, format!("Row {row}"));
                if check.tool(Tool::new("toggle", "Toggle it")).changed() {
                    toggled.push(row);
                }
            });
        });
    });
}

#[test]
fn any_of_a_million_rows_is_operated_within_six_passes_of_the_call() {
    for height in [18.0, 24.0, 150.0] {
        let asked = Cell::new(0);
        // Passes drawn, and in which the handler ran.
        let ui = |ui: &mut Ui, (passes, ran, toggled): &mut (u32, u32, Vec<usize>)| {
            *passes += 1;
            let before = toggled.len();
            endless(ui, 1_000_000, height, true, toggled, &asked);
            if toggled.len() > before {
                *ran = *passes;
            }
        };
        let mut harness = AgentHarness::new_ui_state(ui, (0, 0, Vec::new()));
        let seen = harness.observe().expect("a pass is drawn");
        for row in [0_usize, 1, 2, 499_999, 777_777, 999_998, 999_999] {
            let before = harness.state().0;
            let receipt = call(&mut harness, &seen, "toggle", json!({ "record": format!("r{row}") }));
            assert!(receipt.is_ok(), "{height}, {row}: {receipt:?}");
            let (passes, ran, toggled) = harness.state();
            assert_eq!(toggled.last(), Some(&row), "{height}");
            assert!(
                ran - before <= 6,
                "{height}, {row}: {} passes to the handler",
                ran - before
            );
            assert!(passes - ran <= 3, "{height}, {row}: {} passes after it", passes - ran);
        }
    }
}

#[test]
fn a_click_on_a_settled_page_takes_two_passes_and_its_receipt_three_more_at_most() {
    let ui = |ui: &mut Ui, (passes, ran): &mut (u32, u32)| {
        *passes += 1;
        // Drawn before the handler runs, it shows the change a pass late.
        ui.label(format!("{ran}"));
        ui.state("ran", "When it ran", ran);
        if ui.button("Save").tool(Tool::new("save", "Save it")).clicked() {
            *ran = *passes;
        }
    };
    let mut harness = AgentHarness::new_ui_state(ui, (0, 0));
    let seen = harness.observe().expect("a pass is drawn");
    for _ in 0..2 {
        let before = harness.state().0;
        let receipt = call(&mut harness, &seen, "save", json!({}));
        assert!(receipt.is_ok(), "{receipt:?}");
        let (passes, ran) = *harness.state();
        assert!(ran - before <= 2, "{} passes to the handler", ran - before);
        assert!(passes - ran <= 3, "{} passes to the receipt", passes - ran);
    }
}

#[test]
fn a_source_costs_the_same_whatever_its_length() {
    let cost = |rows: usize| {
        let (asked, passes) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let (asks, drawn) = (Rc::clone(&asked), Rc::clone(&passes));
        let ui = move |ui: &mut Ui, toggled: &mut Vec<usize>| {
            drawn.set(drawn.get() + 1);
            endless(ui, rows, 18.0, true, toggled, &asks);
        };
        let mut harness = AgentHarness::new_ui_state(ui, Vec::new());
        harness.kittest().run_steps(10);
        assert_eq!(asked.get(), 0, "nobody observes");
        let before = passes.get();
        harness.snapshot();
        let observing = asked.take();
        assert!(observing <= 250 * (passes.get() - before), "{observing} rows asked for");
        let receipt = harness.invoke("toggle", json!({ "record": format!("r{}", rows / 2) }));
        assert!(receipt.is_ok(), "{receipt:?}");
        (observing, asked.get())
    };
    assert_eq!(cost(10_000), cost(1_000_000));
}

#[test]
fn a_tall_list_scrolls_as_the_user_scrolls_and_keeps_its_place_when_observed() {
    let asked = Cell::new(0);
    let top = Rc::new(Cell::new((usize::MAX, 0.0_f32)));
    let first = Rc::clone(&top);
    let ui = move |ui: &mut Ui, _: &mut ()| {
        let source = ui.record_source("rows", 1_000_000, |row| {
            asked.set(asked.get() + 1);
            Record::new(row, format!("Row {row}"))
        });
        first.set((usize::MAX, 0.0));
        ui.set_max_height(300.0);
        ui.record_rows(source, 24.0, |ui, row| {
            let y = ui.label(format!("Row {row}")).rect.top();
            if row < first.get().0 {
                first.set((row, y));
            }
        });
    };
    let mut harness = AgentHarness::new_ui_state(ui, ());
    harness.kittest().run_steps(3);
    assert_eq!(top.get().0, 0);
    let place = |(row, y): (usize, f32)| row as f64 * 27.0 - f64::from(y);
    harness
        .kittest()
        .event(egui::Event::PointerMoved(egui::pos2(100.0, 100.0)));
    harness.kittest().run_steps(2);
    let at_top = place(top.get());
    for _ in 0..3 {
        let before = place(top.get());
        let wheel = egui::Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, -100.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: egui::Modifiers::NONE,
        };
        harness.kittest().event(wheel);
        harness.kittest().run_steps(60);
        let moved = place(top.get()) - before;
        assert!(
            (moved - 100.0).abs() < 2.0,
            "the wheel moves the rows by as much: {moved}"
        );
    }
    let before = top.get();
    assert!(place(before) - at_top > 250.0);
    harness.snapshot();
    harness.kittest().run_steps(3);
    assert_eq!(top.get(), before, "looking moves nothing");
}
