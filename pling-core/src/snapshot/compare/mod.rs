//! How two snapshots are compared: by meaning and hash, in document order, never by position.

mod records;

use std::hash::Hash;

use serde_json::Value;

use super::{ActionChanges, ActionFacts, Changes, Snapshot, StateChange, ValueChange};
use crate::{
    hash::{FastMap, FastSet},
    model::{ActionId, Feedback, RecordId, RegionId, RegionPath, StateView},
    text::shorten,
};
use records::records;

/// Entries of each list; the others are counted.
const MAX_ENTRIES: usize = 20;
/// Characters of each value.
const VALUE_CHARS: usize = 200;

pub(super) fn changes(before: &Snapshot, after: &Snapshot) -> Changes {
    let mut omitted = 0;
    let (feedback, feedback_gone) = feedback(before, after);
    let trimmed = trimmed_actions(before, after);
    let mut changes = Changes {
        records: records(before, after),
        actions: actions(&trimmed),
        values: values(&trimmed),
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
    let mut seen: FastMap<K, usize> = FastMap::default();
    items.map(move |(key, item)| {
        let count = seen.entry(key).or_default();
        *count += 1;
        ((key, *count), item)
    })
}

/// The name of something declared in a region.
type Place<'a> = (&'a str, &'a RegionPath);

/// Two lists without the beginning and the end that they share. Most of a page stays as it was, and what is taken
/// off is compared once and never looked up.
struct Trimmed<'a, T> {
    old: &'a [T],
    new: &'a [T],
    /// What was taken off, the same in both.
    shared: [&'a [T]; 2],
}

impl<'a, T> Trimmed<'a, T> {
    fn new(old: &'a [T], new: &'a [T], same: impl Fn(&T, &T) -> bool) -> Self {
        let is_same = |(old, new): &(&T, &T)| same(old, new);
        let start = old.iter().zip(new).take_while(is_same).count();
        let beginning = &new[..start];
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(is_same).count();
        let shared = [beginning, &new[new.len() - end..]];
        Self {
            old: &old[..old.len() - end],
            new: &new[..new.len() - end],
            shared,
        }
    }

    fn shared(&self) -> impl Iterator<Item = &'a T> {
        self.shared.into_iter().flatten()
    }
}

fn trimmed_actions<'a>(before: &'a Snapshot, after: &'a Snapshot) -> Trimmed<'a, ActionFacts> {
    Trimmed::new(&before.actions, &after.actions, |old, new| {
        old.availability.is_usable() == new.availability.is_usable()
            && old.action.id == new.action.id
            && old.region == new.region
            && old.record == new.record
            && old.value == new.value
    })
}

fn actions(trimmed: &Trimmed<'_, ActionFacts>) -> ActionChanges {
    let (old, new) = (usable(trimmed.old), usable(trimmed.new));
    if old.is_empty() && new.is_empty() {
        return ActionChanges::default();
    }
    // What can be used in a row that stays can be used before and after.
    let stays = trimmed.shared().filter(|facts| facts.availability.is_usable());
    let stays: FastSet<_> = stays
        .map(place)
        .filter(|place| old.contains(place) || new.contains(place))
        .collect();
    ActionChanges {
        available: only_usable_in(trimmed.new, &new, &old, &stays),
        unavailable: only_usable_in(trimmed.old, &old, &new, &stays),
    }
}

fn place(facts: &ActionFacts) -> Place<'_> {
    (facts.action.id.as_str(), &facts.region)
}

/// Actions of which at least one can be used.
fn usable(actions: &[ActionFacts]) -> FastSet<Place<'_>> {
    let usable = actions.iter().filter(|facts| facts.availability.is_usable());
    usable.map(place).collect()
}

fn only_usable_in<'a>(
    actions: &'a [ActionFacts],
    here: &FastSet<Place<'a>>,
    other: &FastSet<Place<'_>>,
    stays: &FastSet<Place<'_>>,
) -> Vec<ActionId> {
    let mut seen = FastSet::default();
    let is_new = |place: &Place<'_>| here.contains(place) && !other.contains(place) && !stays.contains(place);
    (actions.iter())
        .filter(|facts| is_new(&place(facts)) && seen.insert(place(facts)))
        .map(|facts| facts.action.id.clone())
        .collect()
}

fn values(trimmed: &Trimmed<'_, ActionFacts>) -> Vec<ValueChange> {
    let old: FastMap<_, _> = open_actions(trimmed.old).collect();
    let changed =
        open_actions(trimmed.new).filter(|(key, facts)| old.get(key).is_some_and(|was| was.value != facts.value));
    changed
        .map(|(_, facts)| ValueChange {
            action: facts.action.id.clone(),
            record: facts.record.clone(),
            value: facts.value.as_ref().map_or(Value::Null, capped),
        })
        .collect()
}

type ActionKey<'a> = ((Place<'a>, Option<&'a RecordId>), usize);

/// Actions whose values may be told, and are not told as fields of a record.
fn open_actions(actions: &[ActionFacts]) -> impl Iterator<Item = (ActionKey<'_>, &ActionFacts)> {
    let is_open = |facts: &&ActionFacts| !facts.action.sensitive && !facts.is_field;
    numbered((actions.iter().filter(is_open)).map(|facts| ((place(facts), facts.record.as_ref()), facts)))
}

fn state(before: &Snapshot, after: &Snapshot) -> Vec<StateChange> {
    let old: FastMap<_, _> = state_places(before).collect();
    let new: FastMap<_, _> = state_places(after).collect();
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
    let mut known: FastSet<_> = other.regions.iter().map(|facts| &facts.path).collect();
    let only_here = here.regions.iter().filter(|facts| known.insert(&facts.path));
    only_here.map(|facts| facts.region.id.clone()).collect()
}

/// What is new, and how much went. The same words twice are two.
fn feedback(before: &Snapshot, after: &Snapshot) -> (Vec<Feedback>, usize) {
    let mut old: FastMap<_, usize> = FastMap::default();
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
