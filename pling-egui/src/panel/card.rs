//! What the cards have in common: what it is about, the exact values, and words to say no with.

use egui::{
    EventFilter, Id, Key, KeyboardShortcut, Modifiers, Response, RichText, ScrollArea, TextEdit, Ui, accesskit::Live,
};
use pling_core::act::{Approval, Origin};
use serde_json::Value;

use super::{
    composer::is_composed,
    desk::Denial,
    look::{aside, detail, sunken},
    strings::Strings,
    visible::{visible_line, visible_value},
};

/// Points before the values scroll.
const MAX_VALUES_HEIGHT: f32 = 140.0;

/// Says yes, once.
pub(super) const ONCE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Enter);
/// Seconds that a question is shown before anything says yes to it: keys and clicks meant for something else, such as the
/// second one of a double click on the card before, are no answer.
const READING_SECONDS: f64 = 0.4;

/// The user's answer to a card.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It may run, this once.
    Allow,
    /// It may run, and the action again without asking.
    AllowForSession,
    /// The user did the step.
    Done,
    /// It may not run, or the user will not do it.
    Deny(Option<String>),
}

/// The first line, read out by a screen reader when the card opens.
pub(super) fn title_ui(ui: &mut Ui, title: String, accent: egui::Color32) {
    let response = ui.label(detail(ui, title).color(accent));
    announce(&response, Live::Assertive);
}

/// Has a screen reader say what a label says whenever that changes.
pub(super) fn announce(response: &Response, live: Live) {
    if response.ctx.has_accesskit_node(response.id) {
        response
            .ctx
            .accesskit_node_builder(response.id, |node| node.set_live(live));
    }
}

/// Whether a shortcut is for this card: the keyboard is with the panel, and the user has seen the card.
pub(super) fn is_with_us(ui: &Ui, denial: &Denial, ours: [Id; 2]) -> bool {
    let has_keyboard = ui.memory(|memory| memory.focused().is_some_and(|id| ours.contains(&id)));
    has_keyboard && is_read(ui, denial)
}

/// Whether the user has seen the card.
pub(super) fn is_read(ui: &Ui, denial: &Denial) -> bool {
    ui.input(|input| input.time) >= denial.since + READING_SECONDS
}

/// Whether a button that says yes was clicked by a user who has seen the card.
pub(super) fn says_yes(ui: &Ui, denial: &Denial, button: &Response) -> bool {
    button.clicked() && is_read(ui, denial)
}

/// The action, its record, and who asks.
pub(super) fn subject_ui(ui: &mut Ui, say: &Strings, approval: &Approval) {
    ui.label(RichText::new(visible_line(&approval.action.description, 200)).strong());
    if let Some(record) = &approval.action.record {
        let id = visible_line(record.as_str(), 80);
        match &approval.record_label {
            Some(label) => ui.label(format!("{}  ({id})", visible_line(label, 200))),
            None => ui.label(id),
        };
    }
    let who = match &approval.origin {
        Origin::Assistant => say.asks_assistant(),
        Origin::User => say.asks_you(),
        Origin::Code => say.asks_app(),
        // The name that it gave itself, which nobody has checked.
        Origin::Client(name) => say.asks_client(&visible_line(name, 80)),
        _ => say.asks_other(),
    };
    ui.label(aside(ui, who));
}

/// Every argument but the record, exactly.
pub(super) fn arguments_ui(ui: &mut Ui, say: &Strings, approval: &Approval) {
    let arguments = approval.arguments.iter();
    let arguments: Vec<_> = arguments.filter(|(name, _)| *name != "record").collect();
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
                    Value::String(text) => visible_value(say, text),
                    other => visible_value(say, &other.to_string()),
                };
                ui.label(RichText::new(text).monospace());
            }
        });
    });
}

/// Where the user says why not. Whether that was entered: words that were entered are a denial, and never anything else.
pub(super) fn reason_ui(ui: &mut Ui, say: &Strings, id: Id, denial: &mut Denial, name: String) -> bool {
    let field = TextEdit::singleline(&mut denial.why)
        .id(id)
        .hint_text(say.reason_hint())
        .desired_width(f32::INFINITY)
        // Esc goes back to the composer.
        .event_filter(EventFilter {
            tab: false,
            horizontal_arrows: true,
            vertical_arrows: false,
            escape: true,
        });
    denial.field = Some(id);
    let field = ui.add(field).accessible_name(name);
    let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter) && !is_composed(input));
    entered && !denial.why.trim().is_empty()
}

/// The denial with the words that were written.
pub(super) fn denied(denial: &Denial) -> Answer {
    let why = denial.why.trim();
    Answer::Deny((!why.is_empty()).then(|| why.to_owned()))
}
