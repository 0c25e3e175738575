//! What the user already said no to in this turn sequence, so that asking again does not nag.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::check::Checked;
use crate::model::{ActionId, RecordId, RegionPath};

/// Denials kept; an older one may be asked about again.
const CAPACITY: usize = 100;

/// The denied calls since the last message of the user.
#[derive(Debug, Default)]
pub(super) struct Denials {
    denied: VecDeque<Denied>,
}

/// One denied call: equal arguments are equal in any order of their names.
#[derive(Debug, PartialEq)]
struct Denied {
    action: ActionId,
    region: RegionPath,
    record: Option<RecordId>,
    arguments: Map<String, Value>,
}

impl Denied {
    fn of(checked: &Checked) -> Self {
        Self {
            action: checked.action.id.clone(),
            region: checked.target.region.clone(),
            record: checked.target.record.clone(),
            arguments: checked.arguments.clone(),
        }
    }
}

impl Denials {
    pub(super) fn remember(&mut self, checked: &Checked) {
        if self.denied.len() == CAPACITY {
            self.denied.pop_front();
        }
        self.denied.push_back(Denied::of(checked));
    }

    pub(super) fn contains(&self, checked: &Checked) -> bool {
        self.denied.contains(&Denied::of(checked))
    }

    pub(super) fn forget(&mut self) {
        self.denied.clear();
    }
}
