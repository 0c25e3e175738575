//! Widgets that open a picker of their own.

use egui::{Color32, Ui};
use egui_kittest::kittest::Queryable as _;
use pling_egui::{ResponseExt as _, Tool, UiExt as _};
use serde_json::json;

use super::{every_place, page};

fn ink(ui: &mut Ui, color: &mut Color32) -> bool {
    let button = ui.color_edit_button_srgba(color);
    button.tool(Tool::new("act", "Show the colors").read()).clicked()
}

#[test]
fn a_color_button_opens_its_picker() {
    every_place(ink, &json!({}), &Color32::BLACK, &Color32::BLACK);
    let mut harness = page(Color32::BLACK, ink);
    assert!(harness.invoke("act", json!({})).is_ok());
    harness.kittest().run_steps(3);
    let channels = harness
        .kittest()
        .query_all_by_role(egui::accesskit::Role::SpinButton)
        .count();
    assert!(channels >= 3, "{channels} numbers in the picker");
}

#[test]
fn a_date_button_added_by_its_declaration_opens_its_picker() {
    let first = jiff::civil::date(2024, 2, 29);
    fn date(ui: &mut Ui, date: &mut jiff::civil::Date) -> bool {
        let button = egui_extras::DatePickerButton::new(date);
        ui.tool(Tool::new("act", "Show the calendar").read(), button).clicked()
    }
    every_place(date, &json!({}), &first, &first);
    let mut harness = page(first, date);
    assert!(harness.invoke("act", json!({})).is_ok());
    harness.kittest().run_steps(3);
    harness.kittest().get_by_label("Save");
}
