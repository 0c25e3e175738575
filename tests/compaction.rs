//! A conversation that does not fit any more: what goes, what stays, and what is said about it.

mod fold;
mod overflow;

use std::collections::BTreeSet;

use pling_core::{
    agent::{ConfigPatch, LimitsPatch},
    llm::{ErrorKind, Request, Turn},
};
use serde_json::{Value, json};

use crate::support::{
    Scripted,
    desk::{Desk, wait_for},
    validate::assert_valid_conversation,
};

/// The first line of the message that stands for what was folded.
const HEADING: &str = "[Conversation history summary]";
/// What stands before the receipts in it.
const DONE: &str = "[Already carried out";

/// The least that a configuration allows: every request is too long.
fn smallest() -> ConfigPatch {
    let limits = LimitsPatch::new()
        .context_tokens(1)
        .reserve_for_output(0)
        .keep_recent(1);
    ConfigPatch::new().limits(limits.max_turns(30))
}

/// Whether somebody wants a summary, and not a turn.
fn is_summary(request: &Request) -> bool {
    request.tools.is_empty()
}

fn text(message: &Value) -> &str {
    message["content"].as_str().unwrap_or_default()
}

/// The titles that this request shows as added: in the list of what was done, and in calls with their results.
fn added(request: &Request) -> BTreeSet<String> {
    let mut added = BTreeSet::new();
    let mut note = |arguments: &str| {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        added.insert(arguments["text"].as_str().expect("a title").to_owned());
    };
    let folded = text(&request.messages[1]).split_once(DONE).map_or("", |(_, list)| list);
    for line in folded.lines() {
        if let Some(call) = line.strip_prefix("- add_todo ") {
            note(call.split_once(": done").expect("it was done").0);
        }
    }
    for message in &request.messages {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            note(call["function"]["arguments"].as_str().expect("text"));
        }
    }
    added
}

/// A model that adds whatever is not shown as added, one at a time, and whose summaries claim that all is still to do.
fn forgetful(titles: &'static [&'static str], llm: &Scripted) {
    for _ in 0..40 {
        llm.push(Turn::decide(move |request| {
            if is_summary(request) {
                return Turn::text(format!(
                    "The user wants {}. All of it is still to do.",
                    titles.join(", ")
                ));
            }
            assert_valid_conversation(&request.messages[1..]);
            let added = added(request);
            match titles.iter().find(|title| !added.contains(**title)) {
                Some(title) => Turn::call("add_todo", json!({ "text": title })),
                None => Turn::text("All added."),
            }
        }));
    }
}

async fn titles_after(patch: ConfigPatch, titles: &'static [&'static str]) -> (Vec<String>, usize) {
    let desk = Desk::configured(patch, []);
    forgetful(titles, &desk.llm);
    let outcome = desk.session.send(format!("Add {}", titles.join(" and "))).await;
    assert!(outcome.is_answered(), "{outcome:?}");
    let summaries = desk.llm.requests().iter().filter(|request| is_summary(request)).count();
    let app = desk
        .bench
        .host
        .with(|app| app.todos.iter().map(|todo| todo.title.clone()).collect());
    (app, summaries)
}

#[tokio::test(start_paused = true)]
async fn b12_what_was_done_is_not_done_again_whatever_the_summary_says() {
    let (titles, summaries) = titles_after(smallest(), &["a", "b", "c", "d"]).await;
    assert_eq!(titles, ["Milk", "Bread", "Eggs", "a", "b", "c", "d"]);
    assert!(summaries >= 2, "{summaries}");
}

#[tokio::test(start_paused = true)]
async fn a26_ten_turns_end_alike_with_the_smallest_and_with_a_large_budget() {
    const TITLES: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let (small, folds) = titles_after(smallest(), TITLES).await;
    let large = LimitsPatch::new().context_tokens(100_000).max_turns(30);
    let (large, none) = titles_after(ConfigPatch::new().limits(large), TITLES).await;
    assert_eq!(small, large);
    assert_eq!(none, 0);
    assert!(folds >= 8, "{folds}");
}

#[tokio::test(start_paused = true)]
async fn the_open_request_stays_word_for_word_through_every_fold() {
    const REQUEST: &str =
        "First this:\n\n  1. one\n\n[Conversation history summary] is what I call my diary.\n\nThen that.";
    let desk = Desk::configured(smallest(), []);
    let turns = ["t1", "t2", "t3"].map(|id| Turn::call("toggle", json!({ "record": id })));
    for turn in turns {
        desk.llm.push(turn);
    }
    // The first two turns have nothing to fold but the open request and the call just made.
    for _ in 0..20 {
        desk.llm.push(Turn::decide(|request| match is_summary(request) {
            true => Turn::text("Ticking."),
            false => Turn::text("Done."),
        }));
    }
    let script = |request: &Request| is_summary(request);
    let outcome = desk.session.send(REQUEST).await;
    // A summary was asked for in the place of a scripted call, whose calls do not make one: the run goes on unfolded.
    assert!(outcome.is_answered(), "{outcome:?}");
    for request in desk.llm.requests().iter().filter(|request| !script(request)) {
        assert!(text(&request.messages[1]).ends_with(REQUEST), "{}", request.messages[1]);
    }
    desk.session.send("And now?").await;
    desk.session.send("And then?").await;
    let last = desk.last_messages();
    assert!(text(&last[0]).starts_with(HEADING));
    assert!(text(last.last().expect("a message")).ends_with("And then?"));
}

#[tokio::test(start_paused = true)]
async fn where_no_summary_comes_the_conversation_stays_whole_and_the_user_is_told() {
    let desk = Desk::configured(smallest(), [Turn::text("Hello.")]);
    desk.session.send("Hello").await;
    for failure in [Turn::error(ErrorKind::Server, "overloaded"), Turn::text("  ")] {
        let mut events = desk.session.events();
        let before = desk.session.checkpoint().messages().to_vec();
        desk.llm.push(failure);
        desk.llm.push(Turn::text("Yes."));
        assert!(desk.session.send("Are you there?").await.is_answered());
        let notice = wait_for(&mut events, |event| match event {
            pling_core::agent::Event::Notice { code, message } => Some((*code, message.clone())),
            _ => None,
        });
        let (code, message) = notice.await;
        assert_eq!(code, "COMPACTION_FAILED");
        assert!(message.contains("kept whole"), "{message}");
        assert_eq!(desk.last_messages()[..before.len()], before, "nothing is lost");
    }
}

#[tokio::test(start_paused = true)]
async fn d10_stopping_while_a_summary_is_written() {
    let desk = Desk::configured(smallest(), [Turn::text("Hello.")]);
    desk.session.send("Hello").await;
    let session = desk.session.clone();
    desk.llm.push(Turn::decide(move |request| {
        assert!(is_summary(request));
        session.cancel();
        Turn::never()
    }));
    let outcome = desk.session.send("Go on").await;
    assert_eq!(outcome.end, pling_core::agent::End::Cancelled);
    assert_eq!(desk.session.status(), pling_core::agent::Status::Idle);
    let texts = |messages: &[Value]| {
        messages
            .iter()
            .map(|message| text(message).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        texts(desk.session.checkpoint().messages()),
        ["Hello", "Hello.", "Go on"]
    );
    desk.llm.push(Turn::text("They said hello."));
    desk.llm.push(Turn::text("Going on."));
    assert!(desk.session.send("Now").await.is_answered());
    assert!(text(&desk.last_messages()[0]).ends_with("Go on\n\nNow"));
}

#[tokio::test(start_paused = true)]
async fn rules_role_page_and_tools_count() {
    let long_role = "You help with tasks. ".repeat(1000);
    for (role, folds) in [("You help.", false), (long_role.as_str(), true)] {
        let desk = Desk::configured(
            ConfigPatch::new()
                .system_prompt(role)
                .limits(LimitsPatch::new().keep_recent(1)),
            [],
        );
        let words = "Tell me about it. ".repeat(100);
        for _ in 0..3 {
            desk.llm.push(Turn::text("It is a list."));
        }
        desk.session.send(words).await;
        desk.session.send("And?").await;
        let summaries = desk.llm.requests().iter().filter(|request| is_summary(request)).count();
        assert_eq!(summaries, usize::from(folds), "{} characters of role", role.len());
    }
}
