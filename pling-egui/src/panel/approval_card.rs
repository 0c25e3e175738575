//! The open question to the user: what exactly would run, and the answer.

use egui::{Button, Id, Key, KeyboardShortcut, Modifiers, RichText, Ui, vec2};
use pling_core::{act::Approval, model::Effect};

use super::{
    card::{Answer, ONCE, arguments_ui, denied, is_with_us, reason_ui, says_yes, subject_ui, title_ui},
    desk::Denial,
    look::{aside, card},
    strings::Strings,
    visible::visible_value,
};

/// Allows for the session.
const SESSION: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Enter);

/// Draws the question. The shortcuts answer it while the keyboard is with the panel: in its `composer`, or here.
pub(super) fn approval_ui(
    ui: &mut Ui,
    say: &Strings,
    approval: &Approval,
    denial: &mut Denial,
    composer: Id,
) -> Option<Answer> {
    let is_danger = approval.effect >= Effect::Danger || approval.irreversible;
    let accent = if is_danger {
        ui.visuals().warn_fg_color
    } else {
        ui.visuals().selection.stroke.color
    };
    let reason = ui.scope_id().with(("denial", &approval.call_id));
    let answer = keys(ui, approval, denial, [composer, reason]);
    let frame = card(ui, accent);
    let clicked = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let title = match (approval.irreversible, is_danger) {
            (true, _) => say.allow_irreversible(),
            (false, true) => say.allow_danger(),
            (false, false) => say.allow_this(),
        };
        title_ui(ui, title, accent);
        subject_ui(ui, say, approval);
        if let Some(preview) = &approval.preview {
            ui.label(aside(ui, say.preview()));
            ui.label(visible_value(say, preview));
        }
        arguments_ui(ui, say, approval);
        ui.add_space(2.0);
        answers_ui(ui, say, approval, denial, reason)
    });
    answer.or(clicked.inner)
}

fn answers_ui(ui: &mut Ui, say: &Strings, approval: &Approval, denial: &mut Denial, reason: Id) -> Option<Answer> {
    let entered = reason_ui(ui, say, reason, denial, say.reason());
    ui.add_space(2.0);
    let mut answer = None;
    let height = ui.spacing().interact_size.y + 4.0;
    ui.horizontal(|ui| {
        let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
        let deny = ui.add(Button::new(say.deny()).min_size(vec2(width, height)));
        if deny.clicked() || entered {
            answer = Some(denied(denial));
        }
        let allow = Button::new(RichText::new(say.allow_once()).strong()).min_size(vec2(width, height));
        let allow = ui.add(allow);
        if says_yes(ui, denial, &allow) {
            answer = Some(Answer::Allow);
        }
    });
    if approval.is_grantable() {
        let session = Button::new(say.allow_session());
        let words = say.allow_session_hint(&ui.ctx().format_shortcut(&SESSION));
        let size = vec2(ui.available_width(), height);
        let session = ui.add_sized(size, session).on_hover_text(words);
        if says_yes(ui, denial, &session) {
            answer = Some(Answer::AllowForSession);
        }
    } else {
        ui.label(aside(ui, say.asked_each_time()));
    }
    ui.label(aside(ui, say.allow_keys(&ui.ctx().format_shortcut(&ONCE))));
    answer
}

/// An answer by shortcut.
fn keys(ui: &Ui, approval: &Approval, denial: &Denial, ours: [Id; 2]) -> Option<Answer> {
    if !is_with_us(ui, denial, ours) {
        return None;
    }
    ui.input_mut(|input| {
        // The longer one first: egui lets a shortcut match with more modifiers than it names.
        if input.consume_shortcut(&SESSION) {
            return approval.is_grantable().then_some(Answer::AllowForSession);
        }
        input.consume_shortcut(&ONCE).then_some(Answer::Allow)
    })
}
