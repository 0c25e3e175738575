//! A receipt within a number of tokens: shortened evenly, always valid JSON, every cut with a count.

use serde_json::{Map, Value, json};
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Code, Receipt};
use crate::{
    text::{Cut, cut, json_line},
    tokens::estimate_tokens,
};

/// Members of a list or object, and characters of a string, from lenient to strict.
const STEPS: [(usize, usize); 7] = [(40, 800), (20, 400), (12, 200), (8, 100), (6, 60), (4, 40), (2, 24)];

/// The receipt's own objects have at most this many members, `changed` the most of them, and are never cut.
const OWN_MEMBERS: usize = 12;

/// A value of the page with its long texts and lists cut, each cut with a count.
pub(crate) fn shortened(value: &Value) -> Value {
    shorten(value, STEPS[2])
}

impl Receipt {
    /// The result as a model reads it: [`Self::to_json`] on one line, at most `max_tokens` by the estimate of
    /// [`estimate_tokens`] as long as that is 60 or more.
    ///
    /// Long lists and strings keep their beginning and end, with a count of what was left out between. When even that
    /// does not fit, what remains is whether it ran, the code, and a note that the rest was left out. Texts of the page
    /// are written as in an observation: nothing in them closes a fence, begins a line, hides or reorders.
    #[must_use]
    pub fn to_text(&self, max_tokens: usize) -> String {
        self.bounded(max_tokens).1
    }

    /// [`Self::to_text`] as a value.
    #[must_use]
    pub fn to_json_bounded(&self, max_tokens: usize) -> Value {
        self.bounded(max_tokens).0
    }

    fn bounded(&self, max_tokens: usize) -> (Value, String) {
        let whole = self.to_json();
        let fits = |json: Value| {
            let text = json_line(&json);
            (estimate_tokens(&text) <= max_tokens).then_some((json, text))
        };
        let mut steps = STEPS.iter().map(|limits| shorten(&whole, *limits));
        fits(whole.clone()).or_else(|| steps.find_map(fits)).unwrap_or_else(|| {
            let gist = self.gist();
            let text = json_line(&gist);
            (gist, text)
        })
    }

    /// The least that a receipt says.
    fn gist(&self) -> Value {
        const NOTE: &str = "the details did not fit and were left out";
        let (key, mut body) = match (&self.replaced, &self.error) {
            (Some(_), None) => ("result", json!({ "warning": NOTE })),
            (_, Some((code, _))) => ("error", json!({ "code": code, "message": NOTE, "available": [] })),
            (None, None) => ("result", json!({ "ok": true, "warning": NOTE })),
        };
        if let (None, Some(changed)) = (&self.replaced, &self.changed) {
            body["changed"] = json!({ "observed": changed.observed() });
        }
        json!({ key: body })
    }
}

fn shorten(value: &Value, limits: (usize, usize)) -> Value {
    let (max_members, max_chars) = limits;
    match value {
        Value::String(text) if !is_code(text) => cut_middle(text, max_chars).into(),
        Value::Array(items) => {
            let (head, tail) = halves(items.len(), max_members);
            let mut kept: Vec<_> = items[..head].iter().map(|item| shorten(item, limits)).collect();
            if head < tail {
                kept.push(format!("… {} left out …", tail - head).into());
            }
            kept.extend(items[tail..].iter().map(|item| shorten(item, limits)));
            kept.into()
        }
        Value::Object(object) => {
            let (head, tail) = halves(object.len(), max_members.max(OWN_MEMBERS));
            let mut kept = Map::new();
            for (index, (name, value)) in object.iter().enumerate() {
                if index < head || index >= tail {
                    kept.insert(cut_middle(name, max_chars.max(64)), shorten(value, limits));
                }
            }
            if head < tail {
                kept.insert("…".to_owned(), format!("{} left out", tail - head).into());
            }
            kept.into()
        }
        other => other.clone(),
    }
}

/// Where the beginning ends and where the end begins, of which `max` are kept together.
fn halves(len: usize, max: usize) -> (usize, usize) {
    if len <= max {
        (len, len)
    } else {
        let head = max.div_ceil(2);
        (head, len - (max - head))
    }
}

/// Stable names stay whole in every step.
fn is_code(text: &str) -> bool {
    Code::ALL.iter().any(|code| code.as_str() == text)
}

/// The beginning and the end of a text, `max` characters together, cut between graphemes.
fn cut_middle(text: &str, max: usize) -> String {
    let Cut { omitted: 0, .. } = cut(text, max) else {
        let start = cut(text, max.div_ceil(2)).kept;
        let mut end = text.len();
        let mut room = max - max.div_ceil(2);
        for grapheme in text.graphemes(true).rev() {
            let chars = grapheme.chars().count();
            if chars > room {
                break;
            }
            room -= chars;
            end -= grapheme.len();
        }
        let left_out = text[start.len()..end].chars().count();
        return format!("{start} … {left_out} characters left out … {}", &text[end..]);
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{act::ActionRef, snapshot::Changes};

    fn receipt(value: Value) -> Receipt {
        let action = ActionRef::new("export".into(), "Export the list", None);
        let mut receipt = Receipt::done("c1", action, Changes::default());
        receipt.value = Some(value);
        receipt
    }

    #[test]
    fn a_receipt_that_fits_is_left_alone() {
        let receipt = receipt(json!({ "rows": [1, 2, 3] }));
        assert_eq!(receipt.to_json_bounded(1000), receipt.to_json());
    }

    #[test]
    fn b09_every_offset_is_cut_between_characters_within_the_budget() {
        for shift in 0..12 {
            let text = "x".repeat(shift) + &"🙂é漢👨‍👩‍👧".repeat(2000);
            let json = receipt(text.clone().into()).to_json_bounded(1000);
            assert!(estimate_tokens(&json.to_string()) <= 1000);
            let kept = json["result"]["value"].as_str().unwrap();
            assert!(kept.contains("characters left out"), "{kept}");
            assert!(text.starts_with(kept.split(" … ").next().unwrap()));
            assert!(text.ends_with(kept.rsplit(" … ").next().unwrap()));
        }
    }

    #[test]
    fn lists_and_objects_keep_both_ends_and_count_the_rest() {
        let json = receipt((0..5000).collect::<Vec<_>>().into()).to_json_bounded(200);
        let kept = json["result"]["value"].as_array().unwrap();
        assert_eq!((kept.first(), kept.last()), (Some(&json!(0)), Some(&json!(4999))));
        assert!(
            kept.contains(&json!(format!("… {} left out …", 5000 - (kept.len() - 1)))),
            "{kept:?}"
        );

        let map: Map<_, _> = (0..5000).map(|index| (format!("key{index:04}"), json!("v"))).collect();
        let json = receipt(map.into()).to_json_bounded(300);
        assert_eq!(json["result"]["value"]["key4999"], "v");
        assert!(json["result"]["value"]["…"].is_string());
    }

    #[test]
    fn what_cannot_fit_still_says_whether_it_ran() {
        let deep = (0..60).fold(json!("x".repeat(50)), |inner, _| {
            json!([inner, inner.to_string().len()])
        });
        assert_eq!(receipt(deep).to_json_bounded(40)["result"]["ok"], true);
        let refused = Receipt::refused("c1", Code::ExpectationFailed, "x".repeat(9000));
        let json = refused.to_json_bounded(60);
        assert_eq!(json["error"]["code"], "EXPECTATION_FAILED");
    }
}
