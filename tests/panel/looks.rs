//! What the panel looks like.

use egui::{Key, Theme};
use egui_kittest::{SnapshotResults, kittest::Queryable as _};
use pling_core::{
    act::DefaultApproval,
    llm::{ErrorKind, Turn},
};
use serde_json::json;

use super::{Bench, Setup, Shown, delete_milk};
use crate::support::Scripted;

/// Points of the panel: as narrow as it gets, and wide.
const WIDTHS: [f32; 2] = [260.0, 420.0];

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
fn looks_of_a_question() {
    let turns = || {
        vec![
            Turn::call("toggle", json!({ "record": "t2", "checked": true })),
            Turn::text("That one is done"),
            delete_milk().saying("That one goes."),
        ]
    };
    all_looks("question", turns, |bench| {
        bench.send("Mark the design review");
        bench.until_idle();
        bench.send("Remove the milk");
        bench.until_asked();
    });
}

#[test]
fn looks_of_a_question_about_a_link() {
    let turns = || {
        vec![Turn::text(
            "It is on [the page](https://example.com/a/rather/long/address?q=1)",
        )]
    };
    all_looks("link", turns, |bench| {
        bench.send("Where is it?");
        bench.until_idle();
        bench.harness.kittest().get_by_label("the page").click_accesskit();
        bench.harness.kittest().run_steps(3);
    });
}

#[test]
fn looks_at_work() {
    all_looks(
        "working",
        || vec![Turn::never()],
        |bench| {
            bench.send("Think for ever");
            bench.send("And this after that");
            bench.harness.run(tokio::task::yield_now());
            bench.harness.kittest().run_steps(3);
        },
    );
}

#[test]
fn looks_of_a_conversation_scrolled_back() {
    let lines: String = (1..=24).map(|line| format!("{line}. line\n")).collect();
    let turns = || vec![Turn::text(lines.clone()), Turn::text("Another answer")];
    all_looks("back", turns, |bench| {
        for text in ["A long one, please", "Thanks"] {
            bench.send(text);
            bench.until_idle();
        }
        bench.tab_to("Clear");
        let right = bench.harness.kittest().ctx.content_rect().right();
        bench.wheel(egui::pos2(right - 80.0, 200.0), 300.0);
        bench.harness.kittest().run_steps(20);
    });
}

#[test]
fn looks_of_the_palettes_form() {
    all_looks("form", Vec::new, |bench| {
        bench.open_palette();
        bench.type_text("due");
        bench.key(Key::Enter);
        bench.harness.kittest().run_steps(3);
    });
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

/// Pictures of one state in both themes and widths.
fn all_looks(name: &str, turns: impl Fn() -> Vec<Turn>, mut show: impl FnMut(&mut Bench)) {
    let mut results = SnapshotResults::new();
    for (theme, theme_name) in THEMES {
        for width in WIDTHS {
            let setup = Setup {
                theme: Some(theme),
                size: Some([width + 330.0, 600.0]),
                width: Some(width),
                ..Setup::default()
            };
            let mut bench = Bench::with(Some(Scripted::new(turns())), setup);
            show(&mut bench);
            results.extend(bench.snapshot(&format!("panel_{name}_{theme_name}_{width:.0}")));
        }
    }
}

#[test]
fn looks_before_anything_happened() {
    all_looks("empty", Vec::new, |bench| {
        bench.harness.kittest().run_steps(3);
    });
}

#[test]
fn looks_of_an_answer() {
    let turns = || {
        vec![
            Turn::call("toggle", json!({ "record": "t2", "checked": true })),
            Turn::text(
                "It is **done**:\n\n| Task | Due |\n|---|---|\n| Book the design review | today |\n\n```\ncode\n```",
            ),
        ]
    };
    all_looks("chat", turns, |bench| {
        bench.send("Mark the design review");
        bench.until_idle();
        bench.press("Details");
    });
}

#[test]
fn looks_of_an_irreversible_question() {
    all_looks(
        "irreversible",
        || vec![Turn::call("wipe", json!({}))],
        |bench| {
            bench.show_signing();
            bench.send("Wipe the disk");
            bench.until_asked();
        },
    );
}

#[test]
fn looks_of_a_step_for_the_user() {
    all_looks(
        "handoff",
        || vec![Turn::call("sign", json!({}))],
        |bench| {
            bench.show_signing();
            bench.send("Sign the contract");
            bench.until_asked();
        },
    );
}

#[test]
fn looks_of_grants() {
    all_looks(
        "grants",
        || vec![delete_milk(), Turn::text("Gone")],
        |bench| {
            bench.send("Remove the milk");
            bench.until_asked();
            bench.press("Allow for this session");
            bench.until_idle();
            bench.press("As the app says · 1 allowed");
        },
    );
}

#[test]
fn looks_of_an_error() {
    let turns = || vec![Turn::error(ErrorKind::Auth, "401: the key was refused")];
    all_looks("error", turns, |bench| {
        bench.send("Hello");
        bench.until_idle();
    });
}

#[test]
fn looks_of_the_inspector() {
    all_looks("inspector", Vec::new, |bench| {
        bench.press("Inspector");
        bench.harness.kittest().run_steps(3);
    });
}

#[test]
fn looks_of_the_settings() {
    all_looks("settings", Vec::new, |bench| {
        bench.press("Settings");
    });
}

#[test]
fn looks_of_the_palette() {
    all_looks("palette", Vec::new, |bench| {
        bench.open_palette();
        bench.type_text("mark");
        bench.harness.kittest().run_steps(2);
    });
}

#[test]
fn looks_of_a_window() {
    let mut results = SnapshotResults::new();
    let setup = Setup {
        shown: Shown::Window,
        ..Setup::default()
    };
    let mut bench = Bench::with(Some(Scripted::new([Turn::text("Hello")])), setup);
    bench.send("Hi");
    bench.until_idle();
    results.extend(bench.snapshot("panel_window"));
}
