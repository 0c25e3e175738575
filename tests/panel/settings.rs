//! Who answers, chosen by the user.

use pling_core::{
    llm::Turn,
    platform::{Duration, sleep},
};

use super::Bench;
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
