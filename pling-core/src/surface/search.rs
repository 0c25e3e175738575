//! Looking for actions and records by words.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{ActionInfo, Failure, Found, SCHEMA, SearchRequest};
use crate::{
    act::{Executor, shortened},
    observe::{Observation, ToolSchema},
    snapshot::RecordFacts,
};

/// Actions that one search returns; the rest are counted.
const MAX_ACTIONS: usize = 10;
/// Bytes of a query.
const MAX_QUERY: usize = 1000;

/// Actions that may be called, and records: those that are drawn, then those of sources.
pub(super) async fn search(
    executor: &Executor,
    seen: &Observation,
    request: SearchRequest,
    may_call: impl Fn(&ToolSchema) -> bool,
) -> Result<Found, Failure> {
    let SearchRequest { query, skip } = request;
    if query.len() > MAX_QUERY {
        return Err(Failure::invalid(format!("`query` is longer than {MAX_QUERY} bytes")));
    }
    let (mut tools, _none) = seen.search_actions(&query, usize::MAX);
    tools.retain(may_call);
    let more_actions = tools.len().saturating_sub(skip.saturating_add(MAX_ACTIONS));
    let actions = tools.iter().skip(skip).take(MAX_ACTIONS);

    let limit = executor.policy().budget.max_records;
    let (of_sources, saw_all) = executor.host().find_records(query.clone(), limit).await?;
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let drawn = seen.snapshot.records.iter().filter(|facts| holds(facts, &words));
    let mut known = HashSet::new();
    let mut records: Vec<Value> = drawn.map(shown).chain(of_sources).collect();
    records.retain(|record| known.insert(record["id"].as_str().unwrap_or_default().to_owned()));
    let complete = saw_all && records.len() <= limit;
    records.truncate(limit);
    Ok(Found {
        schema: SCHEMA,
        actions: actions.map(ActionInfo::new).collect(),
        more_actions,
        records: records.iter().map(shortened).collect(),
        complete,
    })
}

fn holds(facts: &RecordFacts, words: &[String]) -> bool {
    let fields = facts.record.fields.iter().filter_map(|(_, value)| value.as_ref());
    let texts = fields.map(|value| match value {
        Value::String(text) => text.to_lowercase(),
        other => other.to_string().to_lowercase(),
    });
    let all: Vec<String> = texts.chain([facts.record.label.to_lowercase()]).collect();
    words.iter().all(|word| all.iter().any(|text| text.contains(word)))
}

fn shown(facts: &RecordFacts) -> Value {
    let fields: Map<String, Value> = facts
        .record
        .fields
        .iter()
        .filter_map(|(name, value)| Some((name.to_string(), value.clone()?)))
        .collect();
    json!({ "id": facts.record.id, "label": facts.record.label, "fields": fields })
}
