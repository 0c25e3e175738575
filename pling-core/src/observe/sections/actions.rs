//! What can be done, and what exists but cannot be done now.

use std::fmt::Write as _;

use super::values;
use crate::{
    model::{Action, Effect, Input},
    observe::{
        fold::Entry,
        schema::range,
        text::{NAME_CHARS, SENTENCE_CHARS, authored, fenced_text},
        view::View,
    },
    snapshot::Availability,
};

/// Arguments of a function tool that are named in its line.
const MAX_ARGUMENTS: usize = 8;
/// Characters of the name of what covers.
const COVERER_CHARS: usize = 100;

/// Actions that can be used, and the values of their widgets.
pub(super) fn write(view: &mut View<'_>, out: &mut String) {
    let usable = view.entries.iter().filter(|entry| entry.is_usable()).count();
    push_heading(out, "Available actions", view.listed(true).count(), usable);
    for index in view.listed(true) {
        let entry = &view.entries[index];
        push_line(out, view, index);
        if entry.usable < entry.count {
            let _infallible = write!(out, " – {} of {} usable; others: ", entry.usable, entry.count);
            push_reasons(out, entry);
        }
    }
    values::push_values(out, view);
}

/// Actions that cannot be used, with reasons.
pub(super) fn write_unavailable(view: &mut View<'_>, out: &mut String) {
    let all = view.entries.iter().filter(|entry| !entry.is_usable()).count();
    push_heading(out, "Unavailable actions", view.listed(false).count(), all);
    for index in view.listed(false) {
        push_line(out, view, index);
        out.push_str(" – ");
        push_reasons(out, &view.entries[index]);
    }
}

fn push_heading(out: &mut String, title: &str, listed: usize, all: usize) {
    let _infallible = match (listed, all) {
        (_, 0) => write!(out, "## {title}\nnone"),
        (listed, all) if listed == all => write!(out, "## {title} ({all})"),
        (listed, all) => write!(out, "## {title} ({listed} of {all} listed)"),
    };
}

fn push_line(out: &mut String, view: &View<'_>, index: usize) {
    let entry = &view.entries[index];
    out.extend(["\n- ", &view.names[index]]);
    let arguments = arguments(entry);
    if !arguments.is_empty() {
        let _infallible = write!(out, "({})", arguments.join(", "));
    }
    let description = authored(&entry.action().description, SENTENCE_CHARS);
    let _infallible = write!(out, ": {description} [{}]", facts(view, entry));
}

/// What a reader must know before calling: verb, effect, region, rows, and who else has a say.
pub(in crate::observe) fn facts(view: &View<'_>, entry: &Entry<'_>) -> String {
    let action = entry.action();
    let Action {
        effect,
        confirm,
        submit,
        sensitive,
        irreversible,
        opens,
        input,
        ..
    } = action;
    let mut facts = format!(
        "{}, {}; in {}",
        input.verb(),
        effect.as_str(),
        view.region_name(entry.region)
    );
    if entry.takes_record() {
        let rows = if entry.count == 1 { "row" } else { "rows" };
        let _infallible = write!(facts, "; {} {rows}", entry.count);
        let undrawn = view.regions.rows[entry.region].undrawn;
        if undrawn > 0 {
            let _infallible = write!(facts, " drawn, {undrawn} not");
        }
        if entry.offscreen > 0 {
            let _infallible = write!(facts, ", {} offscreen", entry.offscreen);
        }
    } else if entry.count > 1 {
        let _infallible = write!(facts, "; declared {} times, so ambiguous", entry.count);
    } else if entry.offscreen > 0 {
        facts.push_str("; offscreen, scrolled to when called");
    }
    if *confirm == Some(true) {
        facts.push_str("; asks the user first");
    }
    if let Some(reason) = handoff(entry) {
        let _infallible = write!(
            facts,
            "; only the user can do this: {}",
            authored(reason, SENTENCE_CHARS)
        );
    }
    if *irreversible {
        facts.push_str("; cannot be undone");
    } else if *effect == Effect::Danger && *confirm == Some(false) {
        facts.push_str("; runs without asking");
    }
    if *submit {
        facts.push_str("; ends with Enter");
    }
    if *sensitive {
        facts.push_str("; sensitive");
    }
    if let Some(region) = opens {
        let _infallible = write!(facts, "; opens {}", authored(region.as_str(), NAME_CHARS));
    }
    facts
}

fn handoff<'a>(entry: &Entry<'a>) -> Option<&'a str> {
    match &entry.first.availability {
        Availability::Handoff(reason) => Some(reason),
        _ => entry.action().handoff.as_deref(),
    }
}

fn arguments(entry: &Entry<'_>) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    if entry.takes_record() {
        arguments.push("record".into());
    }
    match &entry.action().input {
        Input::Click => {}
        Input::Toggle | Input::Expand => arguments.push("checked?".into()),
        Input::Text { .. } => arguments.push("text".into()),
        Input::Number { min, max } => arguments.push(match range(*min, *max) {
            Some(range) => format!("value: {range}"),
            None => "value".into(),
        }),
        Input::Choice { .. } => arguments.push("choice".into()),
        Input::Schema(schema) => {
            let names = schema["properties"].as_object();
            let names = names.into_iter().flat_map(|properties| properties.keys());
            arguments.extend(
                names
                    .take(MAX_ARGUMENTS)
                    .map(|name| authored(name, NAME_CHARS).into_owned()),
            );
        }
    }
    arguments
}

fn push_reasons(out: &mut String, entry: &Entry<'_>) {
    let Entry {
        reasons,
        other_reasons,
        count,
        ..
    } = entry;
    for (index, (reason, rows)) in reasons.iter().enumerate() {
        if index > 0 {
            out.push_str("; ");
        }
        if *count > 1 {
            let _infallible = write!(out, "{rows} ");
        }
        push_reason(out, reason);
    }
    if *other_reasons > 0 {
        let _infallible = write!(out, "; {other_reasons} for other reasons");
    }
}

fn push_reason(out: &mut String, reason: &Availability) {
    let kind = reason.kind();
    let _infallible = match reason {
        Availability::CoveredBy(name) => write!(out, "{kind} {}", fenced_text(name, COVERER_CHARS)),
        Availability::Disabled | Availability::Hidden => out.write_str(kind),
        Availability::Requires(reason) => write!(out, "{kind}: {}", authored(reason, SENTENCE_CHARS)),
        other => write!(out, "{kind}: {}", authored(&other.to_string(), SENTENCE_CHARS)),
    };
}
