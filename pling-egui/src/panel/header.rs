//! Who answers, and the way to begin again.

use egui::{Align, Layout, RichText, Ui};

use super::{look::aside, visible::visible_line};
use crate::Pling;

/// Draws the header. Returns whether the conversation is to be forgotten.
pub(super) fn header_ui(ui: &mut Ui, pling: &Pling, is_empty: bool) -> bool {
    let clear = ui
        .horizontal(|ui| {
            ui.label(RichText::new("Assistant").heading());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_enabled(!is_empty, egui::Button::new("Clear"))
                    .on_hover_text("Forget the conversation and begin again")
                    .clicked()
            })
            .inner
        })
        .inner;
    let who = match pling.session().model_name() {
        _ if pling.is_offline() => "Offline planner: matches your words to what this page offers. No model".to_owned(),
        Some(name) => visible_line(&name, 120),
        None => "No model is configured".to_owned(),
    };
    ui.label(aside(ui, who));
    clear
}
