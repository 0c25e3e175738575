//! What was ever on the page: so that "gone" and "never there" differ.

use std::{
    collections::{HashSet, VecDeque},
    hash::Hash,
    sync::Arc,
};

use crate::{
    model::{ActionId, RecordId},
    observe::Observation,
    snapshot::Snapshot,
};

/// Ids kept of each kind; beyond it the oldest are forgotten, and a call on them is "unknown" rather than "gone".
const CAPACITY: usize = 10_000;

/// A bounded memory of the ids that were on the page.
#[derive(Debug)]
pub(super) struct Seen {
    actions: Memory<ActionId>,
    records: Memory<RecordId>,
    /// The last snapshot taken in, so that looking at it again costs nothing.
    last: Option<Arc<Snapshot>>,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    fn with_capacity(capacity: usize) -> Self {
        Self {
            actions: Memory::new(capacity),
            records: Memory::new(capacity),
            last: None,
        }
    }

    /// Takes in the ids of a snapshot.
    pub(super) fn snapshot(&mut self, snapshot: &Arc<Snapshot>) {
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, snapshot)) {
            return;
        }
        for facts in &snapshot.actions {
            self.actions.insert(&facts.action.id);
        }
        for facts in &snapshot.records {
            self.records.insert(&facts.record.id);
        }
        for id in snapshot.sources.iter().flat_map(|source| &source.first_ids) {
            self.records.insert(id);
        }
        self.last = Some(Arc::clone(snapshot));
    }

    /// Takes in the names under which an observation offered its actions; they may differ from the ids.
    pub(super) fn observation(&mut self, observation: &Observation) {
        for tool in observation.tools.iter().chain(&observation.unavailable) {
            self.actions.insert(&ActionId::from(tool.name.as_str()));
        }
        self.snapshot(&observation.snapshot);
    }

    /// Takes in the id of a record that a search found.
    pub(super) fn found(&mut self, id: &str) {
        self.records.insert(&RecordId::from(id));
    }

    /// Whether an action or tool of this name was ever here.
    pub(super) fn knows_action(&self, name: &str) -> bool {
        self.actions.known.contains(name)
    }

    /// Whether a record of this id was ever here.
    pub(super) fn knows_record(&self, id: &RecordId) -> bool {
        self.records.known.contains(id)
    }
}

/// A set that forgets its oldest members.
#[derive(Debug)]
struct Memory<T> {
    known: HashSet<T>,
    order: VecDeque<T>,
    capacity: usize,
}

impl<T: Clone + Eq + Hash> Memory<T> {
    fn new(capacity: usize) -> Self {
        Self {
            known: HashSet::new(),
            order: VecDeque::new(),
            capacity,
        }
    }

    fn insert(&mut self, id: &T) {
        if self.known.contains(id) {
            return;
        }
        if self.order.len() == self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.known.insert(id.clone());
        self.order.push_back(id.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Record, snapshot::RecordFacts};

    #[test]
    fn forgets_the_oldest_beyond_its_capacity() {
        let mut seen = Seen::with_capacity(3);
        for id in ["a", "b", "c", "a", "d"] {
            let mut snapshot = Snapshot::new(1);
            snapshot.records.push(RecordFacts::new(Record::new(id, id)));
            seen.snapshot(&Arc::new(snapshot));
        }
        let knows = ["a", "b", "c", "d"].map(|id| seen.knows_record(&RecordId::from(id)));
        assert_eq!(knows, [false, true, true, true]);
    }
}
