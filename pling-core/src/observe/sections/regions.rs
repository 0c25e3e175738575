//! The parts of the page: what each holds, and what is out of sight.

use std::fmt::Write as _;

use crate::{
    model::RegionRole,
    observe::{
        Discovery,
        regions::{PAGE, RegionRow},
        text::{NAME_CHARS, SENTENCE_CHARS, authored},
        view::View,
    },
};

/// Deeper nesting is not indented further.
const MAX_INDENT: usize = 6;
/// Names listed in one line of hidden content.
const MAX_NAMES: usize = 8;

/// Structure: every listed region with its purpose and counts.
pub(super) fn write(view: &mut View<'_>, out: &mut String) {
    out.push_str("## Structure");
    let page = &view.regions.rows[PAGE];
    if page.actions + page.total() > 0 {
        out.push_str("\n- page, outside every region");
        push_counts(out, page, ": ");
    }
    for region in &view.listed_regions {
        push_region(out, &view.regions.rows[*region]);
    }
    match view.omitted.regions {
        0 if view.regions.rows.len() == 1 => out.push_str("\nno regions"),
        0 => {}
        omitted => {
            let _infallible = write!(out, "\n{omitted} more regions not listed; scroll to them");
        }
    }
}

fn push_region(out: &mut String, row: &RegionRow<'_>) {
    let depth = row.path.map_or(1, |path| path.ids().len());
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", (depth - 1).min(MAX_INDENT)));
    out.extend(["- ", &row.name]);
    let mut separator = ": ";
    if let Some(facts) = row.facts {
        let region = &facts.region;
        if !region.label.is_empty() && region.label != row.name {
            out.extend([" \"", &*authored(&region.label, NAME_CHARS), "\""]);
        }
        let role = (region.role != RegionRole::Group).then(|| region.role.as_str());
        let modal = region.modal.then_some("modal");
        let away = row.is_out_of_view().then_some("outside the viewport");
        let active = row.is_active().then_some("active: in front of the rest");
        let notes: Vec<_> = [role, modal, active, away].into_iter().flatten().collect();
        if !notes.is_empty() {
            let _infallible = write!(out, " ({})", notes.join(", "));
        }
        if !region.purpose.is_empty() {
            out.extend([separator, &*authored(&region.purpose, SENTENCE_CHARS)]);
            separator = "; ";
        }
    }
    push_counts(out, row, separator);
}

fn push_counts(out: &mut String, row: &RegionRow<'_>, mut separator: &str) {
    if row.total() > 0 {
        let _infallible = write!(out, "{separator}{} of {} records in view", row.in_view, row.total());
        separator = "; ";
    }
    if row.actions > 0 {
        let _infallible = write!(out, "{separator}{} of {} actions usable", row.usable, row.actions);
    }
}

/// Hidden content: what is there and not shown, and how to get at it.
pub(super) fn write_hidden(view: &mut View<'_>, out: &mut String) {
    out.push_str("## Hidden content");
    let start = out.len();
    let rows = || view.regions.rows.iter();
    let away = rows().filter(|row| row.is_out_of_view()).map(|row| row.name.clone());
    let away: Vec<_> = away.collect();
    push_names(
        out,
        "regions outside the viewport",
        &away,
        &via(view, &[Discovery::Reveal]),
    );
    let counts = |count: fn(&RegionRow<'_>) -> usize| -> Vec<String> {
        let rows = rows().filter(|row| count(row) > 0);
        rows.map(|row| format!("{} in {}", count(row), row.name)).collect()
    };
    let drawn = counts(|row| row.drawn - row.in_view);
    push_names(
        out,
        "records outside the viewport",
        &drawn,
        &via(view, &[Discovery::Scroll]),
    );
    let undrawn = counts(|row| row.undrawn);
    let via_undrawn = via(view, &[Discovery::FindRecords, Discovery::Scroll]);
    push_names(out, "records not drawn", &undrawn, &via_undrawn);
    if view.omitted.actions > 0 {
        let via = via(view, &[Discovery::SearchActions, Discovery::InvokeAction]);
        let _infallible = write!(out, "\n- actions not listed: {}{via}", view.omitted.actions);
    }
    if out.len() == start {
        out.push_str("\nnone");
    }
}

fn push_names(out: &mut String, what: &str, names: &[String], via: &str) {
    if names.is_empty() {
        return;
    }
    let _infallible = write!(out, "\n- {what}: {}", names[..names.len().min(MAX_NAMES)].join(", "));
    if let Some(more) = names.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        let _infallible = write!(out, " and in {more} more places");
    }
    out.push_str(via);
}

/// ` (tool or tool)`, as far as they are offered.
pub(super) fn via(view: &View<'_>, tools: &[Discovery]) -> String {
    let names: Vec<_> = tools.iter().filter_map(|tool| view.discovery_name(*tool)).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" ({})", names.join(", "))
    }
}
