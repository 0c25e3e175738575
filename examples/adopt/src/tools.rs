//! The tools by their names.

use egui::Ui;

use crate::{gallery::Gallery, modals::Modals, plain, table::Table};

/// What can be opened.
pub const NAMES: [&str; 3] = ["gallery", "modals", "table"];

/// Draws a tool, which it owns.
pub type Draw = Box<dyn FnMut(&mut Ui)>;

/// Opens a tool: with its declarations, or as it was before.
pub fn open(name: &str, plain: bool) -> Option<Draw> {
    Some(match (name, plain) {
        ("gallery", false) => draw(Gallery::default(), Gallery::ui),
        ("modals", false) => draw(Modals::default(), Modals::ui),
        ("table", false) => draw(Table::default(), Table::ui),
        ("gallery", true) => draw(plain::gallery::Gallery::default(), plain::gallery::Gallery::ui),
        ("modals", true) => draw(plain::modals::Modals::default(), plain::modals::Modals::ui),
        ("table", true) => draw(plain::table::Table::default(), plain::table::Table::ui),
        _ => return None,
    })
}

fn draw<T: 'static>(mut tool: T, ui: fn(&mut T, &mut Ui)) -> Draw {
    Box::new(move |page| ui(&mut tool, page))
}
