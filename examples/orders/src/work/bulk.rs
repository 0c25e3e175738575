//! Marking many orders as shipped.

use super::{Rows, SLICE, Selection, share};
use crate::data::{Orders, Status};

/// An edit of many orders, as far as it is done.
#[derive(Debug)]
pub struct Bulk {
    rows: Rows,
    next: usize,
    /// Orders that were paid, and are marked now.
    pub changed: usize,
}

impl Bulk {
    /// Begins the edit of the checked orders.
    #[must_use]
    pub fn new(selection: &Selection, orders: &mut Orders) -> Self {
        orders.begin("mark as shipped");
        let keys = selection.iter().map(u64::from).collect();
        Self {
            rows: Rows::sorted(keys, orders.len()),
            next: 0,
            changed: 0,
        }
    }

    /// Edits for one pass. Only what is paid can be shipped. Whether it is done.
    pub fn advance(&mut self, orders: &mut Orders) -> bool {
        for index in self.rows.slice(self.next, SLICE / 4) {
            if orders.get(index).status == Status::Paid {
                let mut edit = orders.details(index);
                edit.order.status = Status::Shipped;
                orders.put(edit);
                self.changed += 1;
            }
        }
        self.next = self.rows.len().min(self.next + SLICE / 4);
        self.next == self.rows.len()
    }

    /// How many orders it is about.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it is about none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How far it is, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f32 {
        share(self.next, self.rows.len())
    }
}
