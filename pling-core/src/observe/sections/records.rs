//! Business objects: fields of those in view, ids of as many as fit.

use std::{collections::HashSet, fmt::Write as _};

use serde_json::Value;

use super::{Lines, regions::via, values};
use crate::{
    hash::FastMap,
    model::Record,
    observe::{
        Discovery,
        record_index::{Group, ID_CHARS},
        text::{Detail, List, NAME_CHARS, authored, fit, push_fenced, push_text, push_value},
        view::View,
    },
};

/// Room kept for the line that counts what is not shown.
const MARK_CHARS: usize = 130;
/// The least room that one record may take, so that a large one cannot push out all others.
const MIN_RECORD_CHARS: usize = 120;
const OPEN: &str = "<page_data>[";
const CLOSE: &str = "]</page_data>";
/// What a sensitive field shows.
const WITHHELD: &str = "\"[withheld]\"";

/// Records in view with their fields, by region.
pub(super) fn write(view: &mut View<'_>, out: &mut String) {
    let max_chars = view.budget.max_record_chars;
    let mut lines = Lines::begin(out, "## Records", max_chars, CLOSE.len() + MARK_CHARS);
    let one_record = (max_chars / 4).max(MIN_RECORD_CHARS);
    let mut listed: HashSet<&str> = HashSet::new();
    let mut last = None;
    for ((region, facts), values) in view.records.shown.iter().zip(&view.row_values) {
        let before = match last {
            Some(last) if last == *region => ",\n".to_owned(),
            Some(_) => format!("{CLOSE}\n{}: {OPEN}", view.region_name(*region)),
            None => format!("\n{}: {OPEN}", view.region_name(*region)),
        };
        let room = lines.left.saturating_sub(before.chars().count()).min(one_record);
        let Some(json) = fit(room, |json, detail| {
            push_record(json, view, &facts.record, values, detail)
        }) else {
            break;
        };
        lines.push(&before);
        lines.push(&json);
        listed.insert(facts.record.id.as_str());
        last = Some(*region);
    }
    if last.is_some() {
        lines.mark(CLOSE);
    }
    let omitted = view.records.total.saturating_sub(listed.len());
    let mark = match (omitted, view.records.total) {
        (_, 0) => "\nnone".to_owned(),
        (0, _) => String::new(),
        (omitted, total) => {
            let via = via(view, &[Discovery::FindRecords, Discovery::Scroll]);
            format!("\n{omitted} of {total} without fields here; to read them search, filter or reveal{via}")
        }
    };
    lines.mark(&mark);
    view.omitted.records = omitted;
}

fn push_record(json: &mut String, view: &View<'_>, record: &Record, values: &[(usize, &Value)], detail: Detail) {
    let Record {
        id,
        label,
        kind,
        fields,
    } = record;
    let mut members = List::begin(json, '{');
    push_text(members.key("id"), id.as_str(), ID_CHARS);
    push_text(members.key("label"), label, detail.text);
    if !kind.is_empty() {
        push_text(members.key("kind"), kind, detail.text.min(NAME_CHARS));
    }
    if !fields.is_empty() {
        let mut list = List::begin(members.key("fields"), '{');
        for (name, value) in fields.iter().take(detail.items) {
            match value {
                Some(value) => push_value(list.key(name), value, detail),
                None => list.key(name).push_str(WITHHELD),
            }
        }
        list.end(fields.len().saturating_sub(detail.items), '}');
    }
    values::push_row(&mut members, view, values, detail);
    members.end(0, '}');
}

/// Ids that can be passed as `record`.
pub(super) fn write_ids(view: &mut View<'_>, out: &mut String) {
    let records = &view.records;
    let total = records.total.max(records.cited);
    if total == 0 {
        out.push_str("## Record ids\nnone");
        return;
    }
    let _infallible = write!(
        out,
        "## Record ids for `record` ({} of {total}; offscreen ones are scrolled to)",
        records.cited
    );
    let labels = labels(view);
    for group in records.groups.iter().filter(|group| !group.ids.is_empty()) {
        push_group(out, view, group, &labels);
    }
    if view.omitted.citation_ids > 0 {
        let via = via(view, &[Discovery::FindRecords, Discovery::Scroll]);
        let _infallible = write!(
            out,
            "\n{} more ids not listed; search or filter{via}",
            view.omitted.citation_ids
        );
    }
}

/// The labels to put beside ids: of drawn records that are not shown with their fields, as many as the budget says.
fn labels<'a>(view: &View<'a>) -> FastMap<&'a str, &'a str> {
    let max = view.budget.max_cited_labels;
    if max == 0 {
        return FastMap::default();
    }
    let shown: HashSet<_> = view.records.shown.iter().map(|(_, facts)| &facts.record.id).collect();
    let drawn = view
        .snapshot
        .records
        .iter()
        .filter(|facts| !shown.contains(&facts.record.id));
    let labels = drawn.map(|facts| (facts.record.id.as_str(), facts.record.label.as_ref()));
    labels.take(max).collect()
}

fn push_group(out: &mut String, view: &View<'_>, group: &Group<'_>, labels: &FastMap<&str, &str>) {
    let Group {
        region,
        source,
        ids,
        leading,
    } = group;
    out.extend(["\n- ", view.region_name(*region)]);
    if let Some(source) = source.and_then(|source| view.snapshot.sources.get(source)) {
        let _infallible = write!(out, ", from {} ({})", authored(&source.id, NAME_CHARS), source.len);
        if *leading > 0 {
            let _infallible = write!(out, ", the first {leading} in order");
        }
    }
    let mut json = String::new();
    let mut list = List::begin(&mut json, '[');
    for id in ids {
        let Some(label) = labels.get(id) else {
            push_text(list.next(), id, ID_CHARS);
            continue;
        };
        let mut members = List::begin(list.next(), '{');
        push_text(members.key("id"), id, ID_CHARS);
        push_text(members.key("label"), label, NAME_CHARS);
        members.end(0, '}');
    }
    list.end(0, ']');
    out.push_str(": ");
    push_fenced(out, &json);
}
