//! Combo boxes.

use egui::{ComboBox, Popup, Ui};
use egui_kittest::kittest::Queryable as _;
use pling_core::act::Code;
use pling_egui::{ResponseExt as _, Tool, testing::AgentHarness};
use serde_json::json;

use super::{call, every_place};

const SIZES: [&str; 3] = ["small", "medium", "large"];

fn sizes(ui: &mut Ui, size: &mut String) -> bool {
    let combo = ComboBox::from_label("Size").selected_text(size.as_str());
    let mut changed = false;
    let combo = combo.show_ui(ui, |ui| {
        for each in SIZES {
            changed |= ui.selectable_value(size, each.to_owned(), each).changed();
        }
    });
    drop(combo.response.tool(Tool::new("act", "Choose the size").choices(SIZES)));
    changed
}

#[test]
fn combo_boxes() {
    every_place(
        sizes,
        &json!({ "choice": "large" }),
        &"small".to_owned(),
        &"large".to_owned(),
    );
    every_place(
        |ui, index: &mut usize| {
            let combo = ComboBox::from_id_salt("index").show_index(ui, index, SIZES.len(), |index| SIZES[index]);
            combo.tool(Tool::new("act", "Choose the size").choices(SIZES)).changed()
        },
        &json!({ "choice": "medium" }),
        &0,
        &1,
    );
}

#[test]
fn a_choice_that_the_list_does_not_offer_leaves_it_closed() {
    let (receipt, size, handled) = call(
        |ui, size: &mut String| {
            let combo = ComboBox::from_label("Size").show_ui(ui, |ui| {
                ui.selectable_value(size, "small".to_owned(), "small").changed()
            });
            let tool = Tool::new("act", "Choose the size").choices(SIZES);
            assert!(!combo.response.tool(tool).changed());
            combo.inner.unwrap_or_default()
        },
        String::new(),
        json!({ "choice": "large" }),
    );
    assert_eq!(receipt.code(), Some(Code::NotDelivered), "{receipt:?}");
    assert_eq!((size.as_str(), handled), ("", 0));
}

#[test]
fn c07_a_choice_is_made_the_list_closed_and_what_lay_under_it_is_pressed_once() {
    #[derive(Default)]
    struct State {
        size: String,
        deleted: u32,
    }
    fn draw(ui: &mut Ui, state: &mut State) {
        sizes(ui, &mut state.size);
        // Right where the open list was.
        let delete = ui.button("Delete").tool(Tool::new("delete", "Delete it"));
        state.deleted += u32::from(delete.clicked());
    }
    let mut harness = AgentHarness::new_ui_state(draw, State::default());
    assert!(harness.invoke("act", json!({ "choice": "medium" })).is_ok());
    assert!(!Popup::is_any_open(&harness.kittest().ctx));
    harness.kittest().get_by_label("Delete").click();
    harness.kittest().run_steps(3);
    assert_eq!((harness.state().size.as_str(), harness.state().deleted), ("medium", 1));
    assert!(harness.invoke("act", json!({ "choice": "large" })).is_ok());
    assert!(harness.invoke("delete", json!({})).is_ok());
    assert_eq!((harness.state().size.as_str(), harness.state().deleted), ("large", 2));
}

#[test]
fn the_user_s_own_popup_is_open_again_after_a_choice() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, size: &mut String| {
            ui.horizontal(|ui| {
                sizes(ui, size);
                ui.add_space(200.0);
                ui.menu_button("Mine", |ui| ui.label("my own menu"));
            });
        },
        "small".to_owned(),
    );
    harness.kittest().run_steps(2);
    harness.kittest().get_by_label("Mine").click();
    harness.kittest().run_steps(3);
    harness.kittest().get_by_label("my own menu");
    let receipt = harness.invoke("act", json!({ "choice": "large" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    harness.kittest().run_steps(3);
    assert_eq!(harness.state(), "large");
    harness.kittest().get_by_label("my own menu");
}

#[test]
fn without_choices_a_combo_box_opens_like_a_menu_and_its_items_are_actions() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, size: &mut String| {
            let combo = ComboBox::from_label("Size").show_ui(ui, |ui| {
                let large = ui.selectable_value(size, "large".to_owned(), "large");
                drop(large.tool(Tool::new("large", "Make it large")));
            });
            drop(combo.response.tool(Tool::new("sizes", "Show the sizes").read()));
        },
        String::new(),
    );
    assert!(harness.invoke("sizes", json!({})).is_ok());
    let receipt = harness.invoke("large", json!({}));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state(), "large");
    assert!(
        !Popup::is_any_open(&harness.kittest().ctx),
        "closed, as by the user's click"
    );
}

#[test]
fn a_choice_that_changes_nothing_leaves_nothing_covered_behind_it() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, size: &mut String| {
            sizes(ui, size);
            drop(ui.button("Under the list").tool(Tool::new("under", "Act")));
        },
        "large".to_owned(),
    );
    let receipt = harness.invoke("act", json!({ "choice": "large" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.to_json()["result"]["changed"], json!({ "observed": false }));
    let receipt = harness.invoke("act", json!({ "choice": "small" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert!(
        receipt.to_json()["result"]["changed"]["actions"].is_null(),
        "{receipt:?}"
    );
}

#[test]
fn an_item_that_takes_the_place_of_another_is_never_called_the_choice() {
    #[derive(Default)]
    struct State {
        passes: Option<u32>,
        more: bool,
        picked: Vec<&'static str>,
    }
    let mut wrong = 0;
    for passes in 0..10 {
        let draw = |ui: &mut Ui, state: &mut State| {
            state.more |= state.passes == Some(0);
            state.passes = state.passes.map(|passes| passes.saturating_sub(1));
            let combo = ComboBox::from_label("Size").show_ui(ui, |ui| {
                for size in SIZES.into_iter().skip(usize::from(!state.more)) {
                    if ui.selectable_label(false, size).clicked() {
                        state.picked.push(size);
                    }
                }
            });
            drop(combo.response.tool(Tool::new("act", "Choose the size").choices(SIZES)));
        };
        let mut harness = AgentHarness::new_ui_state(draw, State::default());
        harness.snapshot();
        harness.state_mut().passes = Some(passes);
        let receipt = harness.invoke("act", json!({ "choice": "large" }));
        match harness.state().picked.as_slice() {
            ["large"] => assert!(receipt.is_ok(), "in pass {passes}: {receipt:?}"),
            [other] => {
                assert_eq!(receipt.code(), Some(Code::NotDelivered), "in pass {passes}");
                let words = &receipt.error.as_ref().unwrap().1;
                assert!(words.contains(other) && words.contains("was clicked"), "{words}");
                wrong += 1;
            }
            picked => panic!("in pass {passes}: {picked:?}, {receipt:?}"),
        }
    }
    assert!(wrong <= 1, "only in the very pass of the click");
}

#[test]
fn a_refusal_does_not_tell_a_secret_choice() {
    let (receipt, ..) = call(
        |ui, _: &mut ()| {
            let combo = ComboBox::from_label("Size").show_ui(ui, |ui| ui.label("none of them"));
            let tool = Tool::new("act", "Choose the size").choices(SIZES).sensitive();
            combo.response.tool(tool).changed()
        },
        (),
        json!({ "choice": "large" }),
    );
    assert_eq!(receipt.code(), Some(Code::NotDelivered));
    let json = receipt.to_json().to_string();
    assert!(!json.contains("large"), "{json}");
}
