//! Which region and record a declaration stands in: a lexical stack.

use pling_core::model::{ActionId, RecordId, RegionPath};

/// What is meant by a declaration, and by a call that is aimed at it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) action: ActionId,
    pub(crate) region: RegionPath,
    pub(crate) record: Option<RecordId>,
}

/// One open scope.
#[derive(Clone, Debug)]
pub(crate) enum Scope {
    /// The region at this index of [`super::Pass::regions`].
    Region { index: usize, path: RegionPath },
    /// The record at this index of [`super::Pass::records`].
    Record { index: usize, id: RecordId, inline: bool },
}

/// The open scopes, outermost first.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    scopes: Vec<Scope>,
}

impl Nesting {
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub(crate) fn push(&mut self, scope: Scope) {
        self.scopes.push(scope);
    }

    /// Closes everything opened since `depth`, and returns the outermost of it. More than one is open only
    /// after a panic in between.
    pub(crate) fn pop_to(&mut self, depth: usize) -> Option<Scope> {
        let scope = self.scopes.get(depth).cloned();
        self.scopes.truncate(depth);
        scope
    }

    /// The path of the region around.
    pub(crate) fn path(&self) -> RegionPath {
        let innermost = self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Region { path, .. } => Some(path.clone()),
            Scope::Record { .. } => None,
        });
        innermost.unwrap_or_default()
    }

    /// The record around: its index, id, and whether it keeps its parent's layout and ids.
    pub(crate) fn record(&self) -> Option<(usize, &RecordId, bool)> {
        self.scopes.iter().rev().find_map(|scope| match scope {
            Scope::Record { index, id, inline } => Some((*index, id, *inline)),
            Scope::Region { .. } => None,
        })
    }
}
