//! What has no widget to click, as a function tool: drag and drop.

use egui::{Frame, Id, Modal, Ui};
use pling_core::act::Code;
use pling_egui::{Record, Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Move {
    card: String,
    column: String,
}

struct Board {
    columns: Vec<(String, Vec<String>)>,
    moves: u32,
}

impl Board {
    /// What a drop does, by whomever.
    fn drop_card(&mut self, card: &str, column: &str) -> Result<(), String> {
        let to = self.columns.iter().position(|(name, _)| name == column);
        let to = to.ok_or_else(|| format!("there is no column {column}"))?;
        let from = self.columns.iter_mut().find_map(|(_, cards)| {
            let at = cards.iter().position(|each| each == card)?;
            Some(cards.remove(at))
        });
        let card = from.ok_or_else(|| format!("there is no card {card}"))?;
        self.columns[to].1.push(card);
        self.moves += 1;
        Ok(())
    }
}

fn board(ui: &mut Ui, board: &mut Board) {
    let mut dropped = None;
    for (name, cards) in &board.columns {
        ui.region(Region::new(name.clone(), name.clone()), |ui| {
            let (_, card) = ui.dnd_drop_zone::<String, _>(Frame::group(ui.style()), |ui| {
                for card in cards {
                    ui.record(Record::new(card, card), |ui| {
                        ui.dnd_drag_source(Id::unique(card), card.clone(), |ui| ui.label(card));
                    });
                }
            });
            dropped = card.map(|card| (card.to_string(), name.clone())).or(dropped.take());
        });
    }
    if let Some((card, column)) = dropped {
        let _ = board.drop_card(&card, &column);
    }
    if let Some(call) = ui.tool_call::<Move>(Tool::new("move_card", "Move a card to a column")) {
        match board.drop_card(&call.args().card, &call.args().column) {
            Ok(()) => call.finish(()),
            Err(words) => call.fail(words),
        }
    }
}

#[test]
fn drag_and_drop_is_declared_as_a_function_and_shares_its_handler() {
    let state = Board {
        columns: vec![("open".into(), vec!["a".into(), "b".into()]), ("done".into(), vec![])],
        moves: 0,
    };
    let mut harness = AgentHarness::new_ui_state(board, state);
    let receipt = harness.invoke("move_card", json!({ "card": "a", "column": "done" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.to_json()["result"]["changed"]["observed"], json!(true));
    assert_eq!(
        (harness.state().columns[1].1.as_slice(), harness.state().moves),
        (&["a".to_owned()][..], 1)
    );
    let refused = harness.invoke("move_card", json!({ "card": "a", "column": "never" }));
    assert_eq!(refused.code(), Some(Code::HandlerFailed), "{refused:?}");
    assert_eq!(harness.state().moves, 1);
}

/// What stands in the way of a function tool, which has no widget that could be covered.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Free,
    Dialog,
    Disabled,
    Invisible,
}

#[test]
fn a_function_tool_is_out_of_use_where_its_part_of_the_page_is() {
    let page = |ui: &mut Ui, (way, calls): &mut (Way, u32)| {
        ui.scope(|ui| {
            match way {
                Way::Disabled => ui.disable(),
                Way::Invisible => ui.set_invisible(),
                _ => {}
            }
            if let Some(call) = ui.tool_call::<()>(Tool::new("purge", "Purge the list")) {
                *calls += 1;
                call.finish(());
            }
        });
        if *way == Way::Dialog {
            Modal::new(Id::unique("sure")).show(ui.ctx(), |ui| ui.label("Sure?"));
        }
    };
    for (way, words) in [
        (Way::Dialog, "answered first"),
        (Way::Disabled, "disabled"),
        (Way::Invisible, "hidden"),
    ] {
        let mut harness = AgentHarness::new_ui_state(page, (Way::Free, 0));
        assert!(harness.invoke("purge", json!({})).is_ok());
        harness.state_mut().0 = way;
        harness.kittest().run_steps(2);
        let receipt = harness.invoke("purge", json!({}));
        assert_eq!(receipt.code(), Some(Code::Unavailable), "{way:?}: {receipt:?}");
        assert!(format!("{receipt:?}").contains(words), "{receipt:?}");
        assert_eq!(harness.state().1, 1, "{way:?}");
    }
}

#[test]
fn a_declaration_that_was_kept_from_a_pass_without_observer_runs_nothing() {
    let mut kept = None;
    let mut clicks = 0;
    let page = |ui: &mut Ui| {
        let tool = kept.get_or_insert_with(|| Tool::new("wipe", "Wipe the disk").confirm(true).irreversible());
        if ui.button("Wipe").tool(tool.clone()).clicked() {
            clicks += 1;
        }
    };
    let mut harness = AgentHarness::new_ui(page);
    harness.kittest().run_steps(2);
    let receipt = harness.invoke("wipe", json!({}));
    assert_eq!(receipt.code(), Some(Code::Unavailable), "{receipt:?}");
    assert!(
        format!("{receipt:?}").contains("build it where it declares it"),
        "{receipt:?}"
    );
    drop(harness);
    assert_eq!(clicks, 0);
}
