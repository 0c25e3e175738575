//! Each tool beside what it was: the same mouse and keys lead to the same state and the same picture.

use adopt::{gallery::Gallery, modals::Modals, plain, table::Table};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Ui, accesskit::Role};
use egui_kittest::{Harness, Node, kittest::Queryable as _};
use pling_egui::Pling;

/// Draws a tool.
type Draw<T> = fn(&mut T, &mut Ui);

/// Everything a tool holds, in words.
type Told<T> = fn(&T) -> String;

/// A tool without and with its declarations, under one mouse and one keyboard.
struct Pair<P: 'static, D: 'static> {
    plain: Harness<'static, P>,
    declared: Harness<'static, D>,
    states: (Told<P>, Told<D>),
    _pling: Pling,
}

impl<P: Default, D: Default> Pair<P, D> {
    fn new(ui: (Draw<P>, Draw<D>), states: (Told<P>, Told<D>)) -> Self {
        let plain = harness(ui.0);
        let declared = harness(ui.1);
        let pling = Pling::builder().environment(|_| None).offline();
        let mut pair = Self {
            _pling: pling.install(&declared.ctx),
            plain,
            declared,
            states,
        };
        pair.events(&[]);
        pair
    }

    /// Passes the events on to both, and compares what became of them.
    fn events(&mut self, events: &[Event]) {
        for event in events {
            self.plain.event(event.clone());
            self.declared.event(event.clone());
        }
        self.plain.run_steps(6);
        self.declared.run_steps(6);
        let (plain, declared) = (self.states.0(self.plain.state()), self.states.1(self.declared.state()));
        assert_eq!(plain, declared, "after {events:?}");
        let (plain, declared) = (&self.plain.output().shapes, &self.declared.output().shapes);
        let differs = plain
            .iter()
            .zip(declared)
            .position(|(plain, declared)| plain != declared);
        assert_eq!((plain.len(), None), (declared.len(), differs), "after {events:?}");
    }

    fn click_at(&mut self, pos: Pos2) {
        let button = |pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.events(&[Event::PointerMoved(pos), button(true), button(false)]);
    }

    /// Positions are read from the plain tool and used for both.
    fn click(&mut self, label: &str) {
        let mut there = self.plain.query_all_by_label(label);
        let pos = there.next().map(|node: Node<'_>| node.rect().center());
        drop(there);
        self.click_at(pos.unwrap_or_else(|| panic!("there is no \"{label}\"")));
    }

    fn click_role(&mut self, role: Role, nth: usize) {
        let mut there = self.plain.query_all_by_role(role);
        let pos = there.nth(nth).map(|node: Node<'_>| node.rect().center());
        drop(there);
        self.click_at(pos.unwrap_or_else(|| panic!("there is no {role:?} {nth}")));
    }

    fn type_text(&mut self, text: &str) {
        self.events(&[Event::Text(text.to_owned())]);
    }

    fn key(&mut self, key: Key) {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.events(&[event(true), event(false)]);
    }
}

fn harness<T: Default + 'static>(ui: Draw<T>) -> Harness<'static, T> {
    let builder = Harness::builder().with_size([640.0, 560.0]);
    // The color picker has a sign that the small fonts lack.
    let builder = builder.with_accessibility_check(false).allow_missing_glyphs();
    builder.build_ui_state(move |page, tool: &mut T| ui(tool, page), T::default())
}

#[test]
fn the_control_panel_is_what_it_was() {
    let mut pair = Pair::new(
        (plain::gallery::Gallery::ui, Gallery::ui),
        (
            |tool| format!("{:?} {} {}", tool.house, tool.enabled, tool.visible),
            |tool| format!("{:?} {} {}", tool.house, tool.enabled, tool.visible),
        ),
    );
    pair.click_role(Role::TextInput, 0);
    pair.type_text(" b");
    for label in ["On", "Automatic", "South", "Water now", "Take a photo", "Journal"] {
        pair.click(label);
    }
    pair.click_role(Role::ComboBox, 0);
    pair.click("Lettuce");
    pair.click_role(Role::Slider, 0);
    pair.click_role(Role::SpinButton, 1);
    pair.type_text("70");
    pair.key(Key::Enter);
    pair.click_role(Role::ColorWell, 0);
    pair.key(Key::Escape);
    pair.click("Empty the journal");
    pair.click("Enabled");
    pair.click("Water now");
    pair.click("Visible");
    let house = &pair.plain.state().house;
    assert_eq!((house.crop, house.photos, house.lamps), ("Lettuce", 1, true));
    assert!(
        house.name.ends_with(" b") && house.degrees > 18.0,
        "the events arrived: {house:?}"
    );
    assert_eq!(
        (house.humidity, house.tank, house.journal.as_str()),
        (70, 0.8 - 0.1, "")
    );
}

#[test]
fn the_visitors_desk_is_what_it_was() {
    let mut pair = Pair::new(
        (plain::modals::Modals::ui, Modals::ui),
        (|tool| format!("{tool:?}"), |tool| format!("{tool:?}")),
    );
    for name in ["Cy", "Bea"] {
        pair.click("New visitor…");
        pair.click("Save");
        pair.click_role(Role::TextInput, 0);
        pair.type_text(name);
        pair.click_role(Role::ComboBox, 0);
        pair.click("Archive");
        pair.click("Save");
        pair.click("Not yet");
        pair.click("Save");
        pair.click("Print");
        pair.events(&[]);
    }
    pair.click("New visitor…");
    pair.key(Key::Escape);
    pair.click("List");
    pair.click("Sort by name");
    let names: Vec<_> = pair
        .plain
        .state()
        .visitors
        .iter()
        .map(|visitor| &visitor.name)
        .collect();
    assert_eq!(names, ["Bea", "Cy"]);
    pair.click("List");
    pair.click("Everybody left");
    assert_eq!(pair.plain.state().visitors.len(), 0);
}

#[test]
fn the_seed_bank_is_what_it_was() {
    let mut pair = Pair::new(
        (plain::table::Table::ui, Table::ui),
        (|tool| format!("{tool:?}"), |tool| format!("{tool:?}")),
    );
    pair.click("Barley");
    pair.click_role(Role::CheckBox, 3);
    pair.click("Show");
    pair.click("Weight");
    pair.click_role(Role::SpinButton, 0);
    pair.type_text("5000");
    pair.key(Key::Enter);
    pair.click("Go");
    pair.click_role(Role::CheckBox, 4);
    pair.click("Varied heights");
    pair.click("Weight, up");
    pair.click("Close the card");
    let table = pair.plain.state();
    assert_eq!((table.selected.len(), table.varied, table.descending), (1, true, true));
    let tested = table
        .samples
        .iter()
        .filter(|sample| sample.tested != (sample.number - 1).is_multiple_of(5));
    assert!(tested.count() > 0);
    pair.click("Select none");
}
