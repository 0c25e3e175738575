//! A business object.

use serde_json::Value;

use super::RecordId;

/// A business object with the application's own stable id. All of it is page data except field names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// The application's own id.
    pub id: RecordId,
    /// What a user would call it.
    pub label: String,
    /// What sort of object it is, such as `task`; empty when there is only one sort.
    pub kind: String,
    /// Readable fields in declared order. A sensitive field has the value `None`: it never enters a snapshot.
    pub fields: Vec<(String, Option<Value>)>,
}

impl Record {
    /// A record with no fields.
    #[must_use]
    pub fn new(id: impl Into<RecordId>, label: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            label: label.into(),
            kind: String::new(),
            fields: Vec::new(),
        }
    }
}
