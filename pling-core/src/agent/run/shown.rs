//! What an event may show of a call, and the conversation may keep.

use serde_json::Value;

use crate::{
    act::{ActionRef, Arguments},
    llm::ToolCall,
    model::{Action, RecordId},
    observe::{Observation, ToolTarget},
};

/// What stands for a value that is withheld.
const WITHHELD: &str = "[withheld]";

/// The action that a call means, where the observation offers such a tool and it is a declared action.
pub(super) fn action_of(seen: &Observation, call: &ToolCall) -> Option<ActionRef> {
    let action = declared(seen, call)?;
    let record = match Arguments::parse(&call.arguments) {
        Arguments::Object(map) => map.get("record").and_then(Value::as_str).map(RecordId::from),
        Arguments::Invalid { .. } => None,
    };
    Some(ActionRef::new(action.id.clone(), action.description.as_ref(), record))
}

/// The arguments as the user sees them: what goes into a sensitive input is withheld.
pub(super) fn shown_arguments(seen: &Observation, call: &ToolCall) -> Arguments {
    let arguments = Arguments::parse(&call.arguments);
    if !declared(seen, call).is_some_and(|action| action.sensitive) {
        return arguments;
    }
    match arguments {
        Arguments::Object(mut map) => {
            for (_, value) in map.iter_mut().filter(|(name, _)| *name != "record") {
                *value = WITHHELD.into();
            }
            Arguments::Object(map)
        }
        Arguments::Invalid { why, .. } => Arguments::Invalid {
            raw: WITHHELD.to_owned(),
            why,
        },
    }
}

/// The arguments as the conversation keeps them: as the model wrote them, save what goes into a sensitive input.
pub(super) fn kept_arguments(seen: &Observation, call: &ToolCall) -> String {
    if !declared(seen, call).is_some_and(|action| action.sensitive) {
        return call.arguments.clone();
    }
    match shown_arguments(seen, call) {
        Arguments::Object(map) => Value::Object(map).to_string(),
        Arguments::Invalid { raw, .. } => raw,
    }
}

fn declared<'a>(seen: &'a Observation, call: &ToolCall) -> Option<&'a Action> {
    let ToolTarget::Action { id, region, .. } = &seen.tool(&call.name)?.target else {
        return None;
    };
    let mut facts = seen.snapshot.actions.iter();
    facts
        .find(|facts| facts.action.id == *id && facts.region == *region)
        .map(|facts| facts.action.as_ref())
}
