//! A named part of a page.

use serde::Serialize;

use super::RegionId;

/// What sort of part a region is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RegionRole {
    /// Any part of the page.
    #[default]
    Group,
    /// A list of records.
    List,
    /// A table of records.
    Table,
    /// A form.
    Form,
    /// A tool bar or menu bar.
    Toolbar,
    /// A way to other pages.
    Navigation,
    /// A dialog or window of its own.
    Dialog,
}

impl RegionRole {
    /// The word shown to models, such as `list`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::List => "list",
            Self::Table => "table",
            Self::Form => "form",
            Self::Toolbar => "toolbar",
            Self::Navigation => "navigation",
            Self::Dialog => "dialog",
        }
    }
}

/// A named part of a page. All text is authored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region {
    /// The author's name of it.
    pub id: RegionId,
    /// What a user would call it.
    pub label: String,
    /// What it is for; may be empty.
    pub purpose: String,
    /// What sort of part it is.
    pub role: RegionRole,
    /// How many records it holds in all, where the author says so.
    pub total: Option<usize>,
    /// Whether it takes all input while it is open.
    pub modal: bool,
}

impl Region {
    /// A region with a name and a label.
    #[must_use]
    pub fn new(id: impl Into<RegionId>, label: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            label: label.into(),
            purpose: String::new(),
            role: RegionRole::default(),
            total: None,
            modal: false,
        }
    }
}
