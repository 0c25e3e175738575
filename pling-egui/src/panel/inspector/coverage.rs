//! Widgets that nobody declared.

use egui::{Id, Ui};
use pling_core::observe::Observation;

use super::line_ui;
use crate::{
    Pling,
    panel::{
        look::{aside, detail},
        presence::outline_at,
        visible::visible_line,
    },
};

pub(super) fn coverage_ui(ui: &mut Ui, pling: &Pling, observation: &Observation) {
    let bare = pling.shared().bare();
    let declared = observation.snapshot.actions.len();
    let words = format!("{declared} widgets and functions are declared, {} are not", bare.len());
    ui.label(aside(ui, words));
    for (index, widget) in bare.iter().enumerate() {
        let name = visible_line(&widget.name, 80);
        let text = if name.is_empty() {
            format!("{} without a name", widget.kind)
        } else {
            format!("{} “{name}”", widget.kind)
        };
        let is_pointed_at = ui
            .push_id(("bare", index), |ui| line_ui(ui, detail(ui, &text), &text))
            .inner;
        if is_pointed_at {
            let layer = Id::unique("pling.inspector.bare");
            outline_at(ui.ctx(), layer, widget.id, widget.layer, widget.rect, None, 1.0);
        }
    }
}
