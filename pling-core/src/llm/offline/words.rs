//! Words: where they stand in a text, and what they come down to.

/// A word or a quoted phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// As written, without quotes and punctuation around it.
    pub(super) text: String,
    /// Where it begins and ends in its text, quotes included.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    /// Its [`term`].
    pub(super) term: String,
}

impl Word {
    /// In lower case, with a straight apostrophe.
    pub(super) fn lower(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    pub(super) fn is_any(&self, list: &[&str]) -> bool {
        !self.quoted && list.contains(&self.lower().as_str())
    }

    pub(super) fn is_number(&self) -> bool {
        !self.quoted && number(self).is_some()
    }
}

/// Verbs that mean the same here. The forms are stems; a leading `!` means the opposite.
const CONCEPTS: &[(&str, &[&str])] = &[
    (
        "#check",
        &["mark", "check", "tick", "toggl", "!unmark", "!uncheck", "!untick"],
    ),
    (
        "#complete",
        &[
            "don",
            "complet",
            "finish",
            "resolv",
            "!undon",
            "!undo",
            "!reopen",
            "!incomplet",
            "!unfinish",
        ],
    ),
    ("#create", &["add", "creat", "new", "insert", "append", "mak"]),
    ("#remove", &["remov", "delet", "trash", "discard", "eras", "drop"]),
    ("#clear", &["clear", "empty", "reset"]),
    ("#show", &["show", "shown", "filter", "display", "view"]),
    ("#search", &["search", "find", "locat", "look"]),
    ("#open", &["open", "navigat", "visit", "go"]),
    ("#close", &["clos", "hid", "dismiss"]),
    ("#set", &["set", "chang", "updat", "edit", "adjust", "modify"]),
    ("#rename", &["renam", "retitl", "relabel"]),
    ("#save", &["sav", "submit", "apply", "stor"]),
    ("#export", &["export", "download"]),
    ("#sync", &["sync", "synchroniz", "synchronis", "refresh", "reload"]),
    ("#send", &["send", "shar", "email"]),
    ("#select", &["select", "choos", "pick"]),
    ("#expand", &["expand", "unfold", "!collaps"]),
    (
        "#enable",
        &["enabl", "activat", "turn", "switch", "!disabl", "!deactivat"],
    ),
    ("#type", &["typ", "writ", "enter", "fill"]),
    ("#press", &["press", "click", "push", "hit"]),
    ("all", &["all", "every", "everyth", "both"]),
];

/// What a word comes down to: the name of its verb group, such as `#create`, or its stem.
pub(super) fn term(word: &str) -> String {
    let stem = stem(word);
    concept(&stem).map_or(stem, |(name, _)| name.to_owned())
}

/// Whether a word says the opposite of its group, such as `uncheck`.
pub(super) fn is_opposite(word: &Word) -> bool {
    concept(&stem(&word.text)).is_some_and(|(_, opposite)| opposite)
}

pub(super) fn is_concept(term: &str) -> bool {
    term.starts_with('#')
}

fn concept(stem: &str) -> Option<(&'static str, bool)> {
    CONCEPTS.iter().find_map(|(name, forms)| {
        let form = forms.iter().find(|form| form.trim_start_matches('!') == stem)?;
        Some((*name, form.starts_with('!')))
    })
}

/// A light stem: one ending off, then a last `e`. Enough to let `completed` meet `complete`.
pub(super) fn stem(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    let lower = lower.strip_suffix("'s").unwrap_or(&lower);
    let count = lower.chars().count();
    let off = |suffix: &str, at_least: usize| lower.strip_suffix(suffix).filter(|_| count > at_least);
    let mut stem = if let Some(base) = off("ies", 4) {
        format!("{base}y")
    } else if ["sses", "xes", "ches", "shes", "zes"]
        .iter()
        .any(|end| lower.ends_with(end))
    {
        lower[..lower.len() - 2].to_owned()
    } else if let Some(base) = off("s", 3).filter(|base| !base.ends_with(['s', 'u', 'i'])) {
        base.to_owned()
    } else if let Some(base) = off("ing", 5).or_else(|| off("ed", 4)) {
        let mut chars: Vec<_> = base.chars().collect();
        if let [.., a, b] = chars[..]
            && a == b
            && !"aeiouldsz".contains(a)
        {
            chars.pop();
        }
        chars.into_iter().collect()
    } else {
        lower.to_owned()
    };
    if stem.ends_with('e') && stem.chars().count() > 3 {
        stem.pop();
    }
    stem
}

/// Words that say nothing about what is meant.
const STOP: &[&str] = &[
    "a", "an", "the", "to", "for", "of", "in", "on", "at", "as", "is", "are", "be", "my", "your", "our", "me", "i",
    "you", "with", "and", "or", "by", "from", "into", "onto", "up", "out", "off", "please", "now", "also", "just",
    "then", "so", "that", "this", "it", "them", "these", "those", "one", "there", "here", "back", "again", "which",
    "called", "named", "not", "been", "&", "get", "rid", "until",
];

/// Words for any object and any place: they never tell one from another.
const NOISE: &[&str] = &[
    "item", "entry", "record", "row", "thing", "list", "todo", "task", "page", "dialog", "window", "button", "panel",
    "field", "screen", "tab", "view", "box",
];

/// What people put before a request.
const FILLERS: &[&str] = &[
    "please", "kindly", "now", "then", "also", "just", "and", "can", "could", "would", "will", "you", "i", "want",
    "need", "like", "i'd", "i'll", "to", "let's", "lets", "hey", "hi", "ok", "okay", "finally", "so",
];

pub(super) fn is_stop(word: &Word) -> bool {
    word.is_any(STOP)
}

pub(super) fn is_noise(word: &Word) -> bool {
    !word.quoted && NOISE.contains(&stem(&word.text).as_str())
}

pub(super) fn is_filler(word: &Word) -> bool {
    word.is_any(FILLERS)
}

/// A number in digits or a small one in words.
pub(super) fn number(word: &Word) -> Option<f64> {
    const SMALL: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ];
    let lower = word.lower();
    if let Some(small) = SMALL.iter().position(|name| *name == lower) {
        return Some(small as f64);
    }
    let digits = lower
        .trim_start_matches(['$', '€', '£'])
        .trim_end_matches(['%', '°', '€']);
    digits
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && digits.ends_with(|c: char| c.is_ascii_digit()))
}

/// Which of a sequence a word counts, from 0; `usize::MAX` is the last.
pub(super) fn ordinal(word: &Word) -> Option<usize> {
    const NAMES: &[&str] = &[
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth",
    ];
    let lower = word.lower();
    if lower == "last" {
        return Some(usize::MAX);
    }
    let named = NAMES.iter().position(|name| *name == lower);
    named.or_else(|| {
        let digits = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|end| lower.strip_suffix(end))?;
        digits.parse::<usize>().ok()?.checked_sub(1)
    })
}

/// The words of a text. A quoted phrase is one word; an apostrophe inside a word opens nothing.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let start = text.len() - rest.len();
        let after = &rest[first.len_utf8()..];
        if let Some(length) = closing_quote(first).and_then(|close| quoted_length(after, close)) {
            let inner = after[..length].trim();
            let close = after[length..].chars().next().map_or(0, char::len_utf8);
            let end = start + first.len_utf8() + length + close;
            if !inner.is_empty() {
                words.push(Word {
                    text: inner.to_owned(),
                    start,
                    end,
                    quoted: true,
                    term: inner.to_lowercase(),
                });
            }
            rest = &text[end..];
        } else if first.is_whitespace() {
            rest = after;
        } else {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let piece = &rest[..length];
            let trimmed = piece.trim_matches(|c| ".,;:!?()[]{}\"'…“”".contains(c));
            if !trimmed.is_empty() {
                let start = start + piece.find(trimmed).unwrap_or(0);
                let end = start + trimmed.len();
                words.push(Word {
                    text: trimmed.to_owned(),
                    start,
                    end,
                    quoted: false,
                    term: term(trimmed),
                });
            }
            rest = &rest[length..];
        }
    }
    words
}

fn closing_quote(open: char) -> Option<char> {
    match open {
        '"' | '\'' | '`' => Some(open),
        '“' | '„' => Some('”'),
        '‘' => Some('’'),
        '«' => Some('»'),
        _ => None,
    }
}

/// Where the closing quote stands: one that no letter follows.
fn quoted_length(text: &str, close: char) -> Option<usize> {
    text.char_indices()
        .filter(|(_, c)| *c == close)
        .map(|(at, c)| (at, text[at + c.len_utf8()..].chars().next()))
        .find(|(_, next)| next.is_none_or(|next| !next.is_alphanumeric()))
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_the_table_are_stems() {
        for (_, forms) in CONCEPTS {
            for form in *forms {
                let form = form.trim_start_matches('!');
                // A stem may lose more when it is stemmed again; what counts is that some word leads to it.
                let leads = ["", "e", "s", "ing"]
                    .iter()
                    .any(|end| stem(&format!("{form}{end}")) == form);
                assert!(leads, "{form}");
            }
        }
    }

    #[test]
    fn terms_meet() {
        for (left, right) in [
            ("completed", "done"),
            ("Marking", "tick"),
            ("added", "new"),
            ("deletes", "remove"),
            ("setting", "change"),
            ("entries", "entry"),
            ("boxes", "box"),
            ("report's", "report"),
            ("due", "due"),
        ] {
            assert_eq!(term(left), term(right));
        }
        assert_ne!(term("settings"), term("set"));
        assert_ne!(term("called"), term("bread"));
    }

    #[test]
    fn quotes_hold_together() {
        let check = |text: &str, expect: &[&str]| {
            let words = words(text);
            let texts: Vec<_> = words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(texts, expect, "{text}");
            for word in &words {
                assert!(text[word.start..word.end].contains(&word.text), "{text}");
            }
        };
        check("add \"milk, and bread\"!", &["add", "milk, and bread"]);
        check("don't say 'it's done' twice", &["don't", "say", "it's done", "twice"]);
        check("“Öl” (2.5 l), #12.", &["Öl", "2.5", "l", "#12"]);
        check("an open \"quote", &["an", "open", "quote"]);
        check("", &[]);
    }
}
