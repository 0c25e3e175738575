//! Who answers, chosen by the user.

use egui::{Key, Modifiers};
use pling_core::{
    act::Preset,
    agent::{ConfigPatch, SecretPairs},
    llm::Turn,
    platform::{Duration, sleep},
};

use super::{Bench, Setup};
use crate::support::{
    Scripted,
    server::{Answer, Server},
};

fn opened() -> Bench {
    let mut bench = Bench::new(Scripted::new([Turn::text("ok")]));
    bench.press("Settings");
    assert!(bench.shows("scripted model"), "who answers now");
    bench
}

fn write(bench: &mut Bench, field: &str, text: &str) {
    bench.tab_to(field);
    bench.type_text(text);
}

#[test]
fn what_is_wrong_is_named() {
    let mut bench = opened();
    write(&mut bench, "Endpoint", "localhost:11434");
    write(&mut bench, "Model name", "small");
    bench.press("Use");
    assert!(bench.shows("expected a URL that begins with http"));
}

#[test]
fn an_endpoint_is_used_and_its_key_is_kept_nowhere() {
    let server = Server::start([Answer::text("from the server")]);
    let mut bench = opened();
    write(&mut bench, "Endpoint", &server.url("/v1"));
    write(&mut bench, "Model name", "small");
    write(&mut bench, "Key", "secret-key-0123");
    bench.press("Use");
    assert!(bench.shows("In use from the next message on"));
    assert!(!bench.shows("secret-key-0123"), "masked");
    bench.send("hello");
    bench.until_idle();
    assert!(bench.shows("from the server"));
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some("Bearer secret-key-0123")
    );
    assert!(!bench.harness.pling().save().contains("secret-key"));
}

/// The app at its next start: nothing is left but what egui wrote to the disk.
fn restarted(bench: &mut Bench) -> (Bench, String) {
    let written = bench.harness.kittest().ctx.data(serde_json::to_string);
    let written = written.expect("what egui remembers");
    let data = serde_json::from_str(&written).expect("what was just written");
    let model = Scripted::new([Turn::text("ok")]);
    let bench = Bench::prepared(Some(model), Setup::default(), |ctx| ctx.data_mut(|here| *here = data));
    (bench, written)
}

#[test]
fn what_was_chosen_is_there_after_a_restart() {
    let server = Server::start([Answer::text("one"), Answer::text("two")]);
    let mut bench = opened();
    write(&mut bench, "Endpoint", &server.url("/v1"));
    write(&mut bench, "Model name", "small");
    write(&mut bench, "Key", "secret-key-0123");
    bench.tab_to("Replies for one message");
    bench.type_text("12");
    bench.press("Use");
    assert!(bench.shows("In use from the next message on"));
    bench.press("As the app says");
    bench.press("Read only");
    bench.key(Key::Escape);

    let (mut bench, written) = restarted(&mut bench);
    assert!(!written.contains("secret-key"), "nobody asked for that");
    let config = bench.harness.pling().config();
    assert_eq!((&*config.base_url, &*config.model), (&*server.url("/v1"), "small"));
    assert_eq!(config.limits.max_turns, 12);
    assert_eq!(bench.harness.pling().session().preset(), Some(Preset::ReadOnly));
    assert!(bench.shows("small"), "who answers now");
    bench.send("hello");
    bench.until_idle();
    assert_eq!(server.requests()[0].header("authorization"), None);

    bench.press("Settings");
    write(&mut bench, "Key", "secret-key-0123");
    bench.tab_to("Keep the key on this computer");
    bench.key(Key::Space);
    bench.press("Use");
    assert!(
        !bench.harness.pling().save().contains("secret-key"),
        "a checkpoint holds no key"
    );
    let (mut bench, written) = restarted(&mut bench);
    assert!(written.contains("secret-key"));
    bench.send("hello");
    bench.until_idle();
    assert_eq!(
        server.requests()[1].header("authorization"),
        Some("Bearer secret-key-0123")
    );
    bench.press("Settings");
    assert!(!bench.shows("secret-key") && !bench.paints("secret-key"), "masked");
    bench.tab_to("Keep the key on this computer");
    bench.key(Key::Space);
    bench.press("Use");
    let (_, written) = restarted(&mut bench);
    assert!(!written.contains("secret-key"), "taken back");
}

#[test]
fn what_was_not_chosen_is_the_apps_after_a_restart() {
    let mut bench = opened();
    bench.tab_to("Replies for one message");
    bench.type_text("12");
    bench.press("Use");
    let (mut bench, _) = restarted(&mut bench);
    assert_eq!(bench.harness.pling().config().limits.max_turns, 12);
    assert!(bench.shows("scripted model"), "the app's own model still answers");
    bench.send("hello");
    bench.until_idle();
    assert!(bench.shows("ok"));
}

#[test]
fn the_test_button_says_what_it_found() {
    let refusal = serde_json::json!({ "error": { "message": "no such key" } });
    let server = Server::start([Answer::json(401, &refusal)]);
    let mut bench = opened();
    write(&mut bench, "Endpoint", &server.url("/v1"));
    write(&mut bench, "Model name", "small");
    bench.press("Test");
    for _ in 0..2000 {
        if bench.shows("An assistant cannot work with it") {
            break;
        }
        bench.harness.run(async { sleep(Duration::from_millis(2)).await });
    }
    assert!(bench.shows("An assistant cannot work with it") && bench.shows("no such key"));
}

#[test]
fn a_secret_goes_to_the_endpoint_it_was_given_for_and_to_no_other() {
    let own = Server::start([Answer::text("own")]);
    let other = Server::start([Answer::text("other")]);
    let mut config = ConfigPatch::new()
        .base_url(own.url("/v1"))
        .model("small")
        .api_key("app-key-0123");
    config.headers = Some(SecretPairs::new().with("x-team", "app-secret-0123"));
    config.query = Some(SecretPairs::new().with("pass", "app-secret-0123"));
    let mut bench = Bench::configured(config);
    bench.send("hello");
    bench.until_idle();
    assert_eq!(own.requests()[0].header("x-team"), Some("app-secret-0123"));

    bench.press("Settings");
    write(&mut bench, "Key", "typed-key-0123");
    bench.tab_to("Endpoint");
    bench.key_with(Modifiers::COMMAND, Key::A);
    bench.type_text(&other.url("/v1"));
    bench.press("Use");
    assert!(bench.shows("In use from the next message on"));
    bench.send("hello again");
    bench.until_idle();
    let sent = format!("{:?}", other.requests());
    assert!(sent.contains("hello again"), "{sent}");
    for secret in ["app-key", "app-secret", "typed-key"] {
        assert!(!sent.contains(secret), "{secret} in {sent}");
    }
}

#[test]
fn keys_typed_into_its_fields_do_not_reach_the_app() {
    let mut bench = Bench::new(Scripted::default());
    bench.press("Settings");
    for field in ["Endpoint", "Key", "Replies for one message"] {
        bench.tab_to(field);
        bench.type_text("1");
        bench.key(Key::Backspace);
        bench.key(Key::S);
        bench.key_with(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(bench.harness.state().shortcuts, 0);
}
