//! Everything with the keyboard alone.

use egui::{Key, Modifiers};
use pling_core::{agent::End, llm::Turn};

use super::{Bench, COMPOSER, delete_milk};
use crate::support::Scripted;

#[test]
fn everything_is_done_with_the_keyboard_alone() {
    let model = Scripted::new([
        delete_milk(),
        Turn::text("Kept"),
        delete_milk(),
        Turn::text("Gone"),
        Turn::never(),
    ]);
    let mut bench = Bench::new(model.clone());

    // Ask, deny with a message.
    bench.send("remove the milk");
    bench.until_asked();
    bench.tab_to("Reason for denying");
    bench.type_text("I still need it");
    bench.key(Key::Enter);
    bench.until_idle();
    assert_eq!(bench.deleted(), 0);
    assert!(model.bodies()[1].to_string().contains("I still need it"));

    // What was sent is found again; allow.
    bench.key(Key::ArrowUp);
    assert_eq!(bench.draft(), "remove the milk");
    bench.key(Key::Enter);
    bench.until_asked();
    bench.key_with(Modifiers::COMMAND, Key::Enter);
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);

    // Stop.
    bench.send("think for ever");
    bench
        .harness
        .run_until("the model is asked", |_| model.requests().len() == 5);
    bench.key(Key::Escape);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Answered, End::Answered, End::Cancelled]);

    // The palette with its form.
    bench.open_palette();
    bench.type_text("add task");
    bench.key(Key::Enter);
    bench.harness.kittest().run_steps(2);
    bench.type_text("Call Ana");
    bench.key(Key::Enter);
    for _ in 0..400 {
        if bench.harness.state().app.handled.add == 1 {
            break;
        }
        bench.harness.run(tokio::task::yield_now());
    }
    assert_eq!(bench.harness.state().app.handled.add, 1);
    bench.harness.kittest().run_steps(3);

    // The inspector, the settings, and back to the conversation.
    bench.press("Inspector");
    bench.harness.kittest().run_steps(3);
    bench.tab_to("add_todo");
    bench.press("Page as sent");
    assert!(bench.shows("<page_data>"));
    bench.press("Settings");
    bench.tab_to("Replies for one message");
    bench.type_text("12");
    bench.press("Use");
    assert_eq!(bench.harness.pling().config().limits.max_turns, 12);
    bench.press("Chat");
    assert!(bench.paints("Gone"));
    bench.press("Clear");
    bench.until_idle();
    assert!(!bench.paints("Gone"));
    bench.tab_to(COMPOSER);
}
