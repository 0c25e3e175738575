//! How freely the agent may act: the user's choice, and what they allowed for the session.

use egui::{Button, Ui, containers::menu::MenuButton};
use pling_core::{
    act::{DefaultApproval, Preset},
    agent::Session,
};

use super::{
    look::{aside, detail},
    visible::visible_line,
};
use crate::Pling;

/// Draws a menu that says what holds.
pub(super) fn permissions_ui(ui: &mut Ui, pling: &Pling) {
    let session = pling.session();
    let chosen = session.preset();
    let grants = session.grants().len();
    let mut label = chosen.map_or("As the app says", Preset::label).to_owned();
    if grants > 0 {
        label = format!("{label} · {grants} allowed");
    }
    let button = Button::new(detail(ui, label)).truncate();
    MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_max_width(220.0);
        ui.label(aside(ui, "What the assistant may do"));
        for preset in Preset::ALL {
            let words = match preset {
                Preset::ReadOnly => "It only looks; everything else is refused",
                Preset::Ask => "You are asked about everything that changes something",
                Preset::AcceptEdits => "You are asked about what may not be undone",
            };
            choice_ui(ui, session, Some(preset), preset.label(), words);
        }
        let words = match pling.executor().policy().default_approval {
            DefaultApproval::Never => "You are asked where the app wants it",
            DefaultApproval::Danger => "You are asked about what may not be undone",
            DefaultApproval::Write => "You are asked about everything that changes something",
            DefaultApproval::Always => "You are asked about everything",
        };
        choice_ui(ui, session, None, "As the app says", words);
        grants_ui(ui, session);
    });
}

fn choice_ui(ui: &mut Ui, session: &Session, preset: Option<Preset>, label: &str, words: &str) {
    let button = Button::selectable(session.preset() == preset, label);
    if ui.add(button).on_hover_text(words).clicked() {
        session.set_preset(preset);
    }
}

fn grants_ui(ui: &mut Ui, session: &Session) {
    let grants = session.grants();
    if grants.is_empty() {
        return;
    }
    ui.separator();
    ui.label(aside(ui, "Not asked about again in this session"));
    for grant in grants {
        ui.horizontal_wrapped(|ui| {
            let name = visible_line(&grant.action.description, 80);
            let revoke = ui
                .button("Ask again")
                .on_hover_text(format!("Ask again before: {name}"));
            ui.label(name);
            if revoke.clicked() {
                session.revoke(grant.id);
            }
        });
    }
}
