//! The panel: header, transcript, and at the bottom what waits for the user.

use std::sync::Arc;

use egui::{
    Area, Context, Frame, Id, Key, Margin, Order, Panel, Popup, Rect, ScrollArea, TextStyle, Ui, UiBuilder, vec2,
};
use pling_core::agent::{Session, Status};

use super::{
    approval_card::{Answer, approval_ui},
    composer::Wish,
    desk::{Desk, with_desk},
    entry::{entry_ui, user_ui},
    header::header_ui,
    link_card::{keep_back_links, link_ui},
    look::{MARGIN, aside},
    transcript::{Log, Transcript},
};
use crate::Pling;

/// Points at first.
const DEFAULT_WIDTH: f32 = 340.0;
/// Points at least.
const MIN_WIDTH: f32 = 260.0;

/// The assistant at the right side: conversation, questions to the user, and where to write.
///
/// ```
/// # use pling_egui::{AssistantPanel, Pling};
/// fn ui(ui: &mut egui::Ui, pling: &Pling) {
///     AssistantPanel::new(pling).show(ui);
///     egui::CentralPanel::default().show(ui, |ui| ui.label("The app"));
/// }
/// ```
#[derive(Debug)]
#[must_use = "nothing is drawn until `show(ui)`"]
pub struct AssistantPanel<'a> {
    pling: &'a Pling,
}

impl<'a> AssistantPanel<'a> {
    /// The panel of one Pling.
    pub fn new(pling: &'a Pling) -> Self {
        Self { pling }
    }

    /// Adds the panel to the right of a root `Ui`, before the central panel. Keys typed into it are kept from
    /// what is drawn after it.
    pub fn show(self, ui: &mut Ui) {
        let id = ui.scope_id().with("pling.assistant");
        let frame = Frame::side_top_panel(ui.style()).inner_margin(Margin::same(MARGIN));
        Panel::right(id)
            .resizable(true)
            .default_size(DEFAULT_WIDTH)
            .min_size(MIN_WIDTH)
            .frame(frame)
            .show(ui, |ui| {
                with_desk(&ui.ctx().clone(), id, |desk| {
                    in_front(ui, id, |ui| panel_ui(ui, self.pling, desk, id));
                });
            });
    }
}

/// A modal of the app takes all input that is not in front of it. While there is one, the panel is drawn in front:
/// the user must be able to stop the assistant, and to answer what it asks about the modal.
fn in_front(ui: &mut Ui, id: Id, add_contents: impl FnOnce(&mut Ui)) {
    if ui.memory(|memory| memory.top_modal_layer().is_none()) {
        return add_contents(ui);
    }
    let (rect, scope) = (ui.max_rect(), ui.scope_id());
    // The panel keeps its place and size.
    ui.expand_to_include_rect(rect);
    let area = Area::new(id.with("front"))
        .order(Order::Foreground)
        .movable(false)
        .constrain(false)
        .fixed_pos(rect.min);
    let layer = area.layer();
    area.show(ui.ctx(), |ui| {
        ui.painter()
            .rect_filled(rect.expand(f32::from(MARGIN)), 0.0, ui.visuals().panel_fill);
        ui.scope_builder(
            UiBuilder::new().scope_id(scope.with("front")).max_rect(rect),
            add_contents,
        );
    });
    ui.move_to_top(layer);
}

fn panel_ui(ui: &mut Ui, pling: &Pling, desk: &mut Desk, id: Id) {
    let (session, transcript) = (pling.session(), pling.transcript());
    let log = transcript.log();
    let part = |name: &str| id.with(name);
    let bare = Frame::NONE;
    let clear = Panel::top(part("header"))
        .frame(bare.inner_margin(Margin {
            bottom: 8,
            ..Margin::ZERO
        }))
        .show(ui, |ui| header_ui(ui, pling, log.is_empty()))
        .inner;
    Panel::bottom(part("bottom"))
        .frame(bare.inner_margin(Margin { top: 8, ..Margin::ZERO }))
        .resizable(false)
        .show_separator_line(false)
        .show(ui, |ui| bottom_ui(ui, session, transcript, desk, id));
    let ((), clicked) = keep_back_links(ui, |ui| transcript_ui(ui, &log, desk));
    if clicked.is_some() {
        desk.link = clicked;
    }
    if esc_stops(ui.ctx(), session, desk) {
        session.cancel();
    }
    if clear {
        session.reset();
        session.reset_telemetry();
        transcript.clear();
    }
}

/// Whether Esc was pressed to stop the run, and not to close something of the app's.
fn esc_stops(ctx: &Context, session: &Session, desk: &mut Desk) -> bool {
    let is_taken = Popup::is_any_open(ctx) || ctx.memory(|memory| memory.top_modal_layer().is_some());
    let was_taken = std::mem::replace(&mut desk.esc_is_taken, is_taken);
    !is_taken
        && !was_taken
        && session.status() == Status::Running
        && ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape))
}

fn bottom_ui(ui: &mut Ui, session: &Session, transcript: &Transcript, desk: &mut Desk, id: Id) {
    link_ui(ui, &mut desk.link);
    let open = session.waiting_for();
    if let Some(approval) = open.first() {
        let answer = approval_ui(ui, approval, &mut desk.denial, open.len() - 1);
        if answer.is_some() {
            ui.memory_mut(|memory| memory.request_focus(id.with("composer")));
        }
        // An answer to a question that is not open any more does nothing.
        match answer {
            Some(Answer::Allow) => drop(session.approve(&approval.call_id)),
            Some(Answer::Deny(why)) => drop(session.deny(&approval.call_id, why)),
            None => {}
        }
        ui.add_space(4.0);
    }
    let hint = if open.is_empty() {
        "What shall be done?"
    } else {
        "Deny it and say what to do instead"
    };
    let is_running = session.status() == Status::Running;
    match desk.composer.ui(ui, id.with("composer"), hint, is_running) {
        Some(Wish::Send(text)) => {
            transcript.sent(&text);
            // The run goes on without the future.
            drop(session.send(text));
        }
        Some(Wish::Stop) => session.cancel(),
        None => {}
    }
}

fn transcript_ui(ui: &mut Ui, log: &Arc<Log>, desk: &mut Desk) {
    ScrollArea::vertical()
        .auto_shrink([false, false])
        .stick_to_bottom(true)
        .show(ui, |ui| {
            // The address of a link is seen before it is clicked.
            ui.style_mut().url_in_tooltip = true;
            ui.spacing_mut().item_spacing.y = 8.0;
            ui.add_space(6.0);
            if log.is_empty() {
                let invitation = "Say what you want done, in your own words. You see every step here";
                ui.label(aside(ui, invitation));
            }
            if log.dropped > 0 {
                ui.label(aside(ui, format!("{} earlier entries are not kept", log.dropped)));
            }
            entries_ui(ui, log, desk);
            for text in &log.queued {
                user_ui(ui, text);
            }
        });
}

/// Draws the entries in view, and leaves room for the others.
fn entries_ui(ui: &mut Ui, log: &Log, desk: &mut Desk) {
    let Desk { heights, markdown, .. } = desk;
    let width = ui.available_width();
    heights.begin(width, ui.text_style_height(&TextStyle::Body), log.entries.len());
    let view = ui.clip_rect();
    // A screen more on each side, so that what a reader of the accessibility tree or a wheel turns to is there.
    let view = view.expand2(vec2(0.0, view.height()));
    for entry in &log.entries {
        if let Some(height) = heights.of(entry.serial, entry.revision) {
            let place = Rect::from_min_size(ui.cursor().min, vec2(width, height));
            if !view.intersects(place) {
                ui.allocate_space(place.size());
                continue;
            }
        }
        let id = ui.scope_id().with(entry.serial);
        let drawn = ui.scope_builder(UiBuilder::new().scope_id(id), |ui| {
            ui.set_width(width);
            entry_ui(ui, &entry.what, markdown);
        });
        heights.keep(entry.serial, entry.revision, drawn.response.rect.height());
    }
}
