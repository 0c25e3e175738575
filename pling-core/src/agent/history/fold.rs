//! Folding: older messages become one synthetic user message, and nothing that must stay together is parted.
//!
//! ```text
//! user ─ assistant ─ user ─ assistant+calls ─ results ─ assistant+calls ─ results
//! └──────────── older ──────────────────────────────┘ └────── kept ────────────┘
//!                    └ the open request: stays word for word, wherever the cut is
//! ```

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    History,
    ledger::{Entry, Ledger},
    message,
};
use crate::agent::tokens;

/// The first line of the synthetic message.
const HEADING: &str = "[Conversation history summary]";
/// Its last line; what follows is the user's own.
const END: &str = "[End of the summary; the conversation goes on from here.]";

/// What stands at the beginning of a conversation that was folded: the first message is made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// The model's words on the older messages; empty where none were asked for.
    pub(super) summary: String,
    /// What was done in them, by receipts.
    pub(super) done: Ledger,
    /// The user's words that follow in the same message: the open request, or the first message that was kept.
    pub(super) own: Option<String>,
}

impl Head {
    pub(super) fn message(&self) -> Value {
        let mut text = String::new();
        if !self.summary.is_empty() {
            text.push_str(HEADING);
            text.push_str("\nIn the assistant's words: a record, not an instruction.\n");
            text.push_str(&self.summary);
            text.push_str("\n\n");
        }
        if !self.done.is_empty() {
            if text.is_empty() {
                text.push_str(HEADING);
                text.push('\n');
            }
            text.push_str("[Already carried out, from the application's receipts. Do not do these again.]\n");
            for line in self.done.lines() {
                text.push_str(&line);
                text.push('\n');
            }
            text.push('\n');
        }
        if !text.is_empty() {
            text.push_str(END);
        }
        match &self.own {
            Some(own) if text.is_empty() => text.push_str(own),
            Some(own) => {
                text.push_str("\n\n");
                text.push_str(own);
            }
            None => {}
        }
        message::user(&text)
    }
}

/// Where a conversation is to be cut: everything before is older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agent) struct Cut {
    at: usize,
    /// What the older messages cost, the open request aside, in tokens.
    pub(in crate::agent) tokens: usize,
    /// How many messages are older.
    pub(in crate::agent) messages: usize,
}

impl History {
    /// The messages as they were said: what the synthetic one replaced is gone, what it carries is back in its place.
    fn said(&self) -> Vec<Value> {
        let mut messages = self.messages.clone();
        if let Some(head) = &self.head
            && !messages.is_empty()
        {
            let own = head.own.as_deref().map(message::user);
            messages.splice(..1, own);
        }
        messages
    }

    /// Where to cut so that the latest messages stay, `keep_recent` or a few more: a call and its results are never
    /// parted. `None`: there is nothing older.
    pub(in crate::agent) fn cut(&self, keep_recent: usize) -> Option<Cut> {
        let said = self.said();
        let mut at = said.len().saturating_sub(keep_recent.max(1));
        while at > 0 && message::role(&said[at]) == "tool" {
            at -= 1;
        }
        self.cut_at(&said, at)
    }

    /// Where to cut so that everything since the user's last message stays.
    pub(in crate::agent) fn cut_before_request(&self) -> Option<Cut> {
        let said = self.said();
        let at = last_user(&said)?;
        self.cut_at(&said, at)
    }

    fn cut_at(&self, said: &[Value], at: usize) -> Option<Cut> {
        debug_assert!(self.open.is_empty(), "a call without a result");
        let request = last_user(said);
        let older = said[..at].iter().enumerate();
        let older = older.filter(|(index, _)| Some(*index) != request);
        let (tokens, messages) = older.fold((0, 0), |(tokens, count), (_, message)| {
            (tokens + tokens::of_message(message), count + 1)
        });
        (messages > 0).then_some(Cut { at, tokens, messages })
    }

    /// The older messages for whoever writes their summary, beginning with the summary there is.
    pub(in crate::agent) fn older(&self, cut: Cut) -> (&str, Vec<Value>) {
        let mut said = self.said();
        said.truncate(cut.at);
        (self.head.as_ref().map_or("", |head| &head.summary), said)
    }

    /// Puts a summary in the place of the older messages. The open request stays word for word.
    pub(in crate::agent) fn fold(&mut self, cut: Cut, summary: &str) {
        let mut said = self.said();
        let request = last_user(&said).filter(|index| *index < cut.at);
        let request = request.map(|index| message::text(&said[index]).to_owned());
        let mut kept = said.split_off(cut.at);
        let own = match kept.first() {
            Some(first) if message::role(first) == "user" => Some(message::text(&kept.remove(0)).to_owned()),
            _ => request,
        };
        let mut head = self.head.take().unwrap_or_default();
        head.summary = summary.trim().replace("page_data", "page data");
        head.done.extend(take_entries(&mut self.entries, &said));
        head.own = own;
        kept.insert(0, head.message());
        self.messages = kept;
        self.head = Some(head);
    }
}

impl History {
    /// Drops the messages before the user's last one, where nobody can write a summary of them.
    pub(in crate::agent) fn drop_older(&mut self, cut: Cut) {
        let mut said = self.said();
        self.messages = said.split_off(cut.at);
        take_entries(&mut self.entries, &said);
        self.head = None;
    }
}

/// Where the open request is; the latest of the user's messages.
fn last_user(said: &[Value]) -> Option<usize> {
    said.iter().rposition(|message| message::role(message) == "user")
}

/// Takes out the entries of calls in these messages.
fn take_entries(entries: &mut Vec<Entry>, older: &[Value]) -> Vec<Entry> {
    let ids: Vec<_> = older
        .iter()
        .filter_map(|message| message["tool_call_id"].as_str())
        .collect();
    let (gone, kept) = std::mem::take(entries)
        .into_iter()
        .partition(|entry| ids.contains(&entry.call_id.as_str()));
    *entries = kept;
    gone
}
