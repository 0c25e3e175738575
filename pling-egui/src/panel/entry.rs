//! One entry of the transcript.

use std::sync::Arc;

use egui::{Align, Button, Layout, Margin, RichText, ScrollArea, Ui};

use super::{
    activity::{Activity, State},
    column::{Column, Extent, Heights},
    log::{Entry, Log, What},
    look::{Mark, aside, bubble, detail, detail_with_arrows, sunken},
    markdown::{Block, Text},
    prose::Prose,
    strings::Strings,
};

/// Screens of an answer on each side of the view that a screen reader finds.
const READER_SCREENS: f32 = 10.0;

/// What the user wants of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// The failed run is to be tried again.
    Retry,
    /// This text is to be copied.
    Copy(String),
}

/// What is kept of texts from pass to pass.
#[derive(Default)]
pub(super) struct Drawn {
    prose: Prose,
    /// Heights of the blocks of a text, by the entry's serial and their place in it.
    heights: Heights<(u64, usize), Arc<Block>>,
    /// How many of them are kept at most.
    most: usize,
}

impl Drawn {
    /// Makes room for the blocks of a conversation.
    pub(super) fn begin(&mut self, log: &Log) {
        let blocks = log.entries.iter().map(|entry| match &entry.what {
            What::Words(text) => text.done.len() + 1,
            _ => 0,
        });
        self.most = 2 * blocks.sum::<usize>() + 64;
    }
}

/// Draws an entry.
pub(super) fn entry_ui(ui: &mut Ui, say: &Strings, entry: &Entry, is_last: bool, drawn: &mut Drawn) -> Option<Deed> {
    let mut deed = None;
    match &entry.what {
        What::User(text) => user_ui(ui, text),
        What::Words(text) => {
            deed = words_ui(ui, say, entry.serial, text, drawn);
            if is_last && !text.open && quiet_button(ui, &say.copy(), say.copy_answer()) {
                deed = Some(Deed::Copy(text.source()));
            }
        }
        What::Activity(activity) => activity_ui(ui, say, activity),
        What::Notice(message) => {
            ui.label(RichText::new(message).weak().italics());
        }
        What::Error { code, message, fix } => {
            ui.colored_label(ui.visuals().error_fg_color, message);
            ui.label(fix);
            ui.horizontal(|ui| {
                if ui.button(say.try_again()).clicked() {
                    deed = Some(Deed::Retry);
                }
                ui.label(aside(ui, *code));
            });
        }
    }
    deed
}

/// A button that stays behind the text it belongs to.
fn quiet_button(ui: &mut Ui, text: &str, name: impl Into<String>) -> bool {
    ui.scope(|ui| {
        ui.spacing_mut().button_padding.x = 0.0;
        let button = Button::new(aside(ui, text)).frame_when_inactive(false).small();
        ui.add(button).accessible_name(name).clicked()
    })
    .inner
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

/// Draws the blocks in view of a text.
fn words_ui(ui: &mut Ui, say: &Strings, serial: u64, text: &Text, drawn: &mut Drawn) -> Option<Deed> {
    let Drawn { prose, heights, most } = drawn;
    let extent = Extent {
        most: *most,
        // It goes through an answer from its beginning to its end, unless that is a book.
        for_reader: READER_SCREENS * ui.clip_rect().height(),
        // The height of an answer is that of all its blocks.
        afresh: usize::MAX,
        above_at_once: true,
    };
    let mut column = Column::begin(ui, heights, extent);
    let mut deed = None;
    for (index, block) in text.done.iter().chain(&text.tail).enumerate() {
        column.item(ui, (serial, index), Arc::clone(block), |ui| match &**block {
            Block::Code(code) => deed = code_ui(ui, say, code).or(deed.take()),
            Block::Prose { text, wide: true } => {
                ScrollArea::horizontal().id_salt("wide").show(ui, |ui| {
                    prose.ui(ui, text);
                });
            }
            Block::Prose { text, wide: false } => prose.ui(ui, text),
        });
    }
    column.end(ui);
    deed
}

fn code_ui(ui: &mut Ui, say: &Strings, code: &str) -> Option<Deed> {
    let mut copy = false;
    sunken(ui).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            copy = quiet_button(ui, &say.copy(), say.copy_code());
            ui.with_layout(Layout::left_to_right(Align::Min), |ui| {
                ScrollArea::horizontal().id_salt("code").show(ui, |ui| {
                    ui.add(egui::Label::new(RichText::new(code).monospace()).extend());
                });
            });
        });
    });
    copy.then(|| Deed::Copy(code.to_owned()))
}

fn activity_ui(ui: &mut Ui, say: &Strings, activity: &Activity) {
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
        mark.ui(ui, say);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            match record {
                Some(record) => ui.label(say.item_record(title, record)),
                None => ui.label(title),
            };
            if !arguments.is_empty() {
                ui.label(aside(ui, arguments));
            }
            match state {
                State::Running => drop(ui.label(aside(ui, say.call_working()))),
                State::Waiting => drop(ui.label(aside(ui, say.call_waiting()))),
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
                    ui.label(aside(ui, code));
                }
            }
            if !matches!(state, State::Running | State::Waiting) {
                details_ui(ui, say, activity);
            }
        });
    });
}

/// What exactly was asked for and came back, folded away.
fn details_ui(ui: &mut Ui, say: &Strings, activity: &Activity) {
    let Activity {
        place,
        details,
        took,
        is_long,
        ..
    } = activity;
    let id = ui.scope_id().with("details");
    let mut is_open = ui.data(|data| data.get_temp(id)).unwrap_or(false);
    ui.horizontal(|ui| {
        let text = if is_open { say.hide_details() } else { say.details() };
        if quiet_button(ui, &text, text.clone()) {
            is_open = !is_open;
            ui.data_mut(|data| data.insert_temp(id, is_open));
        }
        if let Some(took) = took.as_ref().filter(|_| *is_long) {
            ui.label(aside(ui, took));
        }
    });
    if is_open {
        sunken(ui).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let place = place.as_ref().map(|place| say.call_region(place));
            let facts = place.into_iter().chain(took.clone());
            if let Some(facts) = facts.reduce(|first, second| say.list(&first, &second)) {
                ui.label(aside(ui, facts));
            }
            ui.label(detail(ui, details).monospace());
        });
    }
}
