//! Count and sum by status.

use super::{Rows, SLICE, share};
use crate::data::{Orders, Status};

/// Statistics of some orders, as far as they are known.
#[derive(Debug)]
pub struct Totals {
    rows: Rows,
    revision: u64,
    next: usize,
    /// Count and sum in cents, for each of [`Status::ALL`].
    pub lines: [(u64, u64); Status::ALL.len()],
}

impl Totals {
    /// Begins with nothing counted.
    #[must_use]
    pub fn new(rows: Rows, orders: &Orders) -> Self {
        Self {
            rows,
            revision: orders.revision(),
            next: 0,
            lines: Default::default(),
        }
    }

    /// Counts for one pass.
    pub fn advance(&mut self, orders: &Orders) {
        for index in self.rows.slice(self.next, SLICE) {
            let order = orders.get(index);
            let (count, cents) = &mut self.lines[order.status as usize];
            *count += 1;
            *cents += u64::from(order.total_cents());
        }
        self.next = self.rows.len().min(self.next + SLICE);
    }

    /// How far it is, 0 to 1, unless it is done.
    #[must_use]
    pub fn progress(&self) -> Option<f32> {
        (self.next < self.rows.len()).then(|| share(self.next, self.rows.len()))
    }

    /// Whether it counts these orders as they are now.
    #[must_use]
    pub fn is_of(&self, rows: &Rows, orders: &Orders) -> bool {
        self.revision == orders.revision() && self.rows == *rows
    }
}
