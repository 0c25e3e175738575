//! A link of the assistant's: followed only once the user has seen its address, and never in the place of the app.

use egui::{OpenUrl, OutputCommand, RichText, Ui};

use super::{
    look::{aside, card, detail},
    strings::Strings,
    visible::visible_value,
};

/// Draws something and keeps back the link that was clicked in it, if any.
pub(super) fn keep_back_links<R>(ui: &mut Ui, draw: impl FnOnce(&mut Ui) -> R) -> (R, Option<OpenUrl>) {
    let before = ui.ctx().output(|output| output.commands.len());
    let result = draw(ui);
    let clicked = ui.ctx().output_mut(|output| {
        let is_link = |command: &OutputCommand| matches!(command, OutputCommand::OpenUrl(_));
        let at = output.commands.iter().skip(before).position(is_link)?;
        match output.commands.remove(before + at) {
            OutputCommand::OpenUrl(url) => Some(url),
            _ => None,
        }
    });
    (result, clicked)
}

/// Where links may lead. Others would start programs, open files or, in a browser, run as a script of the page.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Asks whether to follow a link. Takes it away once that is answered.
pub(super) fn link_ui(ui: &mut Ui, say: &Strings, link: &mut Option<OpenUrl>) {
    let Some(url) = link else { return };
    let accent = ui.visuals().hyperlink_color;
    let mut answer = None;
    card(ui, accent).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.label(detail(ui, say.open_address()).color(accent));
        ui.label(RichText::new(visible_value(say, &url.url)).monospace());
        let lower = url.url.to_ascii_lowercase();
        let may_open = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
        if !may_open {
            ui.label(aside(ui, say.never_opened()));
        }
        ui.horizontal(|ui| {
            if may_open && ui.button(say.open()).clicked() {
                answer = Some(true);
            }
            if ui.button(say.cancel()).clicked() {
                answer = Some(false);
            }
        });
    });
    if answer == Some(true) {
        ui.ctx().open_url(OpenUrl::new_tab(&url.url));
    }
    if answer.is_some() {
        *link = None;
    }
}
