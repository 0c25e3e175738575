//! Menus, submenus, context menus and popups.

use egui::{Popup, PopupCloseBehavior, Ui};
use egui_kittest::kittest::Queryable as _;
use pling_egui::{Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

use super::every_place;

#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    opened: u32,
    saved: u32,
    exported: u32,
}

fn file_menu(ui: &mut Ui, seen: &mut Seen) -> bool {
    let mut opened = false;
    let menu = ui.menu_button("File", |ui| {
        opened = ui.is_visible();
        ui.region(Region::new("file", "File menu"), |ui| {
            if ui.button("Save").tool(Tool::new("save", "Save the file")).clicked() {
                seen.saved += 1;
            }
            let export = ui.menu_button("Export", |ui| {
                ui.region(Region::new("export", "Export menu"), |ui| {
                    if ui.button("As PDF").tool(Tool::new("pdf", "Export as PDF")).clicked() {
                        seen.exported += 1;
                    }
                });
            });
            let tool = Tool::new("open_export", "Show the ways to export")
                .read()
                .opens("export");
            drop(export.response.tool(tool));
        });
    });
    drop(
        menu.response
            .tool(Tool::new("act", "Show the file menu").read().opens("file")),
    );
    let first = opened && seen.opened == 0;
    seen.opened += u32::from(first);
    first
}

#[test]
fn menus_open_in_every_place() {
    let opened = Seen {
        opened: 1,
        ..Seen::default()
    };
    every_place(file_menu, &json!({}), &Seen::default(), &opened);
}

fn menu() -> AgentHarness<'static, Seen> {
    AgentHarness::new_ui_state(
        |ui, seen: &mut Seen| {
            file_menu(ui, seen);
        },
        Seen::default(),
    )
}

#[test]
fn an_item_of_an_open_menu_is_operated_and_the_menu_closed() {
    let mut harness = menu();
    let receipt = harness.invoke("act", json!({}));
    assert!(receipt.is_ok() && receipt.warning.is_none(), "{receipt:?}");
    assert!(
        Popup::is_any_open(&harness.kittest().ctx),
        "open until an item is chosen"
    );
    let receipt = harness.invoke("save", json!({}));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().saved, 1);
    assert!(!Popup::is_any_open(&harness.kittest().ctx));
}

#[test]
fn the_button_of_an_open_menu_closes_it() {
    let mut harness = menu();
    for is_open in [true, false, true] {
        let receipt = harness.invoke("act", json!({}));
        // It is declared as what opens the menu, and says that it did not.
        assert_eq!(receipt.is_ok(), is_open, "{receipt:?}");
        assert_eq!(Popup::is_any_open(&harness.kittest().ctx), is_open, "{receipt:?}");
    }
}

#[test]
fn a_submenu_opens_and_its_item_closes_the_whole_menu() {
    let mut harness = menu();
    for action in ["act", "open_export", "pdf"] {
        let receipt = harness.invoke(action, json!({}));
        assert!(receipt.is_ok() && receipt.warning.is_none(), "{action}: {receipt:?}");
    }
    harness.kittest().run_steps(3);
    assert_eq!((harness.state().exported, harness.state().saved), (1, 0));
    assert!(!Popup::is_any_open(&harness.kittest().ctx));
    assert!(harness.kittest().query_by_label("As PDF").is_none());
}

#[test]
fn a_menu_button_declared_like_any_button_is_never_called_a_success_without_words() {
    let mut harness = AgentHarness::new_ui(|ui| {
        let menu = ui.menu_button("File", |ui| ui.label("inside"));
        drop(menu.response.tool(Tool::new("file", "Show the file menu")));
    });
    let receipt = harness.invoke("file", json!({}));
    assert!(!Popup::is_any_open(&harness.kittest().ctx));
    assert!(
        receipt
            .warning
            .unwrap()
            .contains("nothing on the page was seen to change")
    );
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    opened: u32,
    renamed: u32,
}

fn row(ui: &mut Ui, row: &mut Row) -> bool {
    let button = ui.button("Row 1").tool(
        Tool::new("act", "Show what can be done with the row")
            .read()
            .context_menu(),
    );
    let mut opened = false;
    button.context_menu(|ui| {
        opened = ui.is_visible();
        if ui
            .button("Rename")
            .tool(Tool::new("rename", "Rename the row"))
            .clicked()
        {
            row.renamed += 1;
        }
    });
    assert!(!button.clicked(), "the secondary button is not the first");
    let first = opened && row.opened == 0;
    row.opened += u32::from(first);
    first
}

#[test]
fn a_context_menu_opens_in_every_place_and_at_its_widget() {
    let opened = Row { opened: 1, renamed: 0 };
    every_place(row, &json!({}), &Row::default(), &opened);
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut Row| {
            ui.add_space(300.0);
            row(ui, state);
        },
        Row::default(),
    );
    // The user's pointer is somewhere else, and stays there.
    harness.kittest().hover_at(egui::pos2(700.0, 20.0));
    harness.kittest().run_steps(2);
    assert!(harness.invoke("act", json!({})).is_ok());
    harness.kittest().run_steps(2);
    let item = harness.kittest().get_by_label("Rename").rect();
    assert!(item.left() < 200.0 && item.top() > 250.0, "{item}");
    let pointer = harness.kittest().ctx.pointer_hover_pos();
    assert_eq!(pointer, Some(egui::pos2(700.0, 20.0)));
    assert!(harness.invoke("rename", json!({})).is_ok());
    assert_eq!(harness.state().renamed, 1);
    assert!(!Popup::is_any_open(&harness.kittest().ctx));
}

#[derive(Default)]
struct Options {
    sound: bool,
    bold: bool,
}

/// A popup from a button whose handler is outside; a click on its content does not close it.
fn options(ui: &mut Ui, options: &mut Options) {
    let button = ui
        .button("Options")
        .tool(Tool::new("options", "Show the options").read());
    Popup::from_toggle_button_response(&button)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| {
            ui.region(Region::new("options", "Options"), |ui| {
                drop(
                    ui.checkbox(&mut options.sound, "Sound")
                        .tool(Tool::new("sound", "Play sounds")),
                );
                drop(
                    ui.toggle_value(&mut options.bold, "Bold")
                        .tool(Tool::new("bold", "Write bold")),
                );
            });
        });
}

#[test]
fn a_popup_that_stays_for_the_user_stays_for_the_agent() {
    let mut harness = AgentHarness::new_ui_state(options, Options::default());
    for action in ["options", "sound", "bold"] {
        let receipt = harness.invoke(action, json!({}));
        assert!(receipt.is_ok(), "{action}: {receipt:?}");
    }
    assert!(harness.state().sound && harness.state().bold);
    assert!(Popup::is_any_open(&harness.kittest().ctx));
}
