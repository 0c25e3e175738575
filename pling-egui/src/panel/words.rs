//! Arguments and changes in words, such as "Buy milk removed from view, done 0 → 1".

use pling_core::{model::Level, snapshot::Changes};
use serde_json::{Map, Value};

use super::{names::Names, strings::Strings, visible::visible_line};

/// Characters of all arguments in one line.
pub(super) const MAX_ARGUMENTS_CHARS: usize = 80;
/// Characters of one value.
pub(super) const MAX_VALUE_CHARS: usize = 40;
/// Things named before the rest is counted.
const MAX_NAMED: usize = 4;

/// What differed, such as `Buy milk removed from view, done 0 → 1`.
pub(super) fn in_words(say: &Strings, names: &Names, changes: &Changes) -> String {
    let mut parts = Vec::new();
    let mut tell = |all| parts.extend(first_few(say, all));
    let value_of = |value: &Option<Value>| value.as_ref().map_or_else(|| say.nothing(), |value| said(say, value));
    let records = &changes.records;
    tell(records.added.iter().map(|id| say.added(&names.record(id))).collect());
    tell(
        records
            .removed
            .iter()
            .map(|id| say.removed(&names.record(id)))
            .collect(),
    );
    let fields = |fields: &[(String, Value)]| {
        let fields = fields.iter().take(MAX_NAMED);
        let fields = fields.map(|(name, value)| say.is_now(&word(name), &said(say, value)));
        fields
            .reduce(|first, second| say.and(&first, &second))
            .unwrap_or_default()
    };
    let changed = records.changed.iter();
    tell(
        changed
            .map(|change| say.changed(&names.record(&change.id), &fields(&change.fields)))
            .collect(),
    );
    let counts = records.counts.iter();
    tell(
        counts
            .map(|count| {
                say.went(
                    &word(&count.source),
                    &count.before.to_string(),
                    &count.after.to_string(),
                )
            })
            .collect(),
    );
    let state = changes.state.iter();
    tell(
        state
            .map(|change| say.went(&word(&change.name), &value_of(&change.before), &value_of(&change.after)))
            .collect(),
    );
    let values = changes.values.iter();
    tell(
        values
            .map(|change| say.is_now(&names.action(&change.action), &said(say, &change.value)))
            .collect(),
    );
    tell(changes.opened.iter().map(|id| say.opened(&names.region(id))).collect());
    tell(changes.closed.iter().map(|id| say.closed(&names.region(id))).collect());
    let feedback = changes.feedback.iter();
    tell(
        feedback
            .map(|feedback| {
                let text = visible_line(&feedback.text, 2 * MAX_VALUE_CHARS);
                match feedback.level {
                    Level::Error => say.level_error(&text),
                    Level::Warning => say.level_warning(&text),
                    Level::Info => say.level_info(&text),
                    Level::Success => say.level_success(&text),
                }
            })
            .collect(),
    );
    tell(changes.page.then(|| say.page_changed()).into_iter().collect());
    if parts.is_empty() {
        parts = lesser(say, names, changes);
    }
    parts.extend((changes.omitted > 0).then(|| say.more_changes(changes.omitted)));
    let line = parts.into_iter().reduce(|first, second| say.list(&first, &second));
    line.unwrap_or_default()
}

/// What is worth a word only when nothing else happened.
fn lesser(say: &Strings, names: &Names, changes: &Changes) -> Vec<String> {
    let actions = &changes.actions;
    let usable = actions.available.iter().map(|id| say.usable_now(&names.action(id)));
    let unusable = actions.unavailable.iter().map(|id| say.unusable_now(&names.action(id)));
    let mut parts = first_few(say, usable.collect());
    parts.extend(first_few(say, unusable.collect()));
    if parts.is_empty() && changes.feedback_gone > 0 {
        parts.push(say.message_gone());
    }
    parts
}

/// The first few and a count of the rest.
fn first_few(say: &Strings, mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(MAX_NAMED);
    all.truncate(MAX_NAMED);
    all.extend((more > 0).then(|| say.more(more)));
    all
}

fn word(name: &str) -> String {
    visible_line(name, MAX_VALUE_CHARS)
}

/// Arguments on one line. The record is shown beside the action already.
pub(super) fn short(say: &Strings, arguments: &Map<String, Value>) -> String {
    let arguments = arguments.iter().filter(|(name, _)| *name != "record");
    let parts = arguments.map(|(name, value)| say.changed(&visible_line(name, MAX_VALUE_CHARS), &said(say, value)));
    let line = parts.reduce(|first, second| say.list(&first, &second));
    visible_line(&line.unwrap_or_default(), MAX_ARGUMENTS_CHARS)
}

fn said(say: &Strings, value: &Value) -> String {
    match value {
        Value::String(text) => say.quoted(&visible_line(text, MAX_VALUE_CHARS)),
        Value::Bool(true) => say.yes(),
        Value::Bool(false) => say.no(),
        Value::Null => say.nothing(),
        other => visible_line(&other.to_string(), MAX_VALUE_CHARS),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_short_and_hide_nothing() {
        let arguments = json!({ "record": "t3", "text": "Buy\nmilk\u{202e}", "checked": true });
        let line = short(&Strings::default(), arguments.as_object().unwrap());
        assert_eq!(line, "checked: yes, text: “Buy milk‹U+202E›”");
    }

    #[test]
    fn many_changes_are_counted() {
        let mut changes = Changes::default();
        changes.records.removed = (1..=9).map(|index| format!("t{index}").into()).collect();
        changes.closed = vec!["settings".into()];
        assert_eq!(
            in_words(&Strings::default(), &Names::default(), &changes),
            "t1 removed from view, t2 removed from view, t3 removed from view, t4 removed from view, 5 more, \
             settings closed"
        );
    }
}
