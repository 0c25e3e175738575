//! What to do next about one clause.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{
    choose::choose,
    clause::Clause,
    fill,
    history::{Outcome, Run, Step, StepKind},
    page::{Candidate, Tool, candidates},
    records::{Found, find},
};
use crate::{
    model::{Input, RecordId},
    observe::{Discovery, Observation},
};

/// What to do next about a clause.
#[derive(Debug)]
pub(super) enum Next {
    Call {
        kind: StepKind,
        tool: String,
        arguments: Map<String, Value>,
    },
    /// Nothing: what is said about it, beside the reports of its calls.
    Say(String),
    /// Nothing in it was understood.
    NotUnderstood,
    /// It is done with.
    Settled,
}

/// The page and the run, for one decision.
pub(super) struct Planner<'a> {
    pub(super) observation: &'a Observation,
    pub(super) tools: &'a [Tool<'a>],
    pub(super) run: &'a Run,
}

impl Planner<'_> {
    /// Decides about a clause. `index` is its place in the message.
    pub(super) fn next(&self, clause: &Clause, index: usize) -> Next {
        let steps: Vec<_> = self.run.steps_of(index).collect();
        let has_failed = steps.iter().any(|step| !matches!(step.outcome, Outcome::Done(_)));
        if has_failed || steps.iter().any(|step| step.kind == StepKind::Act) {
            return Next::Settled;
        }
        if clause.is_prohibition() {
            return Next::Say(format!("I left this alone: “{}”.", clause.text));
        }
        if clause.is_question() {
            return Next::NotUnderstood;
        }
        let whole = 0..clause.words.len();
        let is_named = |tool: &Tool<'_>| {
            let candidates = self.candidates(tool, &steps);
            matches!(
                self.find(clause, whole.clone(), tool, &candidates, index),
                Found::One(_)
            )
        };
        let Some(tool) = choose(clause, self.tools, is_named) else {
            return Next::NotUnderstood;
        };
        let about = tool.description.trim_end_matches('.');
        if let Some(reason) = &tool.unavailable {
            return Next::Say(format!("“{about}” cannot be used now: {reason}."));
        }
        let mut arguments = match fill::arguments(clause, tool) {
            Ok(arguments) => arguments,
            Err(question) => return Next::Say(format!("“{about}”: {question}")),
        };
        let mut kind = StepKind::Act;
        if tool.takes_record {
            match self.record(clause, index, tool, &steps) {
                Ok((step, record)) => {
                    kind = step;
                    self.keep_checked(tool, &record, &mut arguments);
                    arguments.insert("record".into(), record.as_str().into());
                }
                Err(next) => return next,
            }
        }
        Next::Call {
            kind,
            tool: tool.name.to_owned(),
            arguments,
        }
    }

    /// The record to act on, or what to do instead.
    fn record(
        &self,
        clause: &Clause,
        index: usize,
        tool: &Tool<'_>,
        steps: &[&Step],
    ) -> Result<(StepKind, RecordId), Next> {
        let about = tool.description.trim_end_matches('.');
        let whole = 0..clause.words.len();
        let candidates = self.candidates(tool, steps);
        let parts = parts(clause, tool);
        let parts_done = steps
            .iter()
            .filter(|step| matches!(step.kind, StepKind::Part(_)))
            .count();
        if parts_done == 0 {
            match self.find(clause, whole.clone(), tool, &candidates, index) {
                Found::One(candidate) => return Ok((StepKind::Act, candidate.id.clone())),
                Found::Several(several) => {
                    let names: Vec<_> = several.iter().map(|candidate| name(candidate)).collect();
                    return Err(Next::Say(format!(
                        "“{about}”: more than one fits: {}. Which one?",
                        names.join(", ")
                    )));
                }
                Found::None => {}
            }
        }
        // `milk and bread`: one after the other, if each of them is clear before the first is touched.
        let found: Vec<_> = parts
            .iter()
            .map(|part| self.find(clause, part.clone(), tool, &candidates, index))
            .collect();
        let all_clear = found
            .iter()
            .skip(parts_done)
            .all(|found| matches!(found, Found::One(_)));
        if parts.len() > 1 && (all_clear || parts_done > 0) {
            return match found.get(parts_done) {
                Some(Found::One(candidate)) => Ok((StepKind::Part(parts_done), candidate.id.clone())),
                Some(_) => Err(Next::Say(format!(
                    "“{about}”: the record named next is not there any more."
                ))),
                None => Err(Next::Settled),
            };
        }
        let query = fill::query(clause, whole.clone(), tool);
        if clause.words.iter().any(|word| word.term == "all") {
            return Err(Next::Say(format!("“{about}” works on one record at a time: name one.")));
        }
        if query.is_empty() {
            return Err(Next::Say(format!("“{about}”: which record?")));
        }
        let wanted = query
            .iter()
            .map(|word| word.text.as_str())
            .collect::<Vec<_>>()
            .join(" ");
        Err(self
            .look_for(&wanted, steps)
            .unwrap_or_else(|| Next::Say(format!("I found no record that fits “{wanted}”."))))
    }

    /// The next way to look for a record that is not shown: a search field first, then the declared sources.
    fn look_for(&self, wanted: &str, steps: &[&Step]) -> Option<Next> {
        let is_untried = |tool: &&Tool<'_>| steps.iter().all(|step| step.tool != tool.name);
        let usable = || self.tools.iter().filter(|tool| tool.unavailable.is_none());
        let field = usable().filter(|tool| tool.is_search()).take(1).find(is_untried);
        let source = || {
            usable()
                .find(|tool| tool.discovery == Some(Discovery::FindRecords))
                .filter(is_untried)
        };
        let (tool, argument) = match field {
            Some(tool) => (tool, "text"),
            None => (source()?, "query"),
        };
        Some(Next::Call {
            kind: StepKind::Find,
            tool: tool.name.to_owned(),
            arguments: Map::from_iter([(argument.to_owned(), wanted.into())]),
        })
    }

    fn find<'c>(
        &self,
        clause: &Clause,
        range: Range<usize>,
        tool: &Tool<'_>,
        candidates: &'c [Candidate],
        index: usize,
    ) -> Found<'c> {
        let query = fill::query(clause, range.clone(), tool);
        if query.is_empty()
            && clause.words[range.clone()]
                .iter()
                .any(|word| word.is_any(&["it", "that", "this", "them"]))
        {
            let mentioned = self.mentioned_before(index);
            return match candidates
                .iter()
                .find(|candidate| mentioned.as_deref() == Some(candidate.id.as_str()))
            {
                Some(candidate) => Found::One(candidate),
                None => Found::None,
            };
        }
        find(clause, range, &query, candidates)
    }

    /// The record that `it` means: the one an earlier clause was about, or the only one it added.
    fn mentioned_before(&self, index: usize) -> Option<String> {
        let before = self.run.steps.iter().rev().filter(|step| step.clause < index);
        before.filter(|step| step.kind != StepKind::Find).find_map(|step| {
            if let Some(record) = step.arguments.get("record").and_then(Value::as_str) {
                return Some(record.to_owned());
            }
            let Outcome::Done(result) = &step.outcome else {
                return None;
            };
            match result["changed"]["records"]["added"].as_array().map(Vec::as_slice) {
                Some([only]) => only.as_str().map(str::to_owned),
                _ => None,
            }
        })
    }

    /// The records of the page, and those that a search of this clause told about.
    fn candidates(&self, tool: &Tool<'_>, steps: &[&Step]) -> Vec<Candidate> {
        let mut all = candidates(&self.observation.snapshot, &tool.region);
        for step in steps.iter().filter(|step| step.kind == StepKind::Find) {
            let Outcome::Done(result) = &step.outcome else { continue };
            let mut told = Vec::new();
            collect_told(&result["value"], &mut told);
            for candidate in told {
                match all.iter_mut().find(|known| known.id == candidate.id) {
                    Some(known) if known.label.is_none() => *known = candidate,
                    Some(_) => {}
                    None => all.push(candidate),
                }
            }
        }
        all
    }

    /// A click on a box that is checked already would take the mark away: then what is wanted is said outright.
    fn keep_checked(&self, tool: &Tool<'_>, record: &RecordId, arguments: &mut Map<String, Value>) {
        if !matches!(tool.input, Some(Input::Toggle)) || arguments.contains_key("checked") {
            return;
        }
        let facts = self.observation.snapshot.actions.iter().find(|facts| {
            facts.action.description == tool.description
                && facts.region == tool.region
                && facts.record.as_ref() == Some(record)
        });
        if facts.is_some_and(|facts| facts.value == Some(Value::Bool(true))) {
            arguments.insert("checked".into(), true.into());
        }
    }
}

fn name(candidate: &Candidate) -> String {
    match &candidate.label {
        Some(label) => format!("“{label}” ({})", candidate.id),
        None => candidate.id.to_string(),
    }
}

/// The ranges of a clause that name one record each; each has words that tell records apart.
fn parts(clause: &Clause, tool: &Tool<'_>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for index in 1..clause.words.len() {
        let joins = clause.words[index].is_any(&["and", "&"]);
        if joins || clause.comma_before(index) {
            parts.push(start..index);
            start = if joins { index + 1 } else { index };
        }
    }
    parts.push(start..clause.words.len());
    parts.retain(|part| !fill::query(clause, part.clone(), tool).is_empty());
    parts
}

/// Records anywhere in a result: objects with an `id` and a `label`.
fn collect_told(value: &Value, told: &mut Vec<Candidate>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_told(item, told)),
        Value::Object(map) => {
            if let (Some(id), Some(label)) = (
                map.get("id").and_then(Value::as_str),
                map.get("label").and_then(Value::as_str),
            ) {
                told.push(Candidate::labeled(id.into(), label));
            }
            map.values().for_each(|item| collect_told(item, told));
        }
        _ => {}
    }
}
