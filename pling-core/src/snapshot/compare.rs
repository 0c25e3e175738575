//! How two snapshots are compared: by meaning and hash, in document order, never by position.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    sync::Arc,
};

use serde_json::Value;

use super::{
    ActionChanges, ActionFacts, Changes, CountChange, RecordChange, RecordChanges, RecordFacts, Snapshot, SourceFacts,
    StateChange, ValueChange,
};
use crate::{
    model::{ActionId, Feedback, Record, RecordId, RegionId, RegionPath, StateView},
    text::shorten,
};

/// Entries of each list; the others are counted.
const MAX_ENTRIES: usize = 20;
/// Characters of each value.
const VALUE_CHARS: usize = 200;

pub(super) fn changes(before: &Snapshot, after: &Snapshot) -> Changes {
    let mut omitted = 0;
    let (feedback, feedback_gone) = feedback(before, after);
    let mut changes = Changes {
        records: records(before, after),
        actions: actions(before, after),
        values: values(before, after),
        state: state(before, after),
        opened: regions_only_in(after, before),
        closed: regions_only_in(before, after),
        feedback,
        feedback_gone,
        page: before.page != after.page,
        omitted: 0,
    };
    let Changes {
        records,
        actions,
        values,
        state,
        opened,
        closed,
        feedback,
        feedback_gone: _,
        page: _,
        omitted: _,
    } = &mut changes;
    for change in &mut records.changed {
        bound(&mut change.fields, &mut omitted);
    }
    bound(&mut records.added, &mut omitted);
    bound(&mut records.removed, &mut omitted);
    bound(&mut records.changed, &mut omitted);
    bound(&mut records.counts, &mut omitted);
    bound(&mut actions.available, &mut omitted);
    bound(&mut actions.unavailable, &mut omitted);
    bound(values, &mut omitted);
    bound(state, &mut omitted);
    bound(opened, &mut omitted);
    bound(closed, &mut omitted);
    bound(feedback, &mut omitted);
    changes.omitted = omitted;
    changes
}

fn bound<T>(list: &mut Vec<T>, omitted: &mut usize) {
    *omitted += list.len().saturating_sub(MAX_ENTRIES);
    list.truncate(MAX_ENTRIES);
}

fn capped(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => shorten(text, VALUE_CHARS).into(),
        Value::Array(_) | Value::Object(_) => {
            let json = value.to_string();
            if json.len() <= VALUE_CHARS {
                value.clone()
            } else {
                shorten(&json, VALUE_CHARS).into()
            }
        }
    }
}

/// Counts what has the same key: what is declared twice is compared first with first and second with second.
fn numbered<K: Copy + Eq + Hash, T>(items: impl Iterator<Item = (K, T)>) -> impl Iterator<Item = ((K, usize), T)> {
    let mut seen: HashMap<K, usize> = HashMap::new();
    items.map(move |(key, item)| {
        let count = seen.entry(key).or_default();
        *count += 1;
        ((key, *count), item)
    })
}

/// The name of something declared in a region.
type Place<'a> = (&'a str, &'a RegionPath);

fn record_places(snapshot: &Snapshot) -> impl Iterator<Item = ((Place<'_>, usize), &RecordFacts)> {
    let records = snapshot.records.iter();
    numbered(records.map(|facts| ((facts.record.id.as_str(), &facts.region), facts)))
}

/// The records of a snapshot by id and place.
struct Records<'a> {
    ids: HashMap<&'a str, &'a RecordFacts>,
    places: HashMap<(Place<'a>, usize), &'a RecordFacts>,
    regions: HashSet<&'a RegionPath>,
    first_ids: HashSet<&'a str>,
    has_sources: bool,
}

impl<'a> Records<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let mut ids = HashMap::with_capacity(snapshot.records.len());
        for facts in &snapshot.records {
            ids.entry(facts.record.id.as_str()).or_insert(facts);
        }
        let sources = snapshot.sources.iter();
        Self {
            ids,
            places: record_places(snapshot).collect(),
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

fn records(before: &Snapshot, after: &Snapshot) -> RecordChanges {
    let (old, new) = (Records::new(before), Records::new(after));
    RecordChanges {
        added: only_in(after, &old),
        removed: only_in(before, &new),
        changed: changed_records(after, &old, &new),
        counts: counts(before, after),
    }
}

fn only_in(here: &Snapshot, other: &Records<'_>) -> Vec<RecordId> {
    let mut seen = HashSet::new();
    let only_here = here.records.iter().filter(|facts| other.surely_lacks(facts));
    only_here
        .filter(|facts| seen.insert(facts.record.id.as_str()))
        .map(|facts| facts.record.id.clone())
        .collect()
}

fn changed_records(after: &Snapshot, old: &Records<'_>, new: &Records<'_>) -> Vec<RecordChange> {
    let mut changed: Vec<RecordChange> = Vec::new();
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let stays: HashSet<&str> = record_places(after)
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
    let old: HashMap<_, _> = sources(before).collect();
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

fn actions(before: &Snapshot, after: &Snapshot) -> ActionChanges {
    let (old, new) = (usable(before), usable(after));
    ActionChanges {
        available: only_usable_in(after, &new, &old),
        unavailable: only_usable_in(before, &old, &new),
    }
}

fn place(facts: &ActionFacts) -> Place<'_> {
    (facts.action.id.as_str(), &facts.region)
}

/// Actions of which at least one can be used.
fn usable(snapshot: &Snapshot) -> HashSet<Place<'_>> {
    let usable = snapshot.actions.iter().filter(|facts| facts.availability.is_usable());
    usable.map(place).collect()
}

fn only_usable_in<'a>(snapshot: &'a Snapshot, here: &HashSet<Place<'a>>, other: &HashSet<Place<'_>>) -> Vec<ActionId> {
    let mut seen = HashSet::new();
    let actions = snapshot.actions.iter();
    actions
        .filter(|facts| here.contains(&place(facts)) && !other.contains(&place(facts)) && seen.insert(place(facts)))
        .map(|facts| facts.action.id.clone())
        .collect()
}

fn values(before: &Snapshot, after: &Snapshot) -> Vec<ValueChange> {
    let old: HashMap<_, _> = open_actions(before).collect();
    let changed = open_actions(after).filter(|(key, facts)| old.get(key).is_some_and(|was| was.value != facts.value));
    changed
        .map(|(_, facts)| ValueChange {
            action: facts.action.id.clone(),
            record: facts.record.clone(),
            value: facts.value.as_ref().map_or(Value::Null, capped),
        })
        .collect()
}

type ActionKey<'a> = ((Place<'a>, Option<&'a RecordId>), usize);

/// Actions whose values may be told.
fn open_actions(snapshot: &Snapshot) -> impl Iterator<Item = (ActionKey<'_>, &ActionFacts)> {
    let open = snapshot.actions.iter().filter(|facts| !facts.action.sensitive);
    numbered(open.map(|facts| ((place(facts), facts.record.as_ref()), facts)))
}

fn state(before: &Snapshot, after: &Snapshot) -> Vec<StateChange> {
    let old: HashMap<_, _> = state_places(before).collect();
    let new: HashMap<_, _> = state_places(after).collect();
    let change = |state: &StateView, before: Option<&Value>, after: Option<&Value>| {
        (before != after).then(|| StateChange {
            name: state.name.clone(),
            before: before.map(capped),
            after: after.map(capped),
        })
    };
    let now = state_places(after).filter_map(|(place, state)| {
        let before = old.get(&place).and_then(|was| was.value.as_ref());
        change(state, before, state.value.as_ref())
    });
    let gone = state_places(before).filter(|(place, _)| !new.contains_key(place));
    now.chain(gone.filter_map(|(_, state)| change(state, state.value.as_ref(), None)))
        .collect()
}

fn state_places(snapshot: &Snapshot) -> impl Iterator<Item = ((Place<'_>, usize), &StateView)> {
    let state = snapshot.state.iter();
    numbered(state.map(|state| ((state.name.as_str(), &state.region), state)))
}

fn regions_only_in(here: &Snapshot, other: &Snapshot) -> Vec<RegionId> {
    let mut known: HashSet<_> = other.regions.iter().map(|facts| &facts.path).collect();
    let only_here = here.regions.iter().filter(|facts| known.insert(&facts.path));
    only_here.map(|facts| facts.region.id.clone()).collect()
}

/// What is new, and how much went. The same words twice are two.
fn feedback(before: &Snapshot, after: &Snapshot) -> (Vec<Feedback>, usize) {
    let mut old: HashMap<_, usize> = HashMap::new();
    for item in &before.feedback {
        *old.entry(feedback_key(item)).or_default() += 1;
    }
    let mut new = Vec::new();
    let mut stayed = 0;
    for item in &after.feedback {
        match old.get_mut(&feedback_key(item)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                stayed += 1;
            }
            _ => new.push(Feedback {
                text: shorten(&item.text, VALUE_CHARS),
                ..item.clone()
            }),
        }
    }
    (new, before.feedback.len() - stayed)
}

fn feedback_key(item: &Feedback) -> impl Hash + Eq + '_ {
    let Feedback {
        level,
        field,
        text,
        region,
        record,
    } = item;
    (level, field, text, region, record)
}
