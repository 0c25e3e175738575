//! A step that only the user can do: what it is, why, and whether it was done.

use egui::{Button, Id, Ui, vec2};
use pling_core::act::Approval;

use super::{
    card::{Answer, ONCE, denied, is_with_us, reason_ui, says_yes, subject_ui, title_ui},
    desk::Denial,
    look::{aside, card},
    strings::Strings,
    visible::visible_value,
};

/// Draws the step. Its widget is outlined by [`super::presence`]. The shortcut says that it is done, while the keyboard is
/// with the panel.
pub(super) fn handoff_ui(
    ui: &mut Ui,
    say: &Strings,
    step: &Approval,
    denial: &mut Denial,
    composer: Id,
) -> Option<Answer> {
    let accent = ui.visuals().selection.stroke.color;
    let reason = ui.scope_id().with(("decline", &step.call_id));
    let is_done = is_with_us(ui, denial, [composer, reason]) && ui.input_mut(|input| input.consume_shortcut(&ONCE));
    let frame = card(ui, accent);
    let clicked = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        title_ui(ui, say.your_turn(), accent);
        subject_ui(ui, say, step);
        if let Some(reason) = &step.handoff {
            ui.label(visible_value(say, reason));
        }
        ui.label(aside(ui, say.do_it()));
        ui.add_space(2.0);
        answers_ui(ui, say, denial, reason)
    });
    is_done.then_some(Answer::Done).or(clicked.inner)
}

fn answers_ui(ui: &mut Ui, say: &Strings, denial: &mut Denial, reason: Id) -> Option<Answer> {
    let entered = reason_ui(ui, say, reason, denial, say.decline_reason());
    let mut answer = entered.then(|| denied(denial));
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
        let size = vec2(width, ui.spacing().interact_size.y + 4.0);
        if ui.add(Button::new(say.decline()).min_size(size)).clicked() {
            answer = Some(denied(denial));
        }
        let done = ui.add(Button::new(say.done()).min_size(size));
        if says_yes(ui, denial, &done) {
            answer = Some(Answer::Done);
        }
    });
    ui.label(aside(ui, say.done_keys(&ui.ctx().format_shortcut(&ONCE))));
    answer
}
