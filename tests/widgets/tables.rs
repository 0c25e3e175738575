//! Tables: rows to select, headers to sort by.

use std::collections::BTreeSet;

use egui::{Sense, Ui};
use egui_extras::{Column, TableBuilder};
use pling_egui::{Record, Region, ResponseExt as _, TableRowExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

#[derive(Default)]
struct Orders {
    ids: Vec<u32>,
    selected: BTreeSet<u32>,
    descending: bool,
    sorts: u32,
    clicks: u32,
    dimmed: bool,
}

fn orders(ui: &mut Ui, orders: &mut Orders) {
    if orders.dimmed {
        ui.disable();
    }
    ui.region(Region::new("orders", "Orders"), |ui| {
        let table = TableBuilder::new(ui)
            .sense(Sense::click())
            .column(Column::auto())
            .column(Column::remainder());
        let table = table.header(20.0, |mut header| {
            header.col(|ui| {
                let sort = ui
                    .button("Number")
                    .tool(Tool::new("sort", "Turn the order around").read());
                if sort.clicked() {
                    orders.descending = !orders.descending;
                    orders.ids.reverse();
                    orders.sorts += 1;
                }
            });
            header.col(|ui| {
                ui.label("Customer");
            });
        });
        table.body(|body| {
            body.rows(20.0, orders.ids.len(), |mut row| {
                let id = orders.ids[row.index()];
                row.set_selected(orders.selected.contains(&id));
                row.record(Record::new(id, format!("Order {id}")), |row| {
                    row.col(|ui| {
                        ui.label(id.to_string());
                    });
                    row.col(|ui| {
                        ui.label("Somebody");
                    });
                    let select = row.response().tool(Tool::new("select", "Select the order").read());
                    if select.clicked() {
                        orders.clicks += 1;
                        if !orders.selected.remove(&id) {
                            orders.selected.insert(id);
                        }
                    }
                });
            });
        });
    });
}

#[test]
fn rows_are_selected_and_headers_sort() {
    let state = Orders {
        ids: (1..=5).collect(),
        ..Orders::default()
    };
    let mut harness = AgentHarness::new_ui_state(orders, state);
    assert!(harness.invoke("select", json!({ "record": "2" })).is_ok());
    assert!(harness.invoke("sort", json!({})).is_ok());
    assert_eq!(harness.state().ids, [5, 4, 3, 2, 1]);
    assert!(harness.invoke("select", json!({ "record": "4" })).is_ok());
    assert_eq!(harness.state().selected, BTreeSet::from([2, 4]));
    assert_eq!((harness.state().clicks, harness.state().sorts), (2, 1));
    harness.state_mut().dimmed = true;
    let refused = harness.invoke("select", json!({ "record": "1" }));
    assert_eq!(refused.reason.as_deref(), Some("disabled"), "{refused:?}");
    assert_eq!(harness.state().clicks, 2);
}
