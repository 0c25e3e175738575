//! What the user already said no to, so that asking again does not nag.
//!
//! For the assistant that holds until the user's next message. A client of the Surface has no such thing, so for
//! clients it holds for a minute, and for all of them: their names are not verified.

use std::collections::VecDeque;

use super::{Operation, Origin, check::Checked};
use crate::{
    model::{ActionId, RecordId, RegionPath},
    platform::{Duration, Instant, now},
};

/// Denials kept; an older one may be asked about again.
const CAPACITY: usize = 100;
/// After this time a client may have the user asked again.
const HOLDS_FOR_CLIENTS: Duration = Duration::from_secs(60);

/// The denied calls: those of the app's own side since the last message of the user, those of clients by their time.
#[derive(Debug, Default)]
pub(super) struct Denials {
    own: VecDeque<Denied>,
    of_clients: VecDeque<(Instant, Denied)>,
}

/// One denied call, by what it would have done: the same in other words is the same.
#[derive(Debug, PartialEq)]
struct Denied {
    action: ActionId,
    region: RegionPath,
    record: Option<RecordId>,
    operation: Operation,
}

impl Denied {
    fn of(checked: &Checked) -> Self {
        Self {
            action: checked.action.id.clone(),
            region: checked.target.region.clone(),
            record: checked.target.record.clone(),
            operation: checked.operation.clone(),
        }
    }
}

impl Denials {
    pub(super) fn remember(&mut self, checked: &Checked, origin: &Origin) {
        let denied = Denied::of(checked);
        match origin {
            Origin::Client(_) => push(&mut self.of_clients, (now(), denied)),
            _ => push(&mut self.own, denied),
        }
    }

    pub(super) fn contains(&self, checked: &Checked, origin: &Origin) -> bool {
        let asked = Denied::of(checked);
        match origin {
            Origin::Client(_) => {
                let mut denied = self.of_clients.iter();
                denied.any(|(at, denied)| *denied == asked && at.elapsed() < HOLDS_FOR_CLIENTS)
            }
            _ => self.own.contains(&asked),
        }
    }

    /// The user said something new to the assistant.
    pub(super) fn forget(&mut self) {
        self.own.clear();
    }
}

fn push<T>(denied: &mut VecDeque<T>, new: T) {
    if denied.len() == CAPACITY {
        denied.pop_front();
    }
    denied.push_back(new);
}
