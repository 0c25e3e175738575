//! Where the user writes. Enter sends, Shift+Enter breaks the line.
//!
//! An Enter that belongs to an input method (it commits a composition) never sends, in whichever order the platform
//! tells of it. What was typed is only taken away by sending it.

use egui::{
    Align, Button, Event, EventFilter, Id, ImeEvent, Key, KeyboardShortcut, Label, Layout, Margin, Modifiers, Response,
    ScrollArea, TextEdit, Ui,
};

use super::look::aside;

/// Rows shown before the field scrolls.
const MAX_ROWS: f32 = 6.0;

/// What is being written.
#[derive(Default)]
pub(super) struct Composer {
    draft: String,
    /// Whether an input method is composing.
    composing: bool,
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
    /// Draws the field and its buttons.
    pub(super) fn ui(&mut self, ui: &mut Ui, id: Id, hint: &'static str, is_running: bool) -> Option<Wish> {
        let field = self.field_ui(ui, id, hint);
        let entered = self.read_keys(ui, &field);
        let mut wish = None;
        let mut pressed = false;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let can_send = !self.draft.trim().is_empty();
            pressed = ui.add_enabled(can_send, Button::new("Send")).clicked();
            if is_running && ui.button("Stop").on_hover_text("Esc").clicked() {
                wish = Some(Wish::Stop);
            }
            if !is_running {
                let keys = aside(ui, "Shift+Enter breaks the line");
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(Label::new(keys).truncate());
                });
            }
        });
        if (entered || pressed) && !self.draft.trim().is_empty() {
            field.request_focus();
            wish = Some(Wish::Send(std::mem::take(&mut self.draft)));
        }
        wish
    }

    fn field_ui(&mut self, ui: &mut Ui, id: Id, hint: &'static str) -> Response {
        let row = ui.text_style_height(&egui::TextStyle::Body);
        ScrollArea::vertical()
            .id_salt("composer")
            .max_height(MAX_ROWS * row)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                TextEdit::multiline(&mut self.draft)
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
                    .show(ui)
                    .response
                    .response
                    .accessible_name("Message to the assistant")
            })
            .inner
    }

    /// Whether Enter asks to send. Keys that were typed into the field are kept from the app drawn after it.
    fn read_keys(&mut self, ui: &Ui, field: &Response) -> bool {
        if !field.has_focus() {
            self.composing = false;
            return false;
        }
        ui.input_mut(|input| {
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
            input.events.retain(|event| !is_typing(event));
            entered && !touched_by_ime
        })
    }
}

/// What a text field takes for itself; other shortcuts of the app go on.
fn is_typing(event: &Event) -> bool {
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
