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
    until(&mut bench, "a card", |bench| {
        !bench.harness.pling().session().waiting_for().is_empty()
    });
    bench.harness.kittest().run_steps(3);
    assert!(bench.shows("You asked for this") && bench.shows("Buy milk"));
    assert_eq!(bench.deleted(), 0, "the same question as ever");
    bench.press("Allow once");
    until(&mut bench, "the receipt", |bench| bench.shows("t3 removed from view"));
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

#[test]
fn a_message_over_its_card_denies_it() {
    let (mut bench, model) = opened();
    model.push(Turn::text("Fine"));
    bench.type_text("del milk");
    bench.key(Key::Enter);
    until(&mut bench, "a card", |bench| {
        !bench.harness.pling().session().waiting_for().is_empty()
    });
    bench.harness.kittest().run_steps(3);
    bench.send("rather not");
    until(&mut bench, "the answer", |bench| bench.shows("Fine"));
    assert!(bench.shows("APPROVAL_DENIED"));
    assert_eq!(bench.deleted(), 0);
}
