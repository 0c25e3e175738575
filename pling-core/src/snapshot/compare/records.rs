//! Which records came, went, differ or moved.

use std::sync::Arc;

use serde_json::Value;

use super::{Place, Trimmed, VALUE_CHARS, capped, numbered};
use crate::{
    hash::{FastMap, FastSet},
    model::{Record, RecordId, RegionPath},
    snapshot::{CountChange, RecordChange, RecordChanges, RecordFacts, Snapshot, SourceFacts},
    text::shorten,
};

/// Compares by id; a record in several regions is one.
pub(super) fn records(before: &Snapshot, after: &Snapshot) -> RecordChanges {
    let (drawn_before, drawn_after) = differing(before, after);
    let (old, new) = (Records::new(before, drawn_before), Records::new(after, drawn_after));
    RecordChanges {
        added: only_in(drawn_after, &old),
        removed: only_in(drawn_before, &new),
        changed: changed_records(drawn_after, &old, &new),
        counts: counts(before, after),
    }
}

/// The records that have to be compared: none that stands in both pages as it is, among others that do so, and whose
/// id occurs nowhere else.
fn differing<'a>(before: &'a Snapshot, after: &'a Snapshot) -> (&'a [RecordFacts], &'a [RecordFacts]) {
    let trimmed = Trimmed::new(&before.records, &after.records, |old, new| {
        old.region == new.region && old.source == new.source && old.record == new.record
    });
    let ids: FastSet<&str> = (trimmed.old.iter().chain(trimmed.new))
        .map(|facts| facts.record.id.as_str())
        .collect();
    let is_elsewhere = |facts: &RecordFacts| ids.contains(facts.record.id.as_str());
    if !ids.is_empty() && trimmed.shared().any(is_elsewhere) {
        return (&before.records, &after.records);
    }
    (trimmed.old, trimmed.new)
}

fn record_places(records: &[RecordFacts]) -> impl Iterator<Item = ((Place<'_>, usize), &RecordFacts)> {
    let records = records.iter();
    numbered(records.map(|facts| ((facts.record.id.as_str(), &facts.region), facts)))
}

/// The records of a snapshot by id and place.
struct Records<'a> {
    ids: FastMap<&'a str, &'a RecordFacts>,
    places: FastMap<(Place<'a>, usize), &'a RecordFacts>,
    regions: FastSet<&'a RegionPath>,
    first_ids: FastSet<&'a str>,
    has_sources: bool,
}

impl<'a> Records<'a> {
    fn new(snapshot: &'a Snapshot, records: &'a [RecordFacts]) -> Self {
        let mut ids = FastMap::default();
        for facts in records {
            ids.entry(facts.record.id.as_str()).or_insert(facts);
        }
        let sources = snapshot.sources.iter();
        Self {
            ids,
            places: record_places(records).collect(),
            regions: snapshot.regions.iter().map(|facts| &facts.path).collect(),
            first_ids: sources
                .flat_map(|source| &source.first_ids)
                .map(AsRef::as_ref)
                .collect(),
            has_sources: !snapshot.sources.is_empty(),
        }
    }

    fn has_region(&self, path: &RegionPath) -> bool {
        path.ids().is_empty() || self.regions.contains(path)
    }

    /// Whether a record that is not drawn here is surely not there. One of a source may only be scrolled away, and
    /// one shown in a dialog may be in a source of the page behind.
    fn surely_lacks(&self, facts: &RecordFacts) -> bool {
        let id = facts.record.id.as_str();
        !self.ids.contains_key(id)
            && facts.source.is_none()
            && !self.first_ids.contains(id)
            && (!self.has_sources || self.has_region(&facts.region))
    }
}

fn only_in(here: &[RecordFacts], other: &Records<'_>) -> Vec<RecordId> {
    let mut seen = FastSet::default();
    let only_here = here.iter().filter(|facts| other.surely_lacks(facts));
    only_here
        .filter(|facts| seen.insert(facts.record.id.as_str()))
        .map(|facts| facts.record.id.clone())
        .collect()
}

fn changed_records(after: &[RecordFacts], old: &Records<'_>, new: &Records<'_>) -> Vec<RecordChange> {
    let mut changed: Vec<RecordChange> = Vec::new();
    let mut by_id: FastMap<&str, usize> = FastMap::default();
    let stays: FastSet<&str> = record_places(after)
        .filter(|(place, _)| old.places.contains_key(place))
        .map(|(_, facts)| facts.record.id.as_str())
        .collect();
    for (place, facts) in record_places(after) {
        let id = facts.record.id.as_str();
        let mut fields = Vec::new();
        if let Some(was) = old.places.get(&place) {
            differing_fields(&was.record, &facts.record, true, &mut fields);
        } else if let Some(was) = old.ids.get(id)
            && !stays.contains(id)
        {
            differing_fields(&was.record, &facts.record, false, &mut fields);
            if old.has_region(&facts.region) && new.has_region(&was.region) {
                fields.push(("region".to_owned(), facts.region.to_string().into()));
            }
        }
        if fields.is_empty() {
            continue;
        }
        let index = *by_id.entry(id).or_insert_with(|| {
            changed.push(RecordChange {
                id: facts.record.id.clone(),
                fields: Vec::new(),
            });
            changed.len() - 1
        });
        let known = &mut changed[index].fields;
        for field in fields {
            if !known.contains(&field) {
                known.push(field);
            }
        }
    }
    changed
}

/// New values of what differs. Another place may show other fields: then only what both show is compared.
fn differing_fields(was: &Arc<Record>, is: &Arc<Record>, same_place: bool, fields: &mut Vec<(String, Value)>) {
    if Arc::ptr_eq(was, is) {
        return;
    }
    if was.label != is.label {
        fields.push(("label".to_owned(), shorten(&is.label, VALUE_CHARS).into()));
    }
    if was.kind != is.kind {
        fields.push(("kind".to_owned(), shorten(&is.kind, VALUE_CHARS).into()));
    }
    for (index, (name, value)) in is.fields.iter().enumerate() {
        let old = field(was, name, index);
        if let Some(value) = value
            && old.map(Option::as_ref) != Some(Some(value))
            && (same_place || old.is_some())
        {
            fields.push((name.clone(), capped(value)));
        }
    }
    for (index, (name, value)) in was.fields.iter().enumerate() {
        if same_place && value.is_some() && field(is, name, index).is_none() {
            fields.push((name.clone(), Value::Null));
        }
    }
}

/// A field by name, first looked for where the other record has it.
fn field<'a>(record: &'a Record, name: &str, index: usize) -> Option<&'a Option<Value>> {
    let fields = &record.fields;
    let here = fields.get(index).filter(|(known, _)| known == name);
    let found = here.or_else(|| fields.iter().find(|(known, _)| known == name));
    found.map(|(_, value)| value)
}

fn counts(before: &Snapshot, after: &Snapshot) -> Vec<CountChange> {
    let old: FastMap<_, _> = sources(before).collect();
    let same = sources(after).filter_map(|(place, source)| {
        let before = old.get(&place)?.len;
        (before != source.len).then(|| CountChange {
            source: source.id.clone(),
            before,
            after: source.len,
        })
    });
    same.collect()
}

fn sources(snapshot: &Snapshot) -> impl Iterator<Item = ((Place<'_>, usize), &SourceFacts)> {
    let sources = snapshot.sources.iter();
    numbered(sources.map(|source| ((source.id.as_str(), &source.region), source)))
}
