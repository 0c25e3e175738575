//! Regions wherever an app has them: windows, dialogs, sections that are closed, rows that have no place of their own.

use std::{cell::Cell, rc::Rc};

use egui::{CollapsingHeader, Grid, Modal, ScrollArea, Ui, Window};
use pling_core::{act::Code, snapshot::Availability};
use pling_egui::{Record, Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

#[derive(Default)]
struct Page {
    dialog: bool,
    window: bool,
    ran: Vec<&'static str>,
}

fn page(ui: &mut Ui, page: &mut Page) {
    let Page { dialog, window, ran } = page;
    ui.region(Region::new("main", "Main").purpose("the list"), |ui| {
        if ui.button("Save").tool(Tool::new("save", "Save it")).clicked() {
            ran.push("save");
        }
        let off = ui.add_enabled(false, egui::Button::new("Print"));
        drop(off.tool(Tool::new("print", "Print it")));
        let ask = ui.button("Ask").tool(Tool::new("ask", "Ask first").opens("confirm"));
        *dialog |= ask.clicked();
        if *window {
            let place = Window::new("Tools").fixed_pos([0.0, 0.0]).fixed_size([300.0, 200.0]);
            place.show(ui.ctx(), |ui| {
                ui.set_min_size(egui::vec2(300.0, 200.0));
                ui.region(Region::new("tools", "Tools"), |ui| {
                    if ui.button("Cut").tool(Tool::new("cut", "Cut it")).clicked() {
                        ran.push("cut");
                    }
                });
            });
        }
        if *dialog {
            Modal::new(egui::Id::unique("confirm")).show(ui.ctx(), |ui| {
                ui.region(Region::new("confirm", "Really?"), |ui| {
                    if ui.button("Yes").tool(Tool::new("yes", "Go ahead")).clicked() {
                        ran.push("yes");
                        *dialog = false;
                    }
                });
            });
        }
    });
}

#[test]
fn d04_what_a_dialog_covers_is_listed_with_its_name_and_its_own_actions_are_usable() {
    let mut harness = AgentHarness::new_ui_state(page, Page::default());
    let disabled = harness.invoke("print", json!({}));
    let opened = harness.invoke("ask", json!({}));
    assert!(
        opened.is_ok() && opened.warning.is_none(),
        "it opened what it says: {opened:?}"
    );
    let snapshot = harness.snapshot();
    let paths: Vec<_> = snapshot.regions.iter().map(|facts| facts.path.to_string()).collect();
    assert_eq!(paths, ["main", "main > confirm"], "where it stands in the code counts");
    let covered = harness.invoke("save", json!({}));
    assert!(
        covered
            .error
            .as_ref()
            .is_some_and(|(_, words)| words.contains("Really?")),
        "{covered:?}"
    );
    assert!(harness.state().ran.is_empty());
    assert!(harness.invoke("yes", json!({})).is_ok());
    assert_eq!(harness.state().ran, ["yes"]);
    let gone = harness.invoke("yes", json!({}));
    let reasons = [&covered, &disabled, &gone].map(|receipt| (receipt.code(), receipt.reason.as_deref()));
    assert_eq!(
        reasons,
        [
            (Some(Code::Unavailable), Some("covered_by")),
            (Some(Code::Unavailable), Some("disabled")),
            (Some(Code::ActionGone), Some("not_drawn")),
        ]
    );
    assert!(
        gone.error
            .as_ref()
            .is_some_and(|(_, words)| words.contains("`ask` opens")),
        "it says the way back: {gone:?}"
    );
    assert!(harness.invoke("save", json!({})).is_ok(), "free again");
}

#[test]
fn a_window_declared_in_a_region_belongs_to_it_and_is_operated() {
    let state = Page {
        window: true,
        ..Page::default()
    };
    let mut harness = AgentHarness::new_ui_state(page, state);
    let snapshot = harness.snapshot();
    let paths: Vec<_> = snapshot.regions.iter().map(|facts| facts.path.to_string()).collect();
    assert_eq!(paths, ["main", "main > tools"]);
    let save = snapshot.actions.iter().find(|facts| facts.action.id.as_str() == "save");
    let save = save.map(|facts| &facts.availability);
    assert_eq!(save, Some(&Availability::CoveredBy("Tools".to_owned())));
    assert!(harness.invoke("cut", json!({})).is_ok());
    assert_eq!(harness.state().ran, ["cut"]);
}

#[test]
fn a_closed_section_can_be_opened_and_what_was_in_it_says_how() {
    let archived = Rc::new(Cell::new(0_u32));
    let count = Rc::clone(&archived);
    let mut harness = AgentHarness::new_ui(move |ui| {
        let section = CollapsingHeader::new("Details").show(ui, |ui| {
            ui.region(Region::new("details", "Details"), |ui| {
                if ui.button("Archive").tool(Tool::new("archive", "Archive it")).clicked() {
                    count.set(count.get() + 1);
                }
            });
        });
        let tool = Tool::new("show_details", "Show the details").opens("details").read();
        drop(section.header_response.tool(tool));
    });
    assert!(harness.observation().contains("opens details"));
    let opened = harness.invoke("show_details", json!({ "checked": true }));
    assert!(opened.is_ok() && opened.warning.is_none(), "{opened:?}");
    assert!(harness.invoke("archive", json!({})).is_ok());
    assert!(harness.invoke("show_details", json!({ "checked": false })).is_ok());
    let closed = harness.invoke("archive", json!({}));
    assert_eq!(closed.code(), Some(Code::ActionGone), "{closed:?}");
    let words = closed.error.map(|(_, words)| words).unwrap_or_default();
    assert!(words.contains("`show_details` opens"), "{words}");
    assert_eq!(archived.get(), 1);
}

#[test]
fn inline_records_of_grids_and_wrapped_lines_are_told_apart() {
    let clicked = Rc::new(std::cell::RefCell::new(Vec::new()));
    let clicks = Rc::clone(&clicked);
    let mut harness = AgentHarness::new_ui(move |ui| {
        let row = |ui: &mut Ui, id: String| {
            ui.record_inline(Record::new(&id, &id).field("row", &id), |ui| {
                ui.label(&id);
                if ui.button("Open").tool(Tool::new("open", "Open it").read()).clicked() {
                    clicks.borrow_mut().push(id.clone());
                }
            });
        };
        ui.region(Region::new("grid", "Grid"), |ui| {
            ScrollArea::vertical().max_height(100.0).show(ui, |ui| {
                Grid::new("grid").show(ui, |ui| {
                    for index in 0..40 {
                        row(ui, format!("g{index}"));
                        ui.end_row();
                    }
                });
            });
        });
        ui.region(Region::new("chips", "Chips"), |ui| {
            ui.horizontal_wrapped(|ui| {
                for index in 0..20 {
                    row(ui, format!("c{index}"));
                }
            });
        });
    });
    let seen = harness.observe().expect("a pass is drawn");
    let names: Vec<_> = seen.tools.iter().map(|tool| tool.name.clone()).collect();
    let tool = |region: &str| names.iter().find(|name| name.contains(region)).expect("it is offered");
    for (region, id) in [
        ("grid", "g0"),
        ("grid", "g30"),
        ("grid", "g39"),
        ("chips", "c0"),
        ("chips", "c19"),
    ] {
        let receipt = harness.invoke(tool(region), json!({ "record": id }));
        assert!(receipt.is_ok(), "{id}: {receipt:?}");
        assert_eq!(clicked.borrow().last().map(String::as_str), Some(id));
    }
    assert_eq!(clicked.borrow().len(), 5);
    let snapshot = harness.snapshot();
    let in_view = |id: &str| {
        let mut records = snapshot.records.iter();
        records
            .find(|facts| facts.record.id.as_str() == id)
            .map(|facts| facts.visible)
    };
    assert!(
        in_view("g39") >= Some(0.5) && in_view("g0") < Some(0.5),
        "what is in view is known row by row"
    );
}

#[test]
fn a_record_in_a_record_is_itself_and_the_outer_one_is_not_hit() {
    let clicked = Rc::new(std::cell::RefCell::new(Vec::new()));
    let clicks = Rc::clone(&clicked);
    let mut harness = AgentHarness::new_ui(move |ui| {
        for order in ["o1", "o2"] {
            ui.record(Record::new(order, order).kind("order"), |ui| {
                if ui.button("Cancel").tool(Tool::new("cancel", "Cancel it")).clicked() {
                    clicks.borrow_mut().push(order.to_owned());
                }
                ui.region(Region::new("lines", "Lines"), |ui| {
                    for line in ["l1", "l2"] {
                        let id = format!("{order}-{line}");
                        ui.record(Record::new(&id, &id).kind("line"), |ui| {
                            if ui.button("Remove").tool(Tool::new("remove", "Remove it")).clicked() {
                                clicks.borrow_mut().push(id.clone());
                            }
                        });
                    }
                });
            });
        }
    });
    assert!(harness.invoke("remove", json!({ "record": "o2-l1" })).is_ok());
    assert!(harness.invoke("cancel", json!({ "record": "o2" })).is_ok());
    let wrong = harness.invoke("remove", json!({ "record": "o1" }));
    assert!(!wrong.is_ok(), "{wrong:?}");
    assert_eq!(*clicked.borrow(), ["o2-l1", "o2"]);
}
