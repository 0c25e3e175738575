//! An app in a window, with the assistant at its side.

use std::net::SocketAddr;

use pling_egui::{AssistantPanel, Builder, Pling, core::surface::server::Serving};

use super::serve::serve;
use crate::{App, Example};

struct Window<A> {
    app: A,
    pling: Pling,
    _serving: Option<Serving>,
}

impl<A: App> eframe::App for Window<A> {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        AssistantPanel::new(&self.pling).show(ui);
        egui::CentralPanel::default().show(ui, |ui| self.app.ui(ui));
    }
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// When no window can be opened, or the configuration cannot be used; in words for the user.
pub(crate) fn run<A: App>(
    example: &Example<A>,
    app: A,
    pling: Builder,
    address: Option<SocketAddr>,
) -> Result<(), String> {
    let viewport = egui::ViewportBuilder::default()
        .with_title(example.title)
        .with_inner_size(example.window);
    let options = eframe::NativeOptions {
        viewport,
        ..eframe::NativeOptions::default()
    };
    let create = |creation: &eframe::CreationContext<'_>| {
        let pling = pling.try_install(&creation.egui_ctx)?;
        let _serving = address.and_then(|address| {
            let serving = serve(example, &pling, address);
            // The window is there for its user all the same.
            serving.inspect_err(|error| eprintln!("{}: {error}", example.name)).ok()
        });
        Ok(Box::new(Window { app, pling, _serving }) as Box<dyn eframe::App>)
    };
    eframe::run_native(example.name, options, Box::new(create)).map_err(|error| error.to_string())
}
