//! What was said and done, as it comes in and afterwards.

use std::sync::Arc;

use egui::{Key, ViewportId, accesskit::Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use pling_core::{
    agent::{End, Status},
    llm::{Delta, ErrorKind, Llm, LlmError, OnDelta, Reply, Request, Turn},
    platform::{BoxFuture, Duration},
};
use serde_json::json;
use tokio::sync::Notify;

use super::{Bench, COMPOSER, Setup, Shown, delete_milk};
use crate::support::Scripted;

#[test]
fn a_long_conversation_is_drawn_where_it_is_seen() {
    let turns = (0..80).map(|index| Turn::text(format!("answer {index}\n\nwith a *second* block")));
    let mut bench = Bench::new(Scripted::new(turns));
    for index in 0..80 {
        bench.send(&format!("question {index}"));
        bench.until_idle();
    }
    assert!(bench.shows("answer 79"), "it follows the end");
    assert!(!bench.shows("question 3"), "far out of view");
    bench.wheel(egui::pos2(700.0, 200.0), 100_000.0);
    bench.harness.kittest().run_steps(30);
    assert!(bench.shows("question 0"), "all of it can be reached");
    assert!(!bench.paints("answer 79"));
}

#[test]
fn a_long_answer_is_read_from_its_end_to_its_beginning_and_back() {
    let blocks = (0..60).map(|index| match index % 10 {
        9 => format!("```\ncode {index}\n```\n\n"),
        _ => format!("- paragraph {index}\n- of *two* lines\n\nbetween\n\n"),
    });
    let mut bench = Bench::new(Scripted::new([Turn::text(blocks.collect::<String>())]));
    bench.send("Go on");
    bench.until_idle();
    bench.harness.kittest().run_steps(3);
    assert!(bench.paints("code 59"), "it follows the end");
    let end = |bench: &mut Bench| bench.harness.kittest().get_by_label("code 59").rect();
    let before = end(&mut bench);
    for index in [49, 39, 29, 19, 9] {
        for _ in 0..20 {
            if bench.paints(&format!("code {index}")) {
                break;
            }
            bench.wheel(egui::pos2(700.0, 200.0), 100.0);
            bench.harness.kittest().run_steps(6);
        }
        assert!(bench.paints(&format!("code {index}")), "code {index} on the way up");
    }
    assert!(!bench.paints("code 59"));
    bench.press("Jump to latest");
    bench.harness.kittest().run_steps(6);
    assert_eq!(end(&mut bench), before, "what was left out kept its room");
}

#[test]
fn esc_stops_a_run() {
    let model = Scripted::new([Turn::never()]);
    let mut bench = Bench::new(model.clone());
    bench.send("think for ever");
    bench
        .harness
        .run_until("the model is asked", |_| model.requests().len() == 1);
    bench.key(Key::Escape);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Cancelled]);
    let field = bench
        .harness
        .kittest()
        .get_by_role_and_label(Role::MultilineTextInput, COMPOSER);
    assert!(field.is_focused(), "Esc does not take the caret away");
}

/// Says half of its answer and waits for a sign.
#[derive(Clone, Default)]
struct Slow {
    go_on: Arc<Notify>,
}

impl Llm for Slow {
    fn name(&self) -> String {
        "slow model".to_owned()
    }

    fn complete(&self, _request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let go_on = Arc::clone(&self.go_on);
        Box::pin(async move {
            on_delta(Delta::Text("First block\n\nSecond bl".to_owned()));
            go_on.notified().await;
            on_delta(Delta::Text("ock".to_owned()));
            let mut reply = Reply::default();
            reply.text = "First block\n\nSecond block".to_owned();
            Ok(reply)
        })
    }
}

#[test]
fn text_is_shown_while_it_comes_in() {
    let model = Slow::default();
    let mut bench = Bench::new(model.clone());
    bench.send("tell me");
    for _ in 0..200 {
        if bench.shows("Second bl") {
            break;
        }
        bench.harness.run(tokio::task::yield_now());
    }
    assert!(bench.shows("First block") && bench.shows("Second bl"));
    assert_eq!(bench.harness.pling().session().status(), Status::Running);
    let first = |bench: &mut Bench| {
        bench
            .harness
            .kittest()
            .get_by_label("First block")
            .accesskit_node()
            .id()
    };
    let id = first(&mut bench);

    model.go_on.notify_one();
    bench.until_idle();
    assert!(bench.shows("Second block"));
    assert_eq!(first(&mut bench), id, "what was finished keeps its id");
    let all = bench.harness.kittest().query_all_by_label("First block").count();
    assert_eq!(all, 1, "the whole text replaces its pieces");
}

#[test]
fn the_offline_planner_says_what_it_is() {
    let mut bench = Bench::with(None::<Scripted>, Setup::default());
    assert!(bench.shows("Offline planner") && bench.shows("No model"));
}

#[test]
fn clear_forgets_the_conversation() {
    let model = Scripted::new([Turn::text("blue"), Turn::text("which color?")]);
    let mut bench = Bench::new(model.clone());
    bench.send("my color is blue");
    bench.until_idle();
    assert_eq!(bench.harness.pling().session().telemetry().model_calls, 1);
    bench.tab_to("Clear");
    bench.key(Key::Enter);
    bench.until_idle();
    assert!(!bench.shows("my color is blue"));
    assert_eq!(bench.harness.pling().session().telemetry().model_calls, 0);
    bench.send("what is my color?");
    bench.until_idle();
    assert!(!model.bodies()[1].to_string().contains("my color is blue"));
}

#[test]
fn a_link_is_followed_after_its_address_was_agreed_to() {
    let address = "https://example.com/?q=1";
    let mut bench = Bench::new(Scripted::new([Turn::text(format!("See [the page]({address})"))]));
    bench.send("where?");
    bench.until_idle();
    let opened = |bench: &mut Bench| {
        let commands = &bench.harness.kittest().output().platform_output.commands;
        commands
            .iter()
            .any(|command| matches!(command, egui::OutputCommand::OpenUrl(_)))
    };
    bench.harness.kittest().get_by_label("the page").click_accesskit();
    bench.harness.kittest().step();
    assert!(!opened(&mut bench));
    bench.harness.kittest().step();
    assert!(bench.shows(address));
    bench.harness.kittest().get_by_label("Open").click_accesskit();
    bench.harness.kittest().step();
    assert!(opened(&mut bench));
}

#[test]
fn a_link_opens_beside_the_app_and_never_as_a_program() {
    let text = "[web](https://example.com) [script](javascript:alert(1)) [file](file:///etc/passwd) [here](/v1)";
    let mut bench = Bench::new(Scripted::new([Turn::text(text)]));
    bench.send("where?");
    bench.until_idle();
    for (link, opens) in [("script", false), ("file", false), ("here", false), ("web", true)] {
        bench.harness.kittest().get_by_label(link).click_accesskit();
        bench.harness.kittest().run_steps(3);
        assert_eq!(bench.shows("Only addresses of the web"), !opens, "{link}");
        if !opens {
            assert!(
                bench
                    .harness
                    .kittest()
                    .query_by_role_and_label(Role::Button, "Open")
                    .is_none(),
                "{link}"
            );
            bench.press("Cancel");
        }
    }
    bench.harness.kittest().get_by_label("Open").click_accesskit();
    bench.harness.kittest().step();
    let commands = &bench.harness.kittest().output().platform_output.commands;
    let beside = egui::OutputCommand::OpenUrl(egui::OpenUrl::new_tab("https://example.com"));
    assert!(commands.contains(&beside), "{commands:?}");
}

#[test]
fn an_idle_panel_asks_for_no_pass() {
    let mut bench = Bench::new(Scripted::new([Turn::text("done")]));
    let wanted_in = |bench: &mut Bench| {
        bench.harness.kittest().run_steps(20);
        bench.harness.kittest().output().viewport_output[&ViewportId::ROOT].repaint_delay
    };
    assert_eq!(wanted_in(&mut bench), Duration::MAX, "before anything happened");
    bench.send("hello");
    bench.until_idle();
    assert_eq!(wanted_in(&mut bench), Duration::MAX, "after a run");
}

#[test]
fn a_failed_run_says_what_to_do_and_is_tried_again() {
    let model = Scripted::new([
        Turn::error(ErrorKind::Auth, "the key was refused"),
        Turn::text("Now it works"),
    ]);
    let mut bench = Bench::new(model.clone());
    bench.send("hello there");
    bench.until_idle();
    assert!(bench.shows("AUTH") && bench.shows("Check the key in the settings"));
    bench.press("Try again");
    bench.until_idle();
    assert!(bench.shows("Now it works"));
    assert!(
        model.bodies()[1].to_string().contains("hello there"),
        "what was asked is not lost"
    );
}

#[test]
fn the_way_back_to_the_end() {
    let turns = (0..40).map(|index| Turn::text(format!("answer {index}\n\nwith a second block")));
    let mut bench = Bench::new(Scripted::new(turns));
    for index in 0..40 {
        bench.send(&format!("question {index}"));
        bench.until_idle();
    }
    assert!(!bench.shows("Jump to latest"));
    bench.wheel(egui::pos2(700.0, 200.0), 100_000.0);
    bench.harness.kittest().run_steps(30);
    assert!(!bench.paints("answer 39"));
    bench.press("Jump to latest");
    bench.harness.kittest().run_steps(6);
    assert!(bench.paints("answer 39"));
    assert!(!bench.shows("Jump to latest"));
}

#[test]
fn details_are_exact_and_folded_away() {
    let turns = [
        Turn::call("toggle", json!({ "record": "t2", "checked": true })),
        Turn::text("ok"),
    ];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.send("mark it");
    bench.until_idle();
    assert!(
        bench.shows("Book the design review"),
        "the record as the user knows it, though only its id was called"
    );
    assert!(!bench.shows("\"checked\": true"));
    bench.press("Details");
    assert!(bench.shows("\"checked\": true") && bench.shows("\"observed\": true"));
    assert!(bench.shows("In Todo list, under 1 s"), "where on the page");
    bench.press("Hide details");
    assert!(!bench.shows("\"checked\": true"));
}

#[test]
fn a_conversation_is_taken_up_after_a_restart() {
    let mut bench = Bench::new(Scripted::new([
        Turn::call("toggle", json!({ "record": "t2" })),
        Turn::text("It is **done**"),
        Turn::call("nonsense", json!({})),
        Turn::text("No such thing"),
    ]));
    bench.send("mark the review");
    bench.until_idle();
    bench.send("and the nonsense");
    bench.until_idle();
    let saved = bench.harness.pling().save();

    let model = Scripted::new([Turn::text("Of course")]);
    let mut bench = Bench::new(model.clone());
    bench.harness.pling().restore(&saved).expect("what was just saved");
    bench
        .harness
        .run_until("it is taken up", |pling| !pling.session().checkpoint().is_empty());
    bench.harness.run(tokio::task::yield_now());
    bench.harness.kittest().run_steps(3);
    assert!(bench.shows("mark the review") && bench.shows("done before"));
    assert!(bench.shows("UNKNOWN_ACTION") && bench.shows("Continued from before"));
    assert!(bench.shows("toggle · t2"), "nobody has looked at the page");
    bench.send("do you remember?");
    bench.until_idle();
    assert!(
        bench.shows("Mark the task as complete · t2"),
        "the id: it may be another task by now"
    );
    assert!(model.bodies()[0].to_string().contains("mark the review"));
    assert!(bench.harness.pling().restore("{damaged").is_err());
}

#[test]
fn it_is_a_window_or_a_part_of_the_page_as_well() {
    for shown in [Shown::Window, Shown::Embedded] {
        let setup = Setup {
            shown,
            ..Setup::default()
        };
        let mut bench = Bench::with(Some(Scripted::new([delete_milk(), Turn::text("Gone")])), setup);
        bench.harness.kittest().run_steps(3);
        bench.send("remove the milk");
        bench.until_asked();
        bench.press("Allow once");
        bench.until_idle();
        assert_eq!(bench.deleted(), 1);
    }
}
