//! Buttons, links, and what is picked or switched with one click.

use egui::{Button, Checkbox, Hyperlink, Image, OutputCommand, Response, Sense, TextureId, Ui, WidgetInfo, vec2};
use pling_core::act::Code;
use pling_egui::{ResponseExt as _, Tool, UiExt as _};
use serde_json::json;

use super::{call, every_place, page};

fn act() -> Tool {
    Tool::new("act", "Act")
}

#[test]
fn buttons_and_links() {
    let nothing = json!({});
    every_place(|ui, ()| ui.button("Save").tool(act()).clicked(), &nothing, &(), &());
    every_place(|ui, ()| ui.small_button("+").tool(act()).clicked(), &nothing, &(), &());
    every_place(|ui, ()| ui.link("More").tool(act()).clicked(), &nothing, &(), &());
    every_place(
        |ui, ()| {
            let image = Image::from_texture((TextureId::default(), vec2(16.0, 16.0)));
            ui.tool(act(), Button::image(image)).clicked()
        },
        &nothing,
        &(),
        &(),
    );
}

#[test]
fn what_switches_itself() {
    let nothing = json!({});
    every_place(
        |ui, on| ui.checkbox(on, "Sound").tool(act()).changed(),
        &json!({ "checked": true }),
        &false,
        &true,
    );
    every_place(
        |ui, on| ui.toggle_value(on, "Bold").tool(act()).changed(),
        &nothing,
        &false,
        &true,
    );
    every_place(
        |ui, on| ui.radio_value(on, 2, "Two").tool(act()).changed(),
        &nothing,
        &1,
        &2,
    );
    // A tab is a selectable value.
    every_place(
        |ui, tab| ui.selectable_value(tab, "second", "Second").tool(act()).changed(),
        &nothing,
        &"first",
        &"second",
    );
}

/// A check box for a group of which some are on.
fn some_of(ui: &mut Ui, all: &mut [bool; 2]) -> bool {
    let mut on = all.iter().all(|on| *on);
    let some = all.iter().any(|on| *on) && !on;
    let check = ui.add(Checkbox::new(&mut on, "All").indeterminate(some)).tool(act());
    if check.changed() {
        *all = [on; 2];
    }
    check.changed()
}

#[test]
fn a_check_box_that_is_neither_becomes_what_is_asked() {
    every_place(some_of, &json!({ "checked": true }), &[true, false], &[true, true]);
    let mut harness = page([true, false], some_of);
    let facts = harness.snapshot();
    assert_eq!(facts.actions[0].value, Some(json!("mixed")));
    // The first click makes it true; it takes a second one.
    let receipt = harness.invoke("act", json!({ "checked": false }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().value, [false, false]);
    assert_eq!(harness.state().handled, 2);
}

#[test]
fn a_check_box_that_stays_neither_says_so() {
    let (receipt, _, handled) = call(
        |ui, on: &mut bool| {
            ui.add(Checkbox::new(on, "All").indeterminate(true))
                .tool(act())
                .changed()
        },
        false,
        json!({ "checked": true }),
    );
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!((receipt.value, handled), (Some(json!("mixed")), 1));
    assert!(receipt.warning.unwrap().contains("instead of true"));
}

#[test]
fn a_hyperlink_opens_its_page_itself() {
    every_place(
        |ui, ()| {
            let link = Hyperlink::from_label_and_url("Help", "https://example.org/help");
            let _ = ui.add(link).tool(act());
            let opens = |command: &OutputCommand| matches!(command, OutputCommand::OpenUrl(_));
            ui.output(|output| output.commands.iter().any(opens))
        },
        &json!({}),
        &(),
        &(),
    );
}

/// A switch that paints itself and flips its own value.
fn switch(on: &mut bool, described: bool) -> impl FnOnce(&mut Ui) -> Response {
    move |ui: &mut Ui| {
        let (rect, mut response) = ui.allocate_exact_size(vec2(40.0, 20.0), Sense::click());
        if response.clicked() {
            *on = !*on;
            response.mark_changed();
        }
        if described {
            response
                .widget_info(|| WidgetInfo::selected(egui::accesskit::Role::CheckBox, ui.is_enabled(), *on, "Power"));
        }
        ui.painter().rect_filled(rect, 4.0, ui.visuals().selection.bg_fill);
        response
    }
}

#[test]
fn a_painted_widget_says_what_it_is_or_is_added_by_its_declaration() {
    every_place(
        |ui, on: &mut bool| ui.add(switch(on, true)).tool(act()).changed(),
        &json!({ "checked": true }),
        &false,
        &true,
    );
    every_place(
        |ui, on: &mut bool| ui.tool(act(), switch(on, false)).changed(),
        &json!({}),
        &false,
        &true,
    );
    // Its handler may also be outside.
    every_place(
        |ui, on: &mut bool| {
            let click = ui.allocate_response(vec2(40.0, 20.0), Sense::click()).tool(act());
            *on |= click.clicked();
            click.clicked()
        },
        &json!({}),
        &false,
        &true,
    );
}

#[test]
fn a_click_that_only_the_widget_itself_could_notice_is_never_called_a_success_without_words() {
    let (receipt, on, _) = call(
        |ui, on: &mut bool| ui.add(switch(on, false)).tool(act()).changed(),
        false,
        json!({}),
    );
    assert!(!on);
    let warning = receipt.warning.unwrap();
    assert!(warning.contains("nothing on the page was seen to change"), "{warning}");
}

#[test]
fn what_takes_no_click_is_unsupported_and_says_what_to_do() {
    let (receipt, ..) = call(
        |ui, ()| {
            let label = egui::Label::new("Only words").selectable(false);
            ui.add(label).tool(act()).clicked()
        },
        (),
        json!({}),
    );
    assert_eq!(receipt.code(), Some(Code::Unsupported), "{receipt:?}");
    assert!(receipt.error.unwrap().1.contains("function tool"));
}
