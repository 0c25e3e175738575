//! The open question to the user: what exactly would run, and the answer.

use egui::{Button, RichText, ScrollArea, TextEdit, Ui};
use pling_core::{act::Approval, model::Effect};
use serde_json::Value;

use super::{
    desk::Denial,
    look::{aside, card, detail, sunken},
    visible::{visible_line, visible_value},
};

/// Points before the values scroll.
const MAX_VALUES_HEIGHT: f32 = 140.0;

/// The user's answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It may run, this once; or the user did it.
    Allow,
    /// It may not run.
    Deny(Option<String>),
}

/// Draws the question. `behind` is the number of questions after it.
pub(super) fn approval_ui(ui: &mut Ui, approval: &Approval, denial: &mut Denial, behind: usize) -> Option<Answer> {
    if denial.call_id != approval.call_id {
        *denial = Denial {
            call_id: approval.call_id.clone(),
            why: String::new(),
        };
    }
    let is_danger = approval.effect >= Effect::Danger && approval.handoff.is_none();
    let accent = if is_danger {
        ui.visuals().warn_fg_color
    } else {
        ui.visuals().selection.stroke.color
    };
    let frame = card(ui, accent);
    frame
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            let title = match (&approval.handoff, is_danger) {
                (Some(_), _) => "Your turn",
                (None, true) => "Allow this? It may not be undone",
                (None, false) => "Allow this?",
            };
            ui.label(detail(ui, title).color(accent));
            subject_ui(ui, approval);
            details_ui(ui, approval);
            let answer = answers_ui(ui, approval, denial);
            if behind > 0 {
                ui.label(aside(ui, format!("{behind} more after this")));
            }
            answer
        })
        .inner
}

fn subject_ui(ui: &mut Ui, approval: &Approval) {
    ui.label(RichText::new(visible_line(&approval.action.description, 200)).strong());
    let Some(record) = &approval.action.record else { return };
    let id = visible_line(record.as_str(), 80);
    match &approval.record_label {
        Some(label) => ui.label(format!("{}  ({id})", visible_line(label, 200))),
        None => ui.label(id),
    };
}

fn details_ui(ui: &mut Ui, approval: &Approval) {
    if let Some(reason) = &approval.handoff {
        ui.label(visible_value(reason));
    }
    if let Some(preview) = &approval.preview {
        ui.label(visible_value(preview));
    }
    let arguments: Vec<_> = approval
        .arguments
        .iter()
        .filter(|(name, _)| *name != "record")
        .collect();
    if arguments.is_empty() {
        return;
    }
    sunken(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let values = ScrollArea::vertical().id_salt("values").max_height(MAX_VALUES_HEIGHT);
        values.auto_shrink([false, true]).show(ui, |ui| {
            for (name, value) in arguments {
                ui.label(aside(ui, visible_line(name, 80)));
                let text = match value {
                    Value::String(text) => visible_value(text),
                    other => visible_value(&other.to_string()),
                };
                ui.label(RichText::new(text).monospace());
            }
        });
    });
}

fn answers_ui(ui: &mut Ui, approval: &Approval, denial: &mut Denial) -> Option<Answer> {
    let (yes, no) = match approval.handoff {
        Some(_) => ("Done", "Decline"),
        None => ("Allow", "Deny"),
    };
    ui.add_space(2.0);
    let id = ui.scope_id().with(("denial", &approval.call_id));
    let field = TextEdit::singleline(&mut denial.why)
        .id(id)
        .hint_text("Why not? (optional)")
        .desired_width(f32::INFINITY);
    let field = ui.add(field).accessible_name("Reason for denying");
    let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    ui.add_space(2.0);
    let mut answer = None;
    ui.horizontal(|ui| {
        let width = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
        let size = egui::vec2(width, ui.spacing().interact_size.y + 4.0);
        let deny = ui.add(Button::new(no).min_size(size)).clicked();
        if ui.add(Button::new(yes).min_size(size)).clicked() {
            answer = Some(Answer::Allow);
        }
        // Words that were entered are a denial, and never anything else.
        if deny || (entered && !denial.why.trim().is_empty()) {
            let why = denial.why.trim();
            answer = Some(Answer::Deny((!why.is_empty()).then(|| why.to_owned())));
        }
    });
    answer
}
