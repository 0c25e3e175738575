//! Whether an action can be used now, and if not, why.

use std::fmt;

use crate::text::quoted;

/// Characters of the name of what covers.
const NAME_CHARS: usize = 100;

/// Whether an action can be used now: a closed set, so that a match on it is complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Availability {
    /// It can be used as it stands.
    #[default]
    Available,
    /// Its widget is disabled and nobody said why.
    Disabled,
    /// Its author says what is missing. Authored.
    Requires(String),
    /// Something lies over it; the name of the dialog or window. Page data.
    CoveredBy(String),
    /// Outside the viewport. It can be used: it is scrolled into view first.
    Offscreen,
    /// It was here before and is not drawn now.
    NotDrawn {
        /// The revision of the snapshot in which it was last seen.
        since: u64,
    },
    /// Drawn invisible.
    Hidden,
    /// The window it is in is hidden or minimized.
    WindowHidden,
    /// Only a human may do it; the author's reason. A call becomes a handoff. Authored.
    Handoff(String),
}

impl Availability {
    /// Whether a call may go ahead (for [`Self::Handoff`]: by asking the human).
    #[must_use]
    pub fn is_usable(&self) -> bool {
        matches!(self, Self::Available | Self::Offscreen | Self::Handoff(_))
    }

    /// The stable machine-readable word, such as `covered_by`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Disabled => "disabled",
            Self::Requires(_) => "requires",
            Self::CoveredBy(_) => "covered_by",
            Self::Offscreen => "offscreen",
            Self::NotDrawn { .. } => "not_drawn",
            Self::Hidden => "hidden",
            Self::WindowHidden => "window_hidden",
            Self::Handoff(_) => "handoff",
        }
    }
}

/// The words for a model.
impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Available => f.write_str("available"),
            Self::Disabled => f.write_str("disabled"),
            Self::Requires(reason) => write!(f, "requires: {reason}"),
            Self::CoveredBy(name) => write!(f, "covered by {}", quoted(name, NAME_CHARS)),
            Self::Offscreen => f.write_str("outside the viewport, scrolled into view when called"),
            Self::NotDrawn { .. } => f.write_str("not on the page now"),
            Self::Hidden => f.write_str("hidden"),
            Self::WindowHidden => f.write_str("its window is hidden or minimized"),
            Self::Handoff(reason) => write!(f, "only the user can do this: {reason}"),
        }
    }
}
