//! What the page tells its user.

use std::fmt;

use serde::Serialize;

use super::{ActionId, RecordId, RegionPath};

/// How serious a piece of feedback is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Something was refused or failed.
    Error,
    /// Something deserves attention.
    Warning,
    /// Something is being told.
    #[default]
    Info,
    /// Something worked.
    Success,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
            Self::Success => "success",
        })
    }
}

/// A validation error, warning or status that the page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Feedback {
    /// How serious it is.
    pub level: Level,
    /// The action whose input it is about. Authored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<ActionId>,
    /// The text shown. Page data; empty until the page's own text is filled in.
    pub text: String,
    /// The region it is shown in.
    #[serde(skip_serializing_if = "RegionPath::is_root")]
    pub region: RegionPath,
    /// The record it is shown in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordId>,
}

impl Feedback {
    /// Feedback of a level, with no text yet.
    #[must_use]
    pub fn new(level: Level) -> Self {
        Self {
            level,
            ..Self::default()
        }
    }

    /// Something was refused or failed.
    #[must_use]
    pub fn error() -> Self {
        Self::new(Level::Error)
    }

    /// Something deserves attention.
    #[must_use]
    pub fn warning() -> Self {
        Self::new(Level::Warning)
    }

    /// Something is being told.
    #[must_use]
    pub fn info() -> Self {
        Self::new(Level::Info)
    }

    /// Something worked.
    #[must_use]
    pub fn success() -> Self {
        Self::new(Level::Success)
    }

    /// Names the action whose input this is about.
    #[must_use]
    pub fn for_field(mut self, action: impl Into<ActionId>) -> Self {
        self.field = Some(action.into());
        self
    }
}

impl From<Level> for Feedback {
    fn from(level: Level) -> Self {
        Self::new(level)
    }
}
