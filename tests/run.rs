//! The step machine of a run, fed by hand: no page, no network, no clock.

mod explore;

use std::sync::Arc;

use pling_core::{
    act::{ActionRef, Code, Receipt, Refusal},
    agent::{Config, End, Event, History, Outcome, Run, RunLimits, Step},
    llm::{ErrorKind, Finish, LlmError, Reply, ToolCall},
    model::{Feedback, Level},
    observe::{Budget, Observation},
    snapshot::{Changes, Snapshot},
};
use serde_json::{Value, json};

use crate::support::validate::assert_valid_conversation;

/// A page that shows one line of text.
fn page(text: &str) -> Arc<Observation> {
    let mut snapshot = Snapshot::new(1);
    let mut feedback = Feedback::new(Level::Info);
    feedback.text = text.to_owned();
    snapshot.feedback.push(feedback);
    Arc::new(Observation::new(&Arc::new(snapshot), &Budget::default()))
}

fn limits(max_turns: u32) -> RunLimits {
    let mut limits = RunLimits::from(&Config::default().limits);
    limits.max_turns = max_turns;
    limits
}

fn start(text: &str) -> Run {
    Run::new(History::new(), text, limits(10))
}

fn reply(text: &str, calls: &[(&str, &str, &str)], finish: Finish) -> Reply {
    let mut reply = Reply::default();
    reply.text = text.to_owned();
    reply.calls = calls
        .iter()
        .map(|(id, name, arguments)| ToolCall::new(*id, *name, *arguments))
        .collect();
    reply.finish = finish;
    reply
}

fn changes() -> Changes {
    let mut changes = Changes::default();
    changes.page = true;
    changes
}

fn done(call_id: &str) -> Receipt {
    Receipt::done(call_id, ActionRef::new("toggle".into(), "Mark it", None), changes())
}

fn without_effect(call_id: &str) -> Receipt {
    Receipt::done(
        call_id,
        ActionRef::new("toggle".into(), "Mark it", None),
        Changes::default(),
    )
}

/// Feeds a look at a page, then a reply.
#[track_caller]
fn turn(run: &mut Run, text: &str, reply: Reply) {
    assert!(matches!(run.next_step(), Step::Observe), "{:?}", run.next_step());
    run.observed(Ok(page(text)));
    assert!(matches!(run.next_step(), Step::CallModel(_)), "{:?}", run.next_step());
    assert_valid_conversation(run.history().messages());
    run.replied(Ok(reply));
}

/// The id of the call to execute.
#[track_caller]
fn to_execute(run: &Run) -> String {
    match run.next_step() {
        Step::Execute(call) => call.id,
        step => panic!("nothing to execute: {step:?}"),
    }
}

#[track_caller]
fn finished(run: &Run) -> Outcome {
    match run.next_step() {
        Step::Finish(outcome) => {
            assert_valid_conversation(run.history().messages());
            outcome
        }
        step => panic!("not finished: {step:?}"),
    }
}

fn codes(outcome: &Outcome) -> Vec<Option<Code>> {
    outcome.receipts.iter().map(Receipt::code).collect()
}

fn notices(run: &mut Run) -> Vec<&'static str> {
    let notice = |event| match event {
        Event::Notice { code, .. } => Some(code),
        _ => None,
    };
    run.take_events().into_iter().filter_map(notice).collect()
}

/// The results in a conversation: call id and what the model is told.
fn results(history: &History) -> Vec<(String, Value)> {
    let tool = |message: &Value| {
        let result = serde_json::from_str(message["content"].as_str()?).ok()?;
        Some((message["tool_call_id"].as_str()?.to_owned(), result))
    };
    history.messages().iter().filter_map(tool).collect()
}

/// What was written as the arguments of the last call.
fn last_arguments(history: &History) -> Value {
    let calls = history
        .messages()
        .iter()
        .rev()
        .find_map(|message| message["tool_calls"].as_array());
    calls.expect("a call").last().expect("a call")["function"]["arguments"].clone()
}

#[test]
fn a_call_then_an_answer() {
    let mut run = start("do it");
    turn(
        &mut run,
        "before",
        reply("On it.", &[("a", "toggle", r#"{"record":"t1"}"#)], Finish::ToolCalls),
    );
    assert_eq!(to_execute(&run), "a");
    run.executed(done("a"));
    turn(&mut run, "after", reply("Done.", &[], Finish::Stop));
    let outcome = finished(&run);
    assert_eq!(outcome.answer.as_deref(), Some("Done."));
    assert!(outcome.is_answered());
    assert_eq!(codes(&outcome), [None]);
    let story: Vec<_> = run.take_events().iter().map(name).collect();
    assert_eq!(
        story,
        [
            "RunStarted",
            "UserMessage",
            "Text",
            "Call",
            "Receipt",
            "Text",
            "RunFinished"
        ]
    );
}

/// The name of an event's variant.
fn name(event: &Event) -> String {
    let text = format!("{event:?}");
    text.split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a04_arguments_of_a_call_without_arguments() {
    for arguments in ["", "  \n", "null", "{}"] {
        let mut run = start("clear");
        turn(
            &mut run,
            "page",
            reply("", &[("a", "clear_done", arguments)], Finish::ToolCalls),
        );
        assert_eq!(to_execute(&run), "a", "{arguments:?} is executed");
        run.executed(done("a"));
        assert_eq!(last_arguments(run.history()), json!("{}"), "{arguments:?}");
        assert_eq!(
            run.history().messages()[1]["content"],
            Value::Null,
            "tool-only messages carry null"
        );
    }
}

#[test]
fn a12_a_failed_reply_runs_nothing() {
    for kind in [
        ErrorKind::Server,
        ErrorKind::ContextLength,
        ErrorKind::Auth,
        ErrorKind::Protocol,
    ] {
        let mut run = start("do it");
        run.observed(Ok(page("page")));
        run.replied(Err(LlmError::new(kind, "overloaded")));
        let outcome = finished(&run);
        let End::Failed { code, message } = &outcome.end else {
            panic!("{outcome:?}")
        };
        assert_eq!((*code, message.as_str()), (kind.as_str(), "overloaded"));
        assert!(outcome.receipts.is_empty() && outcome.answer.is_none());
        let told = run.take_events();
        assert!(
            told.iter()
                .any(|event| matches!(event, Event::Error { code, .. } if *code == kind.as_str()))
        );
    }
}

#[test]
fn a13_stop_with_calls_is_executed_once() {
    let mut run = start("add x");
    turn(
        &mut run,
        "page",
        reply("", &[("a", "add_todo", r#"{"text":"x"}"#)], Finish::Stop),
    );
    assert_eq!(to_execute(&run), "a");
    run.executed(done("a"));
    run.executed(done("a"));
    assert!(matches!(run.next_step(), Step::Observe), "the loop goes on");
    assert_eq!(results(run.history()).len(), 1);
}

#[test]
fn a13_tool_calls_without_calls() {
    let mut run = start("hello");
    turn(&mut run, "page", reply("Hello.", &[], Finish::ToolCalls));
    assert_eq!(finished(&run).answer.as_deref(), Some("Hello."), "words are an answer");

    for finish in [Finish::ToolCalls, Finish::Stop] {
        let mut run = start("hello");
        turn(&mut run, "page", reply("", &[], finish.clone()));
        turn(&mut run, "page", reply(" \n", &[], finish.clone()));
        assert_eq!(
            finished(&run).end,
            End::Stopped { code: "PROTOCOL" },
            "one more try, then a notice"
        );
        assert_eq!(notices(&mut run), ["PROTOCOL"]);

        let mut run = start("hello");
        turn(&mut run, "page", reply("", &[], finish));
        turn(&mut run, "page", reply("Here.", &[], Finish::Stop));
        assert!(finished(&run).is_answered(), "the second try counts");
    }
}

#[test]
fn a16_a_cut_reply_runs_none_of_its_calls() {
    for finish in [Finish::Length, Finish::ContentFilter] {
        let mut run = start("add milk");
        let calls = [
            ("a", "add_todo", r#"{"text":"whole"}"#),
            ("b", "add_todo", r#"{"text":"buy mil"#),
        ];
        turn(&mut run, "page", reply("", &calls, finish));
        assert!(matches!(run.next_step(), Step::Observe), "the turn goes on");
        let results = results(run.history());
        assert_eq!(results.len(), 2);
        for (_, result) in results {
            assert!(
                result["error"]["message"]
                    .as_str()
                    .is_some_and(|text| text.contains("cut")),
                "{result}"
            );
        }
        turn(&mut run, "page", reply("Sorry.", &[], Finish::Stop));
        assert!(finished(&run).is_answered());
    }
}

#[test]
fn a16_three_cut_replies_in_a_row_stop_the_run() {
    let cut = || reply("", &[("", "add_todo", r#"{"text":"x"#)], Finish::Length);
    let mut run = start("add");
    turn(&mut run, "page", cut());
    turn(&mut run, "page", cut());
    turn(
        &mut run,
        "page",
        reply("", &[("ok", "toggle", "{}")], Finish::ToolCalls),
    );
    run.executed(done("ok"));
    turn(&mut run, "page", cut());
    turn(&mut run, "page", cut());
    assert!(
        matches!(run.next_step(), Step::Observe),
        "a whole reply between them counts anew"
    );
    turn(&mut run, "page", reply("", &[], Finish::Length));
    assert_eq!(
        finished(&run).end,
        End::Stopped {
            code: "BUDGET_EXCEEDED"
        }
    );
    assert_eq!(notices(&mut run), ["BUDGET_EXCEEDED"]);
}

#[test]
fn a16_a_cut_answer_is_an_answer_with_a_notice() {
    let mut run = start("explain");
    turn(&mut run, "page", reply("It is lo", &[], Finish::Length));
    assert_eq!(finished(&run).answer.as_deref(), Some("It is lo"));
    assert_eq!(notices(&mut run), ["BUDGET_EXCEEDED"]);
}

#[test]
fn b08_a16_unreadable_arguments_are_refused_and_kept_as_json() {
    for arguments in [
        r#"{"text":"a",}"#,
        r#"{"text":"a""#,
        "[1]",
        "\"text\"",
        "{\"text\":\"\u{1}\"}",
        "x".repeat(9000).as_str(),
    ] {
        let mut run = start("add");
        turn(
            &mut run,
            "page",
            reply("", &[("a", "add_todo", arguments), ("b", "toggle", "{}")], Finish::Stop),
        );
        assert_eq!(to_execute(&run), "b", "the other call is executed");
        run.executed(done("b"));
        turn(&mut run, "page", reply("Sorry.", &[], Finish::Stop));
        let outcome = finished(&run);
        assert_eq!(codes(&outcome), [Some(Code::InvalidArguments), None]);
        let (_, result) = &results(run.history())[0];
        assert!(
            result["error"]["message"]
                .as_str()
                .is_some_and(|text| text.contains("JSON")),
            "{result}"
        );
    }
}

#[test]
fn a27_an_unknown_tool_does_not_end_the_run() {
    let mut run = start("go");
    let calls = [("a", "delete everything!", "{}"), ("b", "toggle", r#"{"record":"t1"}"#)];
    turn(&mut run, "page", reply("", &calls, Finish::ToolCalls));
    assert_eq!(to_execute(&run), "a");
    let mut refused = Receipt::refused("a", Code::UnknownAction, "no such action");
    refused.available = vec!["toggle".to_owned()];
    run.executed(refused);
    assert_eq!(to_execute(&run), "b", "the valid call beside it runs");
    run.executed(done("b"));
    let results = results(run.history());
    assert_eq!(results[0].1["error"]["available"], json!(["toggle"]));
    assert_eq!(results[1].1["result"]["ok"], json!(true));
    turn(&mut run, "page", reply("Done.", &[], Finish::Stop));
    assert!(finished(&run).is_answered());
}

#[test]
fn b02_after_a_cancel_every_call_has_its_result() {
    let mut run = start("three things");
    let calls = [
        ("a", "toggle", r#"{"record":"t1"}"#),
        ("b", "toggle", r#"{"record":"t2"}"#),
        ("c", "clear_done", ""),
    ];
    turn(&mut run, "page", reply("", &calls, Finish::ToolCalls));
    run.executed(done("a"));
    run.cancelled();
    let outcome = finished(&run);
    assert_eq!(outcome.end, End::Cancelled);
    assert_eq!(codes(&outcome), [None, Some(Code::Cancelled), Some(Code::Cancelled)]);

    let mut next = Run::new(run.into_history(), "continue", limits(10));
    next.observed(Ok(page("page")));
    let results = results(next.history());
    let ids: Vec<_> = results.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(results[0].1["result"]["ok"], json!(true));
    for (_, result) in &results[1..] {
        assert_eq!(result["error"]["message"], "not executed: cancelled");
    }
    assert_valid_conversation(next.history().messages());
}

#[test]
fn b04_a_message_after_a_failed_turn_is_joined_to_it() {
    let mut run = start("first");
    run.observed(Ok(page("page")));
    run.replied(Err(LlmError::new(ErrorKind::Server, "500")));
    let run = Run::new(run.into_history(), "second\nline", limits(10));
    assert_eq!(
        run.history().messages(),
        [json!({ "role": "user", "content": "first\n\nsecond\nline" })]
    );
}

#[test]
fn b04_a_run_that_ends_with_results_says_so_before_the_next_message() {
    let mut run = Run::new(History::new(), "go", limits(1));
    turn(&mut run, "page", reply("", &[("a", "toggle", "{}")], Finish::ToolCalls));
    run.executed(done("a"));
    assert_eq!(finished(&run).end, End::TurnLimit);
    let next = Run::new(run.into_history(), "go on", limits(1));
    assert_valid_conversation(next.history().messages());
    assert_eq!(next.history().messages().last().expect("a message")["content"], "go on");
}

#[test]
fn the_turn_limit_counts_replies() {
    let mut run = Run::new(History::new(), "go", limits(3));
    for id in ["a", "b", "c"] {
        turn(&mut run, id, reply("", &[(id, "toggle", "{}")], Finish::ToolCalls));
        assert_eq!(to_execute(&run), id);
        run.executed(done(id));
    }
    let outcome = finished(&run);
    assert_eq!((outcome.end, outcome.receipts.len()), (End::TurnLimit, 3));
    assert_eq!(notices(&mut run), ["TURN_LIMIT"]);
    assert_valid_conversation(run.history().messages());
}

#[test]
fn a_batch_stops_where_it_must() {
    let calls = [("a", "one", ""), ("b", "two", ""), ("c", "three", "")];
    for (code, goes_on) in [
        (Code::UnknownAction, true),
        (Code::ActionGone, true),
        (Code::InvalidArguments, true),
        (Code::UnknownRecord, true),
        (Code::Unavailable, true),
        (Code::ApprovalDenied, false),
        (Code::HandoffDeclined, false),
        (Code::Cancelled, false),
        (Code::NotDelivered, false),
        (Code::HandlerFailed, false),
        (Code::ExpectationFailed, false),
        (Code::Timeout, false),
    ] {
        let mut run = start("go");
        turn(&mut run, "page", reply("", &calls, Finish::ToolCalls));
        run.executed(Receipt::refused("a", code, "no"));
        if goes_on {
            assert_eq!(to_execute(&run), "b", "{code}");
        } else {
            assert!(
                matches!(run.next_step(), Step::Observe),
                "{code}: the model hears of it"
            );
            let skipped: Vec<_> = results(run.history())[1..]
                .iter()
                .map(|(_, result)| result["error"]["code"].clone())
                .collect();
            let rest = if code == Code::Cancelled {
                "CANCELLED"
            } else {
                "SKIPPED"
            };
            assert_eq!(skipped, [json!(rest), json!(rest)], "{code}");
        }
    }
}

#[test]
fn call_ids_are_unique_in_a_session() {
    let mut run = start("go");
    let calls = [
        ("", "one", "{}"),
        ("x", "two", "{}"),
        ("x", "three", "{}"),
        (" ", "four", "{}"),
    ];
    turn(&mut run, "page", reply("", &calls, Finish::ToolCalls));
    for _ in 0..4 {
        let id = to_execute(&run);
        run.executed(done(&id));
    }
    turn(
        &mut run,
        "other",
        reply(
            "",
            &[("x", "five", "{}"), ("call00001", "six", "{}")],
            Finish::ToolCalls,
        ),
    );
    for _ in 0..2 {
        let id = to_execute(&run);
        run.executed(done(&id));
    }
    turn(&mut run, "other", reply("Done.", &[], Finish::Stop));
    assert_eq!(finished(&run).receipts.len(), 6);
    let used: std::collections::BTreeSet<_> = results(run.history()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(used.len(), 6, "{used:?}");
    assert!(used.contains("x"), "a good id is kept");
}

#[test]
fn no_progress_on_an_unchanged_page() {
    let again = || reply("", &[("", "toggle", r#"{"record":"t1"}"#)], Finish::ToolCalls);
    let mut run = start("go");
    for _ in 0..2 {
        turn(&mut run, "same", again());
        let id = to_execute(&run);
        run.executed(without_effect(&id));
    }
    turn(&mut run, "same", again());
    turn(&mut run, "same", again());
    assert!(
        matches!(run.next_step(), Step::Observe),
        "the third and fourth are refused, the run goes on"
    );
    turn(&mut run, "same", again());
    let outcome = finished(&run);
    assert_eq!(outcome.end, End::Stopped { code: "NO_PROGRESS" });
    assert_eq!(
        codes(&outcome),
        [
            None,
            None,
            Some(Code::NoProgress),
            Some(Code::NoProgress),
            Some(Code::NoProgress)
        ]
    );
    assert_eq!(notices(&mut run), ["NO_PROGRESS"]);
}

#[test]
fn progress_is_a_changed_page_or_another_call() {
    let call = |record: &str| {
        reply(
            "",
            &[("", "toggle", &format!(r#"{{"record":"{record}"}}"#))],
            Finish::ToolCalls,
        )
    };
    let mut run = Run::new(History::new(), "go", limits(100));
    for step in 0..6 {
        turn(&mut run, &format!("page {step}"), call("t1"));
        let id = to_execute(&run);
        run.executed(without_effect(&id));
    }
    for step in 0..6 {
        turn(&mut run, "page", call(&format!("t{step}")));
        let id = to_execute(&run);
        run.executed(without_effect(&id));
    }
    let many = vec![("", "increase", "{}"); 8];
    turn(&mut run, "page", reply("", &many, Finish::ToolCalls));
    for _ in 0..8 {
        let id = to_execute(&run);
        run.executed(done(&id));
    }
    assert!(
        matches!(run.next_step(), Step::Observe),
        "calls that change something are progress"
    );
}

#[test]
fn a_page_that_cannot_be_seen_ends_the_run() {
    let mut run = start("go");
    run.observed(Err(Refusal::new(Code::WindowHidden, "the window is minimized")));
    let End::Failed { code, .. } = finished(&run).end else {
        panic!("not failed")
    };
    assert_eq!(code, "WINDOW_HIDDEN");
}
