//! The runtime's own ways to see more: `reveal`, `scroll`, `find_records`, `search_actions`.
//!
//! They operate no widget of the application and change no business object, so they pass no hooks and no
//! approval and are always permitted. `invoke_action` is not one of them: it is resolved to the action it names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    ActionRef, Code, Receipt, Refusal, Target,
    arguments::{self, few},
    gates::Passage,
    resolve::{names_region, text},
};
use crate::{
    model::{Action, Input, RegionPath},
    observe::{Discovery, ToolSchema},
    snapshot::{ActionFacts, Changes, Snapshot},
};

/// Actions that one search returns.
const MAX_FOUND: usize = 12;
/// Choices or record ids listed for one found action; the rest are counted.
const MAX_LISTED: usize = 8;

/// Takes one call for more through to its receipt.
pub(super) async fn discover(
    passage: &mut Passage<'_>,
    what: Discovery,
    tool: &ToolSchema,
    given: &Map<String, Value>,
) -> Result<Receipt, Refusal> {
    let before = passage.look().await?;
    let host = passage.host();
    let (changes, value) = match what {
        Discovery::Reveal => {
            let region = region(&before, text(given, "region")?)?;
            let after = passage.unless_cancelled(host.reveal(Target::region(region))).await??;
            passage.saw(&after);
            (before.changes_to(&after), None)
        }
        Discovery::Scroll => {
            let region = region(&before, text(given, "region")?)?;
            let direction = text(given, "direction")?;
            if !["up", "down", "left", "right"].contains(&direction) {
                return Err(arguments::invalid("`direction` must be one of: up, down, left, right"));
            }
            let after = passage
                .unless_cancelled(host.scroll(region, direction.to_owned()))
                .await??;
            passage.saw(&after);
            (before.changes_to(&after), None)
        }
        Discovery::FindRecords => (
            Changes::default(),
            Some(find_records(passage, text(given, "query")?).await?),
        ),
        Discovery::SearchActions => (Changes::default(), Some(search_actions(&before, text(given, "query")?))),
        // Resolved to the action it names before it comes here.
        Discovery::InvokeAction => return Err(Refusal::new(Code::Unsupported, "it names no action")),
    };
    let about = ActionRef::new(tool.name.as_str().into(), tool.description.clone(), None);
    let mut receipt = Receipt::done(passage.call_id(), about, changes);
    receipt.value = value;
    Ok(receipt)
}

async fn find_records(passage: &Passage<'_>, query: &str) -> Result<Value, Refusal> {
    let limit = passage.shared().policy.lock().budget.max_records;
    let search = passage.host().find_records(query.to_owned(), limit);
    let (records, saw_everything) = passage.unless_cancelled(search).await??;
    let mut seen = passage.shared().seen.lock();
    for id in records.iter().filter_map(|record| record.get("id")?.as_str()) {
        seen.found(id);
    }
    Ok(json!({ "records": records, "complete": saw_everything }))
}

/// The one region that is meant by its id or path.
fn region(now: &Snapshot, text: &str) -> Result<RegionPath, Refusal> {
    let paths: BTreeSet<_> = now.regions.iter().map(|facts| &facts.path).collect();
    let meant: Vec<_> = paths.iter().filter(|path| names_region(text, path)).collect();
    let listed = |paths: Vec<String>| few(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    match meant[..] {
        [path] => Ok((*path).clone()),
        [] => {
            let known = listed(paths.iter().map(ToString::to_string).collect());
            Err(arguments::invalid(format!(
                "`region` names no region here; there are: {known}"
            )))
        }
        [..] => {
            let paths = listed(meant.iter().map(ToString::to_string).collect());
            let message = format!("`region` could mean either of: {paths}. Pass the whole path");
            Err(Refusal::new(Code::AmbiguousTarget, message))
        }
    }
}

/// Actions whose id, description or region holds a word of the query, most words first, one for each id and region.
fn search_actions(now: &Snapshot, query: &str) -> Value {
    let words: BTreeSet<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut folded: BTreeMap<_, Vec<&ActionFacts>> = BTreeMap::new();
    for facts in &now.actions {
        folded.entry((&facts.action.id, &facts.region)).or_default().push(facts);
    }
    let mut found: Vec<_> = folded
        .into_values()
        .filter_map(|rows| {
            let Action { id, description, .. } = &*rows[0].action;
            let haystack = format!("{id} {description} {}", rows[0].region).to_lowercase();
            let hits = words.iter().filter(|word| haystack.contains(word.as_str())).count();
            (hits > 0 || words.is_empty()).then_some((hits, rows))
        })
        .collect();
    // Stable: equal hits stay in order of id and region.
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    let total = found.len();
    let actions: Vec<_> = found.iter().take(MAX_FOUND).map(|(_, rows)| entry(rows)).collect();
    json!({ "actions": actions, "total": total })
}

fn entry(rows: &[&ActionFacts]) -> Value {
    let first = rows[0];
    let usable = rows.iter().find(|facts| facts.availability.is_usable());
    let mut arguments = arguments_of(&first.action.input);
    let ids: Vec<_> = rows.iter().filter_map(|facts| facts.record.as_ref()).collect();
    if !ids.is_empty() {
        let listed: Vec<_> = ids.iter().map(|id| id.as_str()).collect();
        arguments.insert("record".to_owned(), format!("one of {}", few(&listed)).into());
    }
    json!({
        "action": first.action.id,
        "region": first.region.to_string(),
        "description": first.action.description,
        "effect": first.action.effect,
        "arguments": arguments,
        "availability": usable.unwrap_or(&first).availability.to_string(),
    })
}

/// What an input takes, in the words of its schema.
fn arguments_of(input: &Input) -> Map<String, Value> {
    let one = |name: &str, what: Value| Map::from_iter([(name.to_owned(), what)]);
    match input {
        Input::Click => Map::new(),
        Input::Toggle | Input::Expand => one("checked", "boolean, optional".into()),
        Input::Text { .. } => one("text", "string".into()),
        Input::Number { .. } => one("value", "number".into()),
        Input::Choice { choices } => {
            let words: Vec<_> = choices.iter().map(String::as_str).take(MAX_LISTED + 1).collect();
            one("choice", format!("one of {}", few(&words)).into())
        }
        Input::Schema(schema) => schema
            .get("properties")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    }
}
