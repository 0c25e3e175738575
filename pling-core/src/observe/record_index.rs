//! Which records there are, which are shown with fields, and which ids can be cited.
//!
//! One pass over the drawn records, then the first ids of each source. A record in two regions is one object.

use super::{Budget, regions::Regions};
use crate::{
    hash::{FastMap, FastSet},
    snapshot::{RecordFacts, Snapshot},
};

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

/// Where a listed id is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Group(usize),
    Leading,
}

/// Ids met so far.
#[derive(Default)]
struct Known<'a> {
    /// Ids that are drawn.
    drawn: FastSet<&'a str>,
    /// Ids that are listed: far fewer.
    listed: FastMap<&'a str, Place>,
}

impl<'a> RecordIndex<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, budget: &Budget, regions: &mut Regions<'a>) -> Self {
        let mut index = Self::default();
        let mut known = Known::default();
        known.drawn.reserve(snapshot.records.len());
        let mut drawn_of_source = vec![0_usize; snapshot.sources.len()];
        let mut room = Room::new(budget);
        // What the user works on now comes before what stands behind it.
        for facts in snapshot.records.iter().filter(|facts| facts.visible >= IN_VIEW) {
            let region = regions.at(&facts.region);
            if regions.rows[region].is_active() {
                index.show(region, facts, budget.max_records);
            }
        }
        for facts in &snapshot.records {
            let region = regions.at(&facts.region);
            let row = &mut regions.rows[region];
            row.drawn += 1;
            if facts.visible >= IN_VIEW {
                row.in_view += 1;
                index.show(region, facts, budget.max_records);
            }
            let id = facts.record.id.as_str();
            if !known.drawn.insert(id) {
                continue;
            }
            index.drawn += 1;
            if let Some(count) = facts.source.and_then(|source| drawn_of_source.get_mut(source)) {
                *count += 1;
            }
            if room.take(id) {
                let group = index.group(region, facts.source);
                index.groups[group].ids.push(id);
                known.listed.insert(id, Place::Group(group));
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
            index.cite_source(snapshot, source, region, &mut known, &mut room);
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

    /// The group of a region and source.
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
        known: &mut Known<'a>,
        room: &mut Room,
    ) {
        let first_ids = &snapshot.sources[source].first_ids;
        if first_ids.is_empty() {
            return;
        }
        let group = self.group(region, Some(source));
        let mut ids: Vec<&'a str> = Vec::with_capacity(first_ids.len());
        let mut gap = false;
        for id in first_ids.iter().map(AsRef::as_ref) {
            let takes = match known.listed.get(id) {
                Some(place) => *place == Place::Group(group),
                None => !known.drawn.contains(id) && room.take(id),
            };
            if takes {
                known.listed.insert(id, Place::Leading);
                ids.push(id);
                self.groups[group].leading += usize::from(!gap);
            } else {
                gap = true;
            }
        }
        let further = std::mem::take(&mut self.groups[group].ids);
        let is_further = |id: &&str| known.listed.get(id) == Some(&Place::Group(group));
        ids.extend(further.into_iter().filter(is_further));
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
