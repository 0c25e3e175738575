//! The assistant panel: keyboard, cards, streaming, looks.

use std::sync::Arc;

use egui::{Event, ImeEvent, Key, Modifiers, Theme, ViewportId, accesskit::Role};
use egui_kittest::{
    SnapshotOptions, SnapshotResults,
    kittest::{NodeT as _, Queryable as _},
};
use parking_lot::Mutex;
use pling_core::{
    act::{ApprovalMode, DefaultApproval},
    agent::{self, ConfigPatch, End, Outcome, Status},
    llm::{Delta, Llm, LlmError, OnDelta, Reply, Request, Scripted, Turn},
    platform::{BoxFuture, Duration},
};
use pling_egui::{AssistantPanel, Pling, ResponseExt as _, Tool, testing::AgentHarness};
use serde_json::json;
use todo::app::TodoApp;
use tokio::sync::Notify;

const COMPOSER: &str = "Message to the assistant";

#[derive(Default)]
struct Window {
    app: TodoApp,
    pling: Option<Pling>,
    /// Shortcuts of the app's own that it has seen.
    shortcuts: u32,
    /// A step that only the user may do, instead of the list.
    sign: bool,
    signed: u32,
}

/// The to-do list with its panel, and how each run ended.
struct Bench {
    harness: AgentHarness<'static, Window>,
    outcomes: Arc<Mutex<Vec<Outcome>>>,
}

/// What differs between the tests.
#[derive(Clone, Copy, Default)]
struct Setup {
    size: Option<[f32; 2]>,
    theme: Option<Theme>,
    ask_before: Option<DefaultApproval>,
}

impl Bench {
    fn new(llm: impl Llm) -> Self {
        Self::with(Some(llm), Setup::default())
    }

    fn with(llm: Option<impl Llm>, setup: Setup) -> Self {
        let outcomes = Arc::<Mutex<Vec<Outcome>>>::default();
        let ended = Arc::clone(&outcomes);
        let mut config = ConfigPatch::default();
        config.default_approval = setup.ask_before;
        let mut builder = AgentHarness::<()>::builder()
            .config(config)
            .approval(ApprovalMode::Ask)
            .size(setup.size.unwrap_or([900.0, 560.0]))
            .theme(setup.theme.unwrap_or(Theme::Dark))
            .pling(move |pling| {
                pling.on_event(move |event| {
                    if let agent::Event::RunFinished(outcome) = event {
                        ended.lock().push(outcome.clone());
                    }
                })
            });
        if let Some(llm) = llm {
            builder = builder.llm(llm);
        }
        let ui = |ui: &mut egui::Ui, window: &mut Window| {
            if let Some(pling) = &window.pling {
                AssistantPanel::new(pling).show(ui);
            }
            let pressed = |key| ui.input(|input| input.key_pressed(key));
            if pressed(Key::Backspace) || pressed(Key::Z) || pressed(Key::S) {
                window.shortcuts += 1;
            }
            egui::CentralPanel::default().show(ui, |ui| {
                if !window.sign {
                    return window.app.ui(ui);
                }
                let sign = Tool::new("sign", "Sign the contract").handoff("Only you can sign");
                if ui.button("Sign").tool(sign).clicked() {
                    window.signed += 1;
                }
            });
        };
        let mut harness = builder.build_ui_state(ui, Window::default());
        harness.state_mut().pling = Some(harness.pling().clone());
        harness.kittest().run_steps(3);
        Self { harness, outcomes }
    }

    fn event(&mut self, event: Event) {
        self.harness.kittest().event(event);
        self.harness.kittest().step();
    }

    fn key(&mut self, key: Key) {
        self.key_with(Modifiers::NONE, key);
    }

    fn key_with(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.kittest().key_press_modifiers(modifiers, key);
        self.harness.kittest().step();
    }

    fn type_text(&mut self, text: &str) {
        self.event(Event::Text(text.to_owned()));
    }

    /// Goes to a widget of the panel with Tab alone.
    fn tab_to(&mut self, label: &str) {
        for _ in 0..120 {
            let there = self
                .harness
                .kittest()
                .query_all_by_label(label)
                .any(|node| node.is_focused());
            if there {
                return;
            }
            self.key(Key::Tab);
        }
        panic!("Tab never came to {label}");
    }

    /// Writes a message and sends it, with the keyboard alone.
    fn send(&mut self, text: &str) {
        self.tab_to(COMPOSER);
        self.type_text(text);
        self.key(Key::Enter);
    }

    fn draft(&mut self) -> String {
        let node = self
            .harness
            .kittest()
            .get_by_role_and_label(Role::MultilineTextInput, COMPOSER);
        node.value().unwrap_or_default()
    }

    fn until_idle(&mut self) {
        let settled = |pling: &Pling| pling.session().status() == Status::Idle;
        self.harness.run_until("the session is idle", settled);
        self.harness.kittest().run_steps(3);
    }

    fn until_asked(&mut self) {
        let asked = |pling: &Pling| !pling.session().waiting_for().is_empty();
        self.harness.run_until("a card is open", asked);
        // The question is open before the session tells of it.
        self.harness.run(tokio::task::yield_now());
        self.harness.kittest().run_steps(3);
    }

    fn shows(&mut self, text: &str) -> bool {
        self.harness
            .kittest()
            .query_all_by_label_contains(text)
            .next()
            .is_some()
    }

    fn ends(&self) -> Vec<End> {
        self.outcomes.lock().iter().map(|outcome| outcome.end.clone()).collect()
    }

    fn deleted(&self) -> u32 {
        self.harness.state().app.handled.delete
    }

    /// Drags the panel's edge until it is as narrow as it gets.
    fn narrow(&mut self) {
        let edge = egui::pos2(
            self.harness.kittest().get_by_role(Role::Splitter).rect().center().x,
            280.0,
        );
        let inside = edge + egui::vec2(200.0, 0.0);
        self.event(Event::PointerMoved(edge));
        for (pos, pressed) in [(edge, true), (inside, false)] {
            self.event(Event::PointerMoved(pos));
            self.event(Event::PointerButton {
                pos,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: Modifiers::NONE,
            });
        }
        self.event(Event::PointerGone);
        self.harness.kittest().run_steps(3);
    }

    fn snapshot(&mut self, name: &str) -> SnapshotResults {
        let options = SnapshotOptions::new().output_path("snapshots");
        self.harness.kittest().snapshot_options(name, &options);
        self.harness.kittest().take_snapshot_results()
    }
}

fn delete_milk() -> Turn {
    Turn::call("delete", json!({ "record": "t3" }))
}

#[test]
fn a_message_is_written_and_sent_by_keyboard_alone() {
    let model = Scripted::new([Turn::text("It is **done**")]);
    let mut bench = Bench::new(model.clone());
    bench.tab_to(COMPOSER);
    bench.type_text("first line");
    bench.key_with(Modifiers::SHIFT, Key::Enter);
    bench.type_text("second line");
    assert_eq!(bench.draft(), "first line\nsecond line", "Shift+Enter breaks the line");
    bench.key(Key::Enter);
    assert_eq!(bench.draft(), "", "it is on its way");
    bench.until_idle();

    assert_eq!(model.requests().len(), 1);
    assert!(model.bodies()[0].to_string().contains("first line\\nsecond line"));
    assert!(bench.shows("second line") && bench.shows("done"));
    let field = bench
        .harness
        .kittest()
        .get_by_role_and_label(Role::MultilineTextInput, COMPOSER);
    assert!(field.is_focused(), "the next message can be typed at once");
}

#[test]
fn c19_an_enter_of_an_input_method_does_not_send() {
    let preedit = |text: &str| {
        Event::Ime(ImeEvent::Preedit {
            text: text.to_owned(),
            active_range_chars: None,
        })
    };
    let commit = || Event::Ime(ImeEvent::Commit("你好".to_owned()));
    let enter = || Event::Key {
        key: Key::Enter,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    // Platforms differ in what they tell, and how much of it comes in one pass.
    let orders: [&[&[Event]]; 4] = [
        &[&[preedit("ni")], &[enter()], &[commit()]],
        &[&[preedit("ni"), enter(), commit()]],
        &[&[preedit("ni")], &[preedit(""), commit(), enter()]],
        &[&[preedit("ni")], &[preedit("")], &[commit()]],
    ];
    for passes in orders {
        let model = Scripted::new([Turn::text("ok")]);
        let mut bench = Bench::new(model.clone());
        bench.tab_to(COMPOSER);
        for events in passes {
            bench.harness.kittest().input_mut().events.extend_from_slice(events);
            bench.harness.kittest().step();
        }
        assert_eq!(bench.draft(), "你好", "{passes:?}");
        assert_eq!(bench.harness.pling().session().status(), Status::Idle, "{passes:?}");
        bench.key(Key::Enter);
        bench.until_idle();
        assert_eq!(model.requests().len(), 1, "{passes:?}");
        assert!(model.bodies()[0].to_string().contains("你好"));
    }
}

#[test]
fn a_double_enter_sends_one_message() {
    let model = Scripted::new([Turn::text("ok"), Turn::text("twice")]);
    let mut bench = Bench::new(model.clone());
    bench.send("only once");
    bench.key(Key::Enter);
    bench.until_idle();
    assert_eq!(model.requests().len(), 1);
    assert_eq!(bench.ends(), [End::Answered]);
}

#[test]
fn c20_keys_typed_into_the_panel_do_not_reach_the_app() {
    let mut bench = Bench::new(Scripted::default());
    bench.tab_to(COMPOSER);
    bench.type_text("word");
    bench.key(Key::Backspace);
    bench.key_with(Modifiers::COMMAND, Key::Z);
    assert_eq!(bench.harness.state().shortcuts, 0);
    bench.key_with(Modifiers::COMMAND, Key::S);
    assert_eq!(bench.harness.state().shortcuts, 1, "what is no typing goes on");
}

#[test]
fn typed_text_outlives_cards_and_cancelled_runs() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("ok")]));
    bench.send("remove the milk");
    bench.type_text("and then");
    bench.until_asked();
    bench.harness.pling().session().cancel();
    bench.until_idle();
    assert_eq!(bench.draft(), "and then");
}

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
fn a_long_conversation_is_drawn_where_it_is_seen() {
    let turns = (0..80).map(|index| Turn::text(format!("answer {index}\n\nwith a *second* block")));
    let mut bench = Bench::new(Scripted::new(turns));
    for index in 0..80 {
        bench.send(&format!("question {index}"));
        bench.until_idle();
    }
    assert!(bench.shows("answer 79"), "it follows the end");
    assert!(!bench.shows("question 3"), "far out of view");
    bench.event(Event::PointerMoved(egui::pos2(700.0, 200.0)));
    bench.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::vec2(0.0, 100_000.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    bench.harness.kittest().run_steps(30);
    assert!(bench.shows("question 0"), "all of it can be reached");
    assert!(!bench.shows("answer 79"));
}

#[test]
fn allowing_by_keyboard_runs_the_handler_once() {
    let mut bench = Bench::new(Scripted::new([delete_milk(), Turn::text("Gone")]));
    bench.send("remove the milk");
    bench.until_asked();
    assert!(bench.shows("Delete the task") && bench.shows("Buy milk"));
    assert_eq!(bench.deleted(), 0, "nothing runs before the answer");
    bench.tab_to("Allow");
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
    bench.harness.kittest().get_by_label("Allow").click();
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
fn d16_what_hides_in_a_card_is_written_out() {
    let title = "Pay\u{202e} 001\u{200b}";
    let turns = [Turn::call("delete", json!({ "record": "t3" })), Turn::text("ok")];
    let mut bench = Bench::new(Scripted::new(turns));
    bench.harness.state_mut().app.todos[2].title = title.to_owned();
    bench.harness.kittest().run_steps(2);
    bench.send("delete it");
    bench.until_asked();
    assert!(bench.shows("Pay‹U+202E› 001‹U+200B›"));
    bench.tab_to("Allow");
    bench.key(Key::Enter);
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);
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
    bench.tab_to("Allow");
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
