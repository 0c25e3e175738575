//! One entry of the transcript.

use egui::{Margin, RichText, ScrollArea, Ui, UiBuilder};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};

use super::{
    activity::{Activity, State},
    look::{aside, bubble, success, sunken},
    markdown::{Block, Text},
    transcript::What,
};

/// Draws an entry.
pub(super) fn entry_ui(ui: &mut Ui, what: &What, markdown: &mut CommonMarkCache) {
    match what {
        What::User(text) => user_ui(ui, text),
        What::Words(text) => words_ui(ui, text, markdown),
        What::Activity(activity) => activity_ui(ui, activity),
        What::Notice(message) => {
            ui.label(RichText::new(message).weak().italics());
        }
        What::Error { code, message } => {
            ui.colored_label(ui.visuals().error_fg_color, message);
            ui.label(aside(*code));
        }
    }
}

/// A message of the user.
pub(super) fn user_ui(ui: &mut Ui, text: &str) {
    bubble(ui)
        .outer_margin(Margin {
            left: 24,
            ..Margin::ZERO
        })
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.label(RichText::new(text).strong());
        });
}

fn words_ui(ui: &mut Ui, text: &Text, markdown: &mut CommonMarkCache) {
    for (index, block) in text.done.iter().chain(&text.tail).enumerate() {
        let id = ui.scope_id().with(index);
        ui.scope_builder(UiBuilder::new().scope_id(id), |ui| match &**block {
            Block::Code(code) => code_ui(ui, code),
            Block::Prose { text, wide: true } => {
                ScrollArea::horizontal().id_salt("wide").show(ui, |ui| {
                    CommonMarkViewer::new().show_with_id(id, ui, markdown, text);
                });
            }
            Block::Prose { text, wide: false } => {
                CommonMarkViewer::new().show_with_id(id, ui, markdown, text);
            }
        });
    }
}

fn code_ui(ui: &mut Ui, code: &str) {
    sunken(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ScrollArea::horizontal().id_salt("code").show(ui, |ui| {
            ui.add(egui::Label::new(RichText::new(code).monospace()).extend());
        });
    });
}

fn activity_ui(ui: &mut Ui, activity: &Activity) {
    let Activity {
        title,
        record,
        arguments,
        state,
        ..
    } = activity;
    let (mark, color) = match state {
        State::Running | State::Waiting => ("●", ui.visuals().weak_text_color()),
        State::Done { .. } => ("✔", success(ui)),
        State::Failed { .. } => ("✘", ui.visuals().error_fg_color),
    };
    ui.horizontal_top(|ui| {
        ui.label(RichText::new(mark).color(color));
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            match record {
                Some(record) => ui.label(format!("{title} · {record}")),
                None => ui.label(title),
            };
            if !arguments.is_empty() {
                ui.label(aside(arguments));
            }
            match state {
                State::Running => drop(ui.label(aside("working…"))),
                State::Waiting => drop(ui.label(aside("waiting for you"))),
                State::Done { changed, warning } => {
                    ui.label(aside(changed));
                    if let Some(warning) = warning {
                        ui.label(RichText::new(warning).small().color(ui.visuals().warn_fg_color));
                    }
                }
                State::Failed { code, message, changed } => {
                    ui.label(RichText::new(message).small());
                    ui.label(aside(*code));
                    if let Some(changed) = changed {
                        ui.label(aside(changed));
                    }
                }
            }
        });
    });
}
