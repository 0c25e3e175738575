//! What widgets hold now: page data, by the name of the tool that sets it.
//!
//! Values of actions in rows stand with their records, all others in one line after the actions.

use serde_json::Value;

use crate::{
    model::Input,
    observe::{
        fold::Entry,
        text::{Detail, List, fit, push_fenced, push_text, push_value},
        view::View,
    },
};

/// Characters of a current value.
const VALUE_CHARS: usize = 60;
/// Characters of a preview.
const PREVIEW_CHARS: usize = 100;
/// Choices listed with the current value.
const MAX_CHOICES: usize = 50;
/// Characters of one action's value, choices and preview.
const ONE_VALUE_CHARS: usize = 400;
/// Characters of the values of all actions.
const ALL_VALUES_CHARS: usize = 1500;

/// Current values, choices and previews of actions that are not in rows, by tool name.
pub(super) fn push_values(out: &mut String, view: &View<'_>) {
    let mut json = String::new();
    let mut values = List::begin(&mut json, '{');
    let (mut left, mut omitted) = (ALL_VALUES_CHARS, 0);
    let listed = (0..view.entries.len()).filter(|index| view.entries[*index].listed);
    for index in listed {
        let entry = &view.entries[index];
        let Some(value) = value_json(entry) else { continue };
        let chars = view.names[index].len() + value.chars().count();
        if chars > left {
            omitted += 1;
            continue;
        }
        left -= chars;
        values.key(&view.names[index]).push_str(&value);
    }
    values.end(omitted, '}');
    if json != "{}" {
        out.push_str("\nValues: ");
        push_fenced(out, &json);
    }
}

/// The value alone, or an object where there is more to say. `None`: nothing, or withheld.
fn value_json(entry: &Entry<'_>) -> Option<String> {
    let action = entry.action();
    if entry.takes_record() || action.sensitive {
        return None;
    }
    let value = entry.first.shown_value();
    let choices = match &action.input {
        Input::Choice { choices } => choices.as_slice(),
        _ => &[],
    };
    let preview = action.preview.as_deref();
    if value.is_none() && choices.is_empty() && preview.is_none() {
        return None;
    }
    fit(ONE_VALUE_CHARS, |json, detail| {
        if let Some(value) = value.filter(|_| choices.is_empty() && preview.is_none()) {
            return push_one(json, value, detail);
        }
        let mut fields = List::begin(json, '{');
        if let Some(value) = value {
            push_one(fields.key("value"), value, detail);
        }
        if !choices.is_empty() {
            let shown = if detail.depth > 1 { MAX_CHOICES } else { detail.items };
            let mut list = List::begin(fields.key("choices"), '[');
            for choice in choices.iter().take(shown) {
                push_text(list.next(), choice, detail.text);
            }
            list.end(choices.len().saturating_sub(shown), ']');
        }
        if let Some(preview) = preview {
            push_text(fields.key("preview"), preview, detail.text.min(PREVIEW_CHARS));
        }
        fields.end(0, '}');
    })
}

/// Values of the widgets in one row, as a member of its record.
pub(super) fn push_row(record: &mut List<'_>, view: &View<'_>, values: &[(usize, &Value)], detail: Detail) {
    if values.is_empty() {
        return;
    }
    let mut list = List::begin(record.key("values"), '{');
    for (entry, value) in values.iter().take(detail.items) {
        push_one(list.key(&view.names[*entry]), value, detail);
    }
    list.end(values.len().saturating_sub(detail.items), '}');
}

fn push_one(json: &mut String, value: &Value, detail: Detail) {
    let text = detail.text.min(VALUE_CHARS);
    push_value(json, value, Detail { text, ..detail });
}
