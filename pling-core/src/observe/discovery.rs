//! The runtime's own tools: ways to what the observation does not show.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Discovery, ToolSchema, ToolTarget, schema::Parameters, tool_name::claim, view::View};

/// Regions named one by one in a schema; with more of them any name is taken.
const MAX_REGION_ENUM: usize = 8;

/// What is worth offering for this page, with names: nothing, where everything is in view and listed.
pub(super) fn offered(view: &View<'_>) -> Vec<(Discovery, String)> {
    let mut taken: HashSet<String> = HashSet::new();
    let scrolls = view.hides_something();
    let candidates = [
        (Discovery::Reveal, scrolls && view.regions.rows.len() > 1),
        (Discovery::Scroll, scrolls),
        (Discovery::FindRecords, !view.snapshot.sources.is_empty()),
        (Discovery::SearchActions, view.omitted.actions > 0),
        (Discovery::InvokeAction, view.omitted.actions > 0),
    ];
    let offered = candidates.into_iter().filter(|(_, offer)| *offer);
    offered
        .map(|(discovery, _)| (discovery, name(view, discovery, &mut taken)))
        .collect()
}

/// The schemas of what is offered.
pub(super) fn tools(view: &View<'_>) -> impl Iterator<Item = ToolSchema> {
    view.discovery.iter().map(|(discovery, name)| ToolSchema {
        name: name.clone(),
        description: description(*discovery).to_owned(),
        parameters: parameters(view, *discovery),
        target: ToolTarget::Discovery(*discovery),
    })
}

/// Entries whose authored words hold every word of the query; first those that are called exactly so.
pub(super) fn search(view: &View<'_>, query: &str) -> Vec<usize> {
    let query = query.trim();
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let is_called_so =
        |index: &usize| [&*view.names[*index], view.entries[*index].action().id.as_str()].contains(&query);
    let holds_all = |index: &usize| {
        let entry = &view.entries[*index];
        let action = entry.action();
        let row = &view.regions.rows[entry.region];
        let label = row.facts.map_or("", |facts| &facts.region.label);
        let text = [
            &view.names[*index],
            action.id.as_str(),
            &action.description,
            &row.name,
            label,
        ];
        let text = text.join("\n").to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let mut found: Vec<_> = (0..view.entries.len())
        .filter(|index| is_called_so(index) || holds_all(index))
        .collect();
    found.sort_by_key(|index| !is_called_so(index));
    found
}

/// The entries that a name means, see [`super::Observation::lookup`].
pub(super) fn lookup(view: &View<'_>, name: &str, region: Option<&str>) -> Vec<usize> {
    let in_region = |index: &usize| {
        let path = &view.entries[*index].first.region;
        region.is_none_or(|region| view.regions.find(region).as_ref() == Some(path))
    };
    if let Some(index) = view.names.iter().position(|known| known == name) {
        return [index].into_iter().filter(in_region).collect();
    }
    let same_id = |index: &usize| view.entries[*index].action().id.as_str() == name;
    (0..view.entries.len()).filter(same_id).filter(in_region).collect()
}

/// Its usual name; an action of the application that is called so keeps it.
fn name(view: &View<'_>, discovery: Discovery, taken: &mut HashSet<String>) -> String {
    let usual = match discovery {
        Discovery::Reveal => "reveal",
        Discovery::Scroll => "scroll",
        Discovery::FindRecords => "find_records",
        Discovery::SearchActions => "search_actions",
        Discovery::InvokeAction => "invoke_action",
    };
    if !view.names.iter().any(|name| name == usual) {
        return usual.to_owned();
    }
    claim(&format!("pling_{usual}"), taken, |name| {
        view.names.iter().any(|known| known == name)
    })
}

fn description(discovery: Discovery) -> &'static str {
    match discovery {
        Discovery::Reveal => "Scroll a region into view.",
        Discovery::Scroll => "Scroll a region, or the page, by about one view.",
        Discovery::FindRecords => "Find records that are not drawn, by words in their label or shown fields.",
        Discovery::SearchActions => {
            "Find actions that are not listed, by words in their name, description or region; no words: all of them."
        }
        Discovery::InvokeAction => "Call an action found with the search, by its name.",
    }
}

fn parameters(view: &View<'_>, discovery: Discovery) -> Value {
    let mut parameters = Parameters::default();
    match discovery {
        Discovery::Reveal => parameters.require("region", region(view)),
        Discovery::Scroll => {
            let directions = json!({ "type": "string", "enum": ["up", "down", "left", "right"] });
            parameters.require("direction", directions);
            if view.regions.rows.len() > 1 {
                parameters.optional("region", region(view));
            }
        }
        Discovery::FindRecords => parameters.require("query", json!({ "type": "string" })),
        Discovery::SearchActions => {
            parameters.require("query", json!({ "type": "string" }));
            let skip = json!({ "type": "integer", "description": "results to leave out, to see those after" });
            parameters.optional("skip", skip);
        }
        Discovery::InvokeAction => {
            parameters.require("action", json!({ "type": "string" }));
            parameters.optional("region", json!({ "type": "string" }));
            parameters.optional("arguments", json!({ "type": "object" }));
        }
    }
    parameters.into_value()
}

fn region(view: &View<'_>) -> Value {
    let names: Vec<_> = view
        .listed_regions
        .iter()
        .map(|region| view.region_name(*region))
        .collect();
    if names.is_empty() || names.len() > MAX_REGION_ENUM || view.omitted.regions > 0 {
        json!({ "type": "string" })
    } else {
        json!({ "type": "string", "enum": names })
    }
}
