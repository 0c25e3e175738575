//! What an egui page says of itself: values in rows, regions, availability, feedback, where the user is.

use std::time::Duration;

use egui::{CollapsingHeader, DragValue, Modal, TextEdit, Ui, Window};
use egui_kittest::kittest::Queryable as _;
use pling_core::{
    act::Code,
    model::RegionRole,
    observe::{Observation, SectionKind},
    snapshot::Availability,
};
use pling_egui::{Expect, Feedback, Page, Record, Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::{Value, json};

use crate::support::fence::page_data;

fn observe<State>(harness: &mut AgentHarness<'_, State>) -> std::sync::Arc<Observation> {
    harness.observe().expect("a pass is drawn")
}

/// One task with everything a row can hold.
struct Task {
    done: bool,
    days: u32,
    note: String,
    pin: String,
}

fn row(ui: &mut Ui, task: &mut Task) {
    ui.record(Record::new("t1", "Milk"), |ui| {
        drop(
            ui.checkbox(&mut task.done, "Done")
                .tool(Tool::new("toggle", "Toggle it")),
        );
        let days = ui.add(DragValue::new(&mut task.days)).field("days");
        drop(days.tool(Tool::new("set_days", "Set the days")));
        drop(
            ui.text_edit_singleline(&mut task.note)
                .tool(Tool::new("note", "Write a note")),
        );
        let pin = ui.add(TextEdit::singleline(&mut task.pin));
        drop(pin.tool(Tool::new("pin", "Enter the PIN").sensitive()));
    });
}

#[test]
fn values_of_a_row_stand_with_its_record_once_and_never_where_sensitive() {
    let task = Task {
        done: true,
        days: 7,
        note: "whole milk".into(),
        pin: "4711".into(),
    };
    let mut harness = AgentHarness::new_ui_state(row, task);
    let seen = observe(&mut harness);
    let records = page_data(seen.section(SectionKind::Records)).remove(0);
    let expected = json!({
        "id": "t1", "label": "Milk", "fields": { "days": 7 },
        "values": { "toggle": true, "note": "whole milk" },
    });
    assert_eq!(records[0], expected);
    assert!(!seen.to_json().to_string().contains("4711"));

    let receipt = harness.invoke("set_days", json!({ "record": "t1", "value": 9 }));
    assert!(receipt.is_ok(), "{receipt:?}");
    let changed = receipt.to_json()["result"]["changed"].clone();
    let expected = json!({ "observed": true, "records": { "changed": [{ "id": "t1", "fields": { "days": 9 } }] } });
    assert_eq!(changed, expected, "told as a field, and not again as a value");
    let receipt = harness.invoke("toggle", json!({ "record": "t1", "checked": false }));
    let changed = receipt.to_json()["result"]["changed"].clone();
    let expected = json!({ "observed": true, "values": [{ "action": "toggle", "record": "t1", "value": false }] });
    assert_eq!(changed, expected);
    let receipt = harness.invoke("pin", json!({ "record": "t1", "text": "0815" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().pin, "0815");
    assert!(!format!("{receipt:?}").contains("0815"));
}

/// A page with a window, a modal dialog, and a section that can be collapsed.
#[derive(Default)]
struct Parts {
    window: bool,
    modal: bool,
    saved: u32,
    closed: u32,
}

fn parts(ui: &mut Ui, parts: &mut Parts) {
    let ctx = ui.ctx().clone();
    ui.region(Region::new("main", "Main").purpose("what it is all about"), |ui| {
        let open = Tool::new("open_window", "Open the window").read().opens("window");
        parts.window |= ui.button("Window").tool(open).clicked();
        let open = Tool::new("open_modal", "Ask first").read().opens("question");
        parts.modal |= ui.button("Modal").tool(open).clicked();
        drop(
            ui.button("Broken")
                .tool(Tool::new("broken", "Open nothing").opens("nothing")),
        );
        if ui.button("Save").tool(Tool::new("save", "Save it")).clicked() {
            parts.saved += 1;
        }
        let section = CollapsingHeader::new("More").show(ui, |ui| {
            ui.region(Region::new("more", "Details").role(RegionRole::Form), |ui| {
                drop(ui.button("Reset").tool(Tool::new("reset", "Reset it")));
            });
        });
        drop(
            section
                .header_response
                .tool(Tool::new("more", "Open or close the section").read()),
        );
    });
    if parts.window {
        Window::new("Window").show(&ctx, |ui| {
            ui.region(Region::new("window", "A window").role(RegionRole::Dialog), |ui| {
                if ui
                    .button("Close")
                    .tool(Tool::new("close", "Close the window"))
                    .clicked()
                {
                    parts.window = false;
                }
                ui.region(Region::new("inner", "Inside"), |ui| ui.label("Inside"));
            });
        });
    }
    if parts.modal {
        Modal::new(ui.scope_id().with("question")).show(&ctx, |ui| {
            ui.region(Region::new("question", "A question").modal(), |ui| {
                if ui
                    .button("Close")
                    .tool(Tool::new("close", "Close the question"))
                    .clicked()
                {
                    parts.modal = false;
                    parts.closed += 1;
                }
            });
        });
    }
}

fn active(harness: &mut AgentHarness<'_, Parts>) -> Vec<String> {
    let snapshot = harness.snapshot();
    let active = snapshot.regions.iter().filter(|facts| facts.active);
    active.map(|facts| facts.path.to_string()).collect()
}

#[test]
fn the_window_in_front_is_active_and_a_modal_one_before_all() {
    let mut harness = AgentHarness::new_ui_state(parts, Parts::default());
    assert_eq!(active(&mut harness), [""; 0]);
    assert!(harness.invoke("open_window", json!({})).is_ok());
    assert_eq!(active(&mut harness), ["window"], "the outermost region in it");
    assert!(harness.invoke("open_modal", json!({})).is_ok());
    assert_eq!(active(&mut harness), ["question"]);
    let structure = observe(&mut harness).section(SectionKind::Structure).to_owned();
    assert!(
        structure.contains("question \"A question\" (modal, active: in front of the rest)"),
        "{structure}"
    );
    assert!(
        structure.contains("main \"Main\": what it is all about;"),
        "{structure}"
    );

    // Two actions of one id: each is a tool of its own that says where it is.
    let receipt = harness.invoke("close-question", json!({}));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.changed.unwrap().closed, ["question".into()]);
    assert_eq!((harness.state().closed, harness.state().window), (1, true));
    assert_eq!(active(&mut harness), ["window"]);
}

#[test]
fn d04_behind_a_dialog_everything_is_refused_with_its_name() {
    let mut harness = AgentHarness::new_ui_state(parts, Parts::default());
    assert!(harness.invoke("open_modal", json!({})).is_ok());
    let receipt = harness.invoke("save", json!({}));
    assert_eq!(receipt.code(), Some(Code::Unavailable), "{receipt:?}");
    assert_eq!(receipt.reason.as_deref(), Some("covered_by"));
    assert!(receipt.to_text(1000).contains("A question"), "{receipt:?}");
    assert_eq!(harness.state().saved, 0);
    let seen = observe(&mut harness);
    let unavailable = seen.section(SectionKind::Unavailable);
    assert!(unavailable.contains("- save: Save it"), "{unavailable}");
    assert!(
        unavailable.contains(r#"covered_by <page_data>"A question"</page_data>"#),
        "{unavailable}"
    );
    assert!(
        seen.tool("close").is_some_and(|close| seen.tools.contains(close)),
        "its own action is usable"
    );
}

#[test]
fn what_an_action_opens_is_waited_for_and_missed() {
    let mut harness = AgentHarness::new_ui_state(parts, Parts::default());
    let receipt = harness.invoke("open_window", json!({}));
    assert_eq!(receipt.changed.unwrap().opened, ["window".into(), "inner".into()]);
    let receipt = harness.invoke("broken", json!({}));
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed), "{receipt:?}");
    let receipt = harness.invoke("save", json!({}));
    assert!(receipt.is_ok(), "the next call is not affected: {receipt:?}");
}

#[test]
fn a_collapsed_section_is_gone_with_its_region_and_says_so() {
    let mut harness = AgentHarness::new_ui_state(parts, Parts::default());
    let before = harness.snapshot();
    harness.kittest().get_by_label("More").click();
    harness.kittest().run_steps(20);
    let seen = observe(&mut harness);
    assert_eq!(before.changes_to(&seen.snapshot).opened, ["more".into()]);
    assert!(harness.invoke("reset", json!({})).is_ok());
    harness.kittest().get_by_label("More").click();
    harness.kittest().run_steps(20);
    let closed = harness.snapshot();
    assert_eq!(seen.snapshot.changes_to(&closed).closed, ["more".into()]);
    let snapshot = harness.snapshot();
    let reset = snapshot
        .actions
        .iter()
        .find(|facts| facts.action.id.as_str() == "reset")
        .unwrap();
    let Availability::NotDrawn { since } = reset.availability else {
        panic!("{reset:?}")
    };
    assert!((seen.snapshot.revision..snapshot.revision).contains(&since), "{since}");
    let receipt = harness.invoke("reset", json!({}));
    assert_eq!(receipt.code(), Some(Code::ActionGone), "{receipt:?}");
    assert_eq!(receipt.reason.as_deref(), Some("not_drawn"));
}

#[test]
fn availability_comes_with_its_authors_reason_in_the_list_and_in_the_refusal() {
    let mut harness = AgentHarness::new_ui(|ui| {
        let pick = Tool::new("ship", "Ship it").available_if(false, "a picked order");
        drop(ui.button("Ship").tool(pick));
        drop(
            ui.add_enabled(false, egui::Button::new("Print"))
                .tool(Tool::new("print", "Print it")),
        );
        ui.tool_unavailable(Tool::new("refund", "Refund it").danger(), "the order is not paid yet");
        drop(
            ui.button("Pay")
                .tool(Tool::new("pay", "Pay it").handoff("needs your card")),
        );
    });
    let seen = observe(&mut harness);
    let unavailable = seen.section(SectionKind::Unavailable);
    for line in [
        "- ship: Ship it [click, write; in page] – requires: a picked order",
        "- print: Print it [click, write; in page] – disabled",
        "- refund: Refund it [click, danger; in page] – requires: the order is not paid yet",
    ] {
        assert!(unavailable.contains(line), "{line} in {unavailable}");
    }
    let names: Vec<_> = seen.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["pay"]);
    assert!(
        seen.tools[0]
            .description
            .contains("only the user can do this: needs your card")
    );
    for (tool, reason, words) in [
        ("ship", "requires", "a picked order"),
        ("print", "disabled", "disabled"),
        ("refund", "requires", "the order is not paid yet"),
    ] {
        let receipt = harness.invoke(tool, json!({}));
        assert_eq!(
            (receipt.code(), receipt.reason.as_deref()),
            (Some(Code::Unavailable), Some(reason))
        );
        assert!(receipt.error.unwrap().1.contains(words), "{words}");
    }
    let receipt = harness.invoke("pay", json!({}));
    assert_eq!(receipt.code(), Some(Code::HandoffDeclined), "nobody is there to do it");
}

#[test]
fn feedback_at_a_widget_names_its_field_and_region() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, title: &mut String| {
            ui.region(Region::new("form", "Form"), |ui| {
                let field = ui.add(TextEdit::singleline(title));
                drop(field.tool(Tool::new("set_title", "Set the title").submit()));
                if title.len() > 5 {
                    let error = ui.colored_label(egui::Color32::RED, "At most 5 letters");
                    drop(error.feedback(Feedback::error().for_field("set_title")));
                }
                ui.feedback(Feedback::info(), "Saved by itself");
                ui.scope(|ui| {
                    ui.set_invisible();
                    drop(ui.label("Secret plan").feedback(Feedback::warning()));
                });
            });
        },
        String::new(),
    );
    let receipt = harness.invoke("set_title", json!({ "text": "too long" }));
    let told = receipt.to_json()["result"]["changed"]["feedback"].clone();
    let expected = json!([{ "level": "error", "field": "set_title", "text": "At most 5 letters", "region": ["form"] }]);
    assert_eq!(told, expected);
    let seen = observe(&mut harness);
    let told: Vec<Value> = page_data(seen.section(SectionKind::Feedback));
    let expected = json!([
        { "level": "error", "field": "set_title", "text": "At most 5 letters", "region": "form" },
        { "level": "info", "text": "Saved by itself", "region": "form" },
    ]);
    assert_eq!(told, [expected], "c15: what is drawn invisible tells nothing");
}

#[test]
fn the_page_is_named_and_of_its_query_only_what_was_allowed() {
    let mut harness = AgentHarness::new_ui(|ui| {
        let page = Page::new("Order 42")
            .path("/orders/42?token=hunter2&sort=date")
            .route("order");
        ui.page(page.parameter("id", 42).query("sort", "date"));
        ui.label("An order");
    });
    let seen = observe(&mut harness);
    let expected = json!({
        "title": "Order 42", "path": "/orders/42", "route": "order",
        "parameters": { "id": "42" }, "query": { "sort": "date" },
    });
    assert_eq!(page_data(seen.section(SectionKind::Page)), [expected]);
    assert!(!seen.text.contains("hunter2"));
}

#[test]
fn an_expectation_on_a_widget_has_its_own_time() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, frames_left: &mut Option<u32>| {
            if let Some(left) = frames_left.as_mut().filter(|left| **left > 0) {
                *left -= 1;
                ui.ctx().request_repaint();
            }
            let is_done = *frames_left == Some(0);
            ui.state("stage", "How far it is", &if is_done { "done" } else { "idle" });
            let within = Expect::state("stage", "done").within(Duration::from_millis(200));
            drop(
                ui.button("Never")
                    .tool(Tool::new("never", "Nothing comes of it").expect(within)),
            );
            let start = Tool::new("start", "Start it").expect(Expect::state("stage", "done"));
            if ui.button("Start").tool(start).clicked() {
                *frames_left = Some(30);
            }
        },
        None,
    );
    let receipt = harness.invoke("never", json!({}));
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed), "{receipt:?}");
    let receipt = harness.invoke("start", json!({}));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.changed.unwrap().state[0].after, Some(json!("done")));
}

#[test]
fn c03_two_widgets_of_one_declaration_are_ambiguous_and_neither_runs() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, clicks: &mut u32| {
            ui.region(Region::new("bar", "Bar"), |ui| {
                for _ in 0..2 {
                    *clicks += u32::from(ui.button("Go").tool(Tool::new("go", "Go")).clicked());
                }
            });
        },
        0,
    );
    let receipt = harness.invoke("go", json!({}));
    assert_eq!(receipt.code(), Some(Code::AmbiguousTarget), "{receipt:?}");
    assert!(receipt.error.unwrap().1.contains("2 widgets answer to `go` in \"bar\""));
    assert_eq!(*harness.state(), 0);
    assert!(harness.observation().contains("declared 2 times, so ambiguous"));
}
