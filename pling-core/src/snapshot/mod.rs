//! The facts of one moment, and the difference of two moments.
//!
//! A [`Snapshot`] is built whole by a host from one kept pass and never edited. Everything is in document order.

mod availability;
mod compare;
mod diff;

use std::sync::Arc;

use serde_json::Value;

pub use availability::Availability;
pub use diff::{ActionChanges, Changes, CountChange, RecordChange, RecordChanges, StateChange, ValueChange};

use crate::model::{Action, Feedback, PageIdentity, Record, RecordId, Region, RegionPath, StateView};

/// The immutable facts of one moment.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Grows with every snapshot of one host; equal content may have different revisions.
    pub revision: u64,
    /// Where the user is.
    pub page: PageIdentity,
    /// Parts of the page, parents before their children.
    pub regions: Vec<RegionFacts>,
    /// Every declared action, one for each widget (not folded).
    pub actions: Vec<ActionFacts>,
    /// Every record that was drawn.
    pub records: Vec<RecordFacts>,
    /// Record sets of which only a part is drawn.
    pub sources: Vec<SourceFacts>,
    /// Read-only values.
    pub state: Vec<StateView>,
    /// What the page tells its user.
    pub feedback: Vec<Feedback>,
    /// What the app is waiting for; empty when it is not.
    pub busy: Vec<String>,
    /// Mistakes in declarations, for developers: such as a duplicate record id. Never sent to a model.
    pub faults: Vec<String>,
}

impl Snapshot {
    /// An empty page.
    #[must_use]
    pub fn new(revision: u64) -> Self {
        Self {
            revision,
            ..Self::default()
        }
    }

    /// Whether two snapshots say the same; the revision does not count.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        let Self {
            revision: _,
            page,
            regions,
            actions,
            records,
            sources,
            state,
            feedback,
            busy,
            faults: _,
        } = self;
        *page == other.page
            && *regions == other.regions
            && *actions == other.actions
            && *records == other.records
            && *sources == other.sources
            && *state == other.state
            && *feedback == other.feedback
            && *busy == other.busy
    }

    /// The region at a path.
    #[must_use]
    pub fn region(&self, path: &RegionPath) -> Option<&RegionFacts> {
        self.regions.iter().find(|facts| facts.path == *path)
    }

    /// What changed from this snapshot to a later one.
    #[must_use]
    pub fn changes_to(&self, after: &Self) -> Changes {
        Changes::between(self, after)
    }
}

/// A region on the page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RegionFacts {
    /// What its author declared.
    pub region: Region,
    /// Its full path, its own id last.
    pub path: RegionPath,
    /// The share of its area inside the viewport, 0 to 1. Not compared by [`Changes`].
    pub visible: f32,
    /// Whether it is the dialog or window in front, which is where the user works now. Not compared by [`Changes`].
    pub active: bool,
}

impl RegionFacts {
    /// A region fully inside the viewport.
    #[must_use]
    pub fn new(region: Region, path: RegionPath) -> Self {
        Self {
            region,
            path,
            visible: 1.0,
            active: false,
        }
    }
}

/// One declared action: one widget, or one function tool.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ActionFacts {
    /// What its author declared, with the input as observed on the widget.
    pub action: Arc<Action>,
    /// Where it was declared.
    pub region: RegionPath,
    /// The record it was declared in.
    pub record: Option<RecordId>,
    /// Whether it can be used now.
    pub availability: Availability,
    /// The widget's current value: a text, number, choice or check mark. Page data. `None`: none or withheld.
    pub value: Option<Value>,
    /// Whether the value is a field of the record as well, and so is told there and not here.
    pub is_field: bool,
}

impl ActionFacts {
    /// An available action at the page's root.
    #[must_use]
    pub fn new(action: impl Into<Arc<Action>>) -> Self {
        Self {
            action: action.into(),
            region: RegionPath::root(),
            record: None,
            availability: Availability::Available,
            value: None,
            is_field: false,
        }
    }

    /// The value, as far as it may be told: not that of a sensitive action, nor one that nobody can see.
    #[must_use]
    pub fn shown_value(&self) -> Option<&Value> {
        let is_seen = !matches!(self.availability, Availability::Hidden | Availability::NotDrawn { .. });
        self.value.as_ref().filter(|_| is_seen && !self.action.sensitive)
    }
}

/// A record that was drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecordFacts {
    /// What its author declared.
    pub record: Arc<Record>,
    /// Where it was declared.
    pub region: RegionPath,
    /// The share of its area inside the viewport, 0 to 1. Not compared by [`Changes`].
    pub visible: f32,
    /// Index into [`Snapshot::sources`] of the set it belongs to, if any.
    pub source: Option<usize>,
}

impl RecordFacts {
    /// A record fully inside the viewport, at the page's root.
    #[must_use]
    pub fn new(record: impl Into<Arc<Record>>) -> Self {
        Self {
            record: record.into(),
            region: RegionPath::root(),
            visible: 1.0,
            source: None,
        }
    }
}

/// A set of records of which only a part is drawn.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SourceFacts {
    /// The author's name of the set.
    pub id: String,
    /// Where it was declared.
    pub region: RegionPath,
    /// How many records it holds.
    pub len: usize,
    /// The first ids, in order; bounded by the host.
    pub first_ids: Vec<RecordId>,
}

impl SourceFacts {
    /// A set at the page's root.
    #[must_use]
    pub fn new(id: impl Into<String>, len: usize) -> Self {
        Self {
            id: id.into(),
            region: RegionPath::root(),
            len,
            first_ids: Vec::new(),
        }
    }
}
