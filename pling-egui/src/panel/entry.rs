//! One entry of the transcript.

use egui::{Margin, RichText, ScrollArea, Ui, UiBuilder};
use egui_commonmark::{CommonMarkCache, CommonMarkViewer};

use super::{
    activity::{Activity, State},
    look::{Mark, aside, bubble, detail, detail_with_arrows, sunken},
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
            ui.label(aside(ui, *code));
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
    let mark = match state {
        State::Running | State::Waiting => Mark::Open,
        State::Done { .. } => Mark::Done,
        State::Failed { .. } => Mark::Failed,
    };
    ui.horizontal_top(|ui| {
        mark.ui(ui);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            match record {
                Some(record) => ui.label(format!("{title} · {record}")),
                None => ui.label(title),
            };
            if !arguments.is_empty() {
                ui.label(aside(ui, arguments));
            }
            match state {
                State::Running => drop(ui.label(aside(ui, "working…"))),
                State::Waiting => drop(ui.label(aside(ui, "waiting for you"))),
                State::Done { changed, warning } => {
                    ui.label(detail_with_arrows(ui, changed));
                    if let Some(warning) = warning {
                        ui.label(detail(ui, warning).color(ui.visuals().warn_fg_color));
                    }
                }
                State::Failed { code, message, changed } => {
                    ui.label(detail(ui, message));
                    if let Some(changed) = changed {
                        ui.label(detail_with_arrows(ui, changed));
                    }
                    ui.label(aside(ui, *code));
                }
            }
        });
    });
}
