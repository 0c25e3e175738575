//! The assistant at work in the app, beside the user.

use egui::{Event, Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use pling_core::{
    agent::{End, Status},
    llm::Turn,
};
use serde_json::json;

use super::{Bench, delete_milk};
use crate::support::Scripted;

#[test]
fn a_step_of_the_user_is_outlined_and_declined_with_words() {
    let model = Scripted::new([Turn::call("sign", json!({})), Turn::text("Then not")]);
    let mut bench = Bench::new(model.clone());
    bench.show_signing();
    bench.send("sign it");
    bench.until_asked();
    assert!(bench.paints("Your turn: Sign the contract"));
    bench.tab_to("Reason for declining");
    bench.type_text("not before Friday");
    bench.key(Key::Enter);
    bench.until_idle();
    assert!(model.bodies()[1].to_string().contains("not before Friday"));
    bench.harness.kittest().run_steps(6);
    assert!(!bench.paints("Your turn"), "it goes away");
}

#[test]
fn the_users_input_in_the_app_comes_first() {
    let turns = [Turn::call("toggle", json!({ "record": "t1" })), Turn::text("ok")];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.send("mark the first one");
    bench.search_field();
    bench.harness.kittest().step();
    for _ in 0..40 {
        bench.event(Event::Text("x".to_owned()));
        bench.event(Event::Key {
            key: Key::Backspace,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: Modifiers::NONE,
        });
        bench.harness.run(tokio::task::yield_now());
    }
    assert_eq!(bench.harness.state().app.handled.toggle, 0, "not while the user types");
    assert!(bench.shows("Paused while you work in the app"));
    bench.until_idle();
    assert_eq!(bench.harness.state().app.handled.toggle, 1);
}

#[test]
fn the_agent_at_work_leaves_the_caret_in_the_composer() {
    let turns = [
        Turn::call("add_todo", json!({ "text": "Call Ana" })),
        Turn::call("toggle", json!({ "record": "t2", "checked": true })),
        Turn::call("set_filter", json!({ "choice": "all" })),
        delete_milk(),
        Turn::text("All done"),
    ];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.send("do all that");
    let mut typed = String::new();
    for round in 0..400 {
        let letter = char::from(b'a' + u8::try_from(round % 26).unwrap_or_default());
        bench.type_text(&letter.to_string());
        typed.push(letter);
        bench.harness.run(tokio::task::yield_now());
        let cards = bench.harness.pling().session().waiting_for();
        if let Some(card) = cards.first() {
            bench.harness.pling().session().approve(&card.call_id);
        }
        if bench.harness.pling().session().status() == Status::Idle {
            break;
        }
    }
    assert_eq!(bench.ends(), [End::Answered]);
    let handled = &bench.harness.state().app.handled;
    assert_eq!((handled.add, handled.toggle, handled.delete), (1, 1, 1));
    assert_eq!(bench.draft(), typed, "not a letter went elsewhere");
    assert_eq!(bench.harness.state().shortcuts, 0);
}

#[test]
fn nothing_is_outlined_in_the_place_of_a_widget_that_is_gone() {
    let turns = [
        Turn::call("toggle", json!({ "record": "t2", "checked": true })),
        Turn::text("ok"),
    ];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.send("mark the review");
    let (mut before, mut after) = (0, 0);
    while bench.ends().is_empty() {
        bench.harness.run(tokio::task::yield_now());
        let is_outlined = bench.paints("Assistant: Mark the task as complete");
        let rows = bench.harness.kittest().query_all_by_role(Role::CheckBox);
        let is_gone = !rows
            .into_iter()
            .any(|row| row.accesskit_node().label().as_deref() == Some("Book the design review"));
        // The list shows what is open: the row goes with the mark.
        match bench.harness.state().app.handled.toggle {
            0 => before += u32::from(is_outlined),
            _ if is_gone => after += u32::from(is_outlined),
            _ => {}
        }
    }
    assert!(before > 0, "it was outlined");
    assert_eq!(after, 0);
}
