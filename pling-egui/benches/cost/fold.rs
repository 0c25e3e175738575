//! From a large snapshot to what a model is told.

use std::{hint::black_box, sync::Arc};

use pling_core::{
    model::{Action, Record, Region, RegionPath},
    observe::{Budget, Observation},
    platform::{Duration, now},
    snapshot::{ActionFacts, RecordFacts, RegionFacts, Snapshot},
};

use super::report::{self, median};

const RECORDS: usize = 10_000;
const ACTIONS: usize = 500;
const ROUNDS: usize = 100;

pub(crate) fn rows() {
    let (snapshot, budget) = (Arc::new(snapshot()), Budget::default());
    let times = (0..ROUNDS).map(|_| {
        let start = now();
        black_box(Observation::new(&snapshot, &budget));
        start.elapsed()
    });
    let median = median(times.collect()).unwrap_or(Duration::MAX);
    report::time(
        "10,000 records, 500 actions: snapshot to observation and tools",
        median,
        Duration::from_millis(1),
    );
    // As a provider counts: the page in the system message, and each tool's schema.
    let seen = Observation::new(&snapshot, &budget);
    let tools = seen.tools.iter().map(|tool| tool.to_json().to_string());
    let tokens = tools
        .chain([seen.text.clone()])
        .map(|text| tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len());
    report::count("the same: tokens (o200k_base)", tokens.sum(), 6_000);
}

/// Ten actions a record on the first 40 records, 100 actions of their own; twenty records are in view.
fn snapshot() -> Snapshot {
    let path = RegionPath::root().child("orders".into());
    let mut snapshot = Snapshot::new(1);
    snapshot
        .regions
        .push(RegionFacts::new(Region::new("orders", "Orders"), path.clone()));
    for index in 0..RECORDS {
        let mut record = Record::new(format!("order-{index}"), format!("Order {index}"));
        record
            .fields
            .push(("customer".to_owned(), Some(format!("Customer {}", index % 97).into())));
        record.fields.push(("total".to_owned(), Some(index.into())));
        let mut facts = RecordFacts::new(record);
        facts.region = path.clone();
        facts.visible = if index < 20 { 1.0 } else { 0.0 };
        snapshot.records.push(facts);
    }
    let row_actions: Vec<_> = (0..10).map(|kind| Arc::new(action(&format!("row_{kind}")))).collect();
    for index in 0..ACTIONS {
        let mut facts = if index < 400 {
            let mut facts = ActionFacts::new(Arc::clone(&row_actions[index % 10]));
            facts.record = Some(format!("order-{}", index / 10).into());
            facts
        } else {
            ActionFacts::new(action(&format!("single_{index}")))
        };
        facts.region = path.clone();
        snapshot.actions.push(facts);
    }
    snapshot
}

fn action(id: &str) -> Action {
    Action::new(id, format!("Do what {id} does to the order"))
}
