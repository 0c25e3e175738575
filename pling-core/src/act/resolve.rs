//! What a call means: the tool's name, read in the observation that its caller saw.
//!
//! Names come from what was seen, facts never do: nothing here says whether the action is still there.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    ActionRef, Arguments, Call, Code, Permissions, Refusal, arguments,
    seen::Seen,
    suggest::near_miss,
    words::{few, word},
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
    fn new(
        tool: &ToolSchema,
        id: &ActionId,
        region: &RegionPath,
        takes_record: bool,
        call: &Call,
        arguments: Arguments,
    ) -> Self {
        let mut declared = call.seen.snapshot.actions.iter();
        let declared = declared.find(|facts| facts.action.id == *id && facts.region == *region);
        Self {
            name: tool.name.clone(),
            id: id.clone(),
            region: region.clone(),
            takes_record,
            description: declared.map_or_else(
                || Cow::Owned(tool.description.clone()),
                |facts| facts.action.description.clone(),
            ),
            arguments,
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
        } => Ok(Asked::Action(Wanted::new(
            tool,
            id,
            region,
            *takes_record,
            call,
            call.arguments.clone(),
        ))),
        ToolTarget::Discovery(what) => {
            let arguments = arguments::object(&call.arguments)?.clone();
            let mut parameters = tool.parameters.clone();
            // Which regions there are is a matter of the page as it is now, with better words.
            if let Some(Value::Object(region)) = parameters.pointer_mut("/properties/region") {
                region.remove("enum");
            }
            super::schema::check(&parameters, &arguments).map_err(arguments::invalid)?;
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
    let arguments = match outer.get("arguments") {
        None => Arguments::Object(Map::new()),
        // Some models write nested arguments as text.
        Some(Value::String(text)) => Arguments::parse(text),
        Some(value) => Arguments::from(value.clone()),
    };
    let meant = call.seen.lookup(name, optional_text(outer, "region")?);
    let [tool] = &meant[..] else {
        if meant.is_empty() {
            return Err(not_offered(name, &call.seen, seen));
        }
        let message = format!(
            "`{}` could mean either of: {}; pass one of these names as `action`, or the `region`",
            word(name),
            few(meant.iter().map(|tool| tool.name.as_str())),
        );
        return Err(Refusal::new(Code::AmbiguousTarget, message));
    };
    match &tool.target {
        ToolTarget::Action {
            id,
            region,
            takes_record,
        } => Ok(Wanted::new(tool, id, region, *takes_record, call, arguments)),
        ToolTarget::Discovery(_) => Err(not_offered(name, &call.seen, seen)),
    }
}

/// Every tool that the caller could know of: offered, or listed as unavailable.
fn listed(observation: &Observation) -> impl Iterator<Item = &ToolSchema> {
    observation.tools.iter().chain(&observation.unavailable)
}

fn not_offered(name: &str, observation: &Observation, seen: &Seen) -> Refusal {
    let called = word(name);
    let indirect = observation
        .tools
        .iter()
        .find(|tool| tool.target == ToolTarget::Discovery(Discovery::InvokeAction));
    if let Some(indirect) = indirect
        && !observation.lookup(name, None).is_empty()
    {
        let message = format!("`{called}` has no tool of its own: call it through `{}`", indirect.name);
        return Refusal::new(Code::UnknownAction, message);
    }
    if seen.knows_action(name) {
        let message = format!("`{called}` was offered before and is no longer available");
        return Refusal::new(Code::ActionGone, message);
    }
    let mut message = format!("there is no action `{called}` here");
    let names = listed(observation).map(|tool| tool.name.as_str());
    if let Some(near) = near_miss(name, names) {
        message.push_str(&format!(". Did you mean `{near}`? Names must be exact"));
    }
    Refusal::new(Code::UnknownAction, message)
}

/// A required text argument.
pub(super) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refusal> {
    optional_text(arguments, name)?
        .ok_or_else(|| arguments::invalid(format!("`{name}` is missing: a string is expected")))
}

/// An optional text argument.
pub(super) fn optional_text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Refusal> {
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
    let names = listed(observation).filter(usable).map(|tool| tool.name.clone());
    names.take(MAX_AVAILABLE).collect()
}
