//! How many tokens a text costs, without the tokenizer: those weigh megabytes, differ between models, and nobody knows
//! which one stands behind a gateway.

/// The tokens of a text, by [`crate::llm::Estimate`], which says how good the estimate is.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    let mut hundredths = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, cost) = match first {
            'a'..='z' | 'A'..='Z' | '0'..='9' => alphanumeric(rest),
            ' ' | '\t' | '\n' | '\r' => white(rest),
            _ if first.is_ascii() => punctuation(rest),
            _ => (first.len_utf8(), outside_ascii(first)),
        };
        hundredths += cost;
        rest = &rest[length..];
    }
    hundredths.div_ceil(100).min(text.len())
}

fn run_length(text: &str, test: impl Fn(&u8) -> bool) -> usize {
    text.bytes().take_while(test).count()
}

/// Length and cost, in hundredths of a token, of the letters and digits at the beginning.
///
/// Words of usual length are one token. What changes between cases and digits all the time is no word: base64, hashes.
fn alphanumeric(text: &str) -> (usize, usize) {
    const LONG: usize = 16;
    let length = run_length(text, u8::is_ascii_alphanumeric);
    let run = &text.as_bytes()[..length];
    let changes = run.windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    if length >= LONG && changes * 4 > length {
        return (length, length * 75);
    }
    let mut cost = 0;
    let mut at = 0;
    while at < length {
        let kind = class(run[at]);
        let mut end = at + run[at..].iter().take_while(|byte| class(**byte) == kind).count();
        match kind {
            Class::Digit => cost += (end - at).div_ceil(2) * 100,
            Class::Lower => cost += word(end - at),
            // A capital belongs to the word that it begins.
            Class::Upper if run.get(end).map(|byte| class(*byte)) == Some(Class::Lower) => {
                let before = end - at - 1;
                if before > 0 {
                    cost += 50 + before * 30;
                }
                let small = run[end..]
                    .iter()
                    .take_while(|byte| class(**byte) == Class::Lower)
                    .count();
                cost += word(small + 1);
                end += small;
            }
            Class::Upper => cost += 50 + (end - at) * 30,
        }
        at = end;
    }
    (length, cost)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Lower,
    Upper,
}

fn class(byte: u8) -> Class {
    match byte {
        b'0'..=b'9' => Class::Digit,
        b'a'..=b'z' => Class::Lower,
        _ => Class::Upper,
    }
}

fn word(letters: usize) -> usize {
    match letters {
        0..=7 => 100,
        8..=11 => 160,
        12..=24 => letters * 22,
        _ => letters * 55,
    }
}

/// One space belongs to what follows, unless that is a number; longer runs and line breaks are tokens.
fn white(text: &str) -> (usize, usize) {
    let length = run_length(text, |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    let before_digit = text.as_bytes().get(length).is_some_and(u8::is_ascii_digit);
    let cost = match &text[..length] {
        " " if !before_digit => 0,
        " " => 100,
        _ => 100 + length / 64 * 100,
    };
    (length, cost)
}

fn punctuation(text: &str) -> (usize, usize) {
    let is_mark = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b" \t\n\r".contains(byte);
    let length = run_length(text, is_mark);
    let run = &text.as_bytes()[..length];
    let cost = match length {
        1 => 90,
        // Lines drawn with one character are whole tokens.
        4.. if run.iter().all(|byte| *byte == run[0]) => 100 + length * 6,
        _ => 20 + length * 60,
    };
    (length, cost)
}

/// The cost of one character, in hundredths of a token, by its block.
fn outside_ascii(c: char) -> usize {
    match c as u32 {
        // Latin with marks: the word is counted without them.
        0x80..0x250 | 0x1e00..0x1f00 => 55,
        // Greek.
        0x370..0x400 | 0x1f00..0x2000 => 65,
        // Cyrillic.
        0x400..0x530 => 48,
        // Hebrew, Arabic; the scripts of India; Thai and Lao.
        0x590..0x780 | 0x900..0xf00 => 62,
        // Joiners in emoji; general punctuation; arrows, mathematics, boxes, dingbats.
        0x200d => 150,
        0x2000..0x2070 => 100,
        0x2070..0x2e00 => 130,
        // Kana and Chinese punctuation; Chinese; Korean.
        0x3000..0x3100 => 100,
        0x3400..0xa000 => 115,
        0xac00..0xd7b0 => 85,
        // Variation selectors; wide forms.
        0xfe00..0xfe10 => 100,
        0xff00..0xfff0 => 110,
        // Emoji.
        0x1f000..0x1fb00 => 230,
        // Everything else beyond the basic plane is spelled out in bytes.
        0x1_0000.. => 400,
        _ => 200,
    }
}
