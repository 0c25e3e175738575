//! Questions to the user, and their answers.

use egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use pling_core::{
    act::DefaultApproval,
    agent::{End, Status},
    llm::Turn,
    surface::{Answer, InvokeRequest},
};
use pling_egui::Pling;
use serde_json::json;

use super::{Bench, COMPOSER, Setup, delete_milk};
use crate::support::Scripted;

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

/// A client's call that waits for the user.
#[expect(
    clippy::async_yields_async,
    reason = "the call waits for its answer in the background"
)]
fn asked_by_a_client(bench: &mut Bench) -> tokio::task::JoinHandle<Answer> {
    let client = bench.harness.pling().surface().client("script");
    let arguments = json!({ "record": "t3" }).as_object().cloned().unwrap_or_default();
    let call = async move { client.invoke(InvokeRequest::new("delete", arguments)).await };
    let answer = bench.harness.run(async move { tokio::spawn(call) });
    bench.until_asked();
    answer
}

#[test]
fn esc_denies_the_card_of_a_client_and_leaves_the_session_alone() {
    let mut bench = Bench::new(Scripted::new([Turn::never()]));
    bench.send("think for ever");
    let answer = asked_by_a_client(&mut bench);
    bench.key(Key::Escape);
    let answer = bench.harness.run(answer).unwrap();
    assert_eq!(answer.code(), Some("APPROVAL_DENIED"), "{answer:?}");
    assert_eq!(bench.deleted(), 0);
    bench.harness.kittest().run_steps(2);
    assert_eq!(bench.harness.pling().session().status(), Status::Running);
    bench.key(Key::Escape);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Cancelled], "the next one stops it");
}

#[test]
fn a_message_over_the_card_of_a_client_denies_it_with_these_words() {
    let mut bench = Bench::new(Scripted::new([Turn::text("Fine")]));
    let answer = asked_by_a_client(&mut bench);
    assert!(bench.shows("script"), "who asks");
    bench.send("keep the milk");
    let answer = bench.harness.run(answer).unwrap();
    assert_eq!(answer.code(), Some("APPROVAL_DENIED"), "{answer:?}");
    assert!(format!("{answer:?}").contains("keep the milk"), "{answer:?}");
    bench.until_idle();
    assert!(bench.shows("Fine"), "and it is a message all the same");
    assert_eq!(bench.deleted(), 0);
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
fn a_step_of_the_user_is_said_to_be_done_by_shortcut() {
    let mut bench = Bench::new(Scripted::new([Turn::call("sign", json!({})), Turn::text("Thanks")]));
    bench.show_signing();
    bench.send("sign it");
    bench.until_asked();
    assert!(bench.shows("Ctrl+Enter says that it is done"));
    bench.key_with(Modifiers::COMMAND, Key::Enter);
    bench.until_idle();
    assert!(bench.shows("done by you"));
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
    assert!(bench.shows("Buy milk removed from view"), "the receipt, in words");
    assert_eq!(bench.ends(), [End::Answered]);
}

#[test]
fn denying_by_keyboard_runs_nothing_and_tells_why() {
    let model = Scripted::new([delete_milk(), Turn::text("Kept")]);
    let mut bench = Bench::new(model.clone());
    bench.send("remove the milk");
    bench.until_asked();
    for _ in 0..4 {
        bench.key_with(Modifiers::SHIFT, Key::Tab);
    }
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

#[test]
fn a_grant_holds_until_it_is_taken_back() {
    let delete = |record: &str| Turn::call("delete", json!({ "record": record }));
    let turns = [
        delete("t1"),
        Turn::text("one"),
        delete("t2"),
        Turn::text("two"),
        delete("t3"),
    ];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.send("delete the first");
    bench.until_asked();
    bench.press("Allow for this session");
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);

    bench.send("and the second");
    bench.until_idle();
    assert_eq!(bench.deleted(), 2, "nobody was asked");

    bench.press("As the app says · 1 allowed");
    assert!(bench.shows("Delete the task"));
    bench.press("Ask again");
    assert!(bench.harness.pling().session().grants().is_empty());
    bench.key(Key::Escape);
    bench.send("and the third");
    bench.until_asked();
    assert_eq!(bench.deleted(), 2);
}

#[test]
fn what_can_never_be_undone_is_asked_about_every_time() {
    let turns = [Turn::call("wipe", json!({})), Turn::text("Wiped")];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.show_signing();
    bench.send("wipe it");
    bench.until_asked();
    assert!(bench.shows("It can never be undone") && bench.shows("12 files go"));
    assert!(bench.shows("The assistant asks"));
    assert!(!bench.shows("Allow for this session"));
    bench.key_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::Enter);
    assert_eq!(
        bench.harness.pling().session().waiting_for().len(),
        1,
        "no grant, no answer"
    );
    bench.key_with(Modifiers::COMMAND, Key::Enter);
    bench.until_idle();
    assert_eq!(bench.harness.state().wiped, 1);
    assert!(bench.harness.pling().session().grants().is_empty());
}

#[test]
fn shortcuts_answer_only_while_the_keyboard_is_with_the_panel() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("Gone")]));
    bench.send("remove the milk");
    bench.until_asked();
    bench.search_field();
    bench.harness.kittest().run_steps(2);
    bench.key_with(Modifiers::COMMAND, Key::Enter);
    assert_eq!(bench.harness.pling().session().waiting_for().len(), 1);
    bench.tab_to(COMPOSER);
    bench.key_with(Modifiers::COMMAND, Key::Enter);
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);
}

#[test]
fn what_the_assistant_may_do_is_chosen_by_keyboard() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("I may not")]));
    bench.press("As the app says");
    bench.press("Read only");
    bench.key(Key::Escape);
    bench.send("remove the milk");
    bench.until_idle();
    assert_eq!(bench.deleted(), 0);
    assert!(bench.shows("NOT_PERMITTED"));
}

#[test]
fn the_composer_comes_back_down_when_a_card_closes() {
    let mut bench = Bench::new(Scripted::new([Turn::text("hi"), delete_milk(), Turn::text("ok")]));
    bench.send("hello");
    bench.until_idle();
    let before = bench.composer_rect();
    bench.send("remove the milk");
    bench.until_asked();
    bench.press("Deny");
    bench.until_idle();
    assert_eq!(bench.composer_rect(), before);
}

#[test]
fn esc_leaves_the_words_of_a_denial_before_it_stops_the_run() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("never said")]));
    bench.send("remove the milk");
    bench.until_asked();
    bench.tab_to("Reason for denying");
    bench.type_text("because");
    bench.key(Key::Escape);
    bench.harness.kittest().run_steps(2);
    assert_eq!(bench.harness.pling().session().waiting_for().len(), 1, "still open");
    let composer = bench
        .harness
        .kittest()
        .get_by_role_and_label(Role::MultilineTextInput, COMPOSER);
    assert!(composer.is_focused());
    bench.key(Key::Escape);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Cancelled]);
    assert_eq!(bench.deleted(), 0);
}

#[test]
fn the_second_click_of_a_double_click_is_no_answer_to_the_next_card() {
    let both = Turn::calls([
        ("delete", json!({ "record": "t3" })),
        ("delete", json!({ "record": "t4" })),
    ]);
    let mut bench = Bench::new(Scripted::new([both, Turn::text("Done")]));
    click_twice(&mut bench, "Allow once");
    assert_eq!(bench.deleted(), 1);
    bench.harness.kittest().run_steps(3);
    bench.click("Allow once");
    bench.until_idle();
    assert_eq!(bench.deleted(), 2);
}

#[test]
fn the_second_click_of_a_double_click_does_not_say_that_the_next_step_is_done() {
    let sign = || Turn::call("sign", json!({}));
    let model = Scripted::new([sign(), sign(), Turn::text("Thanks")]);
    let mut bench = Bench::new(model.clone());
    bench.show_signing();
    click_twice(&mut bench, "Done");
    bench.harness.kittest().run_steps(3);
    bench.click("Decline");
    bench.until_idle();
    let results = model.bodies()[2]["messages"].to_string();
    assert_eq!(results.matches("HANDOFF_DECLINED").count(), 1, "{results}");
}

/// Answers the first of two cards by a button, and clicks again where that of the second one comes at once.
fn click_twice(bench: &mut Bench, button: &str) {
    bench.send("do both");
    bench.until_asked();
    let first = bench.asked();
    bench.press(button);
    let next = move |pling: &Pling| {
        let open = pling.session().waiting_for();
        open.first().is_some_and(|card| Some(&card.call_id) != first.as_ref())
    };
    bench.harness.run_until("the next card is open", next);
    let second = bench.asked();
    bench.harness.kittest().step();
    // A pass that is drawn again takes time here, and none in a window.
    let shown = bench.harness.kittest().ctx.input(|input| input.time);
    bench.harness.kittest().input_mut().time = Some(shown + 0.1);
    bench.click(button);
    bench.harness.kittest().input_mut().time = None;
    bench.harness.run(tokio::task::yield_now());
    assert_eq!(
        bench.asked(),
        second,
        "a card that was not shown for a moment takes no yes"
    );
}
