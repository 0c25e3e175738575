//! Writing to the assistant.

use egui::{Event, ImeEvent, Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::Queryable as _;
use pling_core::{
    agent::{End, Status},
    llm::Turn,
};

use super::{Bench, COMPOSER, Setup, Shown, delete_milk};
use crate::support::Scripted;

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
fn typing_in_a_field_of_the_app_under_the_panels_window_reaches_it() {
    let setup = Setup {
        shown: Shown::Window,
        size: Some([420.0, 560.0]),
        ..Setup::default()
    };
    let mut bench = Bench::with(Some(Scripted::default()), setup);
    let panel = bench.composer_rect();
    bench.search_field();
    let mut fields = bench.harness.kittest().query_all_by_role(Role::TextInput);
    let search = fields.find(|field| field.is_focused()).expect("the search field");
    assert!(search.rect().right() > panel.left(), "it lies under the window");
    drop(fields);
    bench.type_text("milk");
    assert!(bench.harness.kittest().query_by_value("milk").is_some());
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
fn the_arrow_keys_find_what_was_sent() {
    let mut bench = Bench::new(Scripted::new([Turn::text("one"), Turn::text("two")]));
    for text in ["first", "second"] {
        bench.send(text);
        bench.until_idle();
    }
    bench.type_text("unsent");
    let mut drafts = Vec::new();
    for key in [Key::ArrowUp, Key::ArrowUp, Key::ArrowUp, Key::ArrowDown, Key::ArrowDown] {
        bench.key(key);
        drafts.push(bench.draft());
    }
    assert_eq!(drafts, ["second", "first", "first", "second", "unsent"]);
    bench.type_text(" yet");
    assert_eq!(bench.draft(), "unsent yet", "the caret is at the end");
}

#[test]
fn an_empty_composer_suggests_what_the_page_offers() {
    let model = Scripted::new([Turn::text("ok")]);
    let mut bench = Bench::new(model.clone());
    bench.press("Add a task");
    assert_eq!(bench.draft(), "Add a task");
    assert_eq!(model.requests().len(), 0, "nothing is sent");
    bench.type_text(" to call Ana");
    bench.key(Key::Enter);
    bench.until_idle();
    assert!(model.bodies()[0].to_string().contains("Add a task to call Ana"));
}

#[test]
fn the_arrow_keys_move_the_caret_until_it_is_at_the_edge() {
    let mut bench = Bench::new(Scripted::new([Turn::text("one")]));
    bench.send("sent before");
    bench.until_idle();
    let long = "a line that is wrapped because it is much longer than the panel is wide, so that it has several rows";
    bench.type_text(long);
    bench.key(Key::ArrowUp);
    assert_eq!(bench.draft(), long, "the caret is in the row above");
    for _ in 0..4 {
        bench.key(Key::ArrowUp);
    }
    assert_eq!(bench.draft(), "sent before");
    bench.key(Key::ArrowDown);
    assert_eq!(bench.draft(), long);
    bench.type_text("!");
    assert_eq!(bench.draft(), format!("{long}!"), "the caret is at the end");
}

#[test]
fn an_esc_of_an_input_method_does_not_stop_the_run() {
    let model = Scripted::new([Turn::never()]);
    let mut bench = Bench::new(model.clone());
    bench.send("think for ever");
    bench
        .harness
        .run_until("the model is asked", |_| model.requests().len() == 1);
    let preedit = |text: &str| {
        Event::Ime(ImeEvent::Preedit {
            text: text.to_owned(),
            active_range_chars: None,
        })
    };
    bench.event(preedit("ni"));
    let esc = |pressed| Event::Key {
        key: Key::Escape,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    let both = [preedit(""), esc(true), esc(false)];
    bench.harness.kittest().input_mut().events.extend(both);
    bench.harness.kittest().step();
    assert_eq!(bench.harness.pling().session().status(), Status::Running);
    bench.key(Key::Escape);
    bench.until_idle();
    assert_eq!(bench.ends(), [End::Cancelled]);
}

#[test]
fn a_draft_that_gave_way_to_an_older_message_is_found_again() {
    let mut bench = Bench::new(Scripted::new([Turn::text("One"), Turn::text("Two")]));
    bench.send("first");
    bench.until_idle();
    bench.type_text("half a thought");
    bench.key_with(Modifiers::SHIFT, Key::ArrowUp);
    assert_eq!(bench.draft(), "half a thought", "that selects");
    bench.key(Key::ArrowUp);
    assert_eq!(bench.draft(), "first");
    bench.type_text("!");
    bench.key(Key::Enter);
    bench.until_idle();
    let found: Vec<_> = (0..3)
        .map(|_| {
            bench.key(Key::ArrowUp);
            bench.draft()
        })
        .collect();
    assert!(found.contains(&"half a thought".to_owned()), "{found:?}");
    assert!(found.contains(&"first!".to_owned()), "{found:?}");
}
