//! The app itself: ordinary egui, with declarations on what an agent may operate.
//!
//! Handlers change the model where they stand; what takes long is only begun there, and [`OrdersApp::work`] goes on
//! with it once in each pass.

mod detail;
mod look;
mod settings;
mod table;
mod toolbar;
mod totals;
mod work;

use egui::Ui;
use pling_egui::{Page, Region, UiExt as _, core::model::Level};

pub use self::settings::Settings;
use self::{detail::Detail, totals::TotalsWindow, work::Exporting};
use crate::{
    data::{Orders, Status},
    work::{Bulk, Selection, View},
};

/// How many times each handler of the app ran: what a test counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// Check marks changed.
    pub select: u32,
    /// Details opened.
    pub open: u32,
    /// Details saved.
    pub save: u32,
    /// Orders refunded.
    pub refund: u32,
    /// Edits of many orders begun.
    pub bulk: u32,
    /// Exports begun.
    pub export: u32,
}

/// The tool and everything on the page.
#[derive(Debug)]
pub struct OrdersApp {
    /// All orders.
    pub orders: Orders,
    /// Which of them the table shows.
    pub view: View,
    /// Which of them are checked.
    pub selection: Selection,
    /// What the user chose once for all.
    pub settings: Settings,
    /// How many times each handler ran.
    pub handled: Handled,
    search: String,
    detail: Option<Detail>,
    settings_open: bool,
    totals: Option<TotalsWindow>,
    bulk: Option<Bulk>,
    export: Option<Exporting>,
    /// The last export that went to no file.
    exported: Option<Vec<u8>>,
    message: Option<(Level, String)>,
    /// The rows are new: they are shown from the first.
    rows_are_new: bool,
}

impl OrdersApp {
    /// The tool with this many orders.
    #[must_use]
    pub fn new(rows: u32) -> Self {
        let orders = Orders::new(rows);
        Self {
            view: View::new(&orders),
            orders,
            selection: Selection::default(),
            settings: Settings::default(),
            handled: Handled::default(),
            search: String::new(),
            detail: None,
            settings_open: false,
            totals: None,
            bulk: None,
            export: None,
            exported: None,
            message: None,
            rows_are_new: false,
        }
    }

    /// The last export that went to no file.
    #[must_use]
    pub fn exported(&self) -> Option<&[u8]> {
        self.exported.as_deref()
    }

    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui) {
        look::apply(ui);
        ui.page(Page::new("Orders").path("/orders"));
        self.work(ui);
        ui.region(
            Region::new("orders", "Orders").purpose("all orders of the shop"),
            |ui| {
                self.title_ui(ui);
                self.find_ui(ui);
                self.bulk_ui(ui);
                self.table_ui(ui);
                self.status_ui(ui);
            },
        );
        self.detail_ui(ui);
        self.settings_ui(ui);
        self.totals_ui(ui);
    }

    /// Changes the status of one order, in the table too. It can be undone unless it is for good.
    fn set_status(&mut self, index: u32, status: Status) {
        let before = self.orders.get(index);
        let mut edit = self.orders.details(index);
        edit.order.status = status;
        let after = edit.order;
        self.orders.put(edit);
        self.view.edited(&before, &after, &self.orders);
    }

    fn say(&mut self, level: Level, text: impl Into<String>) {
        self.message = Some((level, text.into()));
    }
}
