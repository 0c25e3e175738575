//! Where the user writes. Enter sends, Shift+Enter breaks the line.
//!
//! An Enter that belongs to an input method (it commits a composition) never sends, in whichever order the platform
//! tells of it. What was typed is only taken away by sending it.

use egui::{
    Align, Button, Context, Event, EventFilter, Id, ImeEvent, InputState, Key, KeyboardShortcut, Layout, Margin,
    Modifiers, Response, ScrollArea, TextEdit, Ui,
    text::{CCursor, CCursorRange},
    text_edit::TextEditState,
    vec2,
};

use super::{permissions::permissions_ui, strings::Strings};
use crate::Pling;

/// Rows shown before the field scrolls.
const MAX_ROWS: f32 = 6.0;

/// Messages that the arrow keys find again.
const MAX_SENT: usize = 50;

/// What is being written.
#[derive(Default)]
pub(super) struct Composer {
    draft: String,
    /// Whether an input method is composing.
    composing: bool,
    /// Whether one had a hand in this pass: its keys are not the user's.
    composed: bool,
    /// Whether it had the keyboard when the last pass ended: an Enter that brought it here is not its own.
    had_focus: bool,
    /// What was sent, and what was written and given up for it, oldest first.
    sent: Vec<String>,
    /// Which of them is shown, and what had been written before that.
    recalled: Option<(usize, String)>,
    /// Whether the caret is in the first row, and in the last, as they were drawn.
    at_edge: (bool, bool),
}

/// What the user wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// This message is to be sent.
    Send(String),
    /// The run is to be stopped.
    Stop,
}

impl Composer {
    /// Whether nothing is written.
    pub(super) fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    /// Whether an input method had a hand in this pass.
    pub(super) fn is_composed(&self) -> bool {
        self.composed
    }

    /// Writes a text in the place of what is there, with the caret at its end.
    pub(super) fn write(&mut self, ctx: &Context, id: Id, text: String) {
        caret_to_end(ctx, id, &text);
        ctx.memory_mut(|memory| memory.request_focus(id));
        self.draft = text;
    }

    /// Draws the field and its buttons.
    pub(super) fn ui(&mut self, ui: &mut Ui, id: Id, hint: String, is_running: bool, pling: &Pling) -> Option<Wish> {
        let say = pling.say();
        self.recall(ui, id);
        let field = self.field_ui(ui, say, id, hint);
        if field.changed() {
            self.keep_draft();
        }
        let had_focus = std::mem::replace(&mut self.had_focus, field.has_focus());
        let entered = self.read_keys(ui, &field) && had_focus;
        let mut wish = None;
        let mut pressed = false;
        // One row, whatever room there is: what is below it would keep the panel's bottom where a card left it.
        let row = vec2(ui.available_width(), ui.spacing().interact_size.y);
        ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), |ui| {
            let can_send = !self.draft.trim().is_empty();
            pressed = ui
                .add_enabled(can_send, Button::new(say.send()))
                .on_hover_text(say.send_hint())
                .clicked();
            if is_running && ui.button(say.stop()).on_hover_text(say.stop_hint()).clicked() {
                wish = Some(Wish::Stop);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| permissions_ui(ui, pling));
        });
        if (entered || pressed) && !self.draft.trim().is_empty() {
            field.request_focus();
            self.keep_draft();
            let text = std::mem::take(&mut self.draft);
            self.sent.retain(|sent| *sent != text);
            self.sent.push(text.clone());
            if self.sent.len() > MAX_SENT {
                self.sent.remove(0);
            }
            wish = Some(Wish::Send(text));
        }
        wish
    }

    /// What was being written before a message was recalled is found with the arrow keys, once that is no longer on its way
    /// back.
    fn keep_draft(&mut self) {
        if let Some((_, before)) = self.recalled.take()
            && !before.trim().is_empty()
        {
            self.sent.push(before);
        }
    }

    /// The arrow keys go through what was sent, from the first row upwards and from the last one downwards.
    fn recall(&mut self, ui: &Ui, id: Id) {
        let is_plain = ui.input(|input| input.modifiers.is_none());
        if self.composing || self.sent.is_empty() || !is_plain || !ui.memory(|memory| memory.has_focus(id)) {
            return;
        }
        let (in_first, in_last) = self.at_edge;
        let pressed = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key) > 0);
        if in_first && pressed(Key::ArrowUp) {
            let (at, before) = match self.recalled.take() {
                Some((at, before)) => (at.saturating_sub(1), before),
                None => (self.sent.len() - 1, std::mem::take(&mut self.draft)),
            };
            self.write(ui.ctx(), id, self.sent[at].clone());
            self.recalled = Some((at, before));
        } else if in_last && self.recalled.is_some() && pressed(Key::ArrowDown) {
            let Some((at, before)) = self.recalled.take() else {
                return;
            };
            match self.sent.get(at + 1).cloned() {
                Some(text) => {
                    self.write(ui.ctx(), id, text);
                    self.recalled = Some((at + 1, before));
                }
                None => self.write(ui.ctx(), id, before),
            }
        }
    }

    fn field_ui(&mut self, ui: &mut Ui, say: &Strings, id: Id, hint: String) -> Response {
        let row = ui.text_style_height(&egui::TextStyle::Body);
        ScrollArea::vertical()
            .id_salt("composer")
            .max_height(MAX_ROWS * row)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                let shown = TextEdit::multiline(&mut self.draft)
                    .id(id)
                    .hint_text(hint)
                    .desired_rows(2)
                    .margin(Margin::symmetric(8, 6))
                    .desired_width(f32::INFINITY)
                    .return_key(KeyboardShortcut::new(Modifiers::SHIFT, Key::Enter))
                    .event_filter(EventFilter {
                        horizontal_arrows: true,
                        vertical_arrows: true,
                        // Esc stops a run; the caret stays.
                        escape: true,
                        tab: false,
                    })
                    .show(ui);
                if let Some(range) = shown.cursor_range {
                    let row = shown.galley.layout_from_cursor(range.primary).row;
                    self.at_edge = (row == 0, row + 1 >= shown.galley.rows.len());
                }
                shown.response.response.accessible_name(say.message())
            })
            .inner
    }

    /// Whether Enter asks to send. Keys that were typed into the field are kept from the app drawn after it.
    fn read_keys(&mut self, ui: &Ui, field: &Response) -> bool {
        self.composed = false;
        if !field.has_focus() {
            self.composing = false;
            return false;
        }
        let entered = ui.input(|input| {
            let mut entered = false;
            let mut touched_by_ime = self.composing;
            for event in &input.events {
                match event {
                    Event::Ime(ImeEvent::Preedit { text, .. }) => {
                        self.composing = !text.is_empty();
                        touched_by_ime |= self.composing;
                    }
                    Event::Ime(ImeEvent::Commit(text)) => {
                        self.composing = false;
                        touched_by_ime |= !text.is_empty();
                    }
                    // A repeat counts: an input method may have kept the release of the last Enter for itself.
                    Event::Key {
                        key: Key::Enter,
                        pressed: true,
                        modifiers,
                        ..
                    } => entered |= modifiers.is_none(),
                    _ => {}
                }
            }
            self.composed = touched_by_ime;
            entered && !touched_by_ime
        });
        keep_typing(ui);
        entered
    }
}

/// Puts the caret of a field behind its text.
pub(super) fn caret_to_end(ctx: &Context, id: Id, text: &str) {
    let end = CCursor::new(text.chars().count());
    let mut state = TextEditState::load(ctx, id).unwrap_or_default();
    state.cursor.set_char_range(Some(CCursorRange::one(end)));
    state.store(ctx, id);
}

/// Keeps what was typed into a field of the panel from the app drawn after it.
pub(super) fn keep_typing(ui: &Ui) {
    ui.input_mut(|input| input.events.retain(|event| !is_typing(event)));
}

/// Whether an input method had a hand in this pass: its Enter is no answer. One that only says that it has nothing, as some
/// do after every key, had none.
pub(super) fn is_composed(input: &InputState) -> bool {
    input.events.iter().any(|event| match event {
        Event::Ime(ImeEvent::Preedit { text, .. } | ImeEvent::Commit(text)) => !text.is_empty(),
        _ => false,
    })
}

/// What a text field takes for itself; other shortcuts of the app go on.
pub(super) fn is_typing(event: &Event) -> bool {
    match event {
        Event::Text(_) | Event::Ime(_) | Event::Copy | Event::Cut | Event::Paste(_) => true,
        Event::Key { key, modifiers, .. } => {
            let is_shortcut = modifiers.command || modifiers.ctrl || modifiers.alt;
            !matches!(key, Key::Tab | Key::Escape) && (!is_shortcut || edits_text(*key))
        }
        _ => false,
    }
}

/// Whether a text field knows a shortcut with this key.
fn edits_text(key: Key) -> bool {
    matches!(
        key,
        Key::A
            | Key::C
            | Key::H
            | Key::K
            | Key::U
            | Key::V
            | Key::W
            | Key::X
            | Key::Y
            | Key::Z
            | Key::Backspace
            | Key::Delete
            | Key::Home
            | Key::End
            | Key::Enter
            | Key::ArrowLeft
            | Key::ArrowRight
            | Key::ArrowUp
            | Key::ArrowDown
    )
}
