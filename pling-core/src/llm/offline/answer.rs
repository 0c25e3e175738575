//! What is said at the end: made of receipts, so that it never claims more than happened.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    history::{Outcome, Step, StepKind},
    page::{Tool, name_of},
};
use crate::snapshot::Snapshot;

/// How many descriptions are listed as examples.
const EXAMPLES: usize = 5;

/// One sentence on a call.
pub(super) fn report(step: &Step, tools: &[Tool<'_>], snapshot: &Snapshot) -> Option<String> {
    let tool = tools.iter().find(|tool| tool.name == step.tool);
    let what = match &step.outcome {
        Outcome::Done(result) => result["action"]["description"].as_str(),
        _ => None,
    };
    let what = what.or(tool.map(|tool| tool.description)).unwrap_or(&step.tool);
    let what = format!("{}{}", what.trim_end_matches('.'), details(step, snapshot));
    Some(match &step.outcome {
        // Looking something up is no news unless it changed what the user sees.
        Outcome::Done(_) if step.kind == StepKind::Find && tool.is_some_and(|tool| tool.discovery.is_some()) => {
            return None;
        }
        Outcome::Done(result) => {
            let mut text = format!("Done: {what}");
            if result["changed"]["observed"] == false && step.kind != StepKind::Find {
                text.push_str(" – though I saw nothing change on the page");
            }
            text.push('.');
            if let Some(warning) = result["warning"].as_str() {
                let _ = write!(text, " Note: {}.", warning.trim_end_matches('.'));
            }
            if let Some(value) = result
                .get("value")
                .filter(|value| !value.is_null() && step.kind != StepKind::Find)
            {
                let _ = write!(text, " Result: {}.", plain(value));
            }
            text
        }
        Outcome::Failed { code, message } => format!("Not done: {what} – {}.", why(code, message)),
        Outcome::Unknown => format!("I do not know whether this was done: {what}."),
    })
}

fn why(code: &str, message: &str) -> String {
    match code {
        "APPROVAL_DENIED" => "you declined it".to_owned(),
        "APPROVAL_EXPIRED" => "nobody approved it in time".to_owned(),
        "HANDOFF_DECLINED" => "it is a step only you can do, and it was declined".to_owned(),
        "CANCELLED" => "it was cancelled".to_owned(),
        _ => message.trim_end_matches('.').to_owned(),
    }
}

/// The arguments of a call, for people.
fn details(step: &Step, snapshot: &Snapshot) -> String {
    let mut details = Vec::new();
    for (name, value) in &step.arguments {
        details.push(match (name.as_str(), value) {
            ("record", Value::String(id)) => name_of(snapshot, id),
            ("checked", Value::Bool(checked)) => if *checked { "on" } else { "off" }.to_owned(),
            (_, Value::String(text)) => format!("“{text}”"),
            (_, value) => value.to_string(),
        });
    }
    if details.is_empty() {
        String::new()
    } else {
        format!(" ({})", details.join(", "))
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A sentence on what can be asked for here.
pub(super) fn abilities(tools: &[Tool<'_>]) -> String {
    let mut descriptions: Vec<&str> = Vec::new();
    for tool in tools
        .iter()
        .filter(|tool| tool.unavailable.is_none() && tool.discovery.is_none())
    {
        let description = tool.description.trim_end_matches('.');
        if !descriptions.contains(&description) {
            descriptions.push(description);
        }
    }
    let more = descriptions.len().saturating_sub(EXAMPLES);
    descriptions.truncate(EXAMPLES);
    match (descriptions.is_empty(), more) {
        (true, _) => "There is nothing I can do on this page.".to_owned(),
        (false, 0) => format!("I can do this here: {}.", descriptions.join("; ")),
        (false, more) => format!("I can do this here: {}; and {more} more.", descriptions.join("; ")),
    }
}
