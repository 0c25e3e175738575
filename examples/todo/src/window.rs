//! The app in a window, with the assistant at its side.

use pling_egui::{AssistantPanel, Builder, Pling};

use crate::app::TodoApp;

struct Window {
    app: TodoApp,
    pling: Pling,
}

impl eframe::App for Window {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        AssistantPanel::new(&self.pling).show(ui);
        egui::CentralPanel::default().show(ui, |ui| self.app.ui(ui));
    }
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// When no window can be opened, or the configuration cannot be used; in words for the user.
pub fn run(pling: Builder) -> Result<(), String> {
    let viewport = egui::ViewportBuilder::default()
        .with_title("Todo")
        .with_inner_size([900.0, 560.0]);
    let options = eframe::NativeOptions {
        viewport,
        ..eframe::NativeOptions::default()
    };
    let create = |creation: &eframe::CreationContext<'_>| {
        let pling = pling.try_install(&creation.egui_ctx)?;
        let app = TodoApp::default();
        Ok(Box::new(Window { app, pling }) as Box<dyn eframe::App>)
    };
    eframe::run_native("todo", options, Box::new(create)).map_err(|error| error.to_string())
}
