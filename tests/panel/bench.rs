//! The to-do list with its panel, and a user who has a keyboard.

use std::sync::Arc;

use egui::{Event, Key, Modifiers, Theme, accesskit::Role, epaint::ClippedShape};
use egui_kittest::{
    SnapshotOptions, SnapshotResults,
    kittest::{NodeT as _, Queryable as _},
};
use parking_lot::Mutex;
use pling_core::{
    act::{ApprovalMode, DefaultApproval},
    agent::{self, ConfigPatch, End, Outcome, Status},
    llm::{Llm, Turn},
};
use pling_egui::{AssistantPanel, Pling, ResponseExt as _, Tool, testing::AgentHarness};
use serde_json::json;
use todo::app::TodoApp;

use crate::support::Scripted;

pub(super) const COMPOSER: &str = "Message to the assistant";

#[derive(Default)]
pub(super) struct Window {
    pub(super) app: TodoApp,
    pub(super) pling: Option<Pling>,
    /// Shortcuts of the app's own that it has seen.
    pub(super) shortcuts: u32,
    /// A step that only the user may do, instead of the list.
    pub(super) sign: bool,
    pub(super) signed: u32,
    pub(super) wiped: u32,
    /// How the panel is shown.
    pub(super) shown: Shown,
}

/// How the panel is shown.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Shown {
    #[default]
    Side,
    Window,
    Embedded,
}

/// The to-do list with its panel, and how each run ended.
pub(super) struct Bench {
    pub(super) harness: AgentHarness<'static, Window>,
    pub(super) outcomes: Arc<Mutex<Vec<Outcome>>>,
}

/// What differs between the tests.
#[derive(Clone, Copy, Default)]
pub(super) struct Setup {
    pub(super) size: Option<[f32; 2]>,
    pub(super) theme: Option<Theme>,
    pub(super) ask_before: Option<DefaultApproval>,
    pub(super) shown: Shown,
    /// Points of the panel.
    pub(super) width: Option<f32>,
}

impl Bench {
    pub(super) fn new(llm: impl Llm) -> Self {
        Self::with(Some(llm), Setup::default())
    }

    pub(super) fn with(llm: Option<impl Llm>, setup: Setup) -> Self {
        Self::prepared(llm, setup, |_| ())
    }

    /// `prepare`: what is done before the panel is drawn for the first time.
    pub(super) fn prepared(llm: Option<impl Llm>, setup: Setup, prepare: impl FnOnce(&egui::Context)) -> Self {
        Self::build(llm, setup, ConfigPatch::default(), prepare)
    }

    /// An app that has set up a model of its own.
    pub(super) fn configured(config: ConfigPatch) -> Self {
        Self::build(None::<Scripted>, Setup::default(), config, |_| ())
    }

    fn build(
        llm: Option<impl Llm>,
        setup: Setup,
        mut config: ConfigPatch,
        prepare: impl FnOnce(&egui::Context),
    ) -> Self {
        let outcomes = Arc::<Mutex<Vec<Outcome>>>::default();
        let ended = Arc::clone(&outcomes);
        config.default_approval = setup.ask_before;
        let mut builder = AgentHarness::<()>::builder()
            .config(config)
            .approval(ApprovalMode::Ask)
            .size(setup.size.unwrap_or([900.0, 560.0]))
            .theme(setup.theme.unwrap_or(Theme::Dark))
            .accessibility_check(true)
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
                let panel = AssistantPanel::new(pling);
                match window.shown {
                    Shown::Side => panel.show(ui),
                    Shown::Window => panel.show_window(ui.ctx(), &mut true),
                    Shown::Embedded => {
                        let left = egui::Panel::left("left").exact_size(420.0);
                        left.show(ui, |ui| panel.ui(ui));
                    }
                }
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
                let wipe = Tool::new("wipe", "Wipe the disk").danger().irreversible();
                if ui.button("Wipe").tool(wipe.preview("12 files go")).clicked() {
                    window.wiped += 1;
                }
                let _ = ui.button("Plain");
            });
        };
        let mut harness = builder.build_ui_state(ui, Window::default());
        prepare(&harness.kittest().ctx);
        harness.state_mut().shown = setup.shown;
        harness.state_mut().pling = Some(harness.pling().clone());
        harness.kittest().run_steps(3);
        let mut bench = Self { harness, outcomes };
        if let Some(width) = setup.width {
            bench.widen(width);
        }
        bench
    }

    pub(super) fn event(&mut self, event: Event) {
        self.harness.kittest().event(event);
        self.harness.kittest().step();
    }

    pub(super) fn key(&mut self, key: Key) {
        self.key_with(Modifiers::NONE, key);
    }

    pub(super) fn key_with(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.kittest().key_press_modifiers(modifiers, key);
        self.harness.kittest().step();
    }

    pub(super) fn type_text(&mut self, text: &str) {
        self.event(Event::Text(text.to_owned()));
    }

    /// Goes to a widget of the panel with Tab alone.
    pub(super) fn tab_to(&mut self, label: &str) {
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
    pub(super) fn send(&mut self, text: &str) {
        self.tab_to(COMPOSER);
        self.type_text(text);
        self.key(Key::Enter);
    }

    pub(super) fn draft(&mut self) -> String {
        let node = self
            .harness
            .kittest()
            .get_by_role_and_label(Role::MultilineTextInput, COMPOSER);
        node.value().unwrap_or_default()
    }

    pub(super) fn until_idle(&mut self) {
        let settled = |pling: &Pling| pling.session().status() == Status::Idle;
        self.harness.run_until("the session is idle", settled);
        self.harness.kittest().run_steps(3);
    }

    pub(super) fn until_asked(&mut self) {
        let asked = |pling: &Pling| !pling.session().waiting_for().is_empty();
        self.harness.run_until("a card is open", asked);
        // The question is open before the session tells of it.
        self.harness.run(tokio::task::yield_now());
        self.harness.kittest().run_steps(3);
    }

    /// The call that the user is asked about.
    pub(super) fn asked(&self) -> Option<String> {
        let open = self.harness.pling().session().waiting_for();
        open.first().map(|card| card.call_id.clone())
    }

    /// One click of the pointer, and one frame.
    pub(super) fn click(&mut self, button: &str) {
        let node = self.harness.kittest().get_by_role_and_label(Role::Button, button);
        let pos = node.rect().center();
        let button = |pressed| Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        let input = self.harness.kittest().input_mut();
        input
            .events
            .extend([Event::PointerMoved(pos), button(true), button(false)]);
        self.harness.kittest().step();
    }

    pub(super) fn shows(&mut self, text: &str) -> bool {
        self.harness
            .kittest()
            .query_all_by_label_contains(text)
            .next()
            .is_some()
    }

    /// Whether this text is painted, whoever can read it otherwise.
    pub(super) fn paints(&mut self, text: &str) -> bool {
        is_painted(&self.harness.kittest().output().shapes, text)
    }

    /// Another page, with a step that only the user may do and one that can never be undone.
    pub(super) fn show_signing(&mut self) {
        self.harness.state_mut().sign = true;
        self.harness.kittest().run_steps(3);
    }

    /// Presses a button of the panel by keyboard.
    pub(super) fn press(&mut self, label: &str) {
        self.tab_to(label);
        self.key(Key::Enter);
        self.harness.kittest().run_steps(2);
    }

    /// Puts the caret into a field of the app's.
    pub(super) fn search_field(&mut self) {
        let fields = self.harness.kittest().query_all_by_role(Role::TextInput);
        let mut search = fields.filter(|field| field.accesskit_node().placeholder() == Some("Search"));
        search.next().expect("the app's own field").focus();
        drop(search);
        self.harness.kittest().step();
    }

    pub(super) fn composer_rect(&mut self) -> egui::Rect {
        let field = (self.harness.kittest()).get_by_role_and_label(Role::MultilineTextInput, COMPOSER);
        field.rect()
    }

    pub(super) fn ends(&self) -> Vec<End> {
        self.outcomes.lock().iter().map(|outcome| outcome.end.clone()).collect()
    }

    pub(super) fn deleted(&self) -> u32 {
        self.harness.state().app.handled.delete
    }

    /// Drags the panel's edge until it is this wide.
    pub(super) fn widen(&mut self, width: f32) {
        let edge = self.harness.kittest().get_by_role(Role::Splitter).rect().center().x;
        let right = self.harness.kittest().ctx.content_rect().right();
        self.drag_edge(right - width - edge);
    }

    /// Opens the palette, which looks at the page first.
    pub(super) fn open_palette(&mut self) {
        self.key_with(Modifiers::COMMAND, Key::K);
        for _ in 0..100 {
            if self.shows("Find an action") {
                break;
            }
            self.harness.run(tokio::task::yield_now());
        }
        assert!(self.shows("Find an action"));
        self.harness.kittest().run_steps(2);
    }

    /// Scrolls up by so many points.
    pub(super) fn wheel(&mut self, at: egui::Pos2, points: f32) {
        self.event(Event::PointerMoved(at));
        self.event(Event::MouseWheel {
            unit: egui::MouseWheelUnit::Point,
            delta: egui::vec2(0.0, points),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Wheel,
            modifiers: Modifiers::NONE,
        });
    }

    pub(super) fn drag_edge(&mut self, by: f32) {
        let edge = egui::pos2(
            self.harness.kittest().get_by_role(Role::Splitter).rect().center().x,
            280.0,
        );
        let inside = edge + egui::vec2(by, 0.0);
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

    pub(super) fn snapshot(&mut self, name: &str) -> SnapshotResults {
        let options = SnapshotOptions::new().output_path("snapshots");
        self.harness.kittest().snapshot_options(name, &options);
        self.harness.kittest().take_snapshot_results()
    }
}

/// Every text among some shapes.
pub(super) fn painted_texts(shapes: &[ClippedShape]) -> Vec<String> {
    pub(super) fn take(shape: &egui::Shape, texts: &mut Vec<String>) {
        match shape {
            egui::Shape::Text(shown) => texts.push(shown.galley.text().to_owned()),
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| take(shape, texts)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    shapes.iter().for_each(|clipped| take(&clipped.shape, &mut texts));
    texts
}

pub(super) fn is_painted(shapes: &[ClippedShape], text: &str) -> bool {
    painted_texts(shapes).iter().any(|painted| painted.contains(text))
}

pub(super) fn delete_milk() -> Turn {
    Turn::call("delete", json!({ "record": "t3" }))
}
