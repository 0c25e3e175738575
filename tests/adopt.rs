//! Three tools as people have them, under an agent: a control panel, a desk with modals, a table of ten thousand rows.

mod only_declarations; // the README's difference, and that nothing else was touched
mod same_tool; // the same picture and behavior with and without declarations

use std::{cell::Cell, rc::Rc};

use adopt::{
    gallery::{Bench, Gallery, Vents},
    modals::{Modals, Visitor},
    table::{Sort, Table},
};
use egui::{OutputCommand, ProgressBar, Ui};
use pling_core::act::{ApprovalMode, Code, Receipt};
use pling_egui::{ResponseExt as _, testing::AgentHarness};
use serde_json::{Value, json};

fn open<T: Default + 'static>(ui: fn(&mut T, &mut Ui), approval: ApprovalMode) -> AgentHarness<'static, T> {
    AgentHarness::<()>::builder()
        .size([640.0, 560.0])
        .approval(approval)
        .build_ui_state(move |page, tool: &mut T| ui(tool, page), T::default())
}

/// Does one thing after the other, all of which must be done.
fn all<T>(harness: &mut AgentHarness<'_, T>, calls: impl IntoIterator<Item = (&'static str, Value)>) {
    for (action, arguments) in calls {
        let receipt = harness.invoke(action, arguments);
        assert!(receipt.is_ok(), "{action}: {receipt:?}");
    }
}

fn why(receipt: &Receipt) -> (Option<Code>, Option<&str>) {
    (receipt.code(), receipt.reason.as_deref())
}

/// What a model sees: text and tools.
fn seen<T>(harness: &mut AgentHarness<'_, T>) -> String {
    let seen = harness.observe().expect("a pass is drawn");
    let tools = seen.tools.iter().map(|tool| tool.to_json().to_string());
    format!("{}\n{}", seen.text, tools.collect::<Vec<_>>().join("\n"))
}

#[test]
fn what_a_model_sees_of_each_tool_is_golden() {
    let mut gallery = open(Gallery::ui, ApprovalMode::DenyAll);
    insta::assert_snapshot!("adopt_gallery", seen(&mut gallery));
    let mut modals = open(Modals::ui, ApprovalMode::DenyAll);
    all(&mut modals, [("new", json!({}))]);
    insta::assert_snapshot!("adopt_modals", seen(&mut modals));
    let mut table = open(Table::ui, ApprovalMode::DenyAll);
    insta::assert_snapshot!("adopt_table", seen(&mut table));
}

#[test]
fn the_control_panel_is_filled_in() {
    let mut harness = open(Gallery::ui, ApprovalMode::AllowAll);
    all(
        &mut harness,
        [
            ("rename", json!({ "text": "House 7" })),
            ("lamps", json!({ "checked": true })),
            ("vents_automatic", json!({})),
            ("bench_south", json!({})),
            ("crop", json!({ "choice": "Tomato" })),
            ("temperature", json!({ "value": 22.3 })),
            ("humidity", json!({ "value": 99 })),
            ("water", json!({})),
            ("water", json!({})),
            ("photo", json!({})),
        ],
    );
    let house = &harness.state().house;
    assert_eq!(
        (house.name.as_str(), house.crop, house.lamps),
        ("House 7", "Tomato", true)
    );
    assert_eq!((house.vents, house.bench), (Vents::Automatic, Bench::South));
    assert_eq!(
        (house.degrees, house.humidity),
        (22.5, 90),
        "stepped and clamped by the widgets"
    );
    assert_eq!((house.tank, house.photos), (0.8 - 0.1 - 0.1, 1));
}

#[test]
fn the_journal_is_opened_replaced_emptied_and_closed() {
    let mut harness = open(Gallery::ui, ApprovalMode::AllowAll);
    all(
        &mut harness,
        [
            ("journal", json!({ "checked": true })),
            ("journal_text", json!({ "text": "First ripe one\nMore to come" })),
        ],
    );
    assert_eq!(harness.state().house.journal, "First ripe one\nMore to come");
    all(
        &mut harness,
        [("journal_empty", json!({})), ("journal", json!({ "checked": false }))],
    );
    assert_eq!(harness.state().house.journal, "");
    let gone = harness.invoke("journal_text", json!({ "text": "x" }));
    assert_eq!(why(&gone), (Some(Code::ActionGone), Some("not_drawn")), "{gone:?}");
}

#[test]
fn a_link_is_done_only_if_the_address_is_opened() {
    let opened = Rc::new(Cell::new(0));
    let count = Rc::clone(&opened);
    let ui = move |ui: &mut Ui, tool: &mut Gallery| {
        tool.ui(ui);
        let is_open = |command: &OutputCommand| matches!(command, OutputCommand::OpenUrl(_));
        let opens = ui
            .ctx()
            .output(|output| output.commands.iter().filter(|c| is_open(c)).count());
        count.set(count.get() + opens);
    };
    let mut harness = AgentHarness::new_ui_state(ui, Gallery::default());
    let receipt = harness.invoke("manual", json!({}));
    assert_eq!((receipt.is_ok(), opened.get()), (true, 1), "{receipt:?}");
}

#[test]
fn what_only_people_do_is_handed_to_them() {
    let mut harness = open(Gallery::ui, ApprovalMode::DenyAll);
    let before = format!("{:?}", harness.state().house);
    for action in ["lamp_color", "harvest"] {
        let receipt = harness.invoke(action, json!({}));
        assert_eq!(receipt.code(), Some(Code::HandoffDeclined), "{action}: {receipt:?}");
    }
    assert_eq!(format!("{:?}", harness.state().house), before);
    assert!(!egui::Popup::is_any_open(&harness.kittest().ctx));
}

#[test]
fn disabled_and_hidden_controls_are_refused() {
    let mut harness = open(Gallery::ui, ApprovalMode::AllowAll);
    let before = format!("{:?}", harness.state().house);
    for (switch, reason) in [("enable", "disabled"), ("show", "hidden")] {
        all(&mut harness, [(switch, json!({ "checked": false }))]);
        for (action, arguments) in [
            ("rename", json!({ "text": "x" })),
            ("temperature", json!({ "value": 30 })),
            ("crop", json!({ "choice": "Chili" })),
            ("water", json!({})),
        ] {
            let receipt = harness.invoke(action, arguments);
            assert_eq!(
                why(&receipt),
                (Some(Code::Unavailable), Some(reason)),
                "{action}: {receipt:?}"
            );
        }
        all(&mut harness, [(switch, json!({ "checked": true }))]);
    }
    assert_eq!(format!("{:?}", harness.state().house), before);
}

#[test]
fn what_only_shows_something_cannot_be_operated() {
    let mut gallery = open(Gallery::ui, ApprovalMode::AllowAll);
    for name in ["sensors", "tank"] {
        let receipt = gallery.invoke(name, json!({}));
        assert_eq!(receipt.code(), Some(Code::UnknownAction), "{name}: {receipt:?}");
    }
    let mut harness = AgentHarness::new_ui(|ui| {
        ui.spinner().tool(("spin", "Wait"));
        ui.add(ProgressBar::new(0.5)).tool(("fill", "Fill the tank"));
    });
    for name in ["spin", "fill"] {
        let receipt = harness.invoke(name, json!({}));
        assert_eq!(receipt.code(), Some(Code::Unsupported), "{name}: {receipt:?}");
    }
}

fn visitor(badge: u32, name: &str, host: &'static str) -> Visitor {
    let name = name.to_owned();
    Visitor { badge, name, host }
}

/// Fills the form in and answers the question: through two modals, up to the printer.
fn let_in(harness: &mut AgentHarness<'_, Modals>, name: &str, host: &str) -> Receipt {
    all(
        harness,
        [
            ("new", json!({})),
            ("name", json!({ "text": name })),
            ("host", json!({ "choice": host })),
            ("save", json!({})),
        ],
    );
    harness.invoke("print", json!({}))
}

#[test]
fn a_visitor_is_let_in_through_two_modals_after_an_approval() {
    let mut harness = open(Modals::ui, ApprovalMode::AllowAll);
    let receipt = let_in(&mut harness, "Ada", "Archive");
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(
        harness.state().visitors,
        [visitor(1, "Ada", "Archive")],
        "the badge was waited for"
    );
    assert!(
        receipt.to_json().to_string().contains(r#""records":{"added":["1"]}"#),
        "{receipt:?}"
    );
    assert!(harness.invoke("new", json!({})).is_ok(), "every modal is closed");
}

#[test]
fn without_approval_nothing_is_printed_and_the_question_stays() {
    let mut harness = open(Modals::ui, ApprovalMode::DenyAll);
    let receipt = let_in(&mut harness, "Ada", "Archive");
    assert_eq!(receipt.code(), Some(Code::ApprovalDenied), "{receipt:?}");
    assert_eq!((harness.state().visitors.len(), harness.state().printed), (0, 0));
    let behind = harness.invoke("name", json!({ "text": "Eve" }));
    assert_eq!(why(&behind), (Some(Code::Unavailable), Some("covered_by")));
    assert!(
        behind.error.unwrap().1.contains("Print a badge?"),
        "the nearest modal is named"
    );
    all(
        &mut harness,
        [("not_yet", json!({})), ("cancel", json!({})), ("new", json!({}))],
    );
}

#[test]
fn a_form_without_a_name_says_so() {
    let mut harness = open(Modals::ui, ApprovalMode::AllowAll);
    all(&mut harness, [("new", json!({}))]);
    let receipt = harness.invoke("save", json!({}));
    let feedback = &receipt.changed.as_ref().unwrap().feedback;
    assert_eq!(feedback[0].text, "A visitor needs a name", "{receipt:?}");
    assert_eq!(harness.invoke("print", json!({})).code(), Some(Code::UnknownAction));
}

#[test]
fn the_menu_is_opened_and_its_item_used() {
    let mut harness = open(Modals::ui, ApprovalMode::AllowAll);
    let people = [visitor(1, "Bo", "Archive"), visitor(2, "Al", "Workshop")];
    harness.state_mut().visitors.extend(people.clone());
    all(&mut harness, [("list", json!({})), ("sort", json!({}))]);
    let [bo, al] = people;
    assert_eq!(harness.state().visitors, [al, bo]);
    assert!(!egui::Popup::is_any_open(&harness.kittest().ctx));
    all(&mut harness, [("list", json!({})), ("clear", json!({}))]);
    assert_eq!(harness.state().visitors, []);
}

#[test]
fn a_far_row_is_ticked_selected_and_opened_wherever_sorting_puts_it() {
    for varied in [false, true] {
        let mut harness = open(Table::ui, ApprovalMode::DenyAll);
        let tested = |harness: &AgentHarness<'_, Table>, number| {
            let sample = harness.state().samples.iter().find(|sample| sample.number == number);
            sample.unwrap().tested
        };
        all(
            &mut harness,
            [
                ("varied", json!({ "checked": varied })),
                ("select", json!({ "record": "7000" })),
                ("show_card", json!({ "record": "7000" })),
                ("sort_weight", json!({})),
                ("sort_weight", json!({})),
                ("tested", json!({ "record": "9998", "checked": true })),
                ("select", json!({ "record": "3" })),
            ],
        );
        let table = harness.state();
        assert_eq!((table.sort, table.descending), (Sort::Weight, true));
        assert_eq!(Vec::from_iter(table.selected.iter().copied()), [3, 7000]);
        assert_eq!(table.card, Some(7000));
        assert!(tested(&harness, 9998) && !tested(&harness, 9997), "its own check box");
        all(
            &mut harness,
            [("select", json!({ "record": "7000" })), ("close_card", json!({}))],
        );
        assert_eq!(Vec::from_iter(harness.state().selected.iter().copied()), [3]);
        let missing = harness.invoke("select", json!({ "record": "10001" }));
        assert_eq!(missing.code(), Some(Code::UnknownRecord), "{missing:?}");
    }
}

#[test]
fn going_to_a_row_shows_its_record() {
    let mut harness = open(Table::ui, ApprovalMode::DenyAll);
    all(&mut harness, [("row", json!({ "value": 400 })), ("go", json!({}))]);
    let snapshot = harness.snapshot();
    let shown: Vec<_> = snapshot.records.iter().filter(|facts| facts.visible > 0.5).collect();
    assert!(shown.iter().any(|facts| facts.record.id.as_str() == "400"), "{shown:?}");
}
