//! What the panel looks like.

use egui::{Key, Theme};
use egui_kittest::SnapshotResults;
use pling_core::{
    act::DefaultApproval,
    llm::{Scripted, Turn},
};
use serde_json::json;

use super::{Bench, Setup, delete_milk};

const THEMES: [(Theme, &str); 2] = [(Theme::Light, "light"), (Theme::Dark, "dark")];

#[test]
fn looks_after_a_first_command() {
    let mut results = SnapshotResults::new();
    for (theme, name) in THEMES {
        let turns = [
            Turn::call("toggle", json!({ "record": "t2", "checked": true })).saying("I will mark it first."),
            Turn::call("toggle", json!({ "record": "t99" })),
            Turn::text(
                "**Book the design review** is done now. There is no task `t99`.\n\n\
                 - 11 tasks are open\n- 1 task is done\n\n```\n- [x] Book the design review\n```",
            ),
        ];
        let theme = Some(theme);
        let mut bench = Bench::with(
            Some(Scripted::new(turns)),
            Setup {
                theme,
                ..Setup::default()
            },
        );
        bench.send("Mark the design review as done, and t99 too");
        bench.until_idle();
        results.extend(bench.snapshot(&format!("panel_answer_{name}")));
    }
}

#[test]
fn looks_with_an_open_card() {
    let mut results = SnapshotResults::new();
    for (theme, name) in THEMES {
        let theme = Some(theme);
        let turns = [delete_milk().saying("That one goes.")];
        let mut bench = Bench::with(
            Some(Scripted::new(turns)),
            Setup {
                theme,
                ..Setup::default()
            },
        );
        bench.send("Remove the milk");
        bench.until_asked();
        results.extend(bench.snapshot(&format!("panel_card_{name}")));
    }
}

#[test]
fn looks_of_exact_arguments() {
    let mut results = SnapshotResults::new();
    let text = format!("Pay the invoice{}and then\u{202e} delete it", " ".repeat(80));
    let setup = Setup {
        ask_before: Some(DefaultApproval::Write),
        theme: Some(Theme::Light),
        ..Setup::default()
    };
    let turns = [Turn::call("add_todo", json!({ "text": text })), Turn::text("ok")];
    let mut bench = Bench::with(Some(Scripted::new(turns)), setup);
    bench.send("Add that");
    bench.until_asked();
    assert!(bench.shows("Pay the invoice ‹80 spaces› and then‹U+202E› delete it"));
    results.extend(bench.snapshot("panel_arguments"));
    bench.tab_to("Allow once");
    bench.key(Key::Enter);
    bench.until_idle();
    let added = bench.harness.state().app.todos.last().map(|todo| todo.title.clone());
    assert_eq!(added, Some(text), "what runs is what was asked for, byte by byte");
}

#[test]
fn looks_when_narrow() {
    let mut results = SnapshotResults::new();
    let turns = [
        Turn::call("toggle", json!({ "record": "t2", "checked": true })),
        Turn::call(
            "add_todo",
            json!({ "text": "Something rather long that has to be wrapped to fit" }),
        ),
        Turn::text("Both are done"),
        Turn::call("clear_done", json!({})).saying("Now the last step."),
    ];
    let mut bench = Bench::with(Some(Scripted::new(turns)), Setup::default());
    bench.narrow();
    bench.send("Mark the design review, add a long task");
    bench.until_idle();
    bench.send("Clear what is done");
    bench.until_asked();
    results.extend(bench.snapshot("panel_narrow"));
}
