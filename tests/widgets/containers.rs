//! Collapsing headers, windows and modals.

use egui::{CollapsingHeader, Id, Modal, Ui, Window};
use pling_core::act::Code;
use pling_egui::{Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

use super::every_place;

#[test]
fn a_section_is_expanded_and_collapsed() {
    fn section(ui: &mut Ui, open: &mut bool) -> bool {
        let section = CollapsingHeader::new("More").show(ui, |ui| ui.label("inside"));
        let header = section.header_response.tool(Tool::new("act", "Show more").read());
        *open = section.openness > 0.0;
        header.clicked()
    }
    every_place(section, &json!({ "checked": true }), &false, &true);
    let mut harness = super::page(false, section);
    for (checked, handled) in [(true, 1), (true, 1), (false, 2)] {
        let receipt = harness.invoke("act", json!({ "checked": checked }));
        assert!(receipt.is_ok(), "{receipt:?}");
        harness.kittest().run_steps(10);
        assert_eq!((harness.state().value, harness.state().handled), (checked, handled));
    }
}

/// A window with its two buttons declared, and a button inside that only reads like one of them.
#[derive(Default)]
struct Log {
    open: bool,
    hidden: u32,
    modal: bool,
}

fn log(ui: &mut Ui, log: &mut Log) {
    if ui
        .button("Show log")
        .tool(Tool::new("show_log", "Show the log").read().opens("log"))
        .clicked()
    {
        log.open = true;
    }
    let window = Window::new("Log").open(&mut log.open).show(ui.ctx(), |ui| {
        ui.region(Region::new("log", "Log"), |ui| {
            log.hidden += u32::from(ui.button("Hide").clicked());
        });
    });
    if let Some(window) = window {
        let response = window.response.tool(Tool::new("close_log", "Close the log").read());
        drop(
            response.tool(
                Tool::new("fold_log", "Show only the title of the log")
                    .read()
                    .collapse(),
            ),
        );
    }
    if log.modal {
        let modal = Modal::new(Id::unique("modal")).show(ui.ctx(), |ui| {
            ui.button("OK").tool(Tool::new("ok", "Close the message")).clicked()
        });
        log.modal = !modal.inner;
    }
}

#[test]
fn a_window_is_opened_collapsed_expanded_and_closed_by_its_own_buttons() {
    let mut harness = AgentHarness::new_ui_state(log, Log::default());
    let receipt = harness.invoke("show_log", json!({}));
    assert!(receipt.is_ok() && receipt.warning.is_none(), "{receipt:?}");
    for checked in [false, true, false] {
        let receipt = harness.invoke("fold_log", json!({ "checked": checked }));
        assert!(receipt.is_ok(), "{checked}: {receipt:?}");
        harness.kittest().run_steps(20);
        let snapshot = harness.snapshot();
        let fold = snapshot
            .actions
            .iter()
            .find(|facts| facts.action.id.as_str() == "fold_log");
        assert_eq!(fold.unwrap().value, Some(json!(checked)));
    }
    let again = harness.invoke("fold_log", json!({ "checked": false }));
    assert!(again.warning.unwrap().contains("already"));
    let receipt = harness.invoke("close_log", json!({}));
    assert!(receipt.is_ok(), "{receipt:?}");
    harness.kittest().run_steps(20);
    assert!(!harness.state().open);
    assert_eq!(
        harness.state().hidden,
        0,
        "a button of the application is not the window's"
    );
    assert_eq!(harness.invoke("close_log", json!({})).code(), Some(Code::ActionGone));
}

#[test]
fn a_window_under_a_modal_or_without_a_cross_is_refused() {
    let state = Log {
        open: true,
        modal: true,
        ..Log::default()
    };
    let mut harness = AgentHarness::new_ui_state(log, state);
    for action in ["close_log", "fold_log"] {
        let receipt = harness.invoke(action, json!({}));
        assert_eq!(receipt.reason.as_deref(), Some("covered_by"), "{action}: {receipt:?}");
    }
    assert!(harness.state().open);
    assert!(harness.invoke("ok", json!({})).is_ok());
    assert!(!harness.state().modal);
    assert!(harness.invoke("close_log", json!({})).is_ok());

    let mut plain = AgentHarness::new_ui(|ui| {
        let window = Window::new("Plain").show(ui.ctx(), |ui| ui.label("no cross"));
        drop(window.unwrap().response.tool(Tool::new("close", "Close it")));
    });
    let receipt = plain.invoke("close", json!({}));
    assert_eq!(receipt.code(), Some(Code::Unsupported), "{receipt:?}");
    assert!(receipt.error.unwrap().1.contains("declare a button"));
}

#[test]
fn what_stands_in_a_scene_is_operated_and_what_covers_the_scene_covers_it() {
    #[derive(Default)]
    struct State {
        clicks: u32,
        number: f32,
        text: String,
        covered: bool,
    }
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut State| {
            let mut view = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 300.0));
            egui::Scene::new().show(ui, &mut view, |ui| {
                state.clicks += u32::from(ui.button("Go").tool(Tool::new("go", "Go")).clicked());
                drop(
                    ui.add(egui::Slider::new(&mut state.number, 0.0..=9.0))
                        .tool(Tool::new("number", "Set it")),
                );
                drop(
                    ui.text_edit_singleline(&mut state.text)
                        .tool(Tool::new("text", "Write it")),
                );
            });
            if state.covered {
                let all = ui.ctx().content_rect();
                egui::Window::new("Over").fixed_rect(all).show(ui.ctx(), |ui| {
                    ui.set_min_size(all.size());
                });
            }
        },
        State::default(),
    );
    for (action, arguments) in [
        ("go", json!({})),
        ("number", json!({ "value": 3 })),
        ("text", json!({ "text": "x" })),
    ] {
        let receipt = harness.invoke(action, arguments);
        assert!(receipt.is_ok(), "{receipt:?}");
    }
    let state = harness.state_mut();
    assert_eq!((state.clicks, state.number, state.text.as_str()), (1, 3.0, "x"));
    state.covered = true;
    harness.kittest().run_steps(3);
    let receipt = harness.invoke("go", json!({}));
    assert_eq!(receipt.reason.as_deref(), Some("covered_by"), "{receipt:?}");
    assert_eq!(harness.state().clicks, 1);
}
