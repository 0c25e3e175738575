//! What the user chooses once for all.

use egui::{ComboBox, Grid, Slider, TextEdit, Theme, Ui, Window};
use pling_egui::{Region, ResponseExt as _, Tool, UiExt as _};

use super::OrdersApp;
use crate::format::{Currency, Money};

/// What the user chooses once for all. Light or dark is egui's own.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How amounts are written.
    pub money: Money,
    /// Whether every other row is shaded.
    pub stripes: bool,
    /// The file an export is written to; empty: kept in memory.
    pub export_path: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            money: Money {
                currency: Currency::Euro,
                decimals: 2,
            },
            stripes: true,
            export_path: String::new(),
        }
    }
}

impl OrdersApp {
    pub(super) fn settings_ui(&mut self, ui: &mut Ui) {
        let mut open = self.settings_open;
        Window::new("Settings")
            .open(&mut open)
            .resizable(false)
            .default_pos(ui.max_rect().center_top() + egui::vec2(-140.0, 90.0))
            .show(ui.ctx(), |ui| {
                ui.region(Region::new("settings", "Settings"), |ui| self.settings.ui(ui));
                let close = Tool::new("close_settings", "Close the settings").read();
                if ui.button("Close").tool(close).clicked() {
                    self.settings_open = false;
                }
            });
        self.settings_open &= open;
    }
}

impl Settings {
    fn ui(&mut self, ui: &mut Ui) {
        Grid::new("settings")
            .num_columns(2)
            .spacing([16.0, 8.0])
            .show(ui, |ui| {
                ui.label("Currency");
                let currency = &mut self.money.currency;
                let combo = ComboBox::from_id_salt("currency")
                    .selected_text(currency.name())
                    .show_ui(ui, |ui| {
                        for other in Currency::ALL {
                            ui.selectable_value(currency, other, other.name());
                        }
                    });
                let tool =
                    Tool::new("set_currency", "Choose the sign of amounts").choices(Currency::ALL.map(Currency::name));
                combo.response.tool(tool).accessible_name("Currency");
                ui.end_row();

                ui.label("Decimals");
                let slider = Slider::new(&mut self.money.decimals, 0..=2);
                ui.tool(Tool::new("set_decimals", "Set how many decimals amounts have"), slider)
                    .accessible_name("Decimals");
                ui.end_row();

                ui.label("Look");
                ui.vertical(|ui| {
                    let mut dark = ui.ctx().theme() == Theme::Dark;
                    let check = ui
                        .checkbox(&mut dark, "Dark mode")
                        .tool(Tool::new("dark_mode", "Use dark colors"));
                    if check.changed() {
                        ui.ctx().set_theme(if dark { Theme::Dark } else { Theme::Light });
                    }
                    let stripes = ui.checkbox(&mut self.stripes, "Striped rows");
                    let _ = stripes.tool(Tool::new("stripes", "Shade every other row"));
                });
                ui.end_row();

                ui.label("Export to");
                let field = TextEdit::singleline(&mut self.export_path)
                    .id_salt("export_path")
                    .hint_text("a file; empty: memory")
                    .desired_width(180.0);
                // A program that writes where a model says would be dangerous.
                let tool = Tool::new("export_path", "Set the file that exports are written to")
                    .handoff("only the user says where files are written");
                ui.add(field).tool(tool).accessible_name("Export to");
                ui.end_row();
            });
    }
}
