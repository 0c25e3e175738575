//! The difference of two snapshots: what a receipt may claim.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Snapshot, compare};
use crate::model::{ActionId, Feedback, RecordId, RegionId};

/// What differs between two snapshots. What only moved in or out of the viewport does not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Changes {
    /// Records that came, went or differ.
    #[serde(skip_serializing_if = "RecordChanges::is_empty")]
    pub records: RecordChanges,
    /// Actions that came, went, or can be used now and could not before (or the reverse).
    #[serde(skip_serializing_if = "ActionChanges::is_empty")]
    pub actions: ActionChanges,
    /// Widgets with another value, such as a text that was typed. Sensitive ones never appear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueChange>,
    /// State views with another value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<StateChange>,
    /// Regions that appeared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<RegionId>,
    /// Regions that went.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<RegionId>,
    /// Feedback that is new.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<Feedback>,
    /// Feedback that went; only counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub feedback_gone: usize,
    /// Whether title, path, route, parameters or query differ.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub page: bool,
    /// Entries of the lists above that are left out, each list holding at most 20.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Records that came, went or differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordChanges {
    /// New ids, in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<RecordId>,
    /// Ids that went, in their former order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<RecordId>,
    /// Records whose label or fields differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<RecordChange>,
    /// Sources with another number of records. Which of them came or went is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<CountChange>,
}

impl RecordChanges {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One record whose label or fields differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RecordChange {
    /// Which record.
    pub id: RecordId,
    /// The new values of what differs; the label under `label`, the region of a record that moved under `region`,
    /// the kind under `kind`, `null` for a field that is not shown any more. Long values are cut. Sensitive fields
    /// never appear. An object in JSON.
    #[serde(serialize_with = "as_object")]
    pub fields: Vec<(String, Value)>,
}

fn as_object<S: Serializer>(fields: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
}

/// A source with another number of records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CountChange {
    /// The source's name.
    pub source: String,
    /// Records before.
    pub before: usize,
    /// Records after.
    pub after: usize,
}

/// Actions that came, went, or whose usability differs. An action with rows counts once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ActionChanges {
    /// Usable now, not before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available: Vec<ActionId>,
    /// Usable before, not now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<ActionId>,
}

impl ActionChanges {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A widget with another value than before.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ValueChange {
    /// The action that its author declared on it.
    pub action: ActionId,
    /// The record it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
    /// The value now, cut where it is long; null when it has none any more.
    pub value: Value,
}

/// A state view with another value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StateChange {
    /// Its name.
    pub name: String,
    /// The value before; absent when it was not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value now; absent when it is not declared any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

impl Changes {
    /// Compares two snapshots of one host.
    #[must_use]
    pub fn between(before: &Snapshot, after: &Snapshot) -> Self {
        compare::changes(before, after)
    }

    /// Whether anything differs.
    #[must_use]
    pub fn observed(&self) -> bool {
        *self != Self::default()
    }
}
