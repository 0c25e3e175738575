//! `adopt gallery|modals|table`: one of the tools in a window.

use adopt::tools;
use egui::CentralPanel;

fn main() -> eframe::Result {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(mut tool) = tools::open(&name, false).or_else(|| tools::open(tools::NAMES[0], false)) else {
        return Ok(());
    };
    eframe::run_ui_native("adopt", eframe::NativeOptions::default(), move |ui, _frame| {
        CentralPanel::default().show(ui, |ui| tool(ui));
    })
}
