//! What a tool is to be called with, from the words of a clause.

use serde_json::{Map, Value};

use super::{
    clause::Clause,
    page::Tool,
    words::{Word, is_concept, is_filler, is_noise, is_opposite, is_stop, number, words},
};
use crate::model::Input;

/// The arguments of a call but for its record, or what is missing, in words.
pub(super) fn arguments(clause: &Clause, tool: &Tool<'_>) -> Result<Map<String, Value>, String> {
    let mut arguments = Map::new();
    match tool.input {
        Some(Input::Click) => {}
        Some(Input::Toggle | Input::Expand) => {
            if is_off(clause) {
                arguments.insert("checked".into(), false.into());
            } else if clause
                .words
                .iter()
                .any(|word| word.is_any(&["on", "enable", "activate", "expand", "open"]))
            {
                arguments.insert("checked".into(), true.into());
            }
        }
        Some(Input::Text { .. }) => {
            let text = text(clause, tool).ok_or("which text?")?;
            arguments.insert("text".into(), text.into());
        }
        Some(Input::Number { .. }) => {
            arguments.insert("value".into(), last_number(clause).ok_or("which number?")?);
        }
        Some(Input::Choice { .. }) => {
            let choice = matching_choice(clause, tool);
            let choice = choice.ok_or_else(|| format!("which one of {}?", quoted(tool.choices())))?;
            arguments.insert("choice".into(), choice.into());
        }
        Some(Input::Schema(_)) | None => fill_schema(clause, tool, &mut arguments)?,
    }
    Ok(arguments)
}

/// The choice a clause names: every word of it occurs; the longest if there are several.
pub(super) fn matching_choice<'a>(clause: &Clause, tool: &Tool<'a>) -> Option<&'a str> {
    best_choice(clause, tool.choices().iter().map(String::as_str))
}

fn best_choice<'a>(clause: &Clause, choices: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for choice in choices {
        let parts = words(choice);
        let named = |part: &Word| {
            clause.words.iter().any(|word| {
                // `open tasks` names the choice `Open`, but the first word of `open the list` does not.
                let same = word.term == part.term && is_opposite(word) == is_opposite(part);
                same || (word.quoted && word.text.eq_ignore_ascii_case(choice))
            })
        };
        if !parts.is_empty() && parts.iter().all(named) && best.is_none_or(|(count, _)| parts.len() > count) {
            best = Some((parts.len(), choice));
        }
    }
    best.map(|(_, choice)| choice)
}

fn quoted(choices: &[String]) -> String {
    choices
        .iter()
        .map(|choice| format!("“{choice}”"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Whether a check mark is to be taken away.
pub(super) fn is_off(clause: &Clause) -> bool {
    let words = &clause.words;
    // `turn off`, but not `tick off`.
    let switches = words.iter().any(|word| word.term == "#enable");
    let negated = words
        .iter()
        .any(|word| word.is_any(&["not", "isn't"]) || (switches && word.is_any(&["off"])));
    words.iter().any(is_opposite) != negated
}

fn last_number(clause: &Clause) -> Option<Value> {
    let value = clause.words.iter().rev().filter(|word| !word.quoted).find_map(number)?;
    Some(json_number(value))
}

/// A whole number without a fraction, as people write it.
fn json_number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53: every whole number up to it is an f64
    if value.fract() == 0.0 && value.abs() <= EXACT {
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

/// Where a clause about a record and a text parts: `rename milk to oat milk`. The words before, and those after.
pub(super) fn parted(clause: &Clause, tool: &Tool<'_>) -> Option<usize> {
    let takes_text = matches!(tool.input, Some(Input::Text { .. }));
    let part = || {
        clause
            .words
            .iter()
            .position(|word| word.is_any(&["to", "as", "into"]))
            .filter(|at| *at > clause.lead())
    };
    (takes_text && tool.takes_record).then(part).flatten()
}

/// The text to type: what is quoted last, or the clause without the words that say what to do, in the user's own letters.
fn text(clause: &Clause, tool: &Tool<'_>) -> Option<String> {
    if let Some(word) = clause.words.iter().rev().find(|word| word.quoted) {
        return Some(word.text.clone());
    }
    if let Some(at) = parted(clause, tool) {
        let rest = &clause.words[at + 1..];
        return Some(clause.text[rest.first()?.start..rest.last()?.end].to_owned());
    }
    let words = &clause.words;
    let mut first = clause.lead();
    if words.get(first).is_some_and(|word| tool.explains(word)) {
        first += 1;
    }
    // `a task called`: an article only goes where a word of the tool follows it.
    loop {
        let after = words[first..]
            .iter()
            .position(|word| !word.is_any(&["a", "an", "the", "new", "another", "my", "me", "our"]));
        let after = first + after?;
        let belongs = words[after..].len() > 1 && (tool.explains(&words[after]) || is_noise(&words[after]));
        let connects = words[after].is_any(&[
            "as", "called", "named", "titled", "saying", "for", "about", "with", "that", "says", "to",
        ]);
        if belongs || (connects && words[after..].len() > 1) {
            first = after + 1;
        } else {
            if tool.is_search() {
                first = after;
            }
            break;
        }
    }
    let mut last = words.len();
    while last > first + 1 && words[last - 1].is_any(&["please", "too", "now"]) {
        last -= 1;
    }
    // `to the list`, `as a task`.
    let tail = words[first..last]
        .iter()
        .rposition(|word| word.is_any(&["to", "in", "on", "into", "as"]));
    if let Some(tail) = tail.map(|tail| first + tail).filter(|tail| *tail > first) {
        let rest = &words[tail + 1..last];
        let is_place = |word: &Word| is_stop(word) || is_noise(word) || tool.explains(word);
        if rest.iter().any(|word| !is_stop(word)) && rest.iter().all(is_place) {
            last = tail;
        }
    }
    let span = &words[first..last];
    Some(clause.text[span.first()?.start..span.last()?.end].to_owned())
}

/// Arguments of a tool that is known by its schema only.
fn fill_schema(clause: &Clause, tool: &Tool<'_>, arguments: &mut Map<String, Value>) -> Result<(), String> {
    let Some(schema) = tool.schema else { return Ok(()) };
    let required = |name: &str| {
        schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|other| other == name))
    };
    let mut text_is_used = false;
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if name == "record" && tool.takes_record {
            continue;
        }
        let choices: Vec<_> = property["enum"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let value = if let [only] = choices[..] {
            Some(only.into())
        } else if !choices.is_empty() {
            best_choice(clause, choices.iter().copied()).map(Value::from)
        } else {
            match property["type"].as_str() {
                Some("number" | "integer") => last_number(clause),
                Some("boolean") => Some((!is_off(clause)).into()).filter(|_| required(name) || is_said(clause, name)),
                Some("string") if !text_is_used && (required(name) || is_said(clause, name)) => {
                    text_is_used = true;
                    text(clause, tool).map(Value::from)
                }
                _ => None,
            }
        };
        match value {
            Some(value) => {
                arguments.insert(name.clone(), value);
            }
            None if required(name) => return Err(format!("which {name}?")),
            None => {}
        }
    }
    Ok(())
}

fn is_said(clause: &Clause, name: &str) -> bool {
    name.split('_')
        .all(|part| clause.words.iter().any(|word| word.lower() == part))
}

/// The words of a range of a clause that tell one record from another.
pub(super) fn query<'c>(clause: &'c Clause, range: std::ops::Range<usize>, tool: &Tool<'_>) -> Vec<&'c Word> {
    let takes_number = matches!(tool.input, Some(Input::Number { .. }));
    let choice: Vec<_> = matching_choice(clause, tool).map(words).unwrap_or_default();
    let lead = clause.lead();
    let end = parted(clause, tool).map_or(range.end, |at| at.min(range.end));
    let quoted_text = matches!(tool.input, Some(Input::Text { .. }))
        .then(|| clause.words.iter().rposition(|word| word.quoted))
        .flatten();
    // `the due date of milk`: what comes before is a property.
    let has_property = matches!(tool.input, Some(Input::Number { .. } | Input::Choice { .. }));
    let of = clause.words[range.start.min(end)..end]
        .iter()
        .rposition(|word| word.is_any(&["of"]));
    let start = of
        .filter(|_| has_property)
        .map_or(range.start, |of| range.start + of + 1);
    (start.min(end)..end)
        .filter(|index| *index >= lead && quoted_text != Some(*index))
        .filter(|index| *index > lead || !is_concept(&clause.words[lead].term))
        .map(|index| &clause.words[index])
        .filter(|word| {
            word.quoted
                || !(is_stop(word)
                    || is_noise(word)
                    || (is_filler(word) && word.term != "#set")
                    || tool.explains(word)
                    || is_opposite(word)
                    || (takes_number && number(word).is_some())
                    || choice.iter().any(|part| part.term == word.term))
        })
        .collect()
}
