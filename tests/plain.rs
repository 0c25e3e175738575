//! Remove the declarations and the app is what it was: the to-do example built with and without them, driven
//! through the same mouse and key events.

use egui::{Event, Key, Modifiers, PointerButton, Pos2, accesskit::Role};
use egui_kittest::{Harness, kittest::Queryable as _};
use pling_egui::Pling;

// The same source, with declarations that do nothing: what `--features plain` builds.
#[path = "../examples/todo/src/app.rs"]
#[expect(unreachable_pub, reason = "public in the example")]
mod app;
#[path = "../examples/todo/src/declare/inert.rs"]
mod declare;

/// One of the two builds under a mouse and a keyboard.
struct Driven<'a, State> {
    harness: Harness<'a, State>,
}

impl<State> Driven<'_, State> {
    /// Where a widget is; the test reads positions from one build and uses them for both.
    fn at(&self, role: Role, nth: usize) -> Pos2 {
        let nodes: Vec<_> = self.harness.query_all_by_role(role).collect();
        nodes[nth].rect().center()
    }

    fn labelled(&self, label: &str) -> Pos2 {
        self.harness.get_by_label(label).rect().center()
    }

    fn events(&mut self, events: &[Event]) {
        for event in events {
            self.harness.event(event.clone());
        }
        self.harness.run_steps(6);
    }
}

fn click(pos: Pos2) -> Vec<Event> {
    let button = |pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    vec![Event::PointerMoved(pos), button(true), button(false)]
}

fn key(key: Key) -> Vec<Event> {
    let event = |pressed| Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    vec![event(true), event(false)]
}

fn driven<'a, State: 'a>(ui: impl FnMut(&mut egui::Ui, &mut State) + 'a, state: State) -> Driven<'a, State> {
    let builder = Harness::builder().with_size([640.0, 480.0]);
    let mut harness = builder.with_accessibility_check(false).build_ui_state(ui, state);
    harness.run_steps(4);
    Driven { harness }
}

#[test]
fn the_same_events_lead_to_the_same_state_with_and_without_declarations() {
    let mut plain = driven(|ui, state: &mut app::TodoApp| state.ui(ui), app::TodoApp::default());
    let mut full = driven(
        |ui, app: &mut todo::app::TodoApp| app.ui(ui),
        todo::app::TodoApp::default(),
    );
    let pling = Pling::builder()
        .environment(|_| None)
        .offline()
        .install(&full.harness.ctx);

    let mut steps = 0;
    let mut both = |plain: &mut Driven<'_, app::TodoApp>, events: Vec<Event>| {
        plain.events(&events);
        full.events(&events);
        let (left, right) = (plain.harness.state(), full.harness.state());
        assert_eq!(
            serde_json::to_value(&left.todos).unwrap(),
            serde_json::to_value(&right.todos).unwrap(),
            "after step {steps}"
        );
        assert_eq!(
            format!("{:?}", left.handled),
            format!("{:?}", right.handled),
            "after step {steps}"
        );
        assert_eq!(
            format!("{:?}", left.filter),
            format!("{:?}", right.filter),
            "after step {steps}"
        );
        assert_eq!(left.settings_open, right.settings_open, "after step {steps}");
        steps += 1;
    };

    // Add a task with the keyboard, and one that has no title.
    let draft = plain.at(Role::TextInput, 0);
    both(&mut plain, click(draft));
    both(&mut plain, vec![Event::Text("Bread".into())]);
    both(&mut plain, key(Key::Enter));
    both(&mut plain, click(draft));
    both(&mut plain, key(Key::Enter));
    // Toggle, scroll, toggle what is under the same point now, delete.
    let check = plain.at(Role::CheckBox, 1);
    both(&mut plain, click(check));
    both(
        &mut plain,
        vec![
            Event::PointerMoved(check),
            Event::MouseWheel {
                unit: egui::MouseWheelUnit::Point,
                delta: egui::vec2(0.0, -90.0),
                phase: egui::TouchPhase::Move,
                source: egui::MouseWheelSource::Unknown,
                modifiers: Modifiers::NONE,
            },
        ],
    );
    both(&mut plain, click(check));
    // The button in the row that was just toggled at is gone with it; take the one that stands there now.
    let buttons = plain
        .harness
        .query_all_by_label("×")
        .map(|button| button.rect().center());
    let delete = buttons
        .min_by(|a, b| (a.y - check.y).abs().total_cmp(&(b.y - check.y).abs()))
        .unwrap();
    both(&mut plain, click(delete));
    // Search, choose a filter, open and close the settings, clear.
    let search = plain.at(Role::TextInput, 1);
    both(&mut plain, click(search));
    both(&mut plain, vec![Event::Text("the".into())]);
    let combo = plain.at(Role::ComboBox, 0);
    both(&mut plain, click(combo));
    let all = plain.labelled("all");
    both(&mut plain, click(all));
    let settings = plain.labelled("Settings…");
    both(&mut plain, click(settings));
    let close = plain.labelled("Close");
    both(&mut plain, click(close));
    let clear = plain.labelled("Clear done");
    both(&mut plain, click(clear));

    // The events did reach the app.
    let handled = plain.harness.state().handled;
    assert_eq!((handled.add, handled.delete, handled.search), (2, 1, 1));
    assert!(handled.toggle >= 1 && handled.clear_done == 1, "{handled:?}");
    drop(pling);
}
