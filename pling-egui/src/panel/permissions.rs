//! How freely the agent may act: the user's choice, and what they allowed for the session.

use egui::{Button, Ui, containers::menu::MenuButton};
use pling_core::{
    act::{DefaultApproval, Preset},
    agent::Session,
};

use super::{
    look::{aside, detail},
    settings::keep_preset,
    strings::Strings,
    visible::visible_line,
};
use crate::Pling;

/// Draws a menu that says what holds.
pub(super) fn permissions_ui(ui: &mut Ui, pling: &Pling) {
    let (session, say) = (pling.session(), pling.say());
    let chosen = session.preset();
    let grants = session.grants().len();
    let mut label = match chosen {
        Some(preset) => label_of(say, preset),
        None => say.as_app(),
    };
    if grants > 0 {
        label = say.allowed(&label, grants);
    }
    let button = Button::new(detail(ui, label)).truncate();
    MenuButton::from_button(button).ui(ui, |ui| {
        ui.set_max_width(220.0);
        ui.label(aside(ui, say.may_do()));
        for preset in Preset::ALL {
            let words = match preset {
                Preset::ReadOnly => say.read_only_hint(),
                Preset::Ask => say.ask_first_hint(),
                Preset::AcceptEdits => say.accept_edits_hint(),
            };
            choice_ui(ui, session, Some(preset), label_of(say, preset), words);
        }
        let words = match pling.executor().policy().default_approval {
            DefaultApproval::Never => say.ask_none_hint(),
            DefaultApproval::Danger => say.accept_edits_hint(),
            DefaultApproval::Write => say.ask_first_hint(),
            DefaultApproval::Always => say.ask_all_hint(),
        };
        choice_ui(ui, session, None, say.as_app(), words);
        grants_ui(ui, say, session);
    });
}

fn label_of(say: &Strings, preset: Preset) -> String {
    match preset {
        Preset::ReadOnly => say.read_only(),
        Preset::Ask => say.ask_first(),
        Preset::AcceptEdits => say.accept_edits(),
    }
}

fn choice_ui(ui: &mut Ui, session: &Session, preset: Option<Preset>, label: String, words: String) {
    let button = Button::selectable(session.preset() == preset, label);
    if ui.add(button).on_hover_text(words).clicked() {
        session.set_preset(preset);
        keep_preset(ui.ctx(), preset);
    }
}

fn grants_ui(ui: &mut Ui, say: &Strings, session: &Session) {
    let grants = session.grants();
    if grants.is_empty() {
        return;
    }
    ui.separator();
    ui.label(aside(ui, say.not_asked()));
    for grant in grants {
        ui.horizontal_wrapped(|ui| {
            let name = visible_line(&grant.action.description, 80);
            let revoke = ui.button(say.ask_again()).on_hover_text(say.ask_again_hint(&name));
            ui.label(name);
            if revoke.clicked() {
                session.revoke(grant.id);
            }
        });
    }
}
