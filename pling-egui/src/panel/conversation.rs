//! The transcript in view, and the way to its end.

use egui::{Align, Button, Rect, ScrollArea, Ui, UiBuilder, accesskit::Live, pos2};
use pling_core::{agent::Status, platform::Duration};

use super::{
    card::announce,
    column::{Column, Extent},
    desk::Desk,
    entry::{Deed, entry_ui, user_ui},
    log::Log,
    look::aside,
    strings::Strings,
    voice::voice_ui,
};
use crate::Pling;

/// Until it is seen whether the user still works in the app.
const LOOK_AGAIN: Duration = Duration::from_millis(300);
/// Entries out of view that are laid out in a pass while the panel's width changes.
const AFRESH: usize = 2;
/// Points from the end at which the reader is somewhere else.
const AWAY: f32 = 80.0;

pub(super) fn conversation_ui(ui: &mut Ui, pling: &Pling, log: &Log, desk: &mut Desk) {
    let say = pling.say();
    let mut deed = None;
    let jump = std::mem::take(&mut desk.jump);
    let shown = ScrollArea::vertical()
        .id_salt("conversation")
        .auto_shrink([false, false])
        .stick_to_bottom(true)
        .show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 8.0;
            ui.add_space(6.0);
            if log.is_empty() {
                ui.label(aside(ui, say.invitation()));
            }
            if log.dropped > 0 {
                ui.label(aside(ui, say.dropped(log.dropped)));
            }
            deed = entries_ui(ui, say, log, desk);
            for text in &log.queued {
                user_ui(ui, text);
            }
            status_ui(ui, pling, log);
            voice_ui(ui, say, log);
            if jump {
                ui.scroll_to_cursor(Some(Align::BOTTOM));
            }
        });
    let left = shown.content_size.y - shown.state.clamped_offset().y - shown.inner_rect.height();
    desk.at_end = left < 1.0;
    if left > AWAY && jump_ui(ui, say, shown.inner_rect) {
        desk.jump = true;
        ui.ctx().request_repaint();
    }
    match deed {
        Some(Deed::Retry) => {
            let again = say.please_try_again();
            pling.transcript().sent(&again);
            drop(pling.session().send(again));
        }
        Some(Deed::Copy(text)) => ui.ctx().copy_text(text),
        None => {}
    }
}

/// What goes on, read out by a screen reader when it changes.
fn status_ui(ui: &mut Ui, pling: &Pling, log: &Log) {
    let (session, say) = (pling.session(), pling.say());
    let words = match session.status() {
        Status::Idle => return,
        Status::Cancelled => say.stopping(),
        Status::Running if !pling.shared().is_free() => {
            // Nobody else asks for the pass in which that is over.
            ui.ctx().request_repaint_after(LOOK_AGAIN);
            say.paused()
        }
        // A card, the call's own line or the words that come in say so already.
        Status::Running if !session.waiting_for().is_empty() || log.says_it_goes_on() => return,
        Status::Running => say.working(),
    };
    let response = ui.label(aside(ui, words));
    announce(&response, Live::Polite);
}

/// The button to the end, over the transcript.
fn jump_ui(ui: &mut Ui, say: &Strings, view: Rect) -> bool {
    let place = Rect::from_min_max(pos2(view.left(), view.bottom() - 34.0), view.max);
    let builder = UiBuilder::new().scope_id(ui.scope_id().with("jump")).max_rect(place);
    ui.scope_builder(builder, |ui| {
        let visuals = ui.visuals();
        let button = Button::new(say.jump())
            .fill(visuals.window_fill)
            .stroke(visuals.window_stroke);
        ui.vertical_centered(|ui| ui.add(button)).inner
    })
    .inner
    .clicked()
}

/// Draws the entries in view, and leaves room for the others.
fn entries_ui(ui: &mut Ui, say: &Strings, log: &Log, desk: &mut Desk) -> Option<Deed> {
    let Desk {
        heights, drawn, at_end, ..
    } = desk;
    drawn.begin(log);
    let extent = Extent {
        most: 2 * log.entries.len() + 64,
        for_reader: ui.clip_rect().height(),
        afresh: AFRESH,
        // At the end it holds on to that.
        above_at_once: !*at_end,
    };
    let mut column = Column::begin(ui, heights, extent);
    let last = log.entries.back().map(|entry| entry.serial);
    let mut deed = None;
    for entry in &log.entries {
        let is_last = last == Some(entry.serial);
        column.item(ui, entry.serial, (entry.revision, is_last), |ui| {
            deed = entry_ui(ui, say, entry, is_last, drawn).or(deed.take());
        });
    }
    column.end(ui);
    deed
}
