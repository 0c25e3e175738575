//! An app in a browser tab, with the assistant at its side.
//!
//! The page has a `<canvas id="app">`, and may have a [`Settings`] script. An element `status` is shown until the app
//! runs, and says why where it does not.

mod settings;
#[cfg(not(feature = "plain"))]
mod tell;

use eframe::{WebOptions, WebRunner};
use web_sys::{HtmlCanvasElement, wasm_bindgen::JsCast as _};

use settings::Settings;

use crate::{App, Example};

/// The page that the app is on.
#[derive(Debug)]
pub struct Page {
    canvas: HtmlCanvasElement,
    settings: Settings,
}

/// Lets `run` show an app on the page, or tells its reader why there is none.
pub fn in_page(run: impl FnOnce(Page)) {
    match Page::new() {
        Ok(page) => run(page),
        Err(error) => status(&error),
    }
}

impl Page {
    fn new() -> Result<Self, String> {
        let canvas = element("app").and_then(|element| element.dyn_into().ok());
        Ok(Self {
            canvas: canvas.ok_or("The page has no canvas with the id app.")?,
            settings: Settings::of_page()?,
        })
    }

    /// Which app the page wants, by its name: the canvas says so, or else the address, as `?app=orders`.
    #[must_use]
    pub fn app(&self) -> String {
        let of_address = || {
            let search = web_sys::window()?.location().search().ok()?;
            Some(search.strip_prefix("?app=")?.to_owned())
        };
        self.canvas
            .get_attribute("data-app")
            .or_else(of_address)
            .unwrap_or_default()
    }

    /// Shows an app on the canvas.
    pub fn show<A: App>(self, example: &'static Example<A>) {
        wasm_bindgen_futures::spawn_local(async move {
            let Self { canvas, settings } = self;
            let create = move |creation: &eframe::CreationContext<'_>| window::<A>(example, &settings, creation);
            let runner = WebRunner::new();
            match runner.start(canvas, WebOptions::default(), Box::new(create)).await {
                Ok(()) => status(""),
                Err(error) => status(&error.as_string().unwrap_or_else(|| format!("{error:?}"))),
            }
        });
    }
}

type Created = Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>>;

/// The app alone.
#[cfg(feature = "plain")]
fn window<A: App>(example: &Example<A>, _settings: &Settings, _creation: &eframe::CreationContext<'_>) -> Created {
    struct Window<A>(A);

    impl<A: App> eframe::App for Window<A> {
        fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
            egui::CentralPanel::default().show(ui, |ui| self.0.ui(ui));
        }
    }

    Ok(Box::new(Window((example.create)(&crate::Options::default())?)))
}

/// The app with the assistant at its side.
#[cfg(not(feature = "plain"))]
fn window<A: App>(example: &Example<A>, settings: &Settings, creation: &eframe::CreationContext<'_>) -> Created {
    use pling_egui::{AssistantPanel, Pling};
    use settings::Doors;
    use tell::Tell;

    struct Window<A> {
        app: A,
        pling: Pling,
        tell: Option<Tell>,
        _doors: Doors,
    }

    impl<A: App> eframe::App for Window<A> {
        fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
            AssistantPanel::new(&self.pling).show(ui);
            egui::CentralPanel::default().show(ui, |ui| self.app.ui(ui));
            if let Some(tell) = &mut self.tell {
                tell.summary(&self.app);
            }
        }
    }

    let app = (example.create)(&crate::Options::default())?;
    let pling = settings.builder(example.role)?.try_install(&creation.egui_ctx)?;
    let tell = settings.tell.then(|| Tell::new(&creation.egui_ctx));
    let _doors = settings.open(example.name, &pling, &creation.egui_ctx)?;
    Ok(Box::new(Window {
        app,
        pling,
        tell,
        _doors,
    }))
}

fn element(id: &str) -> Option<web_sys::Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Puts words into the page, or takes them away where there are none.
fn status(words: &str) {
    let Some(status) = element("status") else { return };
    match words {
        "" => status.remove(),
        words => status.set_text_content(Some(words)),
    }
}
