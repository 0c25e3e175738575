//! A to-do list that an agent can operate: the example that the README walks through.
//!
//! [`app`] is an ordinary egui app; its declarations come from [`declare`], and with the feature `plain` they do
//! nothing. Window and command line are those of all examples.

use example_common::{App, Example, Summary};
use serde_json::json;

use app::TodoApp;

pub mod app;
mod declare;

/// What the assistant is for.
pub const ROLE: &str = "You help the user manage a personal task list.";

/// The example as its command line and its window see it.
pub const EXAMPLE: Example<TodoApp> = Example {
    name: "todo",
    title: "Todo",
    role: ROLE,
    screen: [640.0, 480.0],
    window: [900.0, 560.0],
    options: &[],
    create: |_options| Ok(TodoApp::default()),
};

impl App for TodoApp {
    fn ui(&mut self, ui: &mut egui::Ui) {
        self.ui(ui);
    }

    fn summary(&self) -> Summary {
        let (total, done) = (self.todos.len(), self.done());
        Summary {
            records: json!(self.todos),
            state: json!({ "filter": self.filter, "total": total, "done": done }),
            words: format!("{total} tasks, {done} done"),
        }
    }
}

/// The README's code, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
