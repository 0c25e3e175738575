//! What changed on the page while somebody looked.

use std::collections::VecDeque;

use egui::Ui;
use pling_core::snapshot::Snapshot;

use super::line_ui;
use crate::panel::{
    look::{aside, detail},
    names::Names,
    strings::Strings,
    words::in_words,
};

/// Most that are kept.
const MAX_REVISIONS: usize = 30;

/// One change of the page.
#[derive(Debug)]
pub(super) struct Revision {
    number: u64,
    words: String,
}

/// Takes in a page that says something else than before.
pub(super) fn note(say: &Strings, revisions: &mut VecDeque<Revision>, before: Option<&Snapshot>, now: &Snapshot) {
    let words = match before {
        None => say.first_look(),
        Some(before) => {
            let changes = before.changes_to(now);
            let words = if changes.observed() {
                // A developer looks for ids.
                in_words(say, &Names::default(), &changes)
            } else {
                String::new()
            };
            if words.is_empty() { say.only_moved() } else { words }
        }
    };
    revisions.push_back(Revision {
        number: now.revision,
        words,
    });
    if revisions.len() > MAX_REVISIONS {
        revisions.pop_front();
    }
}

/// Draws them, the latest first.
pub(super) fn revisions_ui(ui: &mut Ui, say: &Strings, revisions: &VecDeque<Revision>) {
    ui.label(aside(ui, say.since_opened()));
    for Revision { number, words } in revisions.iter().rev() {
        let text = format!("{number}  {}", words.replace('→', &say.revision_to()));
        ui.push_id(number, |ui| line_ui(ui, say, detail(ui, &text), &text));
    }
}
