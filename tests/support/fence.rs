//! Reading the fences of an observation.

use pling_core::text::hides;
use serde_json::Value;

const OPEN: &str = "<page_data>";
const CLOSE: &str = "</page_data>";

/// Every piece of page data, decoded. Panics where a fence does not hold exactly one JSON value.
pub(crate) fn page_data(text: &str) -> Vec<Value> {
    pieces(text)
        .1
        .into_iter()
        .map(|json| serde_json::from_str(json).expect(json))
        .collect()
}

/// What is outside of every fence.
pub(crate) fn without_page_data(text: &str) -> String {
    pieces(text).0
}

/// What is there and cannot be seen, or reorders what can; line breaks do not count.
pub(crate) fn unseen(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied();
    let unseen = (0..chars.len()).filter(|index| {
        let before = index.checked_sub(1).and_then(at);
        chars[*index] != '\n' && hides(before, chars[*index], at(index + 1))
    });
    unseen
        .map(|index| format!("U+{:04X} ", u32::from(chars[index])))
        .collect()
}

fn pieces(text: &str) -> (String, Vec<&str>) {
    let (mut outside, mut inside, mut rest) = (String::new(), Vec::new(), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        let (json, after) = after.split_once(CLOSE).expect("a fence that is opened is closed");
        outside.push_str(before);
        inside.push(json);
        rest = after;
    }
    outside.push_str(rest);
    assert!(
        !outside.contains(CLOSE),
        "a fence is closed that was not opened: {outside}"
    );
    (outside, inside)
}
