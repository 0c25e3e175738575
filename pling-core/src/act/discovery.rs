//! The runtime's own ways to see more: `reveal`, `scroll`, `find_records`, `search_actions`.
//!
//! They operate no widget of the application and change no business object, so they pass no hooks and no
//! approval and are always permitted. `invoke_action` is not one of them: it is resolved to the action it names.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    ActionRef, Code, Receipt, Refusal, Target,
    arguments::{self, few},
    gates::Passage,
    resolve::{optional_text, text},
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
            Some(search_actions(&before, &passage.budget(), text(given, "query")?)),
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
        let paths: Vec<_> = now.regions.iter().map(|facts| facts.path.to_string()).collect();
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        arguments::invalid(format!(
            "`region` names no single region here; there are: {}",
            few(&paths)
        ))
    })
}

/// Actions of the page as it is now, listed or not, by words.
fn search_actions(now: &Arc<Snapshot>, budget: &Budget, query: &str) -> Value {
    let (tools, more) = Observation::new(now, budget).search_actions(query, MAX_FOUND);
    let actions = tools.iter().map(|tool| {
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
