//! Sliders and drag values.

use egui::{DragValue, RangeSlider, Slider, Ui};
use pling_core::act::Code;
use pling_egui::{ResponseExt as _, Tool};
use serde_json::json;

use super::{call, every_place, page};

fn act() -> Tool {
    Tool::new("act", "Act")
}

#[test]
fn sliders_and_drag_values() {
    let seven = json!({ "value": 7 });
    every_place(
        |ui, number: &mut i32| ui.add(Slider::new(number, 0..=10)).tool(act()).changed(),
        &seven,
        &1,
        &7,
    );
    every_place(
        |ui, number: &mut i32| ui.add(Slider::new(number, 0..=10).vertical()).tool(act()).changed(),
        &seven,
        &1,
        &7,
    );
    every_place(
        |ui, number: &mut f64| {
            let slider = Slider::new(number, 1.0..=1000.0).logarithmic(true).text("Frequency");
            ui.add(slider).tool(act()).changed()
        },
        &seven,
        &1.0,
        &7.0,
    );
    every_place(
        |ui, number: &mut i32| ui.add(DragValue::new(number).range(0..=10)).tool(act()).changed(),
        &seven,
        &1,
        &7,
    );
    every_place(
        |ui, number: &mut i32| {
            let drag = DragValue::new(number).update_while_editing(false);
            ui.add(drag).tool(act()).changed()
        },
        &seven,
        &1,
        &7,
    );
}

fn stepped(ui: &mut Ui, number: &mut f32) -> bool {
    ui.add(Slider::new(number, 0.0..=1.0).step_by(0.25))
        .tool(act())
        .changed()
}

#[test]
fn a_number_between_two_steps_is_reported_as_what_the_widget_took() {
    let (receipt, number, handled) = call(stepped, 0.0, json!({ "value": 0.3 }));
    assert_eq!((receipt.value, number, handled), (Some(json!(0.25)), 0.25, 1));
    // It leads back to where the slider is: nothing to report by the widget, and nothing claimed.
    let (receipt, number, handled) = call(stepped, 0.25, json!({ "value": 0.3 }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!((receipt.value, number, handled), (Some(json!(0.25)), 0.25, 0));
    assert!(receipt.warning.unwrap().contains("took 0.25 instead of"));
}

#[test]
fn c08_a_number_out_of_range_is_clamped_and_reported() {
    let drag = |ui: &mut Ui, number: &mut i32| ui.add(DragValue::new(number).range(0..=10)).tool(act()).changed();
    let (receipt, number, handled) = call(drag, 1, json!({ "value": 99 }));
    assert_eq!((receipt.value, number, handled), (Some(json!(10)), 10, 1));
    assert!(receipt.warning.unwrap().contains("took 10 instead of 99"));
    let (receipt, number, _) = call(drag, 1, json!({ "value": "7" }));
    assert!(receipt.is_ok() && number == 7, "{receipt:?}");
    let (receipt, number, handled) = call(drag, 1, json!({ "value": "many" }));
    assert_eq!((receipt.code(), number, handled), (Some(Code::InvalidArguments), 1, 0));
}

#[test]
fn c08_what_the_user_is_typing_into_a_number_field_wins() {
    for slider in [false, true] {
        let draw: super::Draw<i32> = match slider {
            true => |ui, number| ui.add(Slider::new(number, 0..=100)).tool(act()).changed(),
            false => |ui, number| ui.add(DragValue::new(number).range(0..=100)).tool(act()).changed(),
        };
        let mut harness = page(5, draw);
        harness.kittest().run_steps(2);
        use egui_kittest::kittest::Queryable as _;
        harness.kittest().get_by_role(egui::accesskit::Role::SpinButton).click();
        harness.kittest().run_steps(2);
        harness.kittest().event(egui::Event::Text("4".into()));
        harness.kittest().run_steps(2);
        assert_eq!(harness.state().value, 4);
        let receipt = harness.invoke("act", json!({ "value": 7 }));
        assert_eq!(
            receipt.reason.as_deref(),
            Some("requires"),
            "slider {slider}: {receipt:?}"
        );
        assert!(receipt.error.unwrap().1.contains("the user is typing in it"));
        harness.kittest().event(egui::Event::Text("2".into()));
        harness.kittest().run_steps(2);
        assert_eq!(harness.state().value, 42, "nothing typed is lost");
        // Left, it can be set again.
        harness.kittest().key_press(egui::Key::Enter);
        harness.kittest().run_steps(4);
        assert!(harness.invoke("act", json!({ "value": 7 })).is_ok());
        assert_eq!(harness.state().value, 7);
    }
}

#[test]
fn c17_a_slider_that_commits_when_its_drag_stops_commits_once() {
    fn draw(ui: &mut Ui, (live, committed): &mut (i32, Vec<i32>)) -> bool {
        let slider = ui.add(Slider::new(live, 0..=10)).tool(act());
        if slider.drag_stopped() {
            committed.push(*live);
        }
        slider.drag_stopped()
    }
    every_place(draw, &json!({ "value": 7 }), &(1, vec![]), &(7, vec![7]));
    // No button of the pointer is left down, for there was none.
    let mut harness = page((1, vec![]), draw);
    assert!(harness.invoke("act", json!({ "value": 7 })).is_ok());
    let pointer = harness.kittest().ctx.input(|input| input.pointer.clone());
    assert!(!pointer.any_down() && !pointer.has_pointer());
}

#[test]
fn a_range_slider_is_unsupported_and_says_what_to_do() {
    let (receipt, ends, _) = call(
        |ui, (low, high): &mut (i32, i32)| ui.add(RangeSlider::new(low, high, 0..=10)).tool(act()).changed(),
        (2, 5),
        json!({}),
    );
    assert_eq!((receipt.code(), ends), (Some(Code::Unsupported), (2, 5)), "{receipt:?}");
    assert!(receipt.error.unwrap().1.contains("two ends"));
    // With a number for each end it is as good as its two numbers.
    let (receipt, ends, handled) = call(
        |ui, (low, high): &mut (i32, i32)| {
            ui.add(RangeSlider::new(low, high, 0..=10).show_value(false));
            ui.add(DragValue::new(low).range(0..=*high)).tool(act()).changed()
        },
        (2, 5),
        json!({ "value": 4 }),
    );
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!((ends, handled), ((4, 5), 1));
}

#[test]
fn what_the_application_made_of_a_number_is_reported_not_what_came_in() {
    fn whole(ui: &mut Ui, number: &mut i64) -> bool {
        ui.add(DragValue::new(number)).tool(act()).changed()
    }
    let (receipt, number, handled) = call(whole, 1, json!({ "value": 0.7 }));
    assert_eq!((receipt.value, number, handled), (Some(json!(0)), 0, 1));
    assert!(receipt.warning.unwrap().contains("took 0 instead of 0.7"));
    let (receipt, number, _) = call(whole, 1, json!({ "value": 9_007_199_254_740_992_i64 }));
    assert_eq!((receipt.warning, number), (None, 9_007_199_254_740_992));

    let capped = |ui: &mut Ui, number: &mut f64| {
        let changed = ui.add(DragValue::new(number)).tool(act()).changed();
        *number = number.min(50.0);
        changed
    };
    let (receipt, number, handled) = call(capped, 1.0, json!({ "value": 70 }));
    assert_eq!((receipt.value, number, handled), (Some(json!(50)), 50.0, 1));

    let (receipt, number, _) = call(
        |ui, number: &mut f32| ui.add(DragValue::new(number)).tool(act()).changed(),
        1.0,
        json!({ "value": 1e308 }),
    );
    assert!(number.is_infinite());
    assert!(receipt.warning.unwrap().contains("no finite number"));
}

#[test]
fn a_number_that_the_application_does_not_take_is_never_called_done() {
    let draws: [super::Draw<f64>; 2] = [
        |ui, number| {
            ui.add(Slider::from_get_set(0.0..=1.0, |_| *number))
                .tool(act())
                .changed()
        },
        |ui, number| ui.add(DragValue::from_get_set(|_| *number)).tool(act()).changed(),
    ];
    for (index, draw) in draws.into_iter().enumerate() {
        let (receipt, number, handled) = call(draw, 0.2, json!({ "value": 0.7 }));
        assert_eq!(
            (receipt.code(), number, handled),
            (Some(Code::NotDelivered), 0.2, 0),
            "{index}"
        );
        assert!(receipt.error.unwrap().1.contains("stayed at 0.2"), "{index}");
    }
}

#[test]
fn a_number_whose_handler_takes_its_widget_away_is_done() {
    let (receipt, number, handled) = call(
        |ui, number: &mut i32| *number == 1 && ui.add(Slider::new(number, 0..=10)).tool(act()).changed(),
        1,
        json!({ "value": 7 }),
    );
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!((number, handled), (7, 1));
}

#[test]
fn c08_what_the_user_is_dragging_wins() {
    let draws: [super::Draw<f32>; 2] = [
        |ui, number| ui.add(Slider::new(number, 0.0..=10.0)).tool(act()).changed(),
        |ui, number| ui.add(DragValue::new(number)).tool(act()).changed(),
    ];
    for (index, draw) in draws.into_iter().enumerate() {
        let mut harness = page(1.0, draw);
        harness.kittest().run_steps(2);
        let role = [egui::accesskit::Role::Slider, egui::accesskit::Role::SpinButton][index];
        use egui_kittest::kittest::Queryable as _;
        let at = harness.kittest().get_by_role(role).rect().center();
        let button = |pressed| egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        harness.kittest().event(egui::Event::PointerMoved(at));
        harness.kittest().event(button(true));
        harness.kittest().run_steps(2);
        harness
            .kittest()
            .event(egui::Event::PointerMoved(at + egui::vec2(10.0, 0.0)));
        harness.kittest().run_steps(2);
        let dragged_to = harness.state().value;
        assert_ne!(dragged_to, 1.0, "{index}");
        let receipt = harness.invoke("act", json!({ "value": 7 }));
        assert_eq!(receipt.reason.as_deref(), Some("requires"), "{index}: {receipt:?}");
        assert_eq!(harness.state().value, dragged_to, "{index}");
        harness.kittest().event(button(false));
        harness.kittest().run_steps(3);
        assert!(harness.invoke("act", json!({ "value": 7 })).is_ok(), "{index}");
        assert_eq!(harness.state().value, 7.0, "{index}");
    }
}

#[test]
fn a_refusal_does_not_tell_a_secret_number() {
    let (receipt, ..) = call(
        |ui, number: &mut f64| {
            let drag = DragValue::from_get_set(|_| *number);
            ui.add(drag).tool(act().sensitive()).changed()
        },
        4711.5,
        json!({ "value": 1234 }),
    );
    assert_eq!(receipt.code(), Some(Code::NotDelivered));
    let json = receipt.to_json().to_string();
    assert!(!json.contains("4711") && !json.contains("1234"), "{json}");
}
