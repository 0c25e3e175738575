//! One widget of each sort, operated through its own handler.

use std::{cell::Cell, rc::Rc};

use egui::{Button, CollapsingHeader, ComboBox, DragValue, Slider, TextEdit};
use egui_kittest::kittest::Queryable as _;
use pling_core::act::Code;
use pling_egui::{Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

fn count() -> (Rc<Cell<u32>>, Rc<Cell<u32>>) {
    let count = Rc::new(Cell::new(0));
    (Rc::clone(&count), count)
}

fn bump(count: &Cell<u32>) {
    count.set(count.get() + 1);
}

#[test]
fn a_button_is_clicked_once_at_its_own_declaration() {
    let (clicks, seen) = count();
    let mut harness = AgentHarness::new_ui(move |ui| {
        if ui.button("Save").tool(Tool::new("save", "Save the form")).clicked() {
            bump(&clicks);
        }
    });
    let receipt = harness.invoke("save", json!({}));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(seen.get(), 1);
    harness.kittest().run_steps(5);
    assert_eq!(seen.get(), 1, "never applied again");
}

#[test]
fn a_disabled_button_is_refused() {
    let (clicks, seen) = count();
    let mut harness = AgentHarness::new_ui(move |ui| {
        let button = ui.add_enabled(false, Button::new("Save"));
        if button.tool(Tool::new("save", "Save the form")).clicked() {
            bump(&clicks);
        }
    });
    let receipt = harness.invoke("save", json!({}));
    assert_eq!(
        (receipt.code(), receipt.reason.as_deref()),
        (Some(Code::Unavailable), Some("disabled"))
    );
    assert_eq!(seen.get(), 0);
}

#[test]
fn a_check_box_toggles_and_takes_a_wanted_state() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut (bool, u32)| {
            let check = ui.checkbox(&mut state.0, "Sound");
            if check.tool(Tool::new("sound", "Play sounds")).changed() {
                state.1 += 1;
            }
        },
        (false, 0),
    );
    assert!(harness.invoke("sound", json!({})).is_ok());
    assert_eq!(*harness.state(), (true, 1));
    let again = harness.invoke("sound", json!({ "checked": true }));
    assert!(again.is_ok() && again.warning.is_some(), "{again:?}");
    assert_eq!(*harness.state(), (true, 1));
    assert!(harness.invoke("sound", json!({ "checked": false })).is_ok());
    assert_eq!(*harness.state(), (false, 2));
}

#[test]
fn numbers_are_set_and_clamped_by_the_widget() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut (i32, f32)| {
            let _ = ui
                .add(DragValue::new(&mut state.0).range(0..=10))
                .tool(Tool::new("copies", "Number of copies"));
            let _ = ui
                .add(Slider::new(&mut state.1, 0.0..=1.0).step_by(0.25))
                .tool(Tool::new("zoom", "Zoom"));
        },
        (1, 0.0),
    );
    assert!(harness.invoke("copies", json!({ "value": 7 })).is_ok());
    assert_eq!(harness.state().0, 7);
    let clamped = harness.invoke("copies", json!({ "value": 99 }));
    assert_eq!(harness.state().0, 10);
    assert_eq!(clamped.value, Some(json!(10)), "{clamped:?}");
    assert!(clamped.warning.is_some());
    let rounded = harness.invoke("zoom", json!({ "value": 0.3 }));
    assert!((harness.state().1 - 0.25).abs() < 1e-6);
    assert_eq!(rounded.value, Some(json!(0.25)), "{rounded:?}");
}

#[test]
fn a_number_of_single_precision_reads_as_it_was_written() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, volume: &mut f32| {
            ui.add(Slider::new(volume, 0.0..=1.0))
                .tool(("volume", "Set the volume"));
            ui.state("shown", "The volume again", &[*volume]);
        },
        0.7,
    );
    let receipt = harness.invoke("volume", json!({ "value": 0.3 }));
    assert!(receipt.is_ok() && receipt.warning.is_none(), "{receipt:?}");
    let snapshot = harness.snapshot();
    assert_eq!(snapshot.actions[0].value, Some(json!(0.3)));
    assert!(harness.observation().contains("[0.3]"));
    let again = harness.invoke("volume", json!({ "value": 0.3 }));
    assert!(again.is_ok() && again.warning.is_some(), "nothing to do: {again:?}");
}

#[test]
fn a_choice_is_picked_in_the_opened_list_and_the_list_closed() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut String| {
            let combo = ComboBox::from_label("Size")
                .selected_text(state.as_str())
                .show_ui(ui, |ui| {
                    for size in ["small", "medium", "large"] {
                        ui.selectable_value(state, size.to_owned(), size);
                    }
                });
            let tool = Tool::new("set_size", "Choose the size").choices(["small", "medium", "large"]);
            let _ = combo.response.tool(tool);
        },
        "small".to_owned(),
    );
    let receipt = harness.invoke("set_size", json!({ "choice": "large" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state(), "large");
    assert!(!egui::Popup::is_any_open(&harness.kittest().ctx));
    let wrong = harness.invoke("set_size", json!({ "choice": "huge" }));
    assert_eq!(wrong.code(), Some(Code::InvalidArguments));
}

#[test]
fn a_radio_button_and_a_selectable_label_are_picked() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut (u8, u8)| {
            let _ = ui.radio_value(&mut state.0, 2, "Two").tool(Tool::new("two", "Two"));
            let _ = ui
                .selectable_value(&mut state.1, 3, "Three")
                .tool(Tool::new("three", "Three"));
        },
        (1, 1),
    );
    assert!(harness.invoke("two", json!({})).is_ok());
    assert!(harness.invoke("three", json!({})).is_ok());
    assert_eq!(*harness.state(), (2, 3));
}

#[derive(Default)]
struct Form {
    text: String,
    submitted: Vec<String>,
    changes: u32,
    other: String,
    other_submits: u32,
}

fn form(ui: &mut egui::Ui, form: &mut Form) {
    let enter = |ui: &egui::Ui| ui.input(|input| input.key_pressed(egui::Key::Enter));
    ui.region(Region::new("form", "Form"), |ui| {
        let field = ui.add(TextEdit::singleline(&mut form.text).id_salt("text"));
        let field = field.tool(Tool::new("add", "Add a line").submit());
        if field.changed() {
            form.changes += 1;
        }
        if field.lost_focus() && enter(ui) {
            form.submitted.push(std::mem::take(&mut form.text));
        }
        let other = ui.add(TextEdit::singleline(&mut form.other).id_salt("other"));
        if other.lost_focus() && enter(ui) {
            form.other_submits += 1;
        }
    });
}

#[test]
fn text_is_typed_and_submitted_once() {
    let mut harness = AgentHarness::new_ui_state(form, Form::default());
    let receipt = harness.invoke("add", json!({ "text": "bread" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().submitted, ["bread"]);
    assert_eq!(harness.state().text, "");
}

#[test]
fn typing_gives_the_keyboard_back_and_loses_no_key_of_the_user() {
    let mut harness = AgentHarness::new_ui_state(form, Form::default());
    harness.kittest().run_steps(2);
    // The user is typing in the other field.
    let fields: Vec<_> = harness
        .kittest()
        .query_all_by_role(egui::accesskit::Role::TextInput)
        .collect();
    fields[1].focus();
    drop(fields);
    harness.kittest().step();
    harness.kittest().event(egui::Event::Text("a".into()));
    harness.kittest().step();
    let focus = harness.kittest().ctx.memory(|memory| memory.focused());
    assert!(focus.is_some());
    // Keys arrive while the agent works.
    for key in ["b", "c", "d", "e"] {
        harness.kittest().event(egui::Event::Text(key.into()));
    }
    let receipt = harness.invoke("add", json!({ "text": "milk" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    harness.kittest().run_steps(6);
    assert_eq!(harness.state().submitted, ["milk"]);
    assert_eq!(harness.state().other, "abcde");
    assert_eq!(
        harness.state().other_submits,
        0,
        "the user's own field was not submitted"
    );
    assert_eq!(harness.kittest().ctx.memory(|memory| memory.focused()), focus);
}

#[test]
fn a_section_is_expanded() {
    let (draws, seen) = count();
    let mut harness = AgentHarness::new_ui(move |ui| {
        let section = CollapsingHeader::new("More").show(ui, |ui| {
            bump(&draws);
            ui.label("inside");
        });
        let _ = section.header_response.tool(Tool::new("more", "Show more").read());
    });
    assert_eq!(seen.get(), 0);
    assert!(harness.invoke("more", json!({ "checked": true })).is_ok());
    assert!(seen.get() > 0);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[test]
fn a_function_tool_returns_fails_and_checks_its_arguments() {
    let mut harness = AgentHarness::new_ui(|ui| {
        if let Some(call) = ui.tool_call::<Add>(Tool::new("sum", "Add two numbers").read()) {
            let sum = call.args().a + call.args().b;
            if sum < 0 {
                call.fail("negative")
            } else {
                call.finish(sum)
            }
        }
        drop(ui.tool_call::<()>(Tool::new("forget", "Forget everything").read()));
    });
    let receipt = harness.invoke("sum", json!({ "a": 2, "b": 3 }));
    assert_eq!(receipt.value, Some(json!(5)), "{receipt:?}");
    let failed = harness.invoke("sum", json!({ "a": 2, "b": -3 }));
    assert_eq!(failed.code(), Some(Code::HandlerFailed));
    assert_eq!(failed.error.unwrap().1, "negative");
    let wrong = harness.invoke("sum", json!({ "a": "x", "b": 3 }));
    assert_eq!(wrong.code(), Some(Code::InvalidArguments));
    let dropped = harness.invoke("forget", json!({}));
    assert_eq!(dropped.code(), Some(Code::HandlerFailed), "{dropped:?}");
}
