//! The open question to the user: what exactly would run, and the answer.

use egui::{Button, Id, Key, KeyboardShortcut, Modifiers, RichText, Ui, vec2};
use pling_core::{act::Approval, model::Effect};

use super::{
    card::{Answer, arguments_ui, denied, reason_ui, subject_ui, title_ui},
    desk::Denial,
    look::{aside, card, detail},
    visible::visible_value,
};

/// Allows once.
const ONCE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Enter);
/// Allows for the session.
const SESSION: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Enter);
/// Seconds that a question is shown before a shortcut answers it: keys meant for something else are no answer.
const READING_SECONDS: f64 = 0.4;

/// Draws the question. The shortcuts answer it while the keyboard is with the panel: in its `composer`, or here.
pub(super) fn approval_ui(ui: &mut Ui, approval: &Approval, denial: &mut Denial, composer: Id) -> Option<Answer> {
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
            (true, _) => "Allow this? It can never be undone",
            (false, true) => "Allow this? It may not be undone",
            (false, false) => "Allow this?",
        };
        title_ui(ui, title, accent);
        subject_ui(ui, approval);
        if let Some(preview) = &approval.preview {
            ui.label(aside(ui, "What would happen, says the page"));
            ui.label(visible_value(preview));
        }
        arguments_ui(ui, approval);
        ui.add_space(2.0);
        answers_ui(ui, approval, denial, reason)
    });
    answer.or(clicked.inner)
}

fn answers_ui(ui: &mut Ui, approval: &Approval, denial: &mut Denial, reason: Id) -> Option<Answer> {
    let entered = reason_ui(ui, reason, denial, "Reason for denying");
    ui.add_space(2.0);
    let mut answer = None;
    let height = ui.spacing().interact_size.y + 4.0;
    ui.horizontal(|ui| {
        let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
        let deny = ui.add(Button::new("Deny").min_size(vec2(width, height)));
        if deny.clicked() || entered {
            answer = Some(denied(denial));
        }
        let allow = Button::new(RichText::new("Allow once").strong()).min_size(vec2(width, height));
        let keys = ui.ctx().format_shortcut(&ONCE);
        if ui.add(allow).on_hover_text(keys).clicked() {
            answer = Some(Answer::Allow);
        }
    });
    if approval.is_grantable() {
        let session = Button::new("Allow for this session");
        let words = format!(
            "{}: this action is not asked about again until you take that back",
            ui.ctx().format_shortcut(&SESSION)
        );
        let size = vec2(ui.available_width(), height);
        if ui.add_sized(size, session).on_hover_text(words).clicked() {
            answer = Some(Answer::AllowForSession);
        }
    } else {
        ui.label(detail(ui, "It is asked about every time").weak());
    }
    answer
}

/// An answer by shortcut.
fn keys(ui: &Ui, approval: &Approval, denial: &Denial, ours: [Id; 2]) -> Option<Answer> {
    let has_keyboard = ui.memory(|memory| memory.focused().is_some_and(|id| ours.contains(&id)));
    if !has_keyboard || ui.input(|input| input.time) < denial.since + READING_SECONDS {
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
