//! Finding the row of a record in the sources of a page, a slice at a time, while rows come and go.

use pling_core::{
    act::{Code, Refusal},
    model::{RecordId, RegionPath},
};

use crate::{collect::SeenSource, declare::Record};

/// Rows looked at in the pass in which a source is met: the application may know the row itself.
const FIRST_SLICE: usize = 64;
/// Rows of a source that are looked at in each pass after: about a millisecond's worth.
const SLICE: usize = 4096;
/// Times that a list is looked through which is never as long at the end as it was at the begin.
const MAX_SCANS: usize = 3;
/// How far a row may move between two passes and be found again at once.
const NEAR: usize = 64;

/// The search for one record.
#[derive(Debug)]
pub(crate) struct Lookup {
    wanted: RecordId,
    region: RegionPath,
    searches: Vec<Search>,
    /// Two rows have its id.
    twice: bool,
}

/// One source of the page.
#[derive(Debug)]
struct Search {
    id: String,
    region: RegionPath,
    /// The rows before it are other records.
    cursor: usize,
    /// How many rows it had when the search began.
    len: usize,
    /// Times that all of it was looked through.
    scans: usize,
    row: Option<usize>,
    /// The application finds rows itself.
    indexed: bool,
    over: bool,
    /// Whether it was declared in this round.
    declared: bool,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// There is more to look through.
    NotYet,
    /// The row is known.
    At,
    /// No source was declared that could have it.
    NoSource,
}

impl Search {
    fn is(&self, source: &SeenSource) -> bool {
        self.id == source.id && self.region == source.region
    }
}

impl Lookup {
    /// The search for a record that belongs to a place.
    pub(super) fn new(wanted: RecordId, region: RegionPath) -> Self {
        Self {
            wanted,
            region,
            searches: Vec::new(),
            twice: false,
        }
    }

    pub(crate) fn at_source(&mut self, source: &SeenSource, record: &mut dyn FnMut(usize) -> Record) {
        if !source.region.is_within(&self.region) && !self.region.is_within(&source.region) {
            return;
        }
        let known = self.searches.iter().position(|search| search.is(source));
        let at = known.unwrap_or(self.searches.len());
        if known.is_none() {
            self.searches.push(Search {
                id: source.id.clone(),
                region: source.region.clone(),
                cursor: 0,
                len: source.len,
                scans: 0,
                row: None,
                indexed: false,
                over: false,
                declared: true,
            });
        }
        let found_elsewhere = self.row().is_some_and(|(index, _)| index != at);
        let Self {
            wanted,
            searches,
            twice,
            ..
        } = self;
        let search = &mut searches[at];
        search.declared = true;
        if search.indexed || found_elsewhere {
            return;
        }
        let mut is_wanted = |row: &usize| record(*row).id() == Some(&*wanted);
        if let Some(row) = search.row {
            // Rows come and go above it.
            let near = row.saturating_sub(NEAR)..row.saturating_add(NEAR).min(source.len);
            search.row = [row]
                .into_iter()
                .filter(|row| *row < source.len)
                .chain(near)
                .find(&mut is_wanted);
            if search.row.is_some() {
                return;
            }
            (search.cursor, search.len, search.over, search.scans) = (0, source.len, false, 0);
        }
        if search.over {
            return;
        }
        let slice = if known.is_none() { FIRST_SLICE } else { SLICE };
        let end = search.cursor.saturating_add(slice).min(source.len);
        let mut found = (search.cursor..end).filter(&mut is_wanted);
        search.row = found.next();
        *twice = search.row.is_some() && found.next().is_some();
        search.cursor = end;
        if search.row.is_none() && end >= source.len {
            // Rows that were taken out above may have moved it to where it was not looked for any more.
            search.scans += 1;
            search.over = source.len == search.len || search.scans >= MAX_SCANS;
            (search.cursor, search.len) = (0, source.len);
        }
    }

    pub(crate) fn index_of(&mut self, source: &SeenSource, find: impl FnOnce(&RecordId) -> Option<usize>) {
        if let Some(search) = self.searches.iter_mut().find(|search| search.is(source)) {
            search.indexed = true;
            search.row = find(&self.wanted);
            search.over = search.row.is_none();
        }
    }

    /// The row of the record, if it is in this source.
    pub(crate) fn row_in(&self, source: &SeenSource) -> Option<usize> {
        self.searches.iter().find(|search| search.is(source))?.row
    }

    fn row(&self) -> Option<(usize, usize)> {
        let mut rows = self.searches.iter().enumerate();
        rows.find_map(|(index, search)| Some((index, search.row?)))
    }

    /// Every window was drawn.
    pub(super) fn end_round(&mut self) -> Result<Found, Refusal> {
        if self.twice {
            let message = "more than one row of the list has this id; nothing was run";
            return Err(Refusal::new(Code::AmbiguousTarget, message));
        }
        // A source that is not declared any more cannot be looked through.
        self.searches.retain(|search| search.declared);
        for search in &mut self.searches {
            search.declared = false;
        }
        if self.searches.is_empty() {
            return Ok(Found::NoSource);
        }
        if self.row().is_some() {
            return Ok(Found::At);
        }
        if self.searches.iter().all(|search| search.over) {
            let message = "the list has no record of this id";
            return Err(Refusal::new(Code::UnknownRecord, message));
        }
        Ok(Found::NotYet)
    }
}
