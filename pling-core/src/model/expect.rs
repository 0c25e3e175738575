//! What an author expects to see after an action.

use std::time::Duration;

use serde_json::Value;

use super::{Level, RecordId, RegionId};

/// A condition on the page after an action.
///
/// It is looked for when the page has come to rest, and from then on until its time is over: 30 seconds, or less
/// where [`Self::within`] says so. Seen once, it is met. Unmet, the receipt is `EXPECTATION_FAILED`; a page that
/// answers with new feedback of level error, and is not busy, is not waited for any longer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Expect {
    /// Anything observable differs.
    Changed,
    /// A record appears; `None` for any.
    RecordAdded(Option<RecordId>),
    /// A record is gone; `None` for any.
    RecordRemoved(Option<RecordId>),
    /// A record's label or fields differ; `None` for any.
    RecordChanged(Option<RecordId>),
    /// A region is on the page.
    RegionOpened(RegionId),
    /// A region is not on the page.
    RegionClosed(RegionId),
    /// A state view has this value.
    StateEquals(String, Value),
    /// Feedback of this level is shown.
    Feedback(Level),
    /// No feedback of level error is shown.
    NoError,
    /// Another condition with its own time, see [`Self::within`].
    Within(Box<Self>, Duration),
}

impl Expect {
    /// Anything observable differs.
    #[must_use]
    pub fn changed() -> Self {
        Self::Changed
    }

    /// Some record appears.
    #[must_use]
    pub fn record_added() -> Self {
        Self::RecordAdded(None)
    }

    /// Some record is gone.
    #[must_use]
    pub fn record_removed() -> Self {
        Self::RecordRemoved(None)
    }

    /// Some record's label or fields differ.
    #[must_use]
    pub fn record_changed() -> Self {
        Self::RecordChanged(None)
    }

    /// The region is on the page.
    #[must_use]
    pub fn region_opened(id: impl Into<RegionId>) -> Self {
        Self::RegionOpened(id.into())
    }

    /// The region is not on the page.
    #[must_use]
    pub fn region_closed(id: impl Into<RegionId>) -> Self {
        Self::RegionClosed(id.into())
    }

    /// The state view has this value.
    #[must_use]
    pub fn state(name: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::StateEquals(name.into(), value.into())
    }

    /// Feedback of this level is shown.
    #[must_use]
    pub fn feedback(level: Level) -> Self {
        Self::Feedback(level)
    }

    /// No feedback of level error is shown.
    #[must_use]
    pub fn no_error() -> Self {
        Self::NoError
    }

    /// Gives it its own time after the page has come to rest, at most 30 seconds. Zero: what is there then, or never.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        match self {
            Self::Within(condition, _) => Self::Within(condition, time),
            condition => Self::Within(Box::new(condition), time),
        }
    }

    /// The condition without its time, and the time.
    pub(crate) fn parts(&self) -> (&Self, Option<Duration>) {
        match self {
            Self::Within(condition, time) => (condition.parts().0, Some(*time)),
            condition => (condition, None),
        }
    }
}
