//! What the assistant sees of the page, what it costs, and what it cannot do.
//!
//! While it is shown the passes that come are collected; none is asked for. The observation is made anew when the
//! page says something else.

mod coverage;
mod observation;
mod requests;
mod revisions;

use std::{collections::VecDeque, sync::Arc};

use egui::{CollapsingHeader, Label, RichText, ScrollArea, Sense, Ui};
use pling_core::{agent::TraceRing, observe::Observation};

pub(super) use self::observation::why;
use self::{
    coverage::coverage_ui,
    observation::{actions_ui, summary_ui, text_ui},
    requests::requests_ui,
    revisions::{Revision, revisions_ui},
};
use super::{
    look::{aside, detail},
    strings::Strings,
};
use crate::Pling;

/// What the inspector keeps between passes.
#[derive(Debug, Default)]
pub(super) struct Inspector {
    observation: Option<Arc<Observation>>,
    /// What the page said at first and what changed since, oldest first.
    revisions: VecDeque<Revision>,
    /// The latest requests, while they are recorded.
    trace: Option<TraceRing>,
}

pub(super) fn inspector_ui(ui: &mut Ui, pling: &Pling, inspector: &mut Inspector) {
    if inspector.observation.is_none() {
        // Once, for a page that nobody has looked at yet.
        ui.ctx().request_repaint();
    }
    pling.shared().watch();
    inspector.look(pling);
    let say = pling.say();
    ScrollArea::vertical()
        .id_salt("inspector")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            let Some(observation) = inspector.observation.clone() else {
                ui.label(aside(ui, say.looking()));
                return;
            };
            summary_ui(ui, pling, &observation);
            section(ui, "actions", say.actions(), true, |ui| {
                actions_ui(ui, pling, &observation)
            });
            section(ui, "text", say.page_as_sent(), false, |ui| {
                text_ui(ui, say, &observation)
            });
            section(ui, "bare", say.undeclared(), false, |ui| {
                coverage_ui(ui, pling, &observation)
            });
            section(ui, "changes", say.changes(), false, |ui| {
                revisions_ui(ui, say, &inspector.revisions)
            });
            section(ui, "requests", say.last_requests(), false, |ui| {
                requests_ui(ui, pling, &mut inspector.trace)
            });
        });
}

impl Inspector {
    /// Takes in the page as it was seen last.
    fn look(&mut self, pling: &Pling) {
        let Some(snapshot) = pling.shared().snapshot() else {
            return;
        };
        let before = self.observation.as_ref().map(|observation| &observation.snapshot);
        if before.is_some_and(|before| Arc::ptr_eq(before, &snapshot) || before.same_content(&snapshot)) {
            return;
        }
        revisions::note(
            pling.say(),
            &mut self.revisions,
            before.map(|before| &**before),
            &snapshot,
        );
        let budget = pling.executor().policy().budget;
        self.observation = Some(Arc::new(Observation::new(&snapshot, &budget)));
    }
}

fn section(ui: &mut Ui, name: &str, title: String, open: bool, add_contents: impl FnOnce(&mut Ui)) {
    CollapsingHeader::new(title)
        .id_salt(name)
        .default_open(open)
        .show_unindented(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 3.0;
            add_contents(ui);
        });
}

/// A line that is copied on a click. Whether the pointer or the keyboard is on it.
fn line_ui(ui: &mut Ui, say: &Strings, text: impl Into<RichText>, copy: &str) -> bool {
    let label = Label::new(text.into()).wrap().selectable(false).sense(Sense::click());
    let response = ui.add(label).on_hover_text(say.click_copies());
    if response.clicked() {
        ui.ctx().copy_text(copy.to_owned());
    }
    response.hovered() || response.has_focus()
}

/// Text as it is, small.
fn code(ui: &Ui, text: impl Into<String>) -> RichText {
    detail(ui, text).monospace()
}
