//! The tools as programs: a window with the assistant at its side, or a run without one.

use std::{ffi::OsString, process::ExitCode};

use egui::Ui;
use example_common::{App, Example, Summary};
use serde_json::{Value, json};

use crate::{gallery::Gallery, modals::Modals, table::Table};

/// The control panel.
pub const GALLERY: Example<Gallery> = Example {
    name: "adopt gallery",
    title: "Greenhouse",
    role: "You help the user run a greenhouse.",
    screen: SCREEN,
    window: WINDOW,
    options: &[],
    create: |_options| Ok(Gallery::default()),
};

/// The visitors' desk.
pub const MODALS: Example<Modals> = Example {
    name: "adopt modals",
    title: "Visitors' desk",
    role: "You help the user at the visitors' desk.",
    screen: SCREEN,
    window: WINDOW,
    options: &[],
    create: |_options| Ok(Modals::default()),
};

/// The seed bank.
pub const TABLE: Example<Table> = Example {
    name: "adopt table",
    title: "Seed bank",
    role: "You help the user look through a seed bank.",
    screen: SCREEN,
    window: WINDOW,
    options: &[],
    create: |_options| Ok(Table::default()),
};

const SCREEN: [f32; 2] = [640.0, 560.0];
const WINDOW: [f32; 2] = [960.0, 600.0];

/// Opens the tool named first; everything after it is as in all examples.
pub fn main(mut args: Vec<OsString>) -> ExitCode {
    let named = args.get(1).is_some_and(|name| !name.to_string_lossy().starts_with('-'));
    let name = if named { args.remove(1) } else { "gallery".into() };
    match name.to_str() {
        Some("gallery") => example_common::main(&GALLERY, args),
        Some("modals") => example_common::main(&MODALS, args),
        Some("table") => example_common::main(&TABLE, args),
        _ => {
            #[expect(clippy::print_stderr, reason = "a command line talks to its terminal")]
            {
                eprintln!("adopt: there are three tools: gallery, modals, table");
            }
            ExitCode::from(2)
        }
    }
}

impl App for Gallery {
    fn ui(&mut self, ui: &mut Ui) {
        self.ui(ui);
    }

    fn summary(&self) -> Summary {
        let house = &self.house;
        Summary {
            records: json!([]),
            state: json!({
                "name": house.name, "lamps": house.lamps, "vents": format!("{:?}", house.vents),
                "bench": format!("{:?}", house.bench), "crop": house.crop, "degrees": house.degrees,
                "humidity": house.humidity, "harvest": house.harvest.to_string(), "photos": house.photos,
            }),
            words: format!("{}: {}, {} °C", house.name, house.crop, house.degrees),
        }
    }
}

impl App for Modals {
    fn ui(&mut self, ui: &mut Ui) {
        self.ui(ui);
    }

    fn summary(&self) -> Summary {
        let visitors = self.visitors.iter();
        let records: Vec<Value> = visitors
            .map(|visitor| json!({ "id": visitor.badge.to_string(), "name": visitor.name, "host": visitor.host }))
            .collect();
        Summary {
            words: format!("{} visitors, {} badges printed", records.len(), self.printed),
            records: Value::Array(records),
            state: json!({ "printed": self.printed }),
        }
    }
}

impl App for Table {
    fn ui(&mut self, ui: &mut Ui) {
        self.ui(ui);
    }

    fn summary(&self) -> Summary {
        Summary {
            records: json!([]),
            state: json!({ "selected": self.selected, "card": self.card, "sorted": (self.sort, self.descending) }),
            words: format!("{} samples, {} selected", self.samples.len(), self.selected.len()),
        }
    }
}
