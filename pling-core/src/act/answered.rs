//! Calls that were answered: one that is sent twice runs once, and is told the same.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use super::{Arguments, Call, Code, Origin, Receipt};

/// Calls remembered, of all callers. Beyond it an id counts as new.
const CAPACITY: usize = 64;

/// The last calls and what came of them.
#[derive(Debug, Default)]
pub(super) struct Answered {
    calls: VecDeque<Known>,
}

#[derive(Debug)]
struct Known {
    origin: Origin,
    id: String,
    /// Of tool and arguments. What was passed is not kept: it may be a secret.
    fingerprint: u64,
    /// `None`: it was delivered, and whoever asked was gone before it ended.
    receipt: Option<Receipt>,
}

impl Answered {
    /// It is about to be handed to the application: from now on it is never handed over again.
    pub(super) fn delivered(&mut self, call: &Call) {
        self.put(call, None);
    }

    /// It is over.
    pub(super) fn keep(&mut self, call: &Call, receipt: &Receipt) {
        self.put(call, Some(receipt.clone()));
    }

    /// What a call is told whose id came before. `None`: it is new.
    pub(super) fn again(&self, call: &Call) -> Option<Receipt> {
        let known = self.calls.iter().find(|known| known.is(call))?;
        if known.fingerprint != fingerprint(call) {
            let message = "the id of this call was that of another call before; nothing was run. Give each call an id \
                           of its own";
            return Some(Receipt::refused(&call.id, Code::InvalidArguments, message));
        }
        let Some(mut receipt) = known.receipt.clone() else {
            let message = "this call was handed to the application before, and whoever asked was gone when it ended; \
                           it was not run again. Look at the page to see what came of it";
            return Some(Receipt::refused(&call.id, Code::Cancelled, message));
        };
        receipt.note("this call was answered before, and was not run again");
        Some(receipt)
    }

    /// The ids of this caller may come again, for other calls.
    pub(super) fn forget(&mut self, origin: &Origin) {
        self.calls.retain(|known| known.origin != *origin);
    }

    fn put(&mut self, call: &Call, receipt: Option<Receipt>) {
        self.calls.retain(|known| !known.is(call));
        if self.calls.len() == CAPACITY {
            self.calls.pop_front();
        }
        self.calls.push_back(Known {
            origin: call.origin.clone(),
            id: call.id.clone(),
            fingerprint: fingerprint(call),
            receipt,
        });
    }
}

impl Known {
    fn is(&self, call: &Call) -> bool {
        self.id == call.id && self.origin == call.origin
    }
}

fn fingerprint(call: &Call) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.tool.hash(&mut hasher);
    match &call.arguments {
        Arguments::Object(map) => map.hash(&mut hasher),
        Arguments::Invalid { raw, .. } => raw.hash(&mut hasher),
    }
    hasher.finish()
}
