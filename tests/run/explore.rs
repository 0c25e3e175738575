//! Every order of a few answers, with a cancel possible at each step.

use std::sync::Arc;

use pling_core::{
    act::{Code, Receipt, Refusal},
    agent::{Config, Event, History, Run, RunLimits, Step},
    llm::{ErrorKind, Finish, LlmError},
    observe::Observation,
};

use super::{done, limits, page, reply, without_effect};
use crate::support::validate::assert_valid_conversation;

/// Steps fed before a run is cancelled for good; three turns of two calls fit.
const DEPTH: usize = 9;

#[test]
fn every_call_has_one_result_in_every_order() {
    let mut finished = 0;
    explore(
        &Run::new(History::new(), "go", limits(3)),
        &page("same"),
        DEPTH,
        &mut finished,
    );
    assert!(finished > 10_000, "only {finished} runs were explored");
}

/// The same where nothing fits and every request is preceded by a fold as soon as there is something to fold.
#[test]
fn every_call_has_one_result_where_nothing_fits() {
    let mut config = Config::default().limits;
    (config.context_tokens, config.reserve_for_output, config.keep_recent) = (1, 0, 1);
    config.max_turns = 3;
    let mut finished = 0;
    let run = Run::new(History::new(), "go", RunLimits::from(&config));
    explore(&run, &page("same"), DEPTH - 1, &mut finished);
    assert!(finished > 5_000, "only {finished} runs were explored");
}

/// One possible answer to a step.
type Feed = Box<dyn Fn(&mut Run)>;

fn explore(run: &Run, seen: &Arc<Observation>, depth: usize, finished: &mut usize) {
    let step = run.next_step();
    if let Step::Finish(_) = step {
        *finished += 1;
        return assert_well_ended(run.clone(), seen);
    }
    if depth == 0 {
        let mut run = run.clone();
        run.cancelled();
        return explore(&run, seen, 0, finished);
    }
    let mut feeds: Vec<Feed> = vec![Box::new(Run::cancelled)];
    match step {
        Step::Observe => {
            let seen = Arc::clone(seen);
            feeds.push(Box::new(move |run| run.observed(Ok(Arc::clone(&seen)))));
            feeds.push(Box::new(|run| {
                run.observed(Err(Refusal::new(Code::WindowHidden, "hidden")))
            }));
        }
        Step::CallModel(_) => {
            assert_valid_conversation(run.history().messages());
            for reply in [
                reply("Done.", &[], Finish::Stop),
                reply("", &[], Finish::ToolCalls),
                reply("", &[("", "one", "{}")], Finish::Stop),
                reply("Two.", &[("x", "one", ""), ("x", "two", "{}")], Finish::ToolCalls),
                reply("", &[("", "one", "{oops"), ("", "two", "{}")], Finish::ToolCalls),
                reply("", &[("", "one", "{}")], Finish::Length),
            ] {
                feeds.push(Box::new(move |run| run.replied(Ok(reply.clone()))));
            }
            feeds.push(Box::new(Run::out_of_time));
            for kind in [ErrorKind::Network, ErrorKind::ContextLength] {
                feeds.push(Box::new(move |run| run.replied(Err(LlmError::new(kind, "no")))));
            }
        }
        Step::Summarize(summarize) => {
            assert_eq!(summarize.messages.len(), 2);
            feeds.push(Box::new(|run| {
                run.summarized(Ok(reply("It began.", &[], Finish::Stop)))
            }));
            feeds.push(Box::new(|run| run.summarized(Ok(reply("", &[], Finish::Stop)))));
            feeds.push(Box::new(|run| {
                run.summarized(Err(LlmError::new(ErrorKind::Server, "busy")))
            }));
        }
        Step::Execute(call) => {
            for receipt in [
                done(&call.id),
                without_effect(&call.id),
                Receipt::refused(&call.id, Code::Unavailable, "no"),
                Receipt::refused(&call.id, Code::ApprovalDenied, "no"),
                Receipt::refused("somebody else's", Code::ApprovalDenied, "no"),
            ] {
                feeds.push(Box::new(move |run| run.executed(receipt.clone())));
            }
        }
        Step::Finish(_) => {}
    }
    for feed in feeds {
        let mut next = run.clone();
        feed(&mut next);
        explore(&next, seen, depth - 1, finished);
    }
}

/// One receipt for each call, in order; a history that the next message can follow; and nothing stirs any more.
fn assert_well_ended(mut run: Run, seen: &Arc<Observation>) {
    let events = run.take_events();
    let called: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Call { id, .. } => Some(id.clone()),
            _ => None,
        })
        .collect();
    let settled: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Receipt { id, .. } => Some(id.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(called, settled, "one receipt for each call, in order");
    let ends: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::RunFinished(outcome) => Some(outcome),
            _ => None,
        })
        .collect();
    let [outcome] = ends[..] else {
        panic!("ended {} times", ends.len())
    };
    let answered: Vec<_> = outcome.receipts.iter().map(|receipt| receipt.call_id.clone()).collect();
    assert_eq!(called, answered);

    let before = run.history().messages().to_vec();
    run.cancelled();
    run.observed(Ok(Arc::clone(seen)));
    run.replied(Ok(reply("Late.", &[], Finish::Stop)));
    run.summarized(Ok(reply("Late.", &[], Finish::Stop)));
    run.out_of_time();
    run.executed(done(called.last().map_or("none", String::as_str)));
    assert_eq!(run.history().messages(), before, "nothing stirs after the end");
    assert!(run.take_events().is_empty());

    let mut next = Run::new(run.into_history(), "next", limits(3));
    next.observed(Ok(Arc::clone(seen)));
    next.summarized(Ok(reply("It went on.", &[], Finish::Stop)));
    assert_valid_conversation(next.history().messages());
    let last = next
        .history()
        .messages()
        .last()
        .and_then(|last| last["content"].as_str());
    assert!(last.is_some_and(|text| text.ends_with("next")), "{last:?}");
}
