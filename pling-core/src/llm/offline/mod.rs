//! The offline planner: a small matcher from words to declared actions and record labels. No model, no network.
//!
//! It reads what a model would read (the observation, its tools and the conversation) and keeps nothing itself: which
//! clause is done, and with what result, stands in the ids of its calls and in their receipts.
//!
//! ```text
//! message ─ clause ─▶ clauses ─ choose ─▶ tool ─ fill ─▶ arguments ─ records ─▶ one call per reply
//!                       ▲                                        │ none fits: search, then once more
//!             history ──┴── receipts ── answer ─▶ what was done, what was not, and why
//! ```
//!
//! It is honest rather than clever: every word that names a record must fit, a question or an unknown verb leads to no call,
//! and what it says at the end is made of receipts.

mod answer;
mod choose;
mod clause;
mod fill;
mod history;
mod page;
mod plan;
mod records;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use serde_json::Value;

use self::{
    history::{Outcome, Run},
    plan::{Next, Planner},
};
use super::{Delta, Finish, Llm, LlmError, OnDelta, Reply, Request, ToolCall};
use crate::platform::BoxFuture;

/// More requests than this in one message are left for the next one.
const MAX_CLAUSES: usize = 8;

/// A model that is none: matches words to what the page declares. Deterministic, and the same for everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Offline;

impl Offline {
    /// The planner.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Llm for Offline {
    fn name(&self) -> String {
        "offline planner (matches words, no model)".to_owned()
    }

    fn is_offline(&self) -> bool {
        true
    }

    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        Box::pin(async move {
            let reply = reply(&request);
            if !reply.text.is_empty() {
                on_delta(Delta::Text(reply.text.clone()));
            }
            Ok(reply)
        })
    }
}

fn reply(request: &Request) -> Reply {
    let tools = page::tools(&request.observation);
    let Some(run) = Run::read(&request.messages, request.observation.snapshot.revision) else {
        return say(answer::abilities(&tools));
    };
    let clauses = clause::split(&run.text, |word| tools.iter().any(|tool| tool.is_verb(word)));
    let planner = Planner {
        observation: &request.observation,
        tools: &tools,
        run: &run,
    };
    let is_cancelled = run
        .steps
        .iter()
        .any(|step| matches!(&step.outcome, Outcome::Failed { code, .. } if code == "CANCELLED"));
    let is_over = is_cancelled || run.has_others;
    let latest = run.steps.iter().map(|step| step.clause).max();
    let mut sentences = Vec::new();
    let mut is_puzzled = false;
    for (index, clause) in clauses.iter().enumerate().take(MAX_CLAUSES) {
        sentences.extend(
            run.steps_of(index)
                .filter_map(|step| answer::report(step, &tools, &request.observation.snapshot)),
        );
        // What could not be done in its turn is not done out of turn.
        let is_past = latest.is_some_and(|latest| index < latest) || is_over;
        match planner.next(clause, index) {
            Next::Settled => {}
            Next::Call { .. } if is_past => sentences.push(format!("I left out “{}”.", clause.text)),
            Next::Call { kind, tool, arguments } => {
                let id = run.id(index, kind);
                return Reply {
                    calls: vec![ToolCall::new(id, tool, Value::Object(arguments).to_string())],
                    finish: Finish::ToolCalls,
                    ..Reply::default()
                };
            }
            Next::Say(sentence) => sentences.push(sentence),
            Next::NotUnderstood => {
                is_puzzled = true;
                sentences.push(format!("I found nothing on this page to do for “{}”.", clause.text));
            }
        }
    }
    if clauses.len() > MAX_CLAUSES {
        let left = clauses.len() - MAX_CLAUSES;
        sentences.push(format!(
            "I take {MAX_CLAUSES} requests at a time; {left} more are left."
        ));
    }
    if is_puzzled || sentences.is_empty() {
        sentences.push("I work offline and only match words to what this page declares.".to_owned());
        sentences.push(answer::abilities(&tools));
    }
    say(sentences.join(" "))
}

fn say(text: String) -> Reply {
    Reply {
        text,
        ..Reply::default()
    }
}
