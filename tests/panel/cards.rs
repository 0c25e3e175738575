//! Questions to the user, and their answers.

use egui::{Key, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use pling_core::{
    act::DefaultApproval,
    agent::End,
    llm::{Scripted, Turn},
};
use serde_json::json;

use super::{Bench, COMPOSER, Setup, delete_milk};

#[test]
fn a_message_over_an_open_card_denies_it_and_is_worked_on() {
    let model = Scripted::new([delete_milk(), Turn::text("Kept"), Turn::text("Sure")]);
    let mut bench = Bench::new(model.clone());
    bench.send("remove the milk");
    bench.until_asked();
    bench.send("no, the bread");
    bench.harness.kittest().step();
    assert!(bench.shows("no, the bread"), "not lost while it waits");
    bench.until_idle();
    assert_eq!(bench.deleted(), 0);
    assert_eq!(bench.ends(), [End::Answered, End::Answered]);
    let all = bench.harness.kittest().query_all_by_label("no, the bread").count();
    assert_eq!(all, 1);
}

#[test]
fn a_step_of_the_user_is_handed_over_and_back() {
    for (answer, says) in [("Done", "done by you"), ("Decline", "HANDOFF_DECLINED")] {
        let mut bench = Bench::new(Scripted::new([Turn::call("sign", json!({})), Turn::text("Thanks")]));
        bench.harness.state_mut().sign = true;
        bench.harness.kittest().run_steps(3);
        bench.send("sign it");
        bench.until_asked();
        assert!(bench.shows("Your turn") && bench.shows("Only you can sign"));
        bench.tab_to(answer);
        bench.key(Key::Enter);
        bench.until_idle();
        assert!(bench.shows(says), "{says}");
        assert_eq!(bench.harness.state().signed, 0, "nobody clicks for the user");
    }
}

#[test]
fn allowing_by_keyboard_runs_the_handler_once() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("Gone")]));
    bench.send("remove the milk");
    bench.until_asked();
    assert!(bench.shows("Delete the task") && bench.shows("Buy milk"));
    assert_eq!(bench.deleted(), 0, "nothing runs before the answer");
    bench.tab_to("Allow once");
    bench.key(Key::Enter);
    bench.key(Key::Enter);
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);
    assert!(bench.shows("t3 removed from view"), "the receipt, in words");
    assert_eq!(bench.ends(), [End::Answered]);
}

#[test]
fn denying_by_keyboard_runs_nothing_and_tells_why() {
    let model = Scripted::new([delete_milk(), Turn::text("Kept")]);
    let mut bench = Bench::new(model.clone());
    bench.send("remove the milk");
    bench.until_asked();
    bench.tab_to("Reason for denying");
    bench.type_text("I still need it");
    bench.tab_to("Deny");
    bench.key(Key::Space);
    bench.until_idle();
    assert_eq!(bench.deleted(), 0);
    assert!(model.bodies()[1].to_string().contains("I still need it"));
    assert!(bench.shows("APPROVAL_DENIED"));
}

#[test]
fn a_question_about_a_modal_is_answered_in_front_of_it() {
    let script = Scripted::new([
        Turn::call("open_settings", json!({})),
        Turn::call("show_due", json!({ "checked": false })),
        Turn::call("close_settings", json!({})),
        Turn::text("Hidden"),
    ]);
    let ask_before = Some(DefaultApproval::Write);
    let mut bench = Bench::with(
        Some(script),
        Setup {
            ask_before,
            ..Setup::default()
        },
    );
    bench.send("hide when tasks are due");
    bench.until_asked();
    assert!(bench.harness.state().app.settings_open && bench.harness.state().app.show_due);
    bench.harness.kittest().get_by_label("Allow once").click();
    bench.harness.kittest().run_steps(2);
    bench.until_idle();
    assert!(!bench.harness.state().app.show_due);
    assert!(!bench.harness.state().app.settings_open);
    assert_eq!(bench.ends(), [End::Answered]);
}

#[test]
fn a_run_is_stopped_in_front_of_a_modal() {
    let script = Scripted::new([Turn::call("show_due", json!({})), Turn::text("never said")]);
    let ask_before = Some(DefaultApproval::Write);
    let mut bench = Bench::with(
        Some(script),
        Setup {
            ask_before,
            ..Setup::default()
        },
    );
    bench.harness.state_mut().app.settings_open = true;
    bench.harness.kittest().run_steps(4);
    bench
        .harness
        .kittest()
        .get_by_role_and_label(Role::MultilineTextInput, COMPOSER)
        .click();
    bench.harness.kittest().run_steps(2);
    bench.type_text("hide when tasks are due");
    bench.key(Key::Enter);
    bench.until_asked();
    bench.harness.kittest().get_by_label("Stop").click();
    bench.harness.kittest().run_steps(2);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Cancelled]);
    assert!(bench.harness.state().app.show_due);
}

#[test]
fn stop_cancels_an_open_question() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("never said")]));
    bench.send("remove the milk");
    bench.until_asked();
    bench.harness.kittest().get_by_label("Stop").click();
    bench.harness.kittest().run_steps(2);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Cancelled]);
    assert_eq!(bench.deleted(), 0);
    assert!(bench.harness.pling().session().waiting_for().is_empty());
    assert!(bench.shows("Stopped"));
}

#[test]
fn d16_what_hides_in_a_card_is_written_out() {
    let title = "Pay\u{202e} 001\u{200b}";
    let turns = [Turn::call("delete", json!({ "record": "t3" })), Turn::text("ok")];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.harness.state_mut().app.todos[2].title = title.to_owned();
    bench.harness.kittest().run_steps(2);
    bench.send("delete it");
    bench.until_asked();
    assert!(bench.shows("Pay‹U+202E› 001‹U+200B›"));
    bench.tab_to("Allow once");
    bench.key(Key::Enter);
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);
}
