//! From a message to the requests in it.

use super::words::{Word, is_filler, words};

/// One request of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// As written, without what separates it from others.
    pub(super) text: String,
    /// Its words; positions are within `text`.
    pub(super) words: Vec<Word>,
    is_question: bool,
}

impl Clause {
    fn new(text: &str, is_question: bool) -> Self {
        Self {
            text: text.to_owned(),
            words: words(text),
            is_question,
        }
    }

    /// The index of the word that says what to do: the first that is not politeness.
    pub(super) fn lead(&self) -> usize {
        self.words.iter().position(|word| !is_filler(word)).unwrap_or(0)
    }

    /// Whether it wants to know something rather than have it done.
    pub(super) fn is_question(&self) -> bool {
        const ASKING: &[&str] = &["what", "how", "why", "when", "where", "who", "which", "whose"];
        const PERHAPS: &[&str] = &[
            "is", "are", "am", "was", "were", "do", "does", "did", "has", "have", "should", "there",
        ];
        let Some(first) = self.words.get(self.lead()) else {
            return self.is_question;
        };
        first.is_any(ASKING) || (self.is_question && first.is_any(PERHAPS))
    }

    /// Whether it says what to leave alone.
    pub(super) fn is_prohibition(&self) -> bool {
        let rest = &self.words[self.lead()..];
        match rest {
            [first, ..] if first.is_any(&["don't", "dont", "never", "not"]) => true,
            [first, second, ..] => first.is_any(&["do"]) && second.is_any(&["not", "never"]),
            _ => false,
        }
    }

    /// Whether the text between a word and the one before it has a comma.
    pub(super) fn comma_before(&self, index: usize) -> bool {
        index > 0 && self.text[self.words[index - 1].end..self.words[index].start].contains(',')
    }
}

/// Splits a message. `;`, a line break, the end of a sentence and `then` always part; a comma and `and` only where the
/// next words begin with what `is_verb` takes for something to do, so that `add bread and butter` stays whole.
pub(super) fn split(text: &str, is_verb: impl Fn(&Word) -> bool) -> Vec<Clause> {
    let all = words(text);
    let mut clauses = Vec::new();
    let mut begin: Option<usize> = None; // the first word of the clause
    let mut end = 0; // one past its last word
    let close = |begin: &mut Option<usize>, end: usize, clauses: &mut Vec<Clause>| {
        if let Some(begin) = begin.take() {
            let asks = text[all[end - 1].end..].trim_start().starts_with('?');
            clauses.push(Clause::new(&text[all[begin].start..all[end - 1].end], asks));
        }
    };
    for (index, word) in all.iter().enumerate() {
        let gap = if index == 0 {
            ""
        } else {
            &text[all[index - 1].end..word.start]
        };
        let joins = word.is_any(&["and", "&", "then", "also"]);
        let parts_always = gap.contains([';', '\n', '.', '!', '?']) || word.is_any(&["then"]);
        let parts_perhaps = gap.contains(',') || word.is_any(&["and", "&"]);
        if begin.is_some() && (parts_always || (parts_perhaps && starts_request(&all[index..], &is_verb))) {
            close(&mut begin, end, &mut clauses);
        }
        if begin.is_none() && joins {
            continue;
        }
        begin = begin.or(Some(index));
        end = index + 1;
    }
    close(&mut begin, end, &mut clauses);
    clauses
}

fn starts_request(words: &[Word], is_verb: &impl Fn(&Word) -> bool) -> bool {
    words
        .iter()
        .find(|word| !is_filler(word) && !word.is_any(&["&"]))
        .is_some_and(|word| !word.quoted && (is_verb(word) || word.is_any(&["don't", "never"])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::offline::words::is_concept;

    #[test]
    fn requests_part_where_something_new_is_to_be_done() {
        let check = |text: &str, expect: &[&str]| {
            let clauses = split(text, |word| is_concept(&word.term));
            let texts: Vec<_> = clauses.iter().map(|clause| clause.text.as_str()).collect();
            assert_eq!(texts, expect, "{text}");
        };
        check("Mark milk as done and add bread", &["Mark milk as done", "add bread"]);
        check("add bread and butter", &["add bread and butter"]);
        check(
            "add milk, bread, and butter, then sync!",
            &["add milk, bread, and butter", "sync"],
        );
        check(
            "Delete milk. Please add \"salt; and pepper\"",
            &["Delete milk", "Please add \"salt; and pepper\""],
        );
        check("show all, and then open settings;", &["show all", "open settings"]);
        check("set it to 2.5", &["set it to 2.5"]);
        check("", &[]);
    }

    #[test]
    fn questions_and_prohibitions() {
        let one = |text: &str| split(text, |_| false).remove(0);
        assert!(one("What can you do?").is_question());
        assert!(one("is milk done?").is_question());
        assert!(!one("Can you delete milk?").is_question());
        assert!(!one("do the dishes").is_question());
        assert!(one("Please don't delete milk").is_prohibition());
        assert!(one("do not delete milk").is_prohibition());
        assert!(!one("mark milk as not done").is_prohibition());
    }
}
