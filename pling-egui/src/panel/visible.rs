//! Text of models and pages, made fit for the user to decide by: what hides or deceives is written out.
//! Only what is shown changes; what is executed stays as it is.

use std::fmt::Write as _;

use pling_core::text::hides;

use super::strings::Strings;

/// Characters of one value in a card; a longer one keeps its beginning and its end.
const MAX_VALUE_CHARS: usize = 2000;
/// Characters kept of the end of a longer one.
const END_CHARS: usize = 500;
/// White space up to this long is shown as it is.
const MAX_SPACES: usize = 8;
/// Line breaks up to this many are shown as they are.
const MAX_BREAKS: usize = 2;

/// Writes out controls, direction marks, zero-width and other unseen characters, such as `‹U+202E›`.
/// Line breaks and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_visible(&mut out, text);
    out
}

/// [`visible`], for a value that is decided upon: long white space cannot push its end out of view, and what is
/// left out of a very long one is counted.
pub(super) fn visible_value(say: &Strings, text: &str) -> String {
    let mut out = String::new();
    let chars = text.chars().count();
    if chars <= MAX_VALUE_CHARS {
        push_without_gaps(say, &mut out, text);
        return out;
    }
    let at = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    push_without_gaps(say, &mut out, &text[..at(MAX_VALUE_CHARS - END_CHARS)]);
    let _ = write!(out, " {} ", say.cut(chars - MAX_VALUE_CHARS));
    push_without_gaps(say, &mut out, &text[at(chars - END_CHARS)..]);
    out
}

/// A value on one line, cut to so many characters.
pub(super) fn visible_line(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * max_chars {
            break;
        }
    }
    if let Some((at, _)) = line.char_indices().nth(max_chars) {
        line.truncate(at);
        line.push('…');
    }
    visible(&line)
}

fn push_visible(out: &mut String, text: &str) {
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let after = rest.clone().next();
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if after == Some('\n') => {}
            _ if hides(before, c, after) => {
                let _ = write!(out, "‹U+{:04X}›", u32::from(c));
            }
            _ => out.push(c),
        }
        before = Some(c);
    }
}

fn push_without_gaps(say: &Strings, out: &mut String, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        push_visible(out, &rest[..word]);
        rest = &rest[word..];
        let gap = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        push_gap(say, out, &rest[..gap]);
        rest = &rest[gap..];
    }
}

fn push_gap(say: &Strings, out: &mut String, gap: &str) {
    let breaks = gap.matches('\n').count();
    let spaces = gap.chars().count() - breaks;
    if breaks <= MAX_BREAKS && spaces <= MAX_SPACES {
        return push_visible(out, gap);
    }
    let words = match (breaks, spaces) {
        (0, _) => say.spaces(spaces),
        (_, 0) => say.breaks(breaks),
        _ => say.breaks_and_spaces(&breaks.to_string(), &spaces.to_string()),
    };
    let _ = write!(out, " {words} ");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_written_out() {
        for (text, shown) in [
            ("pay \u{202e}001\u{202c} now", "pay ‹U+202E›001‹U+202C› now"),
            ("a\u{200b}b\u{feff}\u{e0041}", "a‹U+200B›b‹U+FEFF›‹U+E0041›"),
            ("\u{7}bell\u{1b}[2J", "‹U+0007›bell‹U+001B›[2J"),
            ("one\r\ntwo\tthree\rfour", "one\ntwo\tthree‹U+000D›four"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn what_scripts_need_stays() {
        for text in ["שלום", "مرحبا", "می\u{200c}خواهم", "👩\u{200d}🚀 ❤\u{fe0f}"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn nothing_pushes_the_end_out_of_view() {
        let say = Strings::default();
        let spaced = format!("keep{}delete", " ".repeat(300));
        assert_eq!(visible_value(&say, &spaced), "keep ‹300 spaces› delete");
        let broken = format!("keep{}delete", "\n".repeat(40));
        assert_eq!(visible_value(&say, &broken), "keep ‹40 line breaks› delete");
        assert_eq!(visible_value(&say, "two\n\nlines  here"), "two\n\nlines  here");

        let long = format!("{}THE END", "x".repeat(50_000));
        let shown = visible_value(&say, &long);
        assert!(shown.starts_with("xxx") && shown.ends_with("THE END"));
        assert!(shown.contains("‹48007 characters not shown›"), "{shown}");
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(visible_line("a\n\n  b\tc", 10), "a b c");
        assert_eq!(visible_line("abcdefgh", 4), "abcd…");
    }
}
