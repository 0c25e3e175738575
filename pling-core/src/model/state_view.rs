//! A named read-only value.

use serde_json::Value;

use super::RegionPath;

/// A read-only value that explains the page: a filter, a selection, a total.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StateView {
    /// Its name; authored.
    pub name: String,
    /// What it means; authored.
    pub description: String,
    /// Its value; page data. `None`: sensitive, withheld at the source.
    pub value: Option<Value>,
    /// Where it was declared.
    pub region: RegionPath,
}

impl StateView {
    /// A readable state view.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, value: Option<Value>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            value,
            region: RegionPath::root(),
        }
    }
}
