//! What could be asked for, made from what the page offers.

use egui::{Button, Ui};
use pling_core::{
    model::{Effect, RecordId},
    snapshot::{ActionFacts, Snapshot},
};

use super::{look::detail, strings::Strings, visible::visible_line};
use crate::Pling;

/// Most that are shown.
const MAX_SHOWN: usize = 3;

/// What was found, for the page it was found on.
#[derive(Debug, Default)]
pub(super) struct Suggestions {
    revision: Option<u64>,
    asked: bool,
    texts: Vec<String>,
}

/// Draws them. Returns the one that was picked.
pub(super) fn suggestions_ui(ui: &mut Ui, pling: &Pling, known: &mut Suggestions) -> Option<String> {
    let shared = pling.shared();
    match shared.snapshot() {
        Some(snapshot) if known.revision != Some(snapshot.revision) => {
            known.revision = Some(snapshot.revision);
            known.texts = suggest(pling.say(), &snapshot);
        }
        None if !known.asked => {
            // Nobody has looked at the page yet: once is enough.
            known.asked = true;
            shared.watch();
            ui.ctx().request_repaint();
        }
        _ => {}
    }
    let mut picked = None;
    for text in &known.texts {
        let button = Button::new(detail(ui, text))
            .truncate()
            .min_size(egui::vec2(ui.available_width(), 0.0));
        if ui.add(button).clicked() {
            picked = Some(text.clone());
        }
    }
    if !known.texts.is_empty() {
        ui.add_space(4.0);
    }
    picked
}

/// One for each action, those without danger first.
fn suggest(say: &Strings, snapshot: &Snapshot) -> Vec<String> {
    let usable = |facts: &&ActionFacts| facts.availability.is_usable() && facts.action.handoff.is_none();
    let mut actions: Vec<_> = snapshot.actions.iter().filter(usable).collect();
    actions.sort_by_key(|facts| facts.action.effect == Effect::Danger);
    let mut texts = Vec::new();
    for facts in actions {
        if texts.len() == MAX_SHOWN {
            break;
        }
        let action = visible_line(&facts.action.description, 60);
        if texts.iter().any(|text: &String| text.starts_with(&action)) {
            continue;
        }
        let of = |id: &RecordId| snapshot.records.iter().find(|known| known.record.id == *id);
        texts.push(match facts.record.as_ref().and_then(of) {
            Some(known) => say.of_record(&action, &visible_line(&known.record.label, 40)),
            None => action,
        });
    }
    texts
}
