//! What a call means: the tool's name, read in the observation that its caller saw.
//!
//! Names come from what was seen, facts never do: nothing here says whether the action is still there.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    ActionRef, Arguments, Call, Code, Permissions, Refusal,
    arguments::{self, shortened},
    seen::Seen,
    suggest::near_miss,
};
use crate::{
    model::{ActionId, RegionPath},
    observe::{Discovery, Observation, ToolSchema, ToolTarget},
    snapshot::Snapshot,
};

/// Tool names listed in a refusal.
const MAX_AVAILABLE: usize = 40;

/// What a call is for.
#[derive(Clone, Debug)]
pub(super) enum Asked {
    /// To run a declared action.
    Action(Wanted),
    /// To see more.
    Discovery {
        what: Discovery,
        tool: ToolSchema,
        arguments: Map<String, Value>,
    },
}

/// A declared action that a caller wants to run, unverified.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// What the caller calls it.
    pub(super) name: String,
    pub(super) id: ActionId,
    pub(super) region: RegionPath,
    /// Whether the argument `record` chooses the record.
    pub(super) takes_record: bool,
    pub(super) description: Cow<'static, str>,
    pub(super) arguments: Arguments,
}

impl Wanted {
    fn new(name: &str, id: &ActionId, region: &RegionPath, takes_record: bool, call: &Call) -> Self {
        let mut shown = shown(&call.seen.snapshot, id).filter(|(path, _)| *path == region);
        let first = shown.next().map(|(_, facts)| &facts.action);
        Self {
            name: name.to_owned(),
            id: id.clone(),
            region: region.clone(),
            takes_record,
            description: first.map_or_else(|| Cow::Owned(name.to_owned()), |action| action.description.clone()),
            arguments: call.arguments.clone(),
        }
    }

    /// The action as the receipt names it.
    pub(super) fn action_ref(&self) -> ActionRef {
        ActionRef::new(self.id.clone(), self.description.clone(), None)
    }
}

/// Reads the tool's name. `UNKNOWN_ACTION`, or `ACTION_GONE` for a name that was offered before.
pub(super) fn resolve(call: &Call, seen: &Seen) -> Result<Asked, Refusal> {
    let Some(tool) = call.seen.tool(&call.tool) else {
        return Err(not_offered(&call.tool, &call.seen, seen));
    };
    match &tool.target {
        ToolTarget::Action {
            id,
            region,
            takes_record,
        } => Ok(Asked::Action(Wanted::new(&tool.name, id, region, *takes_record, call))),
        ToolTarget::Discovery(what) => {
            let arguments = arguments::object(&call.arguments)?.clone();
            super::schema::check(&tool.parameters, &arguments).map_err(arguments::invalid)?;
            match what {
                Discovery::InvokeAction => indirect(call, &arguments, seen).map(Asked::Action),
                what => Ok(Asked::Discovery {
                    what: *what,
                    tool: tool.clone(),
                    arguments,
                }),
            }
        }
    }
}

/// `invoke_action(action, region?, arguments)`: the same gates for an action without a tool of its own.
fn indirect(call: &Call, outer: &Map<String, Value>, seen: &Seen) -> Result<Wanted, Refusal> {
    let name = text(outer, "action")?;
    let inner = match outer.get("arguments") {
        None => Arguments::Object(Map::new()),
        // Some models write nested arguments as text.
        Some(Value::String(text)) => Arguments::parse(text),
        Some(value) => Arguments::from(value.clone()),
    };
    let within = optional_text(outer, "region")?;
    let mut regions: Vec<_> = shown(&call.seen.snapshot, &ActionId::from(name))
        .map(|(region, _)| region)
        .filter(|region| within.is_none_or(|text| names_region(text, region)))
        .collect();
    regions.sort();
    regions.dedup();
    let region = match regions[..] {
        [] => return Err(not_offered(name, &call.seen, seen)),
        [region] => region,
        [..] => {
            let paths: Vec<_> = regions.iter().map(ToString::to_string).collect();
            let paths: Vec<_> = paths.iter().map(String::as_str).collect();
            let message = format!(
                "`{name}` is in several regions; say which `region`: {}",
                arguments::few(&paths)
            );
            return Err(Refusal::new(Code::AmbiguousTarget, message));
        }
    };
    let id = ActionId::from(name);
    // Without a fold to say so: it takes a record if one is passed, or if it is never without one.
    let takes_record = matches!(&inner, Arguments::Object(map) if map.contains_key("record"))
        || shown(&call.seen.snapshot, &id)
            .filter(|(path, _)| *path == region)
            .all(|(_, facts)| facts.record.is_some());
    let mut wanted = Wanted::new(name, &id, region, takes_record, call);
    wanted.arguments = inner;
    Ok(wanted)
}

/// The declarations of an action that the caller could know of.
fn shown<'a>(
    snapshot: &'a Snapshot,
    id: &ActionId,
) -> impl Iterator<Item = (&'a RegionPath, &'a crate::snapshot::ActionFacts)> {
    let id = id.clone();
    snapshot
        .actions
        .iter()
        .filter(move |facts| facts.action.id == id)
        .map(|facts| (&facts.region, facts))
}

fn not_offered(name: &str, observation: &Observation, seen: &Seen) -> Refusal {
    let quoted = shortened(name);
    let indirect = observation
        .tools
        .iter()
        .find(|tool| tool.target == ToolTarget::Discovery(Discovery::InvokeAction));
    if let Some(indirect) = indirect
        && shown(&observation.snapshot, &ActionId::from(name)).next().is_some()
    {
        let message = format!("`{quoted}` has no tool of its own: call it through `{}`", indirect.name);
        return Refusal::new(Code::UnknownAction, message);
    }
    if seen.knows_action(name) {
        let message = format!("`{quoted}` was offered before and is no longer available");
        return Refusal::new(Code::ActionGone, message);
    }
    let mut message = format!("there is no action `{quoted}` here");
    let names = observation.tools.iter().map(|tool| tool.name.as_str());
    if let Some(near) = near_miss(name, names) {
        message.push_str(&format!(". Did you mean `{near}`? Names must be exact"));
    }
    Refusal::new(Code::UnknownAction, message)
}

/// Whether a region is meant by this text: its id, or its whole path.
pub(super) fn names_region(text: &str, path: &RegionPath) -> bool {
    path.innermost().is_some_and(|id| id.as_str() == text) || path.to_string() == text
}

/// A required text argument.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refusal> {
    optional_text(arguments, name)?
        .ok_or_else(|| arguments::invalid(format!("`{name}` is missing: a string is expected")))
}

fn optional_text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Refusal> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(arguments::invalid(format!("`{name}` must be a string"))),
    }
}

/// The names of tools that can be used on the page as it is now.
pub(super) fn available(observation: &Observation, now: &Snapshot, permitted: &Permissions) -> Vec<String> {
    let usable = |tool: &&ToolSchema| match &tool.target {
        ToolTarget::Discovery(_) => true,
        ToolTarget::Action { id, region, .. } => now.actions.iter().any(|facts| {
            facts.action.id == *id
                && facts.region == *region
                && facts.availability.is_usable()
                && permitted.permits(&facts.action)
        }),
    };
    let names = observation.tools.iter().filter(usable).map(|tool| tool.name.clone());
    names.take(MAX_AVAILABLE).collect()
}
