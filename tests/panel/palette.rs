//! Actions without a model.

use egui::{Key, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use pling_core::llm::Turn;

use super::{Bench, COMPOSER};
use crate::support::Scripted;

const FIELD: &str = "Find an action";

fn opened() -> (Bench, Scripted) {
    let model = Scripted::default();
    let mut bench = Bench::new(model.clone());
    bench.open_palette();
    (bench, model)
}

/// Lets what the palette sent on its way come to its end.
fn until(bench: &mut Bench, what: &str, holds: impl Fn(&mut Bench) -> bool) {
    for _ in 0..400 {
        if holds(bench) {
            return;
        }
        bench.harness.run(tokio::task::yield_now());
    }
    panic!("waited for: {what}");
}

#[test]
fn an_action_of_a_record_is_found_by_a_few_letters_and_asked_about() {
    let (mut bench, model) = opened();
    bench.type_text("del milk");
    bench.key(Key::Enter);
    bench.until_asked();
    assert!(bench.shows("You asked for this"));
    assert!(
        bench.shows("Delete the task · Buy milk"),
        "the record as the user knows it"
    );
    assert!(bench.shows("waiting for you") && !bench.shows("working…"));
    assert!(bench.paints("You: Delete the task"), "who is at work");
    assert_eq!(bench.deleted(), 0, "the same question as ever");
    bench.press("Allow once");
    until(&mut bench, "the receipt", |bench| {
        bench.shows("Buy milk removed from view")
    });
    assert_eq!(bench.deleted(), 1);
    assert_eq!(model.requests().len(), 0, "no model took part");
}

#[test]
fn what_an_action_takes_is_filled_in() {
    let (mut bench, _) = opened();
    bench.type_text("add task");
    bench.key(Key::Enter);
    bench.harness.kittest().run_steps(2);
    assert!(bench.shows("Run"));
    bench.type_text("Call Ana");
    bench.key(Key::Enter);
    until(&mut bench, "the receipt", |bench| {
        bench.harness.state().app.handled.add == 1
    });
    let added = bench.harness.state().app.todos.last().map(|todo| todo.title.clone());
    assert_eq!(added.as_deref(), Some("Call Ana"));
}

#[test]
fn keys_typed_into_it_do_not_reach_the_app_and_esc_closes_it() {
    let (mut bench, _) = opened();
    bench.type_text("sync");
    bench.key(Key::Backspace);
    bench.key(Key::S);
    assert_eq!(bench.harness.state().shortcuts, 0);
    bench.key(Key::Escape);
    bench.harness.kittest().run_steps(2);
    assert!(!bench.shows(FIELD));
    bench.tab_to(COMPOSER);
    bench.open_palette();
}

#[test]
fn the_arrow_keys_choose_and_what_cannot_be_done_says_why() {
    let (mut bench, _) = opened();
    bench.type_text("done");
    bench.harness.kittest().step();
    assert!(
        bench.shows("Delete all tasks that are done  ("),
        "why it cannot be used"
    );
    for _ in 0..4 {
        bench.key(Key::Backspace);
    }
    bench.type_text("mark");
    bench.key(Key::ArrowDown);
    bench.key(Key::Enter);
    until(&mut bench, "the second one is marked", |bench| {
        bench.harness.state().app.handled.toggle == 1
    });
    let done: Vec<_> = bench
        .harness
        .state()
        .app
        .todos
        .iter()
        .filter(|todo| todo.done)
        .collect();
    assert_eq!(done[0].id, "t2");
}

/// The card of a deletion that was picked.
fn asked() -> Bench {
    let (mut bench, _) = opened();
    bench.type_text("del milk");
    bench.key(Key::Enter);
    bench.until_asked();
    bench
}

#[test]
fn stop_and_esc_end_its_call() {
    for by_key in [false, true] {
        let mut bench = asked();
        match by_key {
            true => bench.key(Key::Escape),
            false => bench.press("Stop"),
        }
        until(&mut bench, "the receipt", |bench| bench.shows("CANCELLED"));
        assert!(bench.harness.pling().session().waiting_for().is_empty());
        assert!(!bench.shows("Stop"), "nothing is left to stop");
        assert_eq!(bench.deleted(), 0);
    }
}

#[test]
fn clear_ends_its_call() {
    let mut bench = asked();
    bench.press("Clear");
    until(&mut bench, "no card", |bench| {
        bench.harness.pling().session().waiting_for().is_empty()
    });
    bench.harness.kittest().run_steps(3);
    assert_eq!(bench.deleted(), 0);
    assert!(!bench.shows("Delete the task ·"), "nothing is left of it");
}

#[test]
fn a_message_over_its_card_denies_it() {
    let (mut bench, model) = opened();
    model.push(Turn::text("Fine"));
    bench.type_text("del milk");
    bench.key(Key::Enter);
    bench.until_asked();
    bench.send("rather not");
    until(&mut bench, "the answer", |bench| bench.shows("Fine"));
    assert!(bench.shows("APPROVAL_DENIED"));
    assert_eq!(bench.deleted(), 0);
}

/// Goes on with Tab until the keyboard is with a widget of this role and name.
fn tab_to(bench: &mut Bench, role: Role, label: &str) {
    for _ in 0..60 {
        let mut nodes = bench.harness.kittest().query_all_by_role_and_label(role, label);
        if nodes.any(|node| node.is_focused()) {
            return;
        }
        drop(nodes);
        bench.key(Key::Tab);
    }
    panic!("Tab never came to {label}");
}

#[test]
fn enter_runs_what_has_the_keyboard() {
    let (mut bench, _) = opened();
    bench.type_text("mark");
    bench.harness.kittest().step();
    tab_to(
        &mut bench,
        Role::Button,
        "Mark the task as complete · Book the design review",
    );
    bench.key(Key::Enter);
    until(&mut bench, "one is marked", |bench| {
        bench.harness.state().app.handled.toggle == 1
    });
    let todos = &bench.harness.state().app.todos;
    let done: Vec<_> = todos.iter().filter(|todo| todo.done).map(|todo| &*todo.title).collect();
    assert_eq!(done, ["Book the design review"], "and not the first of the list");

    bench.open_palette();
    bench.type_text("add task");
    bench.key(Key::Enter);
    bench.harness.kittest().run_steps(2);
    bench.type_text("Call Ana");
    tab_to(&mut bench, Role::Button, "Back");
    bench.key(Key::Enter);
    bench.harness.kittest().run_steps(2);
    assert!(bench.shows(FIELD), "back in the list");
    assert_eq!(bench.harness.state().app.handled.add, 0, "nothing ran");
}

#[test]
fn a_choice_is_made_by_pointer_and_by_keyboard() {
    let (mut bench, _) = opened();
    bench.type_text("which tasks");
    bench.key(Key::Enter);
    bench.harness.kittest().run_steps(2);
    let choice = |bench: &mut Bench| {
        let rect = bench
            .harness
            .kittest()
            .get_all_by_role(Role::ComboBox)
            .last()
            .expect("a choice")
            .rect();
        click_at(bench, rect.center());
    };
    choice(&mut bench);
    bench.key(Key::Escape);
    bench.harness.kittest().run_steps(2);
    assert!(bench.shows("Run"), "Esc closes the choice alone");
    choice(&mut bench);
    let done = bench
        .harness
        .kittest()
        .get_by_role_and_label(Role::Button, "done")
        .rect();
    click_at(&mut bench, done.center());
    bench.harness.kittest().run_steps(2);
    assert!(bench.shows("Run"), "the palette stays");
    bench.press("Run");
    until(&mut bench, "what is shown changed", |bench| {
        !bench.shows("Review the launch checklist")
    });
}

fn click_at(bench: &mut Bench, pos: egui::Pos2) {
    bench.event(egui::Event::PointerMoved(pos));
    for pressed in [true, false] {
        bench.event(egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        });
    }
    bench.harness.kittest().run_steps(2);
}

#[test]
fn what_is_typed_while_it_looks_at_the_page_is_not_lost_and_goes_nowhere_else() {
    let (mut bench, model) = opened();
    bench.key(Key::Escape);
    bench.tab_to(COMPOSER);
    bench.type_text("a draft");
    // All in one frame: nothing has been looked at yet.
    let kittest = bench.harness.kittest();
    kittest.key_press_modifiers(egui::Modifiers::COMMAND, Key::K);
    kittest.event(egui::Event::Text("sync".to_owned()));
    kittest.key_press(Key::Enter);
    kittest.step();
    until(&mut bench, "the palette", |bench| bench.shows(FIELD));
    bench.harness.kittest().run_steps(2);
    assert_eq!(model.requests().len(), 0, "no message was sent");
    assert_eq!(bench.draft(), "a draft");
    let query = bench.harness.kittest().get_by_label(FIELD).value();
    assert_eq!(query.as_deref(), Some("sync"));

    bench.key(Key::Escape);
    bench.harness.kittest().run_steps(2);
    bench.key_with(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, Key::K);
    for _ in 0..5 {
        bench.harness.run(tokio::task::yield_now());
    }
    assert!(!bench.shows(FIELD), "another shortcut is the app's");
}
