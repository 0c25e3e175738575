//! Which record a clause means. A guess is worse than a question here: every word must fit.

use super::{
    clause::Clause,
    page::Candidate,
    words::{Word, is_noise, ordinal},
};

/// What the words of a clause lead to.
#[derive(Debug)]
pub(super) enum Found<'a> {
    One(&'a Candidate),
    /// More than one fits.
    Several(Vec<&'a Candidate>),
    None,
}

/// Looks for the record that these words of a clause mean. `query` holds the words that tell records apart.
pub(super) fn find<'a>(
    clause: &Clause,
    range: std::ops::Range<usize>,
    query: &[&Word],
    candidates: &'a [Candidate],
) -> Found<'a> {
    let said = &clause.words[range];
    if let Some(candidate) = by_id(said, query, candidates) {
        return Found::One(candidate);
    }
    if let Some(candidate) = by_whole_label(said, query, candidates) {
        return Found::One(candidate);
    }
    if let Some(candidate) = by_position(said, query, candidates) {
        return Found::One(candidate);
    }
    if query.is_empty() {
        // `mark the task as done`: clear enough where there is only one.
        return match candidates {
            [only] if said.iter().any(is_noise) => Found::One(only),
            _ => Found::None,
        };
    }
    let fits = |candidate: &&Candidate| {
        let known = |term: &String| candidate.label_terms.contains(term);
        let mut named = false;
        let all = query.iter().flat_map(|word| terms(word)).all(|term| {
            named |= known(&term);
            known(&term) || candidate.other_terms.contains(&term)
        });
        all && named
    };
    let fitting: Vec<_> = candidates.iter().filter(fits).collect();
    match fitting[..] {
        [] => Found::None,
        [one] => Found::One(one),
        _ => {
            let exact = |candidate: &&&Candidate| {
                candidate
                    .label_terms
                    .iter()
                    .all(|term| query.iter().flat_map(|word| terms(word)).any(|said| said == *term))
            };
            let mut exact = fitting.iter().filter(exact);
            match (exact.next(), exact.next()) {
                (Some(one), None) => Found::One(one),
                _ => Found::Several(fitting),
            }
        }
    }
}

fn terms(word: &Word) -> Vec<String> {
    if word.quoted {
        word.text.split_whitespace().map(super::words::term).collect()
    } else {
        vec![word.term.clone()]
    }
}

/// An id counts exactly as it is written. One of digits only needs something before it that says so, since `5` is first
/// of all a number.
fn by_id<'a>(said: &[Word], query: &[&Word], candidates: &'a [Candidate]) -> Option<&'a Candidate> {
    said.iter().enumerate().find_map(|(index, word)| {
        let (text, marked) = match word.text.strip_prefix('#') {
            Some(text) => (text, true),
            None => (word.text.as_str(), false),
        };
        let candidate = candidates
            .iter()
            .find(|candidate| candidate.id.as_str() == text || candidate.id.as_str() == word.text)?;
        let announced = || {
            let before = index.checked_sub(1).map(|before| &said[before]);
            before.is_some_and(|before| is_noise(before) || before.is_any(&["id", "number", "no", "nr"]))
        };
        let plain_word = text.chars().all(char::is_alphabetic);
        let needs_mark = word.is_number() || (plain_word && query.len() > 1);
        (marked || !needs_mark || announced()).then_some(candidate)
    })
}

/// A label that stands in the clause word for word, even if it has verbs in it, and leaves nothing over. The longest, if it
/// is the only one.
fn by_whole_label<'a>(said: &[Word], query: &[&Word], candidates: &'a [Candidate]) -> Option<&'a Candidate> {
    let said: Vec<Vec<String>> = said
        .iter()
        .map(|word| word.lower().split_whitespace().map(str::to_owned).collect())
        .collect();
    let flat: Vec<&String> = said.iter().flatten().collect();
    let stands = |candidate: &Candidate| {
        if !query
            .iter()
            .flat_map(|word| terms(word))
            .all(|term| candidate.label_terms.contains(&term))
        {
            return None;
        }
        let label: Vec<_> = candidate
            .label
            .as_deref()?
            .to_lowercase()
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        // One word proves little: the other words may belong to it.
        let whole_quote = said.contains(&label);
        let run = label.len() > 1
            && flat
                .windows(label.len())
                .any(|window| window.iter().copied().eq(label.iter()));
        (run || (whole_quote && label.len() > 1)).then_some(label.len())
    };
    let lengths: Vec<_> = candidates
        .iter()
        .map(|candidate| stands(candidate).unwrap_or(0))
        .collect();
    let longest = *lengths.iter().max().filter(|length| **length > 0)?;
    let mut with_longest = candidates
        .iter()
        .zip(&lengths)
        .filter(|(_, length)| **length == longest);
    match (with_longest.next(), with_longest.next()) {
        (Some((candidate, _)), None) => Some(candidate),
        _ => None,
    }
}

/// `the ninth task`: counted in the order of the page, and only if nothing else is said.
fn by_position<'a>(said: &[Word], query: &[&Word], candidates: &'a [Candidate]) -> Option<&'a Candidate> {
    if !query.iter().all(|word| ordinal(word).is_some()) || !said.iter().any(is_noise) {
        return None;
    }
    match query.iter().find_map(|word| ordinal(word))? {
        usize::MAX => candidates.last(),
        index => candidates.get(index),
    }
}
