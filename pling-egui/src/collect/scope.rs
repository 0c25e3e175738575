//! The records and regions that a declaration stands in, as they open and close.

use egui::{Context, Id, Response, Ui};

use super::{Pass, Scope, with, with_errand};
use crate::declare::{Record, Region};

/// A scope that was opened and must be closed; dropped by a panic it closes itself, without facts.
#[must_use]
pub(crate) struct Open {
    depth: usize,
    closed: bool,
}

impl Open {
    /// Ends the scope; `response` is its area in `parent`.
    pub(crate) fn close(mut self, parent: &Ui, response: &Response) {
        self.closed = true;
        with(|pass, errand| {
            if let Some(scope) = pass.nesting.pop_to(self.depth) {
                pass.close(&scope, parent, response);
                if let Some(errand) = errand {
                    errand.at_scope_end(pass, &scope, parent, response);
                }
            }
            pass.hook(parent.ctx(), errand, parent.next_auto_id());
        });
    }

    /// Ends the scope of a table row, which has no `Ui` of its own.
    #[cfg(feature = "table")]
    pub(crate) fn close_row(mut self, response: Option<&Response>) {
        self.closed = true;
        with(|pass, errand| {
            if let Some(scope) = pass.nesting.pop_to(self.depth)
                && let Some(response) = response
            {
                pass.close_row(&scope, response);
                if let Some(errand) = errand {
                    errand.at_row_end(pass, &scope, response);
                }
                pass.hook(&response.ctx, errand, response.id);
            }
        });
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.closed {
            with(|pass, _| pass.nesting.pop_to(self.depth));
        }
    }
}

fn open(ctx: &Context, hook: Option<Id>, make: impl FnOnce(&mut Pass) -> Option<Scope>) -> Open {
    let depth = with(|pass, errand| {
        let depth = pass.nesting.depth();
        if let Some(scope) = make(pass) {
            pass.nesting.push(scope);
        }
        if let Some(hook) = hook {
            pass.hook(ctx, errand, hook);
        }
        depth
    });
    Open {
        depth: depth.unwrap_or_default(),
        closed: false,
    }
}

/// Enters a record. `scope` is the id of its own `Ui`, if it has one.
pub(crate) fn open_record(ctx: &Context, record: Record, scope: Option<Id>) -> Open {
    open(ctx, scope, |pass| {
        Some(pass.open_record(record.into_facts()?, scope.is_none()))
    })
}

/// Enters a record that is a table row.
#[cfg(feature = "table")]
pub(crate) fn open_row(record: Record) -> Open {
    let depth = with(|pass, _| {
        let depth = pass.nesting.depth();
        if let Some(facts) = record.into_facts() {
            let scope = pass.open_record(facts, false);
            pass.nesting.push(scope);
        }
        depth
    });
    Open {
        depth: depth.unwrap_or_default(),
        closed: false,
    }
}

/// A cell of a table row begins; its own `Ui` has the id `scope`.
#[cfg(feature = "table")]
pub(crate) fn open_cell(ctx: &Context, scope: Id) {
    with(|pass, errand| pass.hook(ctx, errand, scope));
}

/// The record's own `Ui` is there: what has to be done inside it is done now.
pub(crate) fn within_record(ui: &Ui) {
    with_errand(|pass, errand| errand.within_record(pass, ui));
}

/// Enters a region whose own `Ui` has the id `scope`.
pub(crate) fn open_region(ctx: &Context, region: &Region, scope: Id) -> Open {
    open(ctx, Some(scope), |pass| {
        Some(pass.open_region(region.to_model(), scope))
    })
}
