//! One file for each kind of fact. A section begins with its heading and says what it leaves out.

mod actions;
mod feedback;
mod page;
mod records;
mod regions;
mod state;
mod values;

use super::view::View;

pub(super) use actions::facts;

/// A part of the observation's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind {
    /// Which page it is.
    Page,
    /// Its regions, with what they hold.
    Structure,
    /// What can be done now.
    Actions,
    /// What exists but cannot be done now, and why.
    Unavailable,
    /// Records in view, with their fields.
    Records,
    /// Ids that can be passed as `record`.
    CitationIds,
    /// What is there and not shown, and how to get at it.
    Hidden,
    /// Read-only values.
    State,
    /// What the page tells its user.
    Feedback,
}

type Write = fn(&mut View<'_>, &mut String);

/// Every section, in the order a reader sees them.
pub(super) const SECTIONS: [(SectionKind, Write); 9] = [
    (SectionKind::Page, page::write),
    (SectionKind::Structure, regions::write),
    (SectionKind::Actions, actions::write),
    (SectionKind::Unavailable, actions::write_unavailable),
    (SectionKind::Records, records::write),
    (SectionKind::CitationIds, records::write_ids),
    (SectionKind::Hidden, regions::write_hidden),
    (SectionKind::State, state::write),
    (SectionKind::Feedback, feedback::write),
];

/// Lines of one section within a limit of characters: what does not fit is left out, and room is kept to say so.
struct Lines<'a> {
    out: &'a mut String,
    left: usize,
}

impl<'a> Lines<'a> {
    /// Begins a section with its heading. A limit too small for the heading and the mark leaves only these.
    fn begin(out: &'a mut String, heading: &str, max_chars: usize, mark_chars: usize) -> Self {
        out.push_str(heading);
        let used = heading.chars().count() + mark_chars;
        Self {
            out,
            left: max_chars.saturating_sub(used),
        }
    }

    /// Adds a piece if it fits.
    fn push(&mut self, piece: &str) -> bool {
        let chars = piece.chars().count();
        if chars > self.left {
            return false;
        }
        self.left -= chars;
        self.out.push_str(piece);
        true
    }

    /// Adds what room was kept for.
    fn mark(&mut self, mark: &str) {
        self.out.push_str(mark);
    }
}
