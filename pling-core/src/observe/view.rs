//! Everything the sections and the tools are written from: one fold for both.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Budget, Discovery, Omitted, discovery,
    fold::{Entry, fold},
    record_index::RecordIndex,
    regions::{PAGE, Regions},
    text::{NAME_CHARS, authored},
    tool_name::tool_names,
};
use crate::{
    hash::FastMap,
    model::{Feedback, RegionPath},
    snapshot::Snapshot,
};

/// A snapshot, folded and indexed.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) budget: &'a Budget,
    pub(super) regions: Regions<'a>,
    pub(super) entries: Vec<Entry<'a>>,
    /// The tool name of each entry.
    pub(super) names: Vec<Cow<'a, str>>,
    pub(super) records: RecordIndex<'a>,
    /// For each shown record, what the widgets in its row hold, with the entry that sets it.
    pub(super) row_values: Vec<Vec<(usize, &'a Value)>>,
    /// Regions within the budget, in document order.
    pub(super) listed_regions: Vec<usize>,
    /// The discovery tools that this page calls for, with their names.
    pub(super) discovery: Vec<(Discovery, String)>,
    /// What is cut; sections add to it as they are written.
    pub(super) omitted: Omitted,
}

impl<'a> View<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, budget: &'a Budget) -> Self {
        let mut regions = Regions::new(snapshot);
        let (entries, entry_of) = fold(snapshot, &mut regions, budget.max_actions);
        let records = RecordIndex::new(snapshot, budget, &mut regions);
        let row_values = row_values(snapshot, &records, &entry_of);
        regions.name();
        for entry in &entries {
            let row = &mut regions.rows[entry.region];
            row.actions += 1;
            row.usable += usize::from(entry.is_usable());
        }
        let listed_regions = listed_regions(&regions, budget.max_regions);
        let omitted = Omitted {
            actions: entries.iter().filter(|entry| !entry.listed).count(),
            citation_ids: records.total.saturating_sub(records.cited),
            regions: regions.rows.len() - 1 - listed_regions.len(),
            ..Omitted::default()
        };
        let mut view = Self {
            snapshot,
            budget,
            names: tool_names(&entries, &regions),
            regions,
            entries,
            records,
            row_values,
            listed_regions,
            discovery: Vec::new(),
            omitted,
        };
        view.discovery = discovery::offered(&view);
        view
    }

    /// The name of a discovery tool, if it is offered.
    pub(super) fn discovery_name(&self, discovery: Discovery) -> Option<&str> {
        let found = self.discovery.iter().find(|(offered, _)| *offered == discovery);
        found.map(|(_, name)| name.as_str())
    }

    /// The indices of listed entries that can be used, or of those that cannot.
    pub(super) fn listed(&self, usable: bool) -> impl Iterator<Item = usize> {
        (0..self.entries.len()).filter(move |index| {
            let entry = &self.entries[*index];
            entry.listed && entry.is_usable() == usable
        })
    }

    /// The name of the region with an index.
    pub(super) fn region_name(&self, region: usize) -> &str {
        &self.regions.rows[region].name
    }

    /// The name of the region at a path; `None` at the page's root.
    pub(super) fn name_at(&self, path: &RegionPath) -> Option<Cow<'_, str>> {
        path.innermost()?;
        Some(match self.regions.get(path) {
            Some(row) => Cow::Borrowed(row.name.as_str()),
            None => Cow::Owned(authored(&path.to_string(), 2 * NAME_CHARS).into_owned()),
        })
    }

    /// The name of the tool that a piece of feedback is about, nearest to where it is shown.
    pub(super) fn field_name<'b>(&'b self, item: &'b Feedback) -> Option<Cow<'b, str>> {
        let id = item.field.as_ref()?;
        let same_id = (0..self.entries.len()).filter(|index| self.entries[*index].action().id == *id);
        let nearest = same_id.max_by_key(|index| {
            let region = &self.entries[*index].first.region;
            let shared = region.ids().iter().zip(item.region.ids()).take_while(|(a, b)| a == b);
            (shared.count(), std::cmp::Reverse((region.ids().len(), *index)))
        });
        Some(match nearest {
            Some(index) => Cow::Borrowed(&*self.names[index]),
            None => authored(id.as_str(), NAME_CHARS),
        })
    }

    /// Distinct records drawn outside the viewport, by region count.
    pub(super) fn drawn_out_of_view(&self) -> usize {
        self.regions.rows.iter().map(|row| row.drawn - row.in_view).sum()
    }

    /// Records of sources that are not drawn.
    pub(super) fn undrawn(&self) -> usize {
        self.records.total - self.records.drawn
    }

    /// Whether scrolling would bring anything into view.
    pub(super) fn hides_something(&self) -> bool {
        self.drawn_out_of_view() > 0
            || self.undrawn() > 0
            || self.entries.iter().any(|entry| entry.offscreen > 0)
            || self.regions.rows.iter().any(|row| row.is_out_of_view())
    }
}

/// What the widgets in the row of each shown record hold, as far as its fields do not say so.
fn row_values<'a>(
    snapshot: &'a Snapshot,
    records: &RecordIndex<'a>,
    entry_of: &[usize],
) -> Vec<Vec<(usize, &'a Value)>> {
    let mut values: Vec<Vec<(usize, &'a Value)>> = vec![Vec::new(); records.shown.len()];
    let mut places: FastMap<&str, Vec<usize>> = FastMap::default();
    for (index, (_, facts)) in records.shown.iter().enumerate() {
        places.entry(facts.record.id.as_str()).or_default().push(index);
    }
    for (facts, entry) in snapshot.actions.iter().zip(entry_of) {
        let Some((record, value)) = facts.record.as_ref().zip(facts.shown_value()) else {
            continue;
        };
        let shown = places.get(record.as_str()).into_iter().flatten();
        let around = shown.filter(|index| facts.region.is_within(&records.shown[**index].1.region));
        let innermost = around.max_by_key(|index| records.shown[**index].1.region.ids().len());
        let Some(index) = innermost.filter(|_| !facts.is_field) else {
            continue;
        };
        // Told already where the author gave the field the action's own name.
        let mut fields = records.shown[*index].1.record.fields.iter();
        if !fields.any(|(name, field)| name == facts.action.id.as_str() && field.as_ref() == Some(value)) {
            values[*index].push((*entry, value));
        }
    }
    values
}

/// The region in front first, then those in view, each kind in document order; the result is in document order.
fn listed_regions(regions: &Regions<'_>, max_regions: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (PAGE + 1..regions.rows.len()).collect();
    order.sort_by_key(|index| {
        let row = &regions.rows[*index];
        (!row.is_active(), row.is_out_of_view())
    });
    order.truncate(max_regions);
    order.sort_unstable();
    order
}
