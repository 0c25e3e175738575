//! The runtime's own ways to see more: `reveal`, `scroll`, `find_records`, `search_actions`.
//!
//! They operate no widget of the application and change no business object, so they pass no hooks and no
//! approval and are always permitted. `invoke_action` is not one of them: it is resolved to the action it names.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    ActionRef, Code, Receipt, Refusal, Target, arguments,
    gates::Passage,
    resolve::{optional_text, text},
    words::{few, quoted},
};
use crate::{
    model::RegionPath,
    observe::{Budget, Discovery, Observation, ToolSchema, ToolTarget},
    snapshot::{Changes, Snapshot},
};

/// Actions that one search returns; the rest are counted.
const MAX_FOUND: usize = 10;

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
            let region = region(passage, &before, text(given, "region")?)?;
            let after = passage.unless_cancelled(host.reveal(Target::region(region))).await??;
            passage.saw(&after);
            (before.changes_to(&after), None)
        }
        Discovery::Scroll => {
            let region = match optional_text(given, "region")? {
                Some(name) => region(passage, &before, name)?,
                None => RegionPath::root(),
            };
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
        Discovery::SearchActions => (
            Changes::default(),
            Some(search_actions(
                &before,
                &passage.budget(),
                text(given, "query")?,
                skip(given)?,
            )),
        ),
        // Resolved to the action it names before it comes here.
        Discovery::InvokeAction => return Err(Refusal::new(Code::Unsupported, "it names no action")),
    };
    let about = ActionRef::new(tool.name.as_str().into(), tool.description.clone(), None);
    let mut receipt = Receipt::done(passage.call_id(), about, changes);
    receipt.value = value;
    Ok(receipt)
}

async fn find_records(passage: &Passage<'_>, query: &str) -> Result<Value, Refusal> {
    let limit = passage.budget().max_records;
    let search = passage.host().find_records(query.to_owned(), limit);
    let (records, saw_everything) = passage.unless_cancelled(search).await??;
    let mut seen = passage.shared().seen.lock();
    for id in records.iter().filter_map(|record| record.get("id")?.as_str()) {
        seen.found(id);
    }
    Ok(json!({ "records": records, "complete": saw_everything }))
}

/// The region that is meant: by the name that the caller saw, its whole path, or its own id where that is unique.
fn region(passage: &Passage<'_>, now: &Snapshot, text: &str) -> Result<RegionPath, Refusal> {
    let meant = passage.seen().region(text);
    let is_there = |path: &RegionPath| path.ids().is_empty() || now.region(path).is_some();
    meant.filter(is_there).ok_or_else(|| {
        let opener = passage.seen().tools.iter().find(|tool| opens(tool, now, text));
        if let Some(tool) = opener {
            let message = format!("{} is not on the page now; `{}` opens it", quoted(text), tool.name);
            return arguments::invalid(message);
        }
        let paths: Vec<_> = now.regions.iter().map(|facts| facts.path.to_string()).collect();
        arguments::invalid(format!(
            "`region` names no single region here; there are: {}",
            few(paths.iter().map(String::as_str))
        ))
    })
}

/// Whether the tool's author says that it opens a region of this id.
fn opens(tool: &ToolSchema, now: &Snapshot, id: &str) -> bool {
    let ToolTarget::Action { id: action, region, .. } = &tool.target else {
        return false;
    };
    now.actions.iter().any(|facts| {
        let opens = facts.action.opens.as_ref();
        facts.action.id == *action && facts.region == *region && opens.is_some_and(|opens| opens.as_str() == id)
    })
}

/// How many results the caller has seen already.
fn skip(given: &Map<String, Value>) -> Result<usize, Refusal> {
    match given.get("skip") {
        None | Some(Value::Null) => Ok(0),
        Some(value) => {
            let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
            count.ok_or_else(|| arguments::invalid("`skip` must be a whole number, 0 or more"))
        }
    }
}

/// Actions of the page as it is now, listed or not, by words.
fn search_actions(now: &Arc<Snapshot>, budget: &Budget, query: &str, skip: usize) -> Value {
    let limit = skip.saturating_add(MAX_FOUND);
    let (tools, more) = Observation::new(now, budget).search_actions(query, limit);
    let actions = tools.iter().skip(skip).map(|tool| {
        let region = match &tool.target {
            ToolTarget::Action { region, .. } => region.to_string(),
            ToolTarget::Discovery(_) => String::new(),
        };
        json!({
            "action": tool.name,
            "region": region,
            "description": tool.description,
            "arguments": tool.parameters,
        })
    });
    json!({ "actions": actions.collect::<Vec<_>>(), "more": more })
}
