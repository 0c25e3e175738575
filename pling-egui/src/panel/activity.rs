//! A call as one line, and what became of it, in words made from its receipt.

use std::fmt::Write as _;

use pling_core::{
    act::{ActionRef, Approval, Arguments, Receipt},
    platform::{Instant, now},
    snapshot::Changes,
};
use serde_json::{Map, Value};

use super::visible::{visible, visible_line, visible_value};

/// Characters of all arguments in the line.
const MAX_ARGUMENTS_CHARS: usize = 80;
/// Characters of one value in words.
const MAX_VALUE_CHARS: usize = 40;
/// Characters of exact arguments or of an exact result.
const MAX_DETAIL_CHARS: usize = 4000;
/// Seconds from which on a call's time is worth a word.
const LONG_SECONDS: u64 = 3;
/// Things named before the rest is counted.
const MAX_NAMED: usize = 4;

/// A call and what became of it. All texts are ready to draw.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    call_id: String,
    /// The action, in its author's words.
    pub(super) title: String,
    /// The record, as the user knows it where that was seen, else its id.
    pub(super) record: Option<String>,
    /// The other arguments, short.
    pub(super) arguments: String,
    /// How far it came.
    pub(super) state: State,
    /// Exactly what was asked for, and exactly what came back.
    pub(super) details: String,
    began: Instant,
    /// How long it took, where that is worth a word.
    pub(super) took: Option<String>,
}

/// How far a call came.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// It is being carried out.
    Running,
    /// The user is asked.
    Waiting,
    /// The widget reported the click or change.
    Done {
        /// What differed afterwards.
        changed: String,
        /// What the user should know.
        warning: Option<String>,
    },
    /// It was refused or failed.
    Failed {
        /// The stable code.
        code: String,
        /// Why.
        message: String,
        /// What differed all the same.
        changed: Option<String>,
    },
}

impl Activity {
    /// A call that was asked for.
    pub(super) fn asked(call_id: &str, action: Option<&ActionRef>, tool: &str, arguments: &Arguments) -> Self {
        let title = action.map_or(tool, |action| &action.description);
        let record = action.and_then(|action| action.record.as_ref());
        Self {
            call_id: call_id.to_owned(),
            title: visible_line(title, 120),
            record: record.map(|record| visible_line(record.as_str(), MAX_VALUE_CHARS)),
            arguments: match arguments {
                Arguments::Object(arguments) => short(arguments),
                Arguments::Invalid { raw, .. } => visible_line(raw, MAX_ARGUMENTS_CHARS),
            },
            state: State::Running,
            details: exactly(action.map_or(tool, |action| action.id.as_str()), arguments),
            began: now(),
            took: None,
        }
    }

    /// Whether it is about this call.
    pub(super) fn is_of(&self, call_id: &str) -> bool {
        self.call_id == call_id
    }

    /// It was answered before the conversation was taken up again; only the result's own words are left.
    pub(super) fn recall(&mut self, result: &Value) {
        let error = &result["error"];
        self.state = match error["code"].as_str() {
            Some(code) => State::Failed {
                code: code.to_owned(),
                message: visible(error["message"].as_str().unwrap_or_default()),
                changed: None,
            },
            None => State::Done {
                changed: "done before".to_owned(),
                warning: None,
            },
        };
        let _ = write!(self.details, "\n{}", pretty(result));
    }

    /// Whether its end is open.
    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, State::Running | State::Waiting)
    }

    /// The user is asked.
    pub(super) fn ask(&mut self, approval: &Approval) {
        if let Some(label) = &approval.record_label {
            self.record = Some(visible_line(label, MAX_VALUE_CHARS));
        }
        self.state = State::Waiting;
    }

    /// The user answered, or the question is gone.
    pub(super) fn decided(&mut self) {
        self.state = State::Running;
        // The time that the user took is not the call's.
        self.began = now();
    }

    /// It is over.
    pub(super) fn answer(&mut self, receipt: &Receipt) {
        let seconds = self.began.elapsed().as_secs();
        self.took = (seconds >= LONG_SECONDS).then(|| format!("{seconds} s"));
        let _ = write!(self.details, "\n{}", pretty(&receipt.to_json()));
        self.state = match &receipt.error {
            None => State::Done {
                changed: match &receipt.changed {
                    Some(changes) if changes.observed() => in_words(changes),
                    _ if receipt.handoff => "done by you".to_owned(),
                    _ => "no change seen".to_owned(),
                },
                warning: receipt.warning.as_deref().map(visible),
            },
            Some((code, message)) => State::Failed {
                code: code.as_str().to_owned(),
                message: visible(message),
                changed: receipt
                    .changed
                    .as_ref()
                    .filter(|changes| changes.observed())
                    .map(in_words),
            },
        };
    }
}

/// A call as it came.
fn exactly(id: &str, arguments: &Arguments) -> String {
    let arguments = match arguments {
        Arguments::Object(arguments) => pretty(&Value::Object(arguments.clone())),
        Arguments::Invalid { raw, why } => visible_value(&format!("{raw}\n{why}")),
    };
    format!("{} {arguments}", visible_line(id, MAX_VALUE_CHARS))
}

/// JSON on several lines; a very long one is cut, and says so.
fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    if let Some((at, _)) = text.char_indices().nth(MAX_DETAIL_CHARS) {
        text.truncate(at);
        text.push_str("\n…");
    }
    visible(&text)
}

/// Arguments on one line. The record is shown beside the action already.
fn short(arguments: &Map<String, Value>) -> String {
    let mut out = String::new();
    for (name, value) in arguments.iter().filter(|(name, _)| *name != "record") {
        if !out.is_empty() {
            out.push_str(", ");
        }
        let _ = write!(
            out,
            "{}: {}",
            visible_line(name, MAX_VALUE_CHARS),
            value_in_words(value)
        );
    }
    visible_line(&out, MAX_ARGUMENTS_CHARS)
}

fn value_in_words(value: &Value) -> String {
    match value {
        Value::String(text) => format!("“{}”", visible_line(text, MAX_VALUE_CHARS)),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Null => "nothing".to_owned(),
        other => visible_line(&other.to_string(), MAX_VALUE_CHARS),
    }
}

/// What differed, such as `t3 removed from view, done 0 → 1`.
pub(super) fn in_words(changes: &Changes) -> String {
    let mut parts = Vec::new();
    let records = &changes.records;
    let added = records.added.iter().map(|id| format!("{} added", word(id)));
    named(&mut parts, added);
    let removed = records
        .removed
        .iter()
        .map(|id| format!("{} removed from view", word(id)));
    named(&mut parts, removed);
    let changed = records.changed.iter().map(|change| {
        let fields = change.fields.iter();
        let fields: Vec<_> = fields
            .take(MAX_NAMED)
            .map(|(name, value)| format!("{} is now {}", word(name), value_in_words(value)))
            .collect();
        format!("{}: {}", word(&change.id), fields.join(" and "))
    });
    named(&mut parts, changed);
    let counts = records
        .counts
        .iter()
        .map(|count| format!("{} {} → {}", word(&count.source), count.before, count.after));
    named(&mut parts, counts);
    let state = changes.state.iter().map(|change| {
        let side = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), value_in_words);
        format!(
            "{} {} → {}",
            word(&change.name),
            side(&change.before),
            side(&change.after)
        )
    });
    named(&mut parts, state);
    let values = changes
        .values
        .iter()
        .map(|change| format!("{} is now {}", word(&change.action), value_in_words(&change.value)));
    named(&mut parts, values);
    named(
        &mut parts,
        changes.opened.iter().map(|region| format!("{} opened", word(region))),
    );
    named(
        &mut parts,
        changes.closed.iter().map(|region| format!("{} closed", word(region))),
    );
    let feedback = changes.feedback.iter().map(|feedback| {
        format!(
            "{}: {}",
            feedback.level,
            visible_line(&feedback.text, 2 * MAX_VALUE_CHARS)
        )
    });
    named(&mut parts, feedback);
    if changes.page {
        parts.push("the page changed".to_owned());
    }
    if parts.is_empty() {
        let actions = &changes.actions;
        named(
            &mut parts,
            actions
                .available
                .iter()
                .map(|id| format!("{} can be used now", word(id))),
        );
        let gone = actions.unavailable.iter();
        named(&mut parts, gone.map(|id| format!("{} cannot be used now", word(id))));
    }
    if changes.feedback_gone > 0 && parts.is_empty() {
        parts.push("a message went away".to_owned());
    }
    if changes.omitted > 0 {
        parts.push(format!("{} more changes", changes.omitted));
    }
    parts.join(", ")
}

fn word(name: &(impl ToString + ?Sized)) -> String {
    visible_line(&name.to_string(), MAX_VALUE_CHARS)
}

/// Adds the first few and a count of the rest.
fn named(parts: &mut Vec<String>, mut all: impl ExactSizeIterator<Item = String>) {
    parts.extend(all.by_ref().take(MAX_NAMED));
    if all.len() > 0 {
        parts.push(format!("{} more", all.len()));
    }
}

#[cfg(test)]
mod tests {
    use pling_core::act::Code;
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_short_and_hide_nothing() {
        let arguments = json!({ "record": "t3", "text": "Buy\nmilk\u{202e}", "checked": true });
        let Arguments::Object(map) = Arguments::from(arguments) else {
            unreachable!("an object");
        };
        assert_eq!(short(&map), "checked: yes, text: “Buy milk‹U+202E›”");
    }

    #[test]
    fn many_changes_are_counted() {
        let mut changes = Changes::default();
        changes.records.removed = (1..=9).map(|index| format!("t{index}").into()).collect();
        changes.closed = vec!["settings".into()];
        assert_eq!(
            in_words(&changes),
            "t1 removed from view, t2 removed from view, t3 removed from view, t4 removed from view, 5 more, \
             settings closed"
        );
    }

    #[test]
    fn a_refusal_keeps_its_code() {
        let mut activity = Activity::asked("c1", None, "delete", &Arguments::from(json!({})));
        activity.answer(&Receipt::refused("c1", Code::UnknownRecord, "no such record"));
        let State::Failed { code, message, .. } = activity.state else {
            panic!("{:?}", activity.state);
        };
        assert_eq!((&*code, &*message), ("UNKNOWN_RECORD", "no such record"));
    }
}
