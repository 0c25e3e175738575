//! Fields that nobody here knows, put together from their pieces so that they can go back as they were.

use serde_json::{Map, Value, map::Entry};

/// What tells one item of a streamed list from another; it comes again with each piece and is no text to append.
const IDENTITY: &[&str] = &["index", "type", "id", "format"];

/// Adds a piece of a field.
pub(super) fn keep(extra: &mut Map<String, Value>, key: &str, value: &Value) {
    if value.is_null() {
        return;
    }
    match extra.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(value.clone());
        }
        Entry::Occupied(mut entry) => match (entry.get_mut(), value) {
            (Value::String(so_far), Value::String(more)) => so_far.push_str(more),
            (Value::Array(so_far), Value::Array(more)) => more.iter().for_each(|item| keep_item(so_far, item)),
            (so_far, value) => *so_far = value.clone(),
        },
    }
}

/// Adds a piece of a field of a call's function.
pub(super) fn keep_in_function(extra: &mut Map<String, Value>, key: &str, value: &Value) {
    if let Value::Object(function) = extra.entry("function").or_insert_with(|| Map::new().into()) {
        keep(function, key, value);
    }
}

/// A piece of the latest item with its `index` and `type`, or an item of its own.
fn keep_item(items: &mut Vec<Value>, item: &Value) {
    let continued = items.iter_mut().rev().find(|earlier| {
        item["index"].is_number() && earlier["index"] == item["index"] && earlier["type"] == item["type"]
    });
    match (continued, item) {
        (Some(Value::Object(so_far)), Value::Object(more)) => {
            for (key, value) in more {
                if IDENTITY.contains(&key.as_str()) && !value.is_null() {
                    so_far.insert(key.clone(), value.clone());
                } else {
                    keep(so_far, key, value);
                }
            }
        }
        _ => items.push(item.clone()),
    }
}
