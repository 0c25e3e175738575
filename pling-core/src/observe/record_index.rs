//! Which records there are, which are shown with fields, and which ids can be cited.
//!
//! One pass over the drawn records, then the first ids of each source. A record in two regions is one object.

use std::collections::HashMap;

use super::{Budget, regions::Regions};
use crate::snapshot::{RecordFacts, Snapshot};

/// Ids longer than this are counted, not listed: a model would not copy them right.
pub(super) const ID_CHARS: usize = 200;
/// Characters that an id may take on average.
const AVERAGE_ID_CHARS: usize = 48;
/// The share of a record that must be inside the viewport for its fields to be shown.
const IN_VIEW: f32 = 0.5;

/// The records of a snapshot.
#[derive(Debug, Default)]
pub(super) struct RecordIndex<'a> {
    /// Records in view with the index of their region, once for each region, within the budget.
    pub(super) shown: Vec<(usize, &'a RecordFacts)>,
    /// Ids to cite, by region and source.
    pub(super) groups: Vec<Group<'a>>,
    /// Distinct records: all that were drawn, and all of the sources.
    pub(super) total: usize,
    /// Distinct ids in `groups`.
    pub(super) cited: usize,
    /// Distinct records that are drawn.
    pub(super) drawn: usize,
}

/// Ids of one region, and of one source if they have one.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) region: usize,
    pub(super) source: Option<usize>,
    pub(super) ids: Vec<&'a str>,
    /// How many of the ids, from the start, are the source's first ones without a gap.
    pub(super) leading: usize,
}

/// Where an id is listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Group(usize),
    Leading,
}

impl<'a> RecordIndex<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, budget: &Budget, regions: &mut Regions<'a>) -> Self {
        let mut index = Self::default();
        let mut places: HashMap<&'a str, Place> = HashMap::with_capacity(snapshot.records.len());
        let mut drawn_of_source = vec![0_usize; snapshot.sources.len()];
        let mut room = Room::new(budget);
        for facts in &snapshot.records {
            let region = regions.at(&facts.region);
            let row = &mut regions.rows[region];
            row.drawn += 1;
            if facts.visible >= IN_VIEW {
                row.in_view += 1;
                index.show(region, facts, budget.max_records);
            }
            let id = facts.record.id.as_str();
            let mut is_new = false;
            places.entry(id).or_insert_with(|| {
                is_new = true;
                if room.take(id) {
                    Place::Group(index.cite(region, facts.source, id))
                } else {
                    Place::Nowhere
                }
            });
            if is_new {
                index.drawn += 1;
                if let Some(count) = facts.source.and_then(|source| drawn_of_source.get_mut(source)) {
                    *count += 1;
                }
            }
        }
        index.total = index.drawn;
        for (source, facts) in snapshot.sources.iter().enumerate() {
            let undrawn = facts
                .len
                .max(facts.first_ids.len())
                .saturating_sub(drawn_of_source[source]);
            index.total = index.total.saturating_add(undrawn);
            let region = regions.at(&facts.region);
            let sum = &mut regions.rows[region].undrawn;
            *sum = sum.saturating_add(undrawn);
            index.cite_source(snapshot, source, region, &mut places, &mut room);
        }
        index.cited = index.groups.iter().map(|group| group.ids.len()).sum();
        index
    }

    fn show(&mut self, region: usize, facts: &'a RecordFacts, max_records: usize) {
        let again = |shown: &(usize, &RecordFacts)| shown.0 == region && shown.1.record.id == facts.record.id;
        if self.shown.len() < max_records && !self.shown.iter().any(again) {
            self.shown.push((region, facts));
        }
    }

    /// Adds an id to the group of its region and source; returns the group.
    fn cite(&mut self, region: usize, source: Option<usize>, id: &'a str) -> usize {
        let group = self.group(region, source);
        self.groups[group].ids.push(id);
        group
    }

    fn group(&mut self, region: usize, source: Option<usize>) -> usize {
        let found = (self.groups.iter()).rposition(|group| group.region == region && group.source == source);
        found.unwrap_or_else(|| {
            self.groups.push(Group {
                region,
                source,
                ids: Vec::new(),
                leading: 0,
            });
            self.groups.len() - 1
        })
    }

    /// Puts the first ids of a source, in their order, before those drawn further down.
    fn cite_source(
        &mut self,
        snapshot: &'a Snapshot,
        source: usize,
        region: usize,
        places: &mut HashMap<&'a str, Place>,
        room: &mut Room,
    ) {
        let first_ids = &snapshot.sources[source].first_ids;
        if first_ids.is_empty() {
            return;
        }
        let group = self.group(region, Some(source));
        let mut ids: Vec<&'a str> = Vec::with_capacity(first_ids.len());
        let mut gap = false;
        for id in first_ids {
            let place = places.entry(id.as_str()).or_insert(Place::Nowhere);
            let is_here = *place == Place::Group(group);
            if is_here || *place == Place::Nowhere && room.take(id.as_str()) {
                *place = Place::Leading;
                ids.push(id.as_str());
                self.groups[group].leading += usize::from(!gap);
            } else {
                gap = true;
            }
        }
        let further = std::mem::take(&mut self.groups[group].ids);
        ids.extend(
            further
                .into_iter()
                .filter(|id| places.get(id) == Some(&Place::Group(group))),
        );
        self.groups[group].ids = ids;
    }
}

/// What is left for ids.
struct Room {
    ids: usize,
    chars: usize,
}

impl Room {
    fn new(budget: &Budget) -> Self {
        Self {
            ids: budget.max_citation_ids,
            chars: budget.max_citation_ids.saturating_mul(AVERAGE_ID_CHARS),
        }
    }

    fn take(&mut self, id: &str) -> bool {
        if self.ids == 0 || id.len() > ID_CHARS || id.len() > self.chars {
            return false;
        }
        self.ids -= 1;
        self.chars -= id.len();
        true
    }
}
