//! What was done, from receipts alone: it outlives the messages that told of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message;
use crate::{
    act::{Code, Receipt},
    snapshot::Changes,
    text::shorten,
};

/// Lines kept one by one; of older ones only how often each tool was used.
const MAX_LINES: usize = 40;
/// Characters of the arguments in a line.
const MAX_ARGUMENTS: usize = 200;
/// Record ids named in a line.
const MAX_RECORDS: usize = 3;

/// One call whose result matters when its messages are gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) call_id: String,
    tool: String,
    line: String,
}

impl Entry {
    /// What is to be remembered of a receipt. `None`: nothing ran, and the user decided nothing.
    pub(super) fn of(receipt: &Receipt, assistant: &Value) -> Option<Self> {
        receipt.action.as_ref()?;
        let outcome = outcome(receipt)?;
        let call = message::calls(assistant).find(|call| call["id"] == receipt.call_id.as_str())?;
        let tool = call["function"]["name"].as_str().unwrap_or_default().to_owned();
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        let arguments = shorten(arguments, MAX_ARGUMENTS);
        Some(Self {
            call_id: receipt.call_id.clone(),
            line: message::inert(&format!("{tool} {arguments}: {outcome}")),
            tool,
        })
    }
}

fn outcome(receipt: &Receipt) -> Option<String> {
    let seen = receipt.changed.as_ref().map(changes);
    let said = match (receipt.code(), seen) {
        (None, _) if receipt.handoff => "the user says it is done".to_owned(),
        (None, Some(seen)) => format!("done{seen}"),
        (None, None) => "done".to_owned(),
        (Some(Code::ApprovalDenied | Code::HandoffDeclined), _) => "the user said no".to_owned(),
        (Some(code), Some(seen)) => format!("it ran, and ended {code}{seen}"),
        (Some(Code::NotDelivered | Code::Timeout | Code::HandlerFailed), None) => {
            "it may have run; what came of it was not seen".to_owned()
        }
        (Some(_), None) => return None,
    };
    Some(said)
}

fn changes(changes: &Changes) -> String {
    if !changes.observed() {
        return ", no change was seen".to_owned();
    }
    let list = |what: &str, ids: &[crate::model::RecordId]| {
        let some: Vec<_> = ids
            .iter()
            .take(MAX_RECORDS)
            .map(|id| shorten(id.as_str(), 40))
            .collect();
        let more = ids.len() - some.len();
        match (some.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!(", {what} {}", some.join(" ")),
            (false, more) => format!(", {what} {} and {more} more", some.join(" ")),
        }
    };
    list("added", &changes.records.added) + &list("removed", &changes.records.removed)
}

/// The calls whose messages are gone, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Ledger {
    /// How often each tool was used before the first line.
    earlier: BTreeMap<String, usize>,
    entries: Vec<Entry>,
}

impl Ledger {
    pub(super) fn is_empty(&self) -> bool {
        self.earlier.is_empty() && self.entries.is_empty()
    }

    pub(super) fn extend(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries);
        let surplus = self.entries.len().saturating_sub(MAX_LINES);
        for entry in self.entries.drain(..surplus) {
            *self.earlier.entry(entry.tool).or_default() += 1;
        }
    }

    /// One line for each call.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let earlier = self.earlier.iter();
        let earlier = earlier.map(|(tool, times)| format!("- {tool}: {times} more before these"));
        earlier.chain(self.entries.iter().map(|entry| format!("- {}", entry.line)))
    }
}
