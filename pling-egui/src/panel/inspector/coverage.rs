//! Widgets that nobody declared.

use egui::Ui;
use pling_core::observe::Observation;

use super::line_ui;
use crate::{
    Pling,
    collect::BareKind as Kind,
    panel::{
        look::{aside, detail},
        outline::Outline,
        strings::Strings,
        visible::visible_line,
    },
};

pub(super) fn coverage_ui(ui: &mut Ui, pling: &Pling, observation: &Observation) {
    let (say, bare) = (pling.say(), pling.shared().bare());
    let declared = observation.snapshot.actions.len().to_string();
    ui.label(aside(ui, say.coverage(&declared, &bare.len().to_string())));
    for (index, (window, widget)) in bare.iter().enumerate() {
        let (kind, name) = (kind(say, widget.kind), visible_line(&widget.name, 80));
        let text = match name.is_empty() {
            true => say.bare_unnamed(&kind),
            false => say.bare(&kind, &name),
        };
        let line = ui.push_id(("bare", index), |ui| line_ui(ui, say, detail(ui, &text), &text));
        if line.inner {
            let outline = Outline::around(*window, widget.id, widget.layer);
            pling.shared().outline(ui.ctx(), outline);
        }
    }
}

fn kind(say: &Strings, kind: Kind) -> String {
    match kind {
        Kind::Button => say.kind_button(),
        Kind::CheckBox => say.kind_check_box(),
        Kind::RadioButton => say.kind_radio_button(),
        Kind::Link => say.kind_link(),
        Kind::Slider => say.kind_slider(),
        Kind::Number => say.kind_number(),
        Kind::ComboBox => say.kind_combo_box(),
        Kind::Color => say.kind_color(),
        Kind::Section => say.kind_section(),
        Kind::TextField => say.kind_text_field(),
    }
}
