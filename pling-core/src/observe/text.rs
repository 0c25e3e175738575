//! The two kinds of text in an observation: authored words, and page data behind a fence.
//!
//! Authored words stand as they are, on one line and bounded. Page data stands only inside
//! `<page_data>…</page_data>`, as JSON that holds no angle bracket, no line break inside a value and nothing invisible.
//! So it can neither end the fence nor begin a line, in any field and any language.

use std::{borrow::Cow, fmt::Write as _};

use serde_json::Value;

use crate::text::{Cut, cut, hides, push_json_chars, push_json_string};

/// Characters of an authored name.
pub(super) const NAME_CHARS: usize = 60;
/// Characters of an authored sentence.
pub(super) const SENTENCE_CHARS: usize = 200;

/// Characters of an empty fence.
pub(super) const FENCE_CHARS: usize = OPEN.len() + CLOSE.len();

const OPEN: &str = "<page_data>";
const CLOSE: &str = "</page_data>";

/// Authored words on one line, without what hides or reorders, at most `max_chars` characters and a mark.
pub(super) fn authored(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.len() <= max_chars && text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'<') {
        return Cow::Borrowed(text);
    }
    let Cut { kept, omitted } = cut(text, max_chars);
    // Not even the author's words may look like a fence: they can hold a name that a user typed.
    let fence = kept.to_ascii_lowercase().contains("page_data");
    let mut line = String::with_capacity(kept.len());
    let mut before = None;
    let mut rest = kept.chars();
    while let Some(c) = rest.next() {
        if c.is_whitespace() || (fence && matches!(c, '<' | '>')) {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
        } else if !hides(before, c, rest.clone().next()) {
            line.push(c);
        }
        before = Some(c);
    }
    line.truncate(line.trim_end().len());
    if omitted > 0 {
        line.push('…');
    }
    Cow::Owned(line)
}

/// Appends page data between the fences. `json` must come from the writers below.
pub(super) fn push_fenced(out: &mut String, json: &str) {
    out.extend([OPEN, json, CLOSE]);
}

/// One piece of page data as a fenced JSON string.
pub(super) fn fenced_text(text: &str, max_chars: usize) -> String {
    let mut json = String::new();
    push_text(&mut json, text, max_chars);
    [OPEN, &json, CLOSE].concat()
}

/// How far values are written out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detail {
    /// Characters of one string.
    pub(super) text: usize,
    /// Entries of one array or object.
    pub(super) items: usize,
    /// Levels of nesting.
    pub(super) depth: usize,
}

const DETAILS: [Detail; 5] = [
    detail(240, 20, 4),
    detail(120, 12, 3),
    detail(60, 8, 2),
    detail(24, 4, 1),
    detail(8, 0, 0),
];

const fn detail(text: usize, items: usize, depth: usize) -> Detail {
    Detail { text, items, depth }
}

/// Writes with as much detail as fits into `max_chars` characters. `None`: not even the least does.
pub(super) fn fit(max_chars: usize, mut write: impl FnMut(&mut String, Detail)) -> Option<String> {
    let mut json = String::new();
    DETAILS.into_iter().find_map(|detail| {
        json.clear();
        write(&mut json, detail);
        (json.chars().count() <= max_chars).then(|| std::mem::take(&mut json))
    })
}

/// Appends a value as JSON; every cut is marked and counted where it is.
pub(super) fn push_value(out: &mut String, value: &Value, detail: Detail) {
    let inner = Detail {
        depth: detail.depth.saturating_sub(1),
        ..detail
    };
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => {
            let _infallible = write!(out, "{number}");
        }
        Value::String(text) => push_text(out, text, detail.text),
        Value::Array(items) if detail.depth == 0 && !items.is_empty() => {
            let _infallible = write!(out, "\"…({} items)\"", items.len());
        }
        Value::Object(fields) if detail.depth == 0 && !fields.is_empty() => {
            let _infallible = write!(out, "\"…({} fields)\"", fields.len());
        }
        Value::Array(items) => {
            let mut list = List::begin(out, '[');
            for item in items.iter().take(detail.items) {
                push_value(list.next(), item, inner);
            }
            list.end(items.len().saturating_sub(detail.items), ']');
        }
        Value::Object(fields) => {
            let mut list = List::begin(out, '{');
            for (name, item) in fields.iter().take(detail.items) {
                push_value(list.key(name), item, inner);
            }
            list.end(fields.len().saturating_sub(detail.items), '}');
        }
    }
}

/// Appends a text as a JSON string, cut to `max_chars` characters with a counted mark.
pub(super) fn push_text(out: &mut String, text: &str, max_chars: usize) {
    let Cut { kept, omitted } = cut(text, max_chars);
    if omitted == 0 {
        return push_json_string(out, kept);
    }
    out.push('"');
    push_json_chars(out, kept);
    let _infallible = write!(out, "…(+{omitted} chars)\"");
}

/// A JSON array or object being written.
#[derive(Debug)]
pub(super) struct List<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> List<'a> {
    /// Opens a list with `[` or `{`.
    pub(super) fn begin(out: &'a mut String, open: char) -> Self {
        out.push(open);
        Self { out, empty: true }
    }

    /// Where the next item goes.
    pub(super) fn next(&mut self) -> &mut String {
        if !std::mem::take(&mut self.empty) {
            self.out.push(',');
        }
        self.out
    }

    /// Where the value of the next key goes.
    pub(super) fn key(&mut self, name: &str) -> &mut String {
        let out = self.next();
        push_text(out, name, NAME_CHARS);
        out.push(':');
        out
    }

    /// Closes the list with `]` or `}`, after a counted mark of what is left out.
    pub(super) fn end(mut self, omitted: usize, close: char) {
        if omitted > 0 {
            let out = self.next();
            let mark = if close == ']' { "" } else { "\"…\":" };
            let _infallible = write!(out, "{mark}\"(+{omitted})\"");
        }
        self.out.push(close);
    }
}

/// Whether a text can be copied as it is: one line, nothing invisible, nothing like a fence.
pub(super) fn is_plain(text: &str) -> bool {
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if hides(before, c, rest.clone().next()) {
            return false;
        }
        before = Some(c);
    }
    !text.to_ascii_lowercase().contains("page_data")
}
