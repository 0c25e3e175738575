//! A desktop tool with a million orders that an agent can operate.
//!
//! Orders are made from their number by a pure function and never stored: [`data`] keeps what was edited, and
//! nothing else. Whatever has to look at all of them (a filter, a sort, an export, statistics) is [`work`]: a slice in
//! each pass, so that the window never stands still. [`app`] is an ordinary egui app on top, with declarations.

use example_common::{App, Example, Options, Summary};
use serde_json::{Value, json};

use app::OrdersApp;

pub mod app;
pub mod data;
pub mod format;
pub mod work;

/// What the assistant is for.
pub const ROLE: &str = "You help the user look through customers' orders and handle them: ship, correct, refund.";

/// How many orders there are when nobody says.
const ROWS: u32 = 1_000_000;

/// The example as its command line and its window see it.
pub const EXAMPLE: Example<OrdersApp> = Example {
    name: "orders",
    title: "Orders",
    role: ROLE,
    screen: [1000.0, 640.0],
    window: [1280.0, 800.0],
    options: &[
        example_common::AppOption {
            name: "rows",
            value: "N",
            help: "number of orders; a million unless said",
        },
        example_common::AppOption {
            name: "export-to",
            value: "FILE",
            help: "where an export is written; kept in memory unless said",
        },
    ],
    create,
};

fn create(options: &Options) -> Result<OrdersApp, String> {
    let rows = match options.get("rows") {
        None => ROWS,
        Some(text) => match text.parse() {
            Ok(rows) if rows <= data::MOST => rows,
            _ => return Err(format!("--rows takes a number up to {}, not \"{text}\"", data::MOST)),
        },
    };
    let mut app = OrdersApp::new(rows);
    if let Some(path) = options.get("export-to") {
        path.clone_into(&mut app.settings.export_path);
    }
    Ok(app)
}

impl App for OrdersApp {
    fn ui(&mut self, ui: &mut egui::Ui) {
        self.ui(ui);
    }

    fn summary(&self) -> Summary {
        let changed: Vec<Value> = self
            .orders
            .edited()
            .map(|order| json!({ "id": order.id().to_string(), "status": order.status, "items": order.quantity }))
            .collect();
        let (total, matching) = (self.orders.len(), self.view.rows().len());
        Summary {
            words: format!("{total} orders, {matching} shown, {} changed", changed.len()),
            records: Value::Array(changed),
            state: json!({ "total": total, "matching": matching }),
        }
    }
}
