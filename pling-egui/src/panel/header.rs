//! What is looked at, who answers, and the way to begin again.

use egui::{Align, Button, Layout, RichText, Ui};

use super::{desk::View, look::aside, visible::visible_line};
use crate::Pling;

/// Draws the header. Returns whether the conversation is to be forgotten.
pub(super) fn header_ui(ui: &mut Ui, pling: &Pling, view: &mut View, is_empty: bool) -> bool {
    let say = pling.say();
    let clear = ui
        .horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            for (which, name) in [
                (View::Chat, say.chat()),
                (View::Inspector, say.inspector()),
                (View::Settings, say.settings()),
            ] {
                let is_current = *view == which;
                let text = RichText::new(name);
                let text = if is_current { text.strong() } else { text };
                if ui.add(Button::selectable(is_current, text)).clicked() {
                    *view = which;
                }
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_enabled(!is_empty, Button::new(say.clear()))
                    .on_hover_text(say.clear_hint())
                    .clicked()
            })
            .inner
        })
        .inner;
    if *view == View::Chat {
        ui.label(aside(ui, who(pling)));
    }
    clear
}

/// Who answers now.
pub(super) fn who(pling: &Pling) -> String {
    match pling.session().model_name() {
        _ if pling.is_offline() => pling.say().who_offline(),
        Some(name) => visible_line(&name, 120),
        None => pling.say().who_nobody(),
    }
}
