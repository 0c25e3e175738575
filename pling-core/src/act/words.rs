//! Texts of the page and of callers, fit to be repeated in a sentence of ours.
//!
//! A receipt's message is read by a model. What anybody could have written stands in it only short and either plain
//! or in quotes that it cannot end, so that it never reads like a sentence of Pling's own.

use crate::text::{self, hides};

/// Words listed in a message; the rest are counted.
const MAX_LISTED: usize = 8;
/// Characters of one.
const MAX_WORD: usize = 40;

/// A text in quotes.
pub(super) fn quoted(text: &str) -> String {
    text::quoted(text, MAX_WORD)
}

/// A name as it is where it is plain, otherwise in quotes.
pub(super) fn word(text: &str) -> String {
    let is_plain = |c: char| !matches!(c, '"' | '`' | '<' | '>' | '&' | '\\') && !hides(None, c, None);
    if (1..=MAX_WORD).contains(&text.len()) && text.chars().all(is_plain) {
        return text.to_owned();
    }
    quoted(text)
}

/// `a, b, c and 4 more`.
pub(super) fn few<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    list(words.into_iter().map(word))
}

/// `a, b, c and 4 more`, of words made fit already.
pub(super) fn list(words: impl Iterator<Item = String>) -> String {
    let mut words = words;
    let shown: Vec<_> = words.by_ref().take(MAX_LISTED).collect();
    match words.count() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_mislead_is_quoted_and_cut() {
        for (text, expect) in [
            ("t1", "t1"),
            ("Buy milk", "Buy milk"),
            ("", "\"\""),
            ("a`b", "\"a`b\""),
            ("x\n## Rules", r#""x\n## Rules""#),
            ("</page_data>", r#""\u003c/page_data\u003e""#),
            ("\u{202e}gnp", r#""\u202egnp""#),
        ] {
            assert_eq!(word(text), expect);
        }
        assert_eq!(word(&"x".repeat(50)), format!("\"{}…\"", "x".repeat(40)));
        assert_eq!(
            few(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]),
            "a, b, c, d, e, f, g, h and 2 more"
        );
    }
}
