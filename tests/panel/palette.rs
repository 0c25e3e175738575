//! Actions without a model.

use egui::Key;
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
