//! What this run has asked for and got so far, read from the conversation: the planner itself remembers nothing.

use serde_json::{Map, Value};

/// Calls of this planner have ids `offline_<number>_<clause>_<step>`.
const PREFIX: &str = "offline_";

/// The open request and what was done about it.
#[derive(Debug)]
pub(super) struct Run {
    /// The user's words.
    pub(super) text: String,
    pub(super) steps: Vec<Step>,
    /// Whether calls were made since that are not this planner's, or do not bear its ids any more. What they did is not
    /// known here, so nothing may be done after them.
    pub(super) has_others: bool,
    /// A number that no id of this planner in the conversation has.
    next_number: u64,
}

/// One call and its outcome.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) clause: usize,
    pub(super) kind: StepKind,
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) outcome: Outcome,
}

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    /// To find the record.
    Find,
    /// To do what was asked.
    Act,
    /// To do it for one of several named records, from 0.
    Part(usize),
}

/// What came of a call.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// The `result` of its receipt.
    Done(Value),
    /// The `error` of its receipt.
    Failed { code: String, message: String },
    /// No receipt, or one that cannot be read. It may have run, so it is not repeated.
    Unknown,
}

impl Run {
    /// Reads a conversation. `None`: nobody asked for anything. The snapshot's revision keeps ids unique where older
    /// messages were cut off.
    pub(super) fn read(messages: &[Value], revision: u64) -> Option<Self> {
        let last = messages.iter().rposition(|message| message["role"] == "user")?;
        let (_, since) = messages.split_at(last + 1);
        let mut steps = Vec::new();
        let mut has_others = false;
        for call in calls(since) {
            let id = call["id"].as_str().unwrap_or_default();
            let Some((_, clause, kind)) = parse_id(id) else {
                has_others = true;
                continue;
            };
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            steps.push(Step {
                clause,
                kind,
                tool: call["function"]["name"].as_str().unwrap_or_default().to_owned(),
                arguments: serde_json::from_str(arguments).unwrap_or_default(),
                outcome: outcome(since, id),
            });
        }
        let used = calls(messages).filter_map(|call| Some(parse_id(call["id"].as_str()?)?.0.saturating_add(1)));
        Some(Self {
            text: own_words(&content(&messages[last])),
            steps,
            has_others,
            next_number: used.max().unwrap_or(0).max(revision),
        })
    }

    /// The id of the next call.
    pub(super) fn id(&self, clause: usize, kind: StepKind) -> String {
        let step = match kind {
            StepKind::Find => "find".to_owned(),
            StepKind::Act => "act".to_owned(),
            StepKind::Part(part) => format!("part{part}"),
        };
        format!("{PREFIX}{}_{clause}_{step}", self.next_number)
    }

    pub(super) fn steps_of(&self, clause: usize) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(move |step| step.clause == clause)
    }
}

fn calls(messages: &[Value]) -> impl Iterator<Item = &Value> {
    messages
        .iter()
        .filter(|message| message["role"] == "assistant")
        .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
}

fn parse_id(id: &str) -> Option<(u64, usize, StepKind)> {
    let mut parts = id.strip_prefix(PREFIX)?.splitn(3, '_');
    let number = parts.next()?.parse().ok()?;
    let clause = parts.next()?.parse().ok()?;
    let kind = match parts.next()? {
        "find" => StepKind::Find,
        "act" => StepKind::Act,
        part => StepKind::Part(part.strip_prefix("part")?.parse().ok()?),
    };
    Some((number, clause, kind))
}

fn outcome(messages: &[Value], id: &str) -> Outcome {
    let answer = messages
        .iter()
        .find(|message| message["role"] == "tool" && message["tool_call_id"] == id);
    let Some(mut receipt) = answer.and_then(|message| read_receipt(&content(message))) else {
        return Outcome::Unknown;
    };
    if receipt["result"].is_object() {
        return Outcome::Done(receipt["result"].take());
    }
    match receipt["error"]["code"].as_str() {
        Some(code) => Outcome::Failed {
            code: code.to_owned(),
            message: receipt["error"]["message"].as_str().unwrap_or(code).to_owned(),
        },
        None => Outcome::Unknown,
    }
}

/// A receipt may come fenced as page data.
fn read_receipt(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| {
        let inner = text.get(text.find('{')?..=text.rfind('}')?)?;
        serde_json::from_str(inner).ok()
    })
}

fn content(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

/// A summary that was merged into the message is not a request.
fn own_words(text: &str) -> String {
    if !text.starts_with("[Conversation history summary]") {
        return text.to_owned();
    }
    text.rsplit_once("\n\n").map_or("", |(_, own)| own).to_owned()
}
