//! Text fields.

use egui::{Event, ImeEvent, Key, TextEdit, Ui};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use pling_core::act::Code;
use pling_egui::{Record, Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

use super::{call, every_place};

fn act() -> Tool {
    Tool::new("act", "Act")
}

fn text(text: &str) -> serde_json::Value {
    json!({ "text": text })
}

#[test]
fn text_fields() {
    let old = || "old".to_owned();
    every_place(
        |ui, line: &mut String| ui.text_edit_singleline(line).tool(act()).changed(),
        &text("milk"),
        &old(),
        &"milk".to_owned(),
    );
    every_place(
        |ui, lines: &mut String| ui.text_edit_multiline(lines).tool(act()).changed(),
        &text("milk\nbread"),
        &old(),
        &"milk\nbread".to_owned(),
    );
    every_place(
        |ui, code: &mut String| ui.add(TextEdit::multiline(code).code_editor()).tool(act()).changed(),
        &text("fn main() {\n\t\n}"),
        &old(),
        &"fn main() {\n\t\n}".to_owned(),
    );
    every_place(
        |ui, word: &mut String| ui.add(TextEdit::singleline(word).password(true)).tool(act()).changed(),
        &text("hunter2"),
        &old(),
        &"hunter2".to_owned(),
    );
}

#[test]
fn a_password_is_set_and_nothing_of_it_is_told() {
    let mut harness = super::page("secret".to_owned(), |ui, word: &mut String| {
        let field = TextEdit::singleline(word).password(true).char_limit(5);
        ui.add(field).tool(act()).changed()
    });
    let receipt = harness.invoke("act", text("hunter2"));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().value, "hunte");
    let told = format!("{receipt:?} {} {:?}", harness.observation(), harness.snapshot());
    for secret in ["secret", "hunter", "hunte", "\u{2022}", "*****"] {
        assert!(!told.contains(secret), "{secret} in {told}");
    }
}

#[test]
fn a_password_stays_secret_while_its_user_looks_at_it() {
    let draw = |ui: &mut Ui, (word, shown): &mut (String, bool)| {
        let field = TextEdit::singleline(word).password(!*shown);
        ui.record(Record::new("me", "Me"), |ui| {
            ui.add(field).tool(act()).field("word").changed()
        })
        .inner
    };
    let mut harness = super::page(("hunter2".to_owned(), false), draw);
    harness.snapshot();
    harness.state_mut().value.1 = true;
    harness.kittest().run_steps(2);
    let told = format!("{} {:?}", harness.observation(), harness.snapshot());
    assert!(!told.contains("hunter"), "{told}");
    let receipt = harness.invoke("act", json!({ "record": "me", "text": "hunter3" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().value.0, "hunter3");
    let told = format!("{receipt:?} {:?}", harness.snapshot());
    assert!(!told.contains("hunter"), "{told}");
}

/// The field is there in the pass that shows it, and in the next it is not what it was.
fn unusable_in_that_very_pass(draw: super::Draw<(String, u32)>) {
    let mut harness = super::page((String::new(), u32::MAX), draw);
    harness.snapshot();
    harness.state_mut().value.1 = 4;
    for _ in 0..6 {
        let receipt = harness.invoke("act", text("new"));
        assert!(!receipt.is_ok(), "{receipt:?}");
        if receipt.code() == Some(Code::NotDelivered) {
            return;
        }
        harness.state_mut().value.1 += 1;
    }
    panic!("no pass was the one in which the text came");
}

#[test]
fn a_field_that_becomes_unusable_in_that_very_pass_is_no_success() {
    unusable_in_that_very_pass(|ui, (line, passes)| {
        *passes = passes.saturating_sub(1);
        ui.add_enabled(*passes > 0, TextEdit::singleline(line))
            .tool(act())
            .changed()
    });
    unusable_in_that_very_pass(|ui, (line, passes)| {
        *passes = passes.saturating_sub(1);
        let tool = act().available_if(*passes > 0, "it is closed");
        ui.add(TextEdit::singleline(line)).tool(tool).changed()
    });
}

#[test]
fn c06_what_cannot_be_edited_is_refused() {
    for draw in [
        (|ui, line: &mut String| {
            ui.add(TextEdit::singleline(line).interactive(false))
                .tool(act())
                .changed()
        }) as super::Draw<String>,
        |ui, line| ui.add(TextEdit::singleline(&mut line.as_str())).tool(act()).changed(),
    ] {
        let (receipt, line, handled) = call(draw, "old".to_owned(), text("new"));
        assert_eq!(receipt.code(), Some(Code::Unavailable), "{receipt:?}");
        assert_eq!((line.as_str(), handled), ("old", 0));
    }
}

#[test]
fn c19_a_line_break_in_a_single_line_becomes_a_space_and_is_reported() {
    let (receipt, line, handled) = call(
        |ui, line: &mut String| ui.text_edit_singleline(line).tool(act()).changed(),
        String::new(),
        text("日本語🙂\nline2"),
    );
    assert_eq!((line.as_str(), handled), ("日本語🙂 line2", 1));
    assert_eq!(receipt.value, Some(json!("日本語🙂 line2")), "{receipt:?}");
    assert!(receipt.warning.unwrap().contains("a line break in a single line"));
}

/// Handlers that wait for the end of typing, and the user's own field beside them.
#[derive(Default)]
struct Form {
    name: String,
    committed: Vec<String>,
    sent: Vec<String>,
    own: String,
    own_left: u32,
    own_above: bool,
}

fn own_field(ui: &mut Ui, form: &mut Form) {
    let field = ui.add(TextEdit::singleline(&mut form.own).id_salt("own").hint_text("own"));
    form.own_left += u32::from(field.lost_focus());
}

fn form(ui: &mut Ui, form: &mut Form) {
    ui.region(Region::new("form", "Form"), |ui| {
        if form.own_above {
            own_field(ui, form);
        }
        let name = ui.add(TextEdit::singleline(&mut form.name).id_salt("name"));
        let name = name.tool(Tool::new("rename", "Rename it").commit());
        if name.lost_focus() {
            form.committed.push(form.name.clone());
        }
        let line = ui.add(TextEdit::singleline(&mut form.name).id_salt("line"));
        let line = line.tool(Tool::new("send", "Send a line").submit());
        if line.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            form.sent.push(std::mem::take(&mut form.name));
        }
        if !form.own_above {
            own_field(ui, form);
        }
    });
}

#[test]
fn a_field_that_commits_when_it_is_left_commits_once() {
    let mut harness = AgentHarness::new_ui_state(form, Form::default());
    let receipt = harness.invoke("rename", text("Ada"));
    assert!(receipt.is_ok(), "{receipt:?}");
    harness.kittest().run_steps(5);
    assert_eq!(harness.state().committed, ["Ada"]);
    assert_eq!(harness.kittest().ctx.memory(|memory| memory.focused()), None);
    // Again, with the same text: the user could do that too.
    assert!(harness.invoke("rename", text("Ada")).is_ok());
    assert_eq!(harness.state().committed, ["Ada", "Ada"]);
}

#[test]
fn c19_the_user_s_own_field_keeps_focus_caret_selection_and_keys_and_never_sees_itself_left() {
    for own_above in [true, false] {
        for action in ["rename", "send"] {
            let state = Form {
                own_above,
                ..Form::default()
            };
            let mut harness = AgentHarness::new_ui_state(form, state);
            harness.kittest().run_steps(2);
            let fields: Vec<_> = harness
                .kittest()
                .query_all_by_role(egui::accesskit::Role::TextInput)
                .collect();
            let own = fields
                .iter()
                .find(|field| field.accesskit_node().placeholder() == Some("own"))
                .unwrap();
            own.focus();
            drop(fields);
            harness.kittest().step();
            harness.kittest().event(Event::Text("abcd".into()));
            harness.kittest().step();
            // The user selected what they typed last; their next key replaces it.
            harness
                .kittest()
                .key_press_modifiers(egui::Modifiers::SHIFT, Key::ArrowLeft);
            harness.kittest().run_steps(2);
            let focus = harness.kittest().ctx.memory(|memory| memory.focused());
            assert!(focus.is_some());
            for key in ["x", "y"] {
                harness.kittest().event(Event::Text(key.into()));
            }
            let receipt = harness.invoke(action, text("milk"));
            assert!(receipt.is_ok(), "{receipt:?}");
            harness.kittest().run_steps(6);
            let context = format!("{action}, own field above: {own_above}");
            assert_eq!(
                harness.kittest().ctx.memory(|memory| memory.focused()),
                focus,
                "{context}"
            );
            let state = harness.state();
            assert_eq!(state.own, "abcxy", "{context}");
            assert_eq!(state.own_left, 0, "{context}");
            if action == "send" {
                assert_eq!(state.sent, ["milk"], "{context}");
            } else {
                // Seen in two passes, as after the user's Tab.
                assert_eq!(state.committed, ["milk", "milk"], "{context}");
            }
        }
    }
}

#[test]
fn c19_a_composition_in_another_field_goes_on() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, (own, other): &mut (String, String)| {
            ui.add(TextEdit::singleline(own).hint_text("own"));
            drop(ui.text_edit_singleline(other).tool(act()));
        },
        (String::new(), String::new()),
    );
    harness.kittest().run_steps(2);
    let fields: Vec<_> = harness
        .kittest()
        .query_all_by_role(egui::accesskit::Role::TextInput)
        .collect();
    fields[0].focus();
    drop(fields);
    harness.kittest().step();
    let preedit = |text: &str| {
        Event::Ime(ImeEvent::Preedit {
            text: text.into(),
            active_range_chars: None,
        })
    };
    harness.kittest().event(preedit("に"));
    harness.kittest().step();
    assert!(harness.invoke("act", text("milk")).is_ok());
    harness.kittest().event(preedit("にほん"));
    harness.kittest().event(Event::Ime(ImeEvent::Commit("日本".into())));
    harness.kittest().run_steps(3);
    assert_eq!(*harness.state(), ("日本".to_owned(), "milk".to_owned()));
}

#[test]
fn enter_in_several_lines_is_a_line_break_and_therefore_refused() {
    let (receipt, lines, _) = call(
        |ui, lines: &mut String| ui.text_edit_multiline(lines).tool(act().submit()).changed(),
        "old".to_owned(),
        text("new"),
    );
    assert_eq!(
        (receipt.code(), lines.as_str()),
        (Some(Code::Unsupported), "old"),
        "{receipt:?}"
    );
    assert!(receipt.error.unwrap().1.contains("`.commit()`"));
}

#[test]
fn what_the_user_had_in_the_field_is_said_to_be_replaced() {
    let mut harness = super::page(String::new(), |ui, line: &mut String| {
        ui.text_edit_singleline(line).tool(act()).changed()
    });
    harness.kittest().run_steps(2);
    harness.kittest().get_by_role(egui::accesskit::Role::TextInput).focus();
    harness.kittest().step();
    harness.kittest().event(Event::Text("hal".into()));
    harness.kittest().step();
    let receipt = harness.invoke("act", text("milk"));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().value, "milk");
    assert!(receipt.warning.unwrap().contains("the user had the caret"));
}
