//! What the examples share: a command line, a run without a window, and a window or a browser tab with the assistant at
//! its side.
//!
//! An example is an [`App`] and a description of it, [`Example`]; its `main` is one call of `main`, or of `in_page` where
//! it runs in a browser.

#![cfg_attr(
    not(target_arch = "wasm32"),
    expect(
        clippy::print_stdout,
        clippy::print_stderr,
        reason = "a command line talks to its terminal"
    )
)]

mod later;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod page;

pub use later::later;
#[cfg(not(target_arch = "wasm32"))]
pub use native::main;
#[cfg(target_arch = "wasm32")]
pub use page::{Page, in_page};

/// An app that can be drawn in a window and without one.
pub trait App: 'static {
    /// Draws the page.
    fn ui(&mut self, ui: &mut egui::Ui);

    /// What is left at the end of a run without a window.
    fn summary(&self) -> Summary;
}

/// The end of a run without a window, as the app itself knows it.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The app's records, or those that were changed where there are many.
    pub records: serde_json::Value,
    /// What else there is to know.
    pub state: serde_json::Value,
    /// The same in words.
    pub words: String,
}

/// An example as its command line and its window see it.
#[derive(Debug)]
pub struct Example<A> {
    /// The name of the program.
    pub name: &'static str,
    /// The title of the window.
    pub title: &'static str,
    /// What the assistant is for.
    pub role: &'static str,
    /// The screen that nobody sees, in points.
    pub screen: [f32; 2],
    /// The window, in points.
    pub window: [f32; 2],
    /// Options of its own.
    pub options: &'static [AppOption],
    /// Makes the app, or says in words which option cannot be used.
    pub create: fn(&Options) -> Result<A, String>,
}

/// An option of one example, with a value.
#[derive(Clone, Copy, Debug)]
pub struct AppOption {
    /// Without dashes.
    pub name: &'static str,
    /// What stands for its value in the help, such as `N`.
    pub value: &'static str,
    /// What it does, in a few words.
    pub help: &'static str,
}

/// The values of an example's own options, as they were given.
#[derive(Clone, Debug, Default)]
pub struct Options(Vec<(&'static str, String)>);

impl Options {
    /// The value given last.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let given = self.0.iter().rev().find(|(other, _)| *other == name);
        given.map(|(_, value)| value.as_str())
    }
}
