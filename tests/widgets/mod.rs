//! Every standard widget of egui, operated through its own handler, in every place it can stand in.
//!
//! A widget is a function that draws and declares it as the action `act` and says whether the application's own
//! handler ran. [`every_place`] puts it where a user can reach it and where not.

mod buttons;
mod choices;
mod containers;
mod functions;
mod hazards;
mod menus;
mod numbers;
mod pickers;
mod tables;
mod text;

use std::fmt::Debug;

use egui::{Id, Modal, Rect, ScrollArea, Ui, Window, pos2};
use pling_core::act::{Code, Receipt};
use pling_egui::testing::AgentHarness;
use serde_json::Value;

/// Where the widget stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Free,
    Disabled,
    Invisible,
    ScrolledOut,
    ClippedForGood,
    UnderModal,
    UnderWindow,
    Gone,
}

/// A page with one widget.
struct Page<T> {
    place: Place,
    value: T,
    /// Calls of the application's own handler.
    handled: u32,
}

/// Draws and declares a widget as `act`, and says whether the application's handler ran.
type Draw<T> = fn(&mut Ui, &mut T) -> bool;

fn page<T: 'static>(value: T, draw: Draw<T>) -> AgentHarness<'static, Page<T>> {
    let page = Page {
        place: Place::Free,
        value,
        handled: 0,
    };
    AgentHarness::new_ui_state(move |ui, page| show(ui, page, draw), page)
}

fn show<T>(ui: &mut Ui, page: &mut Page<T>, draw: Draw<T>) {
    let handled = match page.place {
        Place::Free => draw(ui, &mut page.value),
        Place::Disabled => ui.add_enabled_ui(false, |ui| draw(ui, &mut page.value)).inner,
        Place::Invisible => {
            let invisible = |ui: &mut Ui| {
                ui.set_invisible();
                draw(ui, &mut page.value)
            };
            ui.scope(invisible).inner
        }
        Place::ScrolledOut => {
            let area = ScrollArea::vertical().max_height(80.0);
            let far_down = |ui: &mut Ui| {
                ui.add_space(500.0);
                let handled = draw(ui, &mut page.value);
                ui.add_space(500.0);
                handled
            };
            area.show(ui, far_down).inner
        }
        Place::ClippedForGood => {
            let clipped = |ui: &mut Ui| {
                ui.set_clip_rect(Rect::NOTHING);
                draw(ui, &mut page.value)
            };
            ui.scope(clipped).inner
        }
        Place::UnderModal => {
            let handled = draw(ui, &mut page.value);
            Modal::new(Id::unique("over")).show(ui.ctx(), |ui| ui.label("Something else first"));
            handled
        }
        Place::UnderWindow => {
            let handled = draw(ui, &mut page.value);
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(790.0, 590.0));
            Window::new("Over").fixed_rect(all).show(ui.ctx(), |ui| {
                ui.set_min_size(all.size());
            });
            handled
        }
        Place::Gone => false,
    };
    page.handled += u32::from(handled);
}

/// The same call on the same widget in every place: its handler runs exactly once where a user could reach it, and
/// otherwise not at all, with the reason.
fn every_place<T>(draw: Draw<T>, arguments: &Value, before: &T, after: &T)
where
    T: Clone + PartialEq + Debug + 'static,
{
    for (place, refused) in [
        (Place::Free, None),
        (Place::ScrolledOut, None),
        (Place::Disabled, Some((Code::Unavailable, Some("disabled")))),
        (Place::Invisible, Some((Code::Unavailable, Some("hidden")))),
        (Place::ClippedForGood, Some((Code::Unavailable, Some("offscreen")))),
        (Place::UnderModal, Some((Code::Unavailable, Some("covered_by")))),
        (Place::UnderWindow, Some((Code::Unavailable, Some("covered_by")))),
        (Place::Gone, Some((Code::ActionGone, Some("not_drawn")))),
    ] {
        let mut harness = page(before.clone(), draw);
        // It is known before it is put there.
        harness.snapshot();
        harness.state_mut().place = place;
        harness.kittest().run_steps(3);
        let receipt = harness.invoke("act", arguments.clone());
        let found = receipt.code().map(|code| (code, receipt.reason.as_deref()));
        assert_eq!(found, refused, "{place:?}: {receipt:?}");
        harness.kittest().run_steps(3);
        let state = harness.state();
        let (value, handled) = if refused.is_none() { (after, 1) } else { (before, 0) };
        assert_eq!(
            (&state.value, state.handled),
            (value, handled),
            "{place:?}: {receipt:?}"
        );
    }
}

/// One call on the widget where it can be reached: the receipt, the value, how often the handler ran.
fn call<T: 'static>(draw: Draw<T>, value: T, arguments: Value) -> (Receipt, T, u32)
where
    T: Clone,
{
    let mut harness = page(value, draw);
    let receipt = harness.invoke("act", arguments);
    harness.kittest().run_steps(5);
    let state = harness.state();
    (receipt, state.value.clone(), state.handled)
}
