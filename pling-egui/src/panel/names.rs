//! What the page calls its things, so that the user reads the page's own words and not the program's ids.

use std::sync::Arc;

use pling_core::{
    act::ActionRef,
    model::{ActionId, RecordId, RegionId},
    snapshot::{ActionFacts, Snapshot},
};

use super::visible::visible_line;

/// Characters of one name.
const MAX_NAME_CHARS: usize = 40;
/// Between the names of a region and of the one in it.
const INSIDE: &str = " › ";

/// The page as it was seen, once or more, the most telling first. Without any, ids are all there is.
#[derive(Debug, Default)]
pub(super) struct Names {
    pages: Vec<Arc<Snapshot>>,
}

impl Names {
    /// From these pages.
    pub(super) fn of(pages: impl IntoIterator<Item = Arc<Snapshot>>) -> Self {
        Self {
            pages: pages.into_iter().collect(),
        }
    }

    /// A record's label, else its id.
    pub(super) fn record(&self, id: &RecordId) -> String {
        self.label(id)
            .unwrap_or_else(|| visible_line(id.as_str(), MAX_NAME_CHARS))
    }

    /// A record's label.
    pub(super) fn label(&self, id: &RecordId) -> Option<String> {
        let facts = self.find(|page| page.records.iter().find(|known| known.record.id == *id))?;
        Some(visible_line(&facts.record.label, MAX_NAME_CHARS))
    }

    /// A region's label, else its id.
    pub(super) fn region(&self, id: &RegionId) -> String {
        let known = self.find(|page| page.regions.iter().find(|known| known.region.id == *id));
        let name = known.map_or(id.as_str(), |known| known.region.label.as_str());
        visible_line(name, MAX_NAME_CHARS)
    }

    /// An action's description, else its id.
    pub(super) fn action(&self, id: &ActionId) -> String {
        let known = self.find(|page| page.actions.iter().find(|known| known.action.id == *id));
        let name = known.map_or(id.as_str(), |known| &*known.action.description);
        visible_line(name, MAX_NAME_CHARS)
    }

    /// What the action of a tool is called. A tool has the name of its action, unless two share that.
    pub(super) fn tool(&self, tool: &str) -> Option<String> {
        let known = self.find(|page| page.actions.iter().find(|known| known.action.id.as_str() == tool))?;
        Some(visible_line(&known.action.description, 120))
    }

    /// The region that an action is in and those around it, the outermost first.
    pub(super) fn place(&self, action: &ActionRef) -> Option<String> {
        let is_it = |facts: &&ActionFacts| facts.action.id == action.id && facts.record == action.record;
        let facts = self.find(|page| page.actions.iter().find(is_it))?;
        let names: Vec<_> = facts.region.ids().iter().map(|id| self.region(id)).collect();
        (!names.is_empty()).then(|| names.join(INSIDE))
    }

    fn find<'a, T>(&'a self, in_page: impl Fn(&'a Snapshot) -> Option<T>) -> Option<T> {
        self.pages.iter().find_map(|page| in_page(page))
    }
}
