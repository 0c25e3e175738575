//! A step that only the user can do: what it is, why, and whether it was done.

use egui::{Button, Ui, vec2};
use pling_core::act::Approval;

use super::{
    card::{Answer, denied, reason_ui, subject_ui, title_ui},
    desk::Denial,
    look::{aside, card},
    visible::visible_value,
};

/// Draws the step. Its widget is outlined by [`super::presence`].
pub(super) fn handoff_ui(ui: &mut Ui, step: &Approval, denial: &mut Denial) -> Option<Answer> {
    let accent = ui.visuals().selection.stroke.color;
    let frame = card(ui, accent);
    frame
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            title_ui(ui, "Your turn", accent);
            subject_ui(ui, step);
            if let Some(reason) = &step.handoff {
                ui.label(visible_value(reason));
            }
            ui.label(aside(ui, "Do it in the app where it is outlined, then say so here"));
            ui.add_space(2.0);
            answers_ui(ui, step, denial)
        })
        .inner
}

fn answers_ui(ui: &mut Ui, step: &Approval, denial: &mut Denial) -> Option<Answer> {
    let id = ui.scope_id().with(("decline", &step.call_id));
    let mut answer = reason_ui(ui, id, denial, "Reason for declining").then(|| denied(denial));
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
        let size = vec2(width, ui.spacing().interact_size.y + 4.0);
        if ui.add(Button::new("Decline").min_size(size)).clicked() {
            answer = Some(denied(denial));
        }
        if ui.add(Button::new("Done").min_size(size)).clicked() {
            answer = Some(Answer::Done);
        }
    });
    answer
}
