//! One entry for all actions that a reader cannot tell apart: same id, same region, same shape.
//!
//! One pass over the snapshot, nothing cloned. Entries are in the order of their first declaration.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use super::regions::Regions;
use crate::{
    hash::{FastMap, Seeded},
    model::{Action, Input},
    snapshot::{ActionFacts, Availability, Snapshot},
};

/// Distinct reasons kept for one entry; others are counted.
const MAX_REASONS: usize = 3;

/// Room made at first for distinct actions; most pages have fewer.
const DISTINCT_IDS: usize = 512;

/// Actions that are offered as one.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// The first of them.
    pub(super) first: &'a ActionFacts,
    /// Index of the region they are declared in.
    pub(super) region: usize,
    /// How many there are: rows, where they are declared in records.
    pub(super) count: usize,
    /// How many can be used, those outside the viewport included.
    pub(super) usable: usize,
    /// How many can be used and are outside the viewport.
    pub(super) offscreen: usize,
    /// Why the others cannot be used, each reason with a count.
    pub(super) reasons: Vec<(&'a Availability, usize)>,
    /// How many have yet another reason.
    pub(super) other_reasons: usize,
    /// Whether it is within the budget.
    pub(super) listed: bool,
    /// The entry that was declared after it the last time.
    followed_by: usize,
}

impl<'a> Entry<'a> {
    fn new(first: &'a ActionFacts, region: usize) -> Self {
        Self {
            first,
            region,
            count: 0,
            usable: 0,
            offscreen: 0,
            reasons: Vec::new(),
            other_reasons: 0,
            listed: false,
            followed_by: usize::MAX,
        }
    }

    pub(super) fn action(&self) -> &'a Action {
        &self.first.action
    }

    pub(super) fn takes_record(&self) -> bool {
        self.first.record.is_some()
    }

    pub(super) fn is_usable(&self) -> bool {
        self.usable > 0
    }

    fn add(&mut self, facts: &'a ActionFacts) {
        self.count += 1;
        if facts.availability.is_usable() {
            self.usable += 1;
            self.offscreen += usize::from(facts.availability == Availability::Offscreen);
        } else if let Some((_, count)) = self
            .reasons
            .iter_mut()
            .find(|(reason, _)| same_reason(reason, &facts.availability))
        {
            *count += 1;
        } else if self.reasons.len() < MAX_REASONS {
            self.reasons.push((&facts.availability, 1));
        } else {
            self.other_reasons += 1;
        }
    }

    fn accepts(&self, facts: &ActionFacts) -> bool {
        let action = self.action();
        self.takes_record() == facts.record.is_some()
            && (std::ptr::eq(action, &raw const *facts.action) || action.same_shape(&facts.action))
    }
}

fn same_reason(a: &Availability, b: &Availability) -> bool {
    // How long something has been away is no reason of its own.
    a == b || matches!((a, b), (Availability::NotDrawn { .. }, Availability::NotDrawn { .. }))
}

/// Folds every action of a snapshot and marks the `max_listed` that a reader needs most: those in view, then those
/// scrolled to when called, then those that cannot be used.
///
/// The second list says for each action of the snapshot which entry it is in.
pub(super) fn fold<'a>(
    snapshot: &'a Snapshot,
    regions: &mut Regions<'a>,
    max_listed: usize,
) -> (Vec<Entry<'a>>, Vec<usize>) {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    let mut entry_of = Vec::with_capacity(snapshot.actions.len());
    // Rows mostly declare what the row before declared, in the same order. Where they do not, the last of the same id
    // is tried, and only then are shapes looked up by hash.
    let mut previous = usize::MAX;
    let mut latest: FastMap<(usize, &str), usize> = FastMap::default();
    let mut by_shape: FastMap<(usize, u64), usize> = FastMap::default();
    latest.reserve(snapshot.actions.len().min(DISTINCT_IDS));
    by_shape.reserve(snapshot.actions.len().min(DISTINCT_IDS));
    for facts in &snapshot.actions {
        let region = regions.at(&facts.region);
        let fits = |entries: &[Entry<'_>], index: usize| {
            let entry = entries.get(index);
            entry.is_some_and(|entry| entry.region == region && entry.accepts(facts))
        };
        let expected = entries.get(previous).map_or(usize::MAX, |entry| entry.followed_by);
        let index = if fits(&entries, expected) {
            expected
        } else {
            let id = facts.action.id.as_str();
            let latest = latest.entry((region, id)).or_insert(usize::MAX);
            if !fits(&entries, *latest) {
                let mut shape = shape_hash(facts);
                // Another shape of the same hash: the next number stands for this one.
                while let Some(index) = by_shape.get(&(region, shape))
                    && !fits(&entries, *index)
                {
                    shape = shape.wrapping_add(1);
                }
                *latest = *by_shape.entry((region, shape)).or_insert_with(|| {
                    entries.push(Entry::new(facts, region));
                    entries.len() - 1
                });
            }
            *latest
        };
        if let Some(entry) = entries.get_mut(previous) {
            entry.followed_by = index;
        }
        previous = index;
        entries[index].add(facts);
        entry_of.push(index);
    }
    mark_listed(&mut entries, max_listed);
    (entries, entry_of)
}

fn mark_listed(entries: &mut [Entry<'_>], max_listed: usize) {
    let need = |entry: &Entry<'_>| match entry {
        entry if !entry.is_usable() => 2,
        entry => usize::from(entry.offscreen == entry.count),
    };
    // A few places are kept for what cannot be used, so that a reader does not take it for missing.
    let unusable = entries.iter().filter(|entry| !entry.is_usable()).count();
    let kept = unusable.min(max_listed / 8);
    let mut left = max_listed - kept;
    for rank in 0..3 {
        if rank == 2 {
            left += kept;
        }
        let ranked = entries.iter_mut().filter(|entry| need(entry) == rank);
        for entry in ranked.take(left) {
            entry.listed = true;
            left -= 1;
        }
    }
}

/// Equal for actions of one shape; says nothing about others.
fn shape_hash(facts: &ActionFacts) -> u64 {
    let Action {
        id, description, input, ..
    } = &*facts.action;
    let mut hasher = Seeded::default().build_hasher();
    (id, description, input.verb(), facts.record.is_some()).hash(&mut hasher);
    match input {
        Input::Choice { choices } => choices.hash(&mut hasher),
        Input::Schema(schema) => schema.hash(&mut hasher),
        // Adding zero makes the two zeros, which are equal, the same bits.
        Input::Number { min, max } => [min, max]
            .map(|bound| bound.map(|n| (n + 0.0).to_bits()))
            .hash(&mut hasher),
        Input::Click | Input::Toggle | Input::Text { .. } | Input::Expand => {}
    }
    hasher.finish()
}
