//! Which tool a clause means.

use super::{
    clause::Clause,
    fill::matching_choice,
    page::Tool,
    words::{Word, is_concept, is_filler, is_noise, is_stop, number, stem},
};
use crate::model::{Effect, Input};

/// The tool a clause means, if any: the one most of its words speak for.
pub(super) fn choose<'t, 'a>(
    clause: &Clause,
    tools: &'t [Tool<'a>],
    record_is_named: impl Fn(&Tool<'a>) -> bool,
) -> Option<&'t Tool<'a>> {
    let mut best: Option<(i32, &Tool<'_>)> = None;
    for tool in tools {
        let Some(mut score) = score(clause, tool) else { continue };
        if tool.takes_record && record_is_named(tool) {
            score += 3;
        }
        // On a tie the more harmless one, then the one that can be used, then the first.
        let rank = |tool: &Tool<'_>| (tool.effect, tool.unavailable.is_some());
        if best.is_none_or(|(top, other)| score > top || (score == top && rank(tool) < rank(other))) {
            best = Some((score, tool));
        }
    }
    best.map(|(_, tool)| tool)
}

/// `None`: the clause does not speak of this tool. What counts most is what the clause begins with.
fn score(clause: &Clause, tool: &Tool<'_>) -> Option<i32> {
    use crate::observe::Discovery::{InvokeAction, SearchActions};
    if matches!(tool.discovery, Some(InvokeAction | SearchActions)) {
        return None;
    }
    let lead = clause.lead();
    let choice = matching_choice(clause, tool);
    let mut score = 0;
    let mut speaks = choice.is_some();
    let mut counted: Vec<&str> = Vec::new();
    let name_stems: Vec<_> = tool.name.split(['_', '-']).map(stem).collect();
    for (index, word) in clause.words.iter().enumerate().filter(|(_, word)| !word.quoted) {
        if counted.contains(&word.term.as_str()) || (is_stop(word) && index != lead) {
            continue;
        }
        counted.push(&word.term);
        let is_verb = is_concept(&word.term);
        let weight = if tool.name_terms.contains(&word.term) {
            if is_verb { 8 } else { 4 }
        } else if tool.description_terms.contains(&word.term) || tool.input_terms.contains(&word.term.as_str()) {
            if is_verb { 6 } else { 2 }
        } else {
            continue;
        };
        speaks |= is_verb || index == lead;
        score += weight;
        score += if index == lead { 6 } else { 0 };
        score += if name_stems.contains(&stem(&word.text)) { 2 } else { 0 };
    }
    if !speaks || !leftover(clause, tool).is_empty() {
        return None;
    }
    let unsaid = tool
        .name_terms
        .iter()
        .filter(|term| !counted.contains(&term.as_str()))
        .count();
    score -= i32::try_from(unsaid).unwrap_or(i32::MAX / 4);
    let has_number = clause.words.iter().any(|word| number(word).is_some());
    score += match tool.input {
        Some(Input::Number { .. }) if has_number => 4,
        Some(Input::Number { .. }) => -12,
        Some(Input::Choice { .. }) if choice.is_some() => 6,
        Some(Input::Choice { .. }) => -4,
        _ => 0,
    };
    (score >= 4).then_some(score)
}

/// The words a tool has no use for. A button with no input must not be pressed because of its verb alone:
/// `delete milk` is not `Delete completed tasks`.
fn leftover<'c>(clause: &'c Clause, tool: &Tool<'_>) -> Vec<&'c Word> {
    if tool.takes_words() {
        return Vec::new();
    }
    let choice = matching_choice(clause, tool);
    let takes_number = matches!(tool.input, Some(Input::Number { .. }));
    let left: Vec<_> = clause
        .words
        .iter()
        .filter(|word| {
            let in_choice =
                choice.is_some_and(|choice| super::words::words(choice).iter().any(|part| part.term == word.term));
            let polarity = word.is_any(&["on", "off"]);
            let counts = takes_number && number(word).is_some();
            !(is_stop(word)
                || is_filler(word)
                || is_noise(word)
                || tool.explains(word)
                || in_choice
                || polarity
                || counts)
        })
        .collect();
    // Looking does no harm, and a choice or a number says enough.
    let is_lenient = tool.effect == Effect::Read || choice.is_some() || takes_number;
    let explained = clause.words.iter().filter(|word| tool.explains(word)).count();
    if is_lenient && left.len() < explained {
        Vec::new()
    } else {
        left
    }
}
