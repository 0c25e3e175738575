//! How many passes a call takes. Passes are counted, not their time.

use std::cell::Cell;

use egui::Ui;
use pling_core::act::{Arguments, Call, CancellationToken};
use serde_json::json;

use super::{app::App, report, stage::WithPling};

/// Passes in which a page comes to rest before it is called.
const REST: usize = 10;

pub(crate) fn rows() {
    let mut app = App::new(0);
    let click = Taken::by("delete", "2", |ui| {
        app.page_ui::<true>(ui);
        app.clicks > 0
    });
    report::count(
        "click on a settled page: passes from call to handler",
        click.to_handler,
        6,
    );
    report::count("the same: passes from handler to receipt", click.to_receipt, 3);
    let worst = [0, 54_321, 500_000, 999_999].map(far_row).into_iter().max();
    let what = "any of 1,000,000 rows: passes from call to its handler";
    report::count(what, worst.unwrap_or(usize::MAX), 6);
}

fn far_row(row: usize) -> usize {
    let mut app = App::new(1_000_000);
    let taken = Taken::by("open", &row.to_string(), |ui| {
        app.source_ui::<true>(ui);
        app.opened == Some(row)
    });
    taken.to_handler
}

/// Passes that a call took.
struct Taken {
    /// Up to the one in which the handler ran, that one counted.
    to_handler: usize,
    /// From there to the receipt.
    to_receipt: usize,
}

impl Taken {
    /// Calls `tool` on a record. `ui` draws the app and says whether the handler has run.
    fn by(tool: &str, record: &str, mut ui: impl FnMut(&mut Ui) -> bool) -> Self {
        let (drawn, handled) = (Cell::new(0), Cell::new(None));
        let mut page = |draw: &mut Ui| {
            drawn.set(drawn.get() + 1);
            if ui(draw) && handled.get().is_none() {
                handled.set(Some(drawn.get()));
            }
        };
        let mut with = WithPling::new();
        for _ in 0..REST {
            with.stage.pass(&mut page);
        }
        let executor = with.pling.executor().clone();
        let (seen, _) = with.passes_until(&mut page, executor.observe());
        let seen = seen.expect("a pass is drawn");
        drawn.set(0);
        let call = Call::new("bench", tool, Arguments::from(json!({ "record": record })), seen);
        let cancel = CancellationToken::new();
        let (receipt, all) = with.passes_until(&mut page, executor.invoke(call, &cancel));
        assert!(receipt.is_ok(), "{receipt:?}");
        let to_handler = handled.get().expect("the handler ran");
        Self {
            to_handler,
            to_receipt: all - to_handler,
        }
    }
}
