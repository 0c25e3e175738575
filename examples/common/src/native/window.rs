//! An app in a window, with the assistant at its side.

use std::net::SocketAddr;

use pling_egui::{AssistantPanel, Builder, Pling, core::surface::server::Serving};

use super::{output::Output, serve::serve};
use crate::{App, Example};

struct Window<A> {
    app: A,
    pling: Pling,
    /// Where the end is told, if anywhere.
    output: Option<Output>,
    _serving: Option<Serving>,
}

impl<A: App> eframe::App for Window<A> {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        AssistantPanel::new(&self.pling).show(ui);
        egui::CentralPanel::default().show(ui, |ui| self.app.ui(ui));
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        if let Some(output) = &self.output {
            output.last(None, &self.app.summary());
        }
    }
}

/// Opens the window and returns when it is closed. What happens in the session, and what is left at the end, goes to
/// `output`, if there is one.
///
/// # Errors
/// When no window can be opened, or the configuration cannot be used; in words for the user.
pub(crate) fn run<A: App>(
    example: &Example<A>,
    app: A,
    pling: Builder,
    address: Option<SocketAddr>,
    output: Option<Output>,
) -> Result<(), String> {
    let pling = match output.clone() {
        Some(output) => pling.on_event(move |event| output.event(event)),
        None => pling,
    };
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
        Ok(Box::new(Window {
            app,
            pling,
            output,
            _serving,
        }) as Box<dyn eframe::App>)
    };
    eframe::run_native(example.name, options, Box::new(create)).map_err(|error| error.to_string())
}
