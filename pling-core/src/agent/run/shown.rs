//! What an event may show of a call, and the conversation may keep.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    act::{ActionRef, Arguments},
    llm::ToolCall,
    model::{Action, RecordId},
    observe::{Discovery, Observation, ToolSchema, ToolTarget},
    snapshot::ActionFacts,
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

/// The actions of this run whose input is withheld, by what a model may call them: a name that is offered no more, or
/// not quite right, means the same secret.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(BTreeSet<String>);

impl Secrets {
    /// Takes note of the page.
    pub(super) fn look(&mut self, observation: &Observation) {
        let sensitive = observation
            .snapshot
            .actions
            .iter()
            .filter(|facts| facts.action.sensitive);
        for facts in sensitive {
            self.0.insert(plain(facts.action.id.as_str()));
            let is_its = |tool: &&ToolSchema| match &tool.target {
                ToolTarget::Action { id, region, .. } => facts.action.id == *id && facts.region == *region,
                ToolTarget::Discovery(_) => false,
            };
            self.0
                .extend(observation.tools.iter().filter(is_its).map(|tool| plain(&tool.name)));
        }
    }

    fn may_mean(&self, name: &str) -> bool {
        self.0.contains(&plain(name))
    }
}

/// A name without what models get wrong in it.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The arguments as the user sees them: what goes into a sensitive input is withheld.
pub(super) fn shown_arguments(seen: &Observation, secrets: &Secrets, call: &ToolCall) -> Arguments {
    let arguments = Arguments::parse(&call.arguments);
    let is_sensitive = match declared(seen, call) {
        Some(action) => action.sensitive,
        None if seen.tool(&call.name).is_none() => secrets.may_mean(&call.name),
        None => is_for_sensitive(seen, call, &arguments),
    };
    if !is_sensitive {
        return arguments;
    }
    match arguments {
        Arguments::Object(mut map) => {
            let plain: &[_] = match declared(seen, call) {
                Some(_) => &["record"],
                None => &["action", "region"],
            };
            for (_, value) in map.iter_mut().filter(|(name, _)| !plain.contains(&name.as_str())) {
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
pub(super) fn kept_arguments(seen: &Observation, secrets: &Secrets, call: &ToolCall) -> String {
    let shown = shown_arguments(seen, secrets, call);
    if shown == Arguments::parse(&call.arguments) {
        return call.arguments.clone();
    }
    match shown {
        Arguments::Object(map) => Value::Object(map).to_string(),
        Arguments::Invalid { raw, .. } => raw,
    }
}

/// Whether a call through `invoke_action` may mean an action whose input is withheld.
fn is_for_sensitive(seen: &Observation, call: &ToolCall, arguments: &Arguments) -> bool {
    let tool = seen.tool(&call.name).map(|tool| &tool.target);
    if tool != Some(&ToolTarget::Discovery(Discovery::InvokeAction)) {
        return false;
    }
    let name = match arguments {
        Arguments::Object(map) => map.get("action").and_then(Value::as_str),
        Arguments::Invalid { .. } => None,
    };
    let meant = name.map(|name| seen.lookup(name, None)).unwrap_or_default();
    let is_meant = |facts: &ActionFacts| {
        meant.iter().any(|tool| match &tool.target {
            ToolTarget::Action { id, region, .. } => facts.action.id == *id && facts.region == *region,
            ToolTarget::Discovery(_) => false,
        })
    };
    // What cannot be told is withheld.
    let mut sensitive = seen.snapshot.actions.iter().filter(|facts| facts.action.sensitive);
    sensitive.any(|facts| meant.is_empty() || is_meant(facts))
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
