//! The control panel of a greenhouse: one widget of every sort.

use std::ops::RangeInclusive;

use egui::{
    Button, Color32, ColorImage, ComboBox, DragValue, Grid, Image, ProgressBar, Slider, TextEdit, TextureHandle,
    TextureOptions, Ui, Vec2,
};
use egui_extras::DatePickerButton;
use jiff::civil::{Date, date};

/// What the house can hold, in degrees Celsius.
const DEGREES: RangeInclusive<f32> = 5.0..=35.0;

/// What can be grown.
const CROPS: [&str; 4] = ["Basil", "Chili", "Lettuce", "Tomato"];

/// What the vents do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vents {
    Closed,
    Automatic,
    Open,
}

/// Where the plants stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bench {
    North,
    South,
}

/// Everything the panel sets.
#[derive(Clone, Debug)]
pub struct House {
    pub name: String,
    pub lamps: bool,
    pub lamp_color: Color32,
    pub vents: Vents,
    pub bench: Bench,
    pub crop: &'static str,
    pub degrees: f32,
    pub humidity: u8,
    pub harvest: Date,
    /// Full is 1.
    pub tank: f32,
    pub photos: u32,
    pub journal: String,
}

/// The panel of one house.
pub struct Gallery {
    pub house: House,
    pub enabled: bool,
    pub visible: bool,
    lens: Option<TextureHandle>,
}

impl Default for Gallery {
    fn default() -> Self {
        let house = House {
            name: "House 1".to_owned(),
            lamps: false,
            lamp_color: Color32::from_rgb(255, 170, 60),
            vents: Vents::Closed,
            bench: Bench::North,
            crop: CROPS[0],
            degrees: 18.0,
            humidity: 55,
            harvest: date(2030, 6, 15),
            tank: 0.8,
            photos: 0,
            journal: "Seeds came up".to_owned(),
        };
        Self {
            house,
            enabled: true,
            visible: true,
            lens: None,
        }
    }
}

impl Gallery {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui) {
        ui.heading("Greenhouse");
        ui.add_enabled_ui(self.enabled, |ui| {
            if !self.visible {
                ui.set_invisible();
            }
            self.controls_ui(ui);
            ui.collapsing("Journal", |ui| self.journal_ui(ui));
        });
        ui.separator();
        ui.horizontal(|ui| {
            ui.checkbox(&mut self.enabled, "Enabled");
            ui.checkbox(&mut self.visible, "Visible");
        });
    }

    fn controls_ui(&mut self, ui: &mut Ui) {
        let lens = self.lens(ui);
        let house = &mut self.house;
        let grid = Grid::new("controls").num_columns(2).spacing([32.0, 6.0]).striped(true);
        grid.show(ui, |ui| {
            row(ui, "Name", |ui| {
                ui.add(TextEdit::singleline(&mut house.name).hint_text("What the house is called"))
            });
            row(ui, "Help", |ui| {
                ui.hyperlink_to("The manual", "https://example.org/greenhouse")
            });
            row(ui, "Lamps", |ui| ui.checkbox(&mut house.lamps, "On"));
            row(ui, "Lamp color", |ui| ui.color_edit_button_srgba(&mut house.lamp_color));
            row(ui, "Vents", |ui| {
                ui.radio_value(&mut house.vents, Vents::Closed, "Closed");
                ui.radio_value(&mut house.vents, Vents::Automatic, "Automatic");
                ui.radio_value(&mut house.vents, Vents::Open, "Open");
            });
            row(ui, "Bench", |ui| {
                ui.selectable_value(&mut house.bench, Bench::North, "North");
                ui.selectable_value(&mut house.bench, Bench::South, "South");
            });
            row(ui, "Crop", |ui| {
                let combo = ComboBox::from_id_salt("crop").selected_text(house.crop);
                combo.show_ui(ui, |ui| {
                    for crop in CROPS {
                        ui.selectable_value(&mut house.crop, crop, crop);
                    }
                });
            });
            row(ui, "Temperature", |ui| {
                ui.add(Slider::new(&mut house.degrees, DEGREES).step_by(0.5).suffix(" °C"))
            });
            row(ui, "Humidity", |ui| {
                ui.add(DragValue::new(&mut house.humidity).range(30..=90).suffix(" %"))
            });
            row(ui, "Harvest", |ui| {
                ui.add(DatePickerButton::new(&mut house.harvest).show_icon(false))
            });
            row(ui, "Water", |ui| {
                if ui.button("Water now").clicked() {
                    house.tank = (house.tank - 0.1).max(0.0);
                }
                ui.add(ProgressBar::new(house.tank).desired_width(140.0).show_percentage());
            });
            row(ui, "Camera", |ui| {
                if ui.add(Button::image(lens)).clicked() {
                    house.photos += 1;
                }
                ui.label(format!("{} taken", house.photos));
            });
            row(ui, "Sensors", |ui| ui.spinner());
        });
    }

    fn journal_ui(&mut self, ui: &mut Ui) {
        let text = TextEdit::multiline(&mut self.house.journal).desired_rows(3);
        ui.add(text).accessible_name("Journal");
        if ui.button("Empty the journal").clicked() {
            self.house.journal.clear();
        }
    }

    /// A round picture for the camera's button.
    fn lens(&mut self, ui: &Ui) -> Image<'static> {
        let lens = self.lens.get_or_insert_with(|| {
            let at = |i: usize| Vec2::new((i % 16) as f32 - 7.5, (i / 16) as f32 - 7.5).length();
            let shade = |r: f32| match r {
                r if r > 7.5 => Color32::TRANSPARENT,
                r if r > 4.0 => Color32::GRAY,
                _ => Color32::LIGHT_BLUE,
            };
            let pixels = (0..256).map(|i| shade(at(i))).collect();
            ui.ctx()
                .load_texture("lens", ColorImage::new([16, 16], pixels), TextureOptions::LINEAR)
        });
        Image::new((lens.id(), Vec2::splat(16.0))).alt_text("Take a photo")
    }
}

/// One row of the grid: a label, and what it is for.
fn row<R>(ui: &mut Ui, name: &str, add_widgets: impl FnOnce(&mut Ui) -> R) {
    let label = ui.label(name).id;
    ui.horizontal(|ui| ui.label_inputs_by(label, add_widgets));
    ui.end_row();
}
