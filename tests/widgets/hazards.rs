//! What may happen in the very pass that delivers.

use egui::{Button, ComboBox, Id, Modal, Ui};
use pling_core::act::Code;
use pling_egui::{Record, Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::{Value, json};

/// Something happens in a pass that is counted down to, once the count is set.
#[derive(Default)]
struct Soon {
    passes: Option<u32>,
    happened: bool,
    /// Clicks on the widget that is aimed at.
    hits: u32,
    /// Clicks on anything else, and clicks that a user could not have made.
    wrong: u32,
    on: bool,
}

impl Soon {
    fn count(&mut self) {
        match &mut self.passes {
            Some(0) => {
                self.happened = true;
                self.passes = None;
            }
            Some(passes) => *passes -= 1,
            None => {}
        }
    }
}

/// Lets it happen in each of the first passes after the call.
fn in_every_pass(draw: fn(&mut Ui, &mut Soon), arguments: &serde_json::Value) -> u32 {
    let mut hits = 0;
    for passes in 0..10 {
        let mut harness = AgentHarness::new_ui_state(draw, Soon::default());
        harness.snapshot();
        harness.state_mut().passes = Some(passes);
        let receipt = harness.invoke("act", arguments.clone());
        harness.kittest().run_steps(3);
        let state = harness.state();
        assert_eq!(state.wrong, 0, "in pass {passes}: {receipt:?}");
        assert_eq!(state.hits, u32::from(receipt.is_ok()), "in pass {passes}: {receipt:?}");
        hits += state.hits;
    }
    hits
}

#[test]
fn a_modal_that_came_up_in_the_last_pass_is_not_clicked_through() {
    type Draw = fn(&mut Ui, &mut Soon);
    let draws: [(Draw, Value); 4] = [
        (
            |ui, soon| {
                let was_covered = soon.happened;
                let click = ui.button("Pay").tool(Tool::new("act", "Pay")).clicked();
                count_click(ui, soon, click, was_covered);
            },
            json!({}),
        ),
        (
            |ui, soon| {
                let was_covered = soon.happened;
                let click = ui.tool(Tool::new("act", "Pay"), Button::new("Pay")).clicked();
                count_click(ui, soon, click, was_covered);
            },
            json!({}),
        ),
        (
            |ui, soon| {
                let was_covered = soon.happened;
                let field = ui.text_edit_singleline(&mut String::new());
                let change = field.tool(Tool::new("act", "Whom to pay")).changed();
                count_click(ui, soon, change, was_covered);
            },
            json!({ "text": "Ada" }),
        ),
        (
            |ui, soon| {
                let was_covered = soon.happened;
                let list = ComboBox::from_label("How").show_ui(ui, |ui| ui.button("cash").clicked());
                drop(list.response.tool(Tool::new("act", "How to pay").choices(["cash"])));
                count_click(ui, soon, list.inner == Some(true), was_covered);
            },
            json!({ "choice": "cash" }),
        ),
    ];
    fn count_click(ui: &Ui, soon: &mut Soon, click: bool, was_covered: bool) {
        soon.hits += u32::from(click);
        soon.wrong += u32::from(click && was_covered);
        soon.count();
        if soon.happened {
            Modal::new(Id::unique("modal")).show(ui.ctx(), |ui| ui.label("Wait"));
        }
    }
    for (draw, arguments) in draws {
        let hits = in_every_pass(draw, &arguments);
        assert!((1..10).contains(&hits), "{hits} of 10 came before");
    }
}

#[test]
fn a_widget_declared_as_it_is_added_is_never_mistaken_for_one_that_came_before_it() {
    let hits = in_every_pass(
        |ui, soon| {
            soon.count();
            ui.region(Region::new("r", "R"), |ui| {
                if soon.happened {
                    // The new one gets the id that the other had, and is declared in the same way.
                    let other = ui.tool(Tool::new("other", "Other"), Button::new("Other"));
                    soon.wrong += u32::from(other.clicked());
                    soon.wrong += u32::from(ui.button("Undeclared").clicked());
                }
                let click = ui.tool(Tool::new("act", "Act"), Button::new("Act")).clicked();
                soon.hits += u32::from(click);
            });
        },
        &json!({}),
    );
    assert!(hits >= 9, "{hits} of 10 get through");
}

#[test]
fn rows_without_ids_of_their_own_are_told_apart_where_the_declaration_adds_the_widget() {
    let hits = in_every_pass(
        |ui, soon| {
            soon.count();
            let rows: &[&str] = if soon.happened { &["new", "old"] } else { &["old"] };
            for row in rows {
                ui.record_inline(Record::new(row, row), |ui| {
                    let mut on = false;
                    let check = egui::Checkbox::new(&mut on, "On");
                    if ui.tool(Tool::new("act", "Act"), check).changed() {
                        soon.hits += u32::from(*row == "old");
                        soon.wrong += u32::from(*row == "new");
                    }
                });
            }
        },
        &json!({ "record": "old", "checked": true }),
    );
    assert!(hits >= 9, "{hits} of 10 get through");
}

#[test]
fn an_undeclared_widget_that_took_the_id_is_reported_and_the_call_not_repeated() {
    let mut reported = 0;
    for passes in 0..10 {
        let mut harness = AgentHarness::new_ui_state(
            |ui, soon: &mut Soon| {
                soon.count();
                ui.region(Region::new("r", "R"), |ui| {
                    drop(ui.button("Before").tool(Tool::new("before", "Before")));
                    if soon.happened && ui.checkbox(&mut false, "Undeclared").changed() {
                        soon.wrong += 1;
                    }
                    let act = ui.checkbox(&mut soon.on, "Act").tool(Tool::new("act", "Act"));
                    soon.hits += u32::from(act.changed());
                });
            },
            Soon::default(),
        );
        harness.snapshot();
        harness.state_mut().passes = Some(passes);
        let receipt = harness.invoke("act", json!({ "checked": true }));
        let state = harness.state();
        assert_eq!(state.hits, u32::from(receipt.is_ok()), "in pass {passes}: {receipt:?}");
        if state.wrong > 0 {
            assert_eq!(
                receipt.code(),
                Some(Code::NotDelivered),
                "in pass {passes}: {receipt:?}"
            );
            assert!(receipt.error.unwrap().1.contains("may have reacted"));
            reported += 1;
        }
    }
    assert_eq!(reported, 1, "the one pass in which nothing can be known before");
}

#[test]
fn c18_two_calls_on_one_widget_are_two_executions() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, soon: &mut Soon| {
            let on = ui.checkbox(&mut soon.on, "On").tool(Tool::new("act", "Switch it"));
            soon.hits += u32::from(on.changed());
        },
        Soon::default(),
    );
    for hits in [1, 2] {
        assert!(harness.invoke("act", json!({})).is_ok());
        assert_eq!((harness.state().hits, harness.state().on), (hits, hits == 1));
    }
}

#[test]
fn a_pass_that_the_application_has_given_up_already_is_not_the_one_that_delivers() {
    let draws: [fn(&mut Ui, &mut Soon) -> bool; 4] = [
        |ui, _| ui.button("Act").tool(Tool::new("act", "Act")).clicked(),
        |ui, soon| ui.checkbox(&mut soon.on, "On").tool(Tool::new("act", "Act")).changed(),
        |ui, soon| {
            let check = egui::Checkbox::new(&mut soon.on, "On");
            ui.tool(Tool::new("act", "Act"), check).changed()
        },
        |ui, soon| {
            let slider = egui::Slider::new(&mut soon.hits, 0..=1).step_by(1.0);
            ui.add(slider).tool(Tool::new("act", "Act")).changed()
        },
    ];
    for (index, draw) in draws.into_iter().enumerate() {
        let mut harness = AgentHarness::new_ui_state(
            move |ui, soon: &mut Soon| {
                // As a grid does whose columns it does not know yet.
                if ui.ctx().current_pass_index() == 0 {
                    ui.ctx().request_discard("laid out again");
                }
                soon.wrong += u32::from(draw(ui, soon));
            },
            Soon::default(),
        );
        let arguments = if index == 3 { json!({ "value": 1 }) } else { json!({}) };
        let receipt = harness.invoke("act", arguments);
        assert!(receipt.is_ok(), "{index}: {receipt:?}");
        harness.kittest().run_steps(3);
        assert_eq!(harness.state().wrong, 1, "{index}: its handler ran once");
    }
}
