//! Input events, made and taken back.

use egui::{
    Context, Event, Id, Key, Modifiers,
    accesskit::{Action, ActionData, ActionRequest, TreeId},
};

/// Asks a widget to act as clicked.
pub(crate) fn click(id: Id) -> Event {
    request(id, Action::Click, None)
}

/// Asks a text field to replace its text.
pub(crate) fn set_text(id: Id, text: &str) -> Event {
    request(id, Action::SetValue, Some(ActionData::Value(text.into())))
}

/// Asks a number field or slider to take a number.
pub(crate) fn set_number(id: Id, number: f64) -> Event {
    request(id, Action::SetValue, Some(ActionData::NumericValue(number)))
}

/// The Enter key goes down.
pub(crate) fn enter() -> Event {
    Event::Key {
        key: Key::Enter,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    }
}

fn request(id: Id, action: Action, data: Option<ActionData>) -> Event {
    Event::AccessKitActionRequest(ActionRequest {
        action,
        target_tree: TreeId::ROOT,
        target_node: id.accesskit_id(),
        data,
    })
}

/// One event that stands in the input of the pass under way.
#[derive(Debug, Default)]
pub(crate) struct Standing(Option<Event>);

impl Standing {
    /// Widgets added from here on see the event.
    pub(crate) fn put(&mut self, ctx: &Context, event: Event) {
        self.take_back(ctx);
        ctx.input_mut(|input| input.events.push(event.clone()));
        self.0 = Some(event);
    }

    /// Widgets added from here on do not see it.
    pub(crate) fn take_back(&mut self, ctx: &Context) {
        let Some(event) = self.0.take() else { return };
        ctx.input_mut(|input| {
            if let Some(at) = input.events.iter().rposition(|there| *there == event) {
                input.events.remove(at);
            }
        });
    }
}

/// Whether an event comes from the keyboard, and would go to whatever has the focus.
pub(crate) fn is_keyboard(event: &Event) -> bool {
    matches!(
        event,
        Event::Key { .. } | Event::Text(_) | Event::Paste(_) | Event::Copy | Event::Cut | Event::Ime(_)
    )
}
