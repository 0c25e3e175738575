//! What the assistant sees, shown to the user.

use egui::{Key, ViewportId};
use egui_kittest::kittest::Queryable as _;
use pling_core::{llm::Turn, platform::Duration};

use super::{Bench, Setup};
use crate::support::Scripted;

fn opened() -> Bench {
    let mut bench = Bench::new(Scripted::new([Turn::text("ok"), Turn::text("ok")]));
    bench.press("Inspector");
    bench.harness.kittest().run_steps(3);
    bench
}

#[test]
fn it_shows_what_a_request_would_hold() {
    let mut bench = opened();
    assert!(bench.shows("Unavailable") && bench.shows("≤ 40 entries"));
    assert!(bench.shows("set_filter") && bench.shows("clear_done"));
    assert!(
        bench.shows("requires") || bench.shows("disabled"),
        "why it cannot be used"
    );
    bench.press("Page as sent");
    assert!(bench.shows("<page_data>"), "as sent");
}

#[test]
fn pointing_at_an_action_outlines_its_widget_and_a_click_copies() {
    let mut bench = opened();
    let strokes = |bench: &mut Bench| {
        let shapes = &bench.harness.kittest().output().shapes;
        let is_outline = |shape: &egui::Shape| matches!(shape, egui::Shape::Rect(rect) if rect.stroke.width == 2.0);
        shapes.iter().filter(|clipped| is_outline(&clipped.shape)).count()
    };
    let before = strokes(&mut bench);
    bench.harness.kittest().get_by_label("add_todo").hover();
    bench.harness.kittest().run_steps(2);
    assert_eq!(strokes(&mut bench), before + 1);
    bench.harness.kittest().get_by_label("add_todo").click();
    let mut copied = None;
    for _ in 0..4 {
        bench.harness.kittest().step();
        let commands = &bench.harness.kittest().output().platform_output.commands;
        copied = copied.or(commands.iter().find_map(|command| match command {
            egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        }));
    }
    assert!(copied.is_some_and(|text| text.contains("\"name\": \"add_todo\"")));
}

#[test]
fn it_lists_what_nobody_declared() {
    let mut bench = opened();
    bench.show_signing();
    bench.press("Without a declaration");
    assert!(bench.shows("button “Plain”"));
    assert!(!bench.shows("button “Sign”") && !bench.shows("button “Inspector”"));
}

#[test]
fn it_keeps_what_changed_and_what_was_sent() {
    let mut bench = opened();
    bench.press("Last requests");
    bench.tab_to("Record requests");
    bench.key(Key::Space);
    bench.send("hello");
    bench.until_idle();
    bench.press("Inspector");
    assert!(bench.shows("Request 1"));
    bench.harness.state_mut().app.todos.remove(0);
    bench.harness.kittest().run_steps(3);
    bench.press("Changes");
    assert!(bench.shows("t1 removed from view"));
}

#[test]
fn an_open_inspector_asks_for_no_pass() {
    let mut bench = Bench::with(Some(Scripted::default()), Setup::default());
    bench.press("Inspector");
    bench.harness.kittest().run_steps(20);
    let root = &bench.harness.kittest().output().viewport_output[&ViewportId::ROOT];
    assert_eq!(root.repaint_delay, Duration::MAX);
}
