//! What a screen reader hears.

use egui::accesskit::Live;
use egui_kittest::kittest::NodeT as _;
use pling_core::llm::{ErrorKind, Turn};
use serde_json::json;

use super::{Bench, delete_milk};
use crate::support::Scripted;

/// What is said by itself when it changes.
fn spoken(bench: &mut Bench) -> Vec<(Live, String)> {
    let root = bench.harness.kittest().root();
    let live = root.children_recursive().filter_map(|node| {
        let node = node.accesskit_node();
        // A label's text may be its value.
        let words = node.label().or_else(|| node.value()).unwrap_or_default();
        (node.live() != Live::Off).then(|| (node.live(), words))
    });
    live.collect()
}

fn hears(bench: &mut Bench, live: Live, words: &str) -> bool {
    spoken(bench)
        .iter()
        .any(|(how, said)| *how == live && said.contains(words))
}

#[test]
fn what_happens_is_said_when_it_happens() {
    let turns = [
        Turn::call("toggle", json!({ "record": "t2", "checked": true })),
        delete_milk(),
        Turn::text("It is **done**\n\n- one\n- two"),
        Turn::error(ErrorKind::Auth, "the key was refused"),
    ];
    let mut bench = Bench::new(Scripted::new(turns));
    assert_eq!(spoken(&mut bench), []);
    bench.send("mark the review and remove the milk");
    bench.until_asked();
    assert!(hears(&mut bench, Live::Assertive, "Allow this? It may not be undone"));
    assert!(hears(
        &mut bench,
        Live::Polite,
        "Delete the task · Buy milk: waiting for you"
    ));
    bench.press("Allow once");
    bench.until_idle();
    assert!(
        hears(&mut bench, Live::Polite, "done"),
        "the answer as a whole: {:?}",
        spoken(&mut bench)
    );
    assert!(hears(&mut bench, Live::Polite, "one"));
    bench.send("once more");
    bench.until_idle();
    assert!(hears(
        &mut bench,
        Live::Polite,
        "the key was refused, Check the key in the settings"
    ));
    assert_eq!(spoken(&mut bench).len(), 1, "one voice");
}
