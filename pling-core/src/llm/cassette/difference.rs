//! How two requests differ, in words.

use serde_json::Value;

/// Differences that are told; the rest is counted.
const MAX_TOLD: usize = 3;

/// Characters of a value that are told.
const MAX_CHARS: usize = 60;

/// Empty: none.
pub(super) fn words(recorded: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", recorded, now, &mut found);
    let more = found.len().saturating_sub(MAX_TOLD);
    found.truncate(MAX_TOLD);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

fn compare(path: &str, recorded: &Value, now: &Value, found: &mut Vec<String>) {
    match (recorded, now) {
        (Value::Object(before), Value::Object(after)) => {
            let inner = |name: &str| match path {
                "" => name.to_owned(),
                _ => format!("{path}.{name}"),
            };
            for (name, before) in before {
                match after.get(name) {
                    Some(after) => compare(&inner(name), before, after, found),
                    None => found.push(format!("{} is gone, it was {}", inner(name), short(before))),
                }
            }
            for (name, after) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                found.push(format!("{} is new: {}", inner(name), short(after)));
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                compare(&format!("{path}[{index}]"), before, after, found);
            }
            if before.len() != after.len() {
                found.push(format!(
                    "{path} has {} items, recorded were {}",
                    after.len(),
                    before.len()
                ));
            }
        }
        (Value::String(before), Value::String(after)) if before != after => {
            let (before, after) = around_difference(before, after);
            found.push(format!("{path} is “{after}”, recorded was “{before}”"));
        }
        _ if recorded != now => found.push(format!("{path} is {}, recorded was {}", short(now), short(recorded))),
        _ => {}
    }
}

/// The parts of two texts that begin a little before they differ.
fn around_difference(before: &str, after: &str) -> (String, String) {
    let common = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    let start = common.saturating_sub(MAX_CHARS / 3);
    let part = |text: &str| {
        let mut part: String = text.chars().skip(start).take(MAX_CHARS).collect();
        if start > 0 {
            part.insert(0, '…');
        }
        if text.chars().count() > start + MAX_CHARS {
            part.push('…');
        }
        part
    };
    (part(before), part(after))
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
