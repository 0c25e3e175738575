//! The regions of a snapshot by path, with what they hold.

use std::collections::HashMap;

use super::text::{NAME_CHARS, authored};
use crate::{
    hash::FastMap,
    model::RegionPath,
    snapshot::{RegionFacts, Snapshot},
};

/// Index of the page itself, outside every region.
pub(super) const PAGE: usize = 0;

/// A region and what it holds directly, its inner regions not counted.
#[derive(Debug, Default)]
pub(super) struct RegionRow<'a> {
    /// `None`: the page itself, or a path that something was declared at although no region is there.
    pub(super) facts: Option<&'a RegionFacts>,
    /// `None`: the page itself.
    pub(super) path: Option<&'a RegionPath>,
    /// What it is called in text and tools: its own id, or its path where that is not unique.
    pub(super) name: String,
    /// Records drawn in it.
    pub(super) drawn: usize,
    /// Records drawn in it and at least half inside the viewport.
    pub(super) in_view: usize,
    /// Records of its sources that are not drawn.
    pub(super) undrawn: usize,
    /// Folded actions.
    pub(super) actions: usize,
    /// Folded actions of which something can be used.
    pub(super) usable: usize,
}

impl RegionRow<'_> {
    /// Records it holds, as far as anybody said.
    pub(super) fn total(&self) -> usize {
        let stated = self.facts.and_then(|facts| facts.region.total).unwrap_or(0);
        stated.max(self.drawn + self.undrawn)
    }

    /// Whether it is the dialog or window in front.
    pub(super) fn is_active(&self) -> bool {
        self.facts.is_some_and(|facts| facts.active)
    }

    /// Whether none of it is inside the viewport.
    pub(super) fn is_out_of_view(&self) -> bool {
        self.facts.is_some_and(|facts| facts.visible <= 0.0)
    }
}

/// The regions of a snapshot, in document order after the page itself.
#[derive(Debug)]
pub(super) struct Regions<'a> {
    pub(super) rows: Vec<RegionRow<'a>>,
    by_path: FastMap<&'a RegionPath, usize>,
    last: Option<(&'a RegionPath, usize)>,
}

impl<'a> Regions<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let mut regions = Self {
            rows: vec![RegionRow::default()],
            by_path: FastMap::default(),
            last: None,
        };
        for facts in &snapshot.regions {
            let index = regions.at(&facts.path);
            regions.rows[index].facts.get_or_insert(facts);
        }
        regions
    }

    /// The index of a path. Most things are declared where the thing before was.
    pub(super) fn at(&mut self, path: &'a RegionPath) -> usize {
        if let Some((last, index)) = self.last
            && (std::ptr::eq(last.ids(), path.ids()) || last == path)
        {
            return index;
        }
        let index = if path.ids().is_empty() {
            PAGE
        } else {
            *self.by_path.entry(path).or_insert_with(|| {
                self.rows.push(RegionRow {
                    path: Some(path),
                    ..RegionRow::default()
                });
                self.rows.len() - 1
            })
        };
        self.last = Some((path, index));
        index
    }

    /// The region at a path, if it is known.
    pub(super) fn get(&self, path: &RegionPath) -> Option<&RegionRow<'a>> {
        self.by_path.get(path).map(|index| &self.rows[*index])
    }

    /// Names every region, after the last path is known.
    pub(super) fn name(&mut self) {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for id in self.rows.iter().filter_map(|row| row.path?.innermost()) {
            *uses.entry(id.as_str()).or_default() += 1;
        }
        let mut taken: HashMap<String, usize> = HashMap::new();
        for row in &mut self.rows {
            let Some(path) = row.path else {
                "page".clone_into(&mut row.name);
                continue;
            };
            let short = path.innermost().map_or("", |id| id.as_str());
            let mut name = if uses.get(short) == Some(&1) && short != "page" {
                authored(short, NAME_CHARS).into_owned()
            } else {
                authored(&path.to_string(), 2 * NAME_CHARS).into_owned()
            };
            let count = taken.entry(name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                name = format!("{name} #{count}");
            }
            row.name = name;
        }
    }

    /// The path of a region by its name in the observation, by its whole path, or by its own id where that is unique.
    pub(super) fn find(&self, name: &str) -> Option<RegionPath> {
        let paths = || self.rows.iter().filter_map(|row| row.path);
        let by_name = self.rows.iter().find(|row| row.name == name);
        if let Some(row) = by_name {
            return Some(row.path.cloned().unwrap_or_default());
        }
        let by_path = paths().find(|path| path.to_string() == name);
        let by_id = || {
            let mut same = paths().filter(|path| path.innermost().is_some_and(|id| id.as_str() == name));
            same.next().filter(|_| same.next().is_none())
        };
        by_path.or_else(by_id).cloned()
    }
}
