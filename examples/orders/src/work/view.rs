//! The rows of the table: a query, its answer, and the next answer while it is being worked out.

use super::{Query, Rows, SLICE, merge::Merging, query::Matcher, share};
use crate::data::{Order, Orders};

/// What the table shows.
#[derive(Debug)]
pub struct View {
    /// What `rows` answers.
    query: Query,
    rows: Rows,
    build: Option<Build>,
}

/// The answer to a query, as far as it is known.
#[derive(Debug)]
struct Build {
    query: Query,
    matcher: Matcher,
    /// Where to look: the next row, and where the last one is.
    among: Rows,
    next: usize,
    end: usize,
    found: usize,
    merging: Merging,
}

impl View {
    /// All orders.
    #[must_use]
    pub fn new(orders: &Orders) -> Self {
        Self {
            query: Query::default(),
            rows: Rows::all(orders.len()),
            build: None,
        }
    }

    /// What was asked for last.
    #[must_use]
    pub fn query(&self) -> &Query {
        self.build.as_ref().map_or(&self.query, |build| &build.query)
    }

    /// The rows shown now.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Shows something else, once it is worked out.
    pub fn ask(&mut self, query: Query, orders: &Orders) {
        if query == *self.query() {
            return;
        }
        // Sorted otherwise they are the same.
        let same = self.build.is_none() && (query.status, &query.text) == (self.query.status, &self.query.text);
        let among = if same {
            self.rows.clone()
        } else {
            Rows::all(orders.len())
        };
        self.begin(query, among);
    }

    /// Works the rows out again, because many orders have changed.
    pub fn refresh(&mut self, orders: &Orders) {
        self.begin(self.query().clone(), Rows::all(orders.len()));
    }

    fn begin(&mut self, query: Query, among: Rows) {
        let matcher = Matcher::new(&query);
        let range = matcher.range(&among);
        self.build = Some(Build {
            query,
            matcher,
            among,
            next: range.start,
            end: range.end,
            found: 0,
            merging: Merging::default(),
        });
    }

    /// Works on the next rows for one pass. Whether they are there now.
    pub fn advance(&mut self, orders: &Orders) -> bool {
        let Some(build) = &mut self.build else { return false };
        let rows = if build.query.is_trivial() {
            Some(Rows::all(orders.len()))
        } else {
            build.advance(orders).map(|keys| Rows::sorted(keys, orders.len()))
        };
        let Some(rows) = rows else { return false };
        if let Some(build) = self.build.take() {
            self.query = build.query;
        }
        self.rows = rows;
        true
    }

    /// How far the next rows are, 0 to 1, if any are being worked out.
    #[must_use]
    pub fn progress(&self) -> Option<f32> {
        self.build.as_ref().map(Build::progress)
    }

    /// One order has changed: its row moves, or goes.
    pub fn edited(&mut self, before: &Order, after: &Order, orders: &Orders) {
        if self.build.is_some() {
            self.refresh(orders);
        }
        let is_shown = Matcher::new(&self.query).matches(after);
        let key = is_shown.then(|| self.query.key(after));
        self.rows.replace(self.query.key(before), key);
    }

    /// The row that shows an order: found at once, unless the rows are being worked out again.
    #[must_use]
    pub fn row_of(&self, index: u32, orders: &Orders) -> Option<usize> {
        let key = self.query.key(&orders.get(index));
        let old = || self.build.as_ref().and_then(|_| self.rows.find(index));
        self.rows.row_of(key).or_else(old)
    }
}

impl Build {
    fn advance(&mut self, orders: &Orders) -> Option<Vec<u64>> {
        if self.next >= self.end {
            // Moving an entry is much less work than making and matching an order.
            return self.merging.advance(4 * SLICE);
        }
        let end = self.end.min(self.next + SLICE);
        let matching = self
            .among
            .slice(self.next, end - self.next)
            .map(|index| orders.get(index))
            .filter(|order| self.matcher.matches(order));
        let keys: Vec<u64> = matching.map(|order| self.query.key(&order)).collect();
        self.found += keys.len();
        self.merging.add(keys);
        self.next = end;
        // A small answer needs no second pass.
        (self.next == self.end && self.found <= SLICE)
            .then(|| self.merging.advance(usize::MAX))
            .flatten()
    }

    fn progress(&self) -> f32 {
        if self.next < self.end {
            return 0.7 * share(self.next, self.end);
        }
        let rounds = self.end.div_ceil(SLICE).next_power_of_two().ilog2() as usize;
        let all = self.found * rounds;
        0.7 + 0.3 * share(all.saturating_sub(self.merging.left(self.found)), all)
    }
}

#[cfg(test)]
mod tests {
    use super::View;
    use crate::{
        data::{Orders, Status},
        work::{Column, Query, Sort},
    };

    const COLUMNS: [Column; 6] = [
        Column::Id,
        Column::Customer,
        Column::Date,
        Column::Status,
        Column::Items,
        Column::Total,
    ];

    fn answered(view: &mut View, query: Query, orders: &Orders) {
        view.ask(query, orders);
        while view.progress().is_some() {
            view.advance(orders);
        }
    }

    #[test]
    fn every_query_is_answered_in_order_and_every_row_is_found_again() {
        let orders = Orders::new(100_000);
        let mut view = View::new(&orders);
        for by in COLUMNS {
            for (descending, status) in [(false, None), (true, None), (true, Some(Status::Paid))] {
                let sort = Sort { by, descending };
                let query = Query {
                    status,
                    sort,
                    ..Query::default()
                };
                answered(&mut view, query.clone(), &orders);
                let rows = view.rows();
                let expected = (0..orders.len()).filter(|index| status.is_none_or(|s| orders.get(*index).status == s));
                assert_eq!(rows.len(), expected.count(), "{query:?}");
                let keys: Vec<u64> = (0..rows.len())
                    .map(|row| query.key(&orders.get(rows.at(row))))
                    .collect();
                assert!(keys.is_sorted(), "{query:?}");
                for row in [0, 1, rows.len() / 2, rows.len() - 1] {
                    assert_eq!(view.row_of(rows.at(row), &orders), Some(row), "{query:?}");
                }
            }
        }
    }

    #[test]
    fn an_edited_order_moves_to_where_it_belongs_or_goes() {
        let mut orders = Orders::new(50_000);
        let mut view = View::new(&orders);
        let sort = Sort {
            by: Column::Items,
            descending: false,
        };
        let query = Query {
            status: Some(Status::Paid),
            sort,
            ..Query::default()
        };
        answered(&mut view, query.clone(), &orders);
        let index = view.rows().at(0);
        let count = view.rows().len();
        let before = orders.get(index);
        let mut edit = orders.details(index);
        edit.order.quantity = 99;
        orders.put(edit.clone());
        view.edited(&before, &edit.order, &orders);
        assert_eq!(view.row_of(index, &orders), Some(count - 1));

        let before = edit.order;
        edit.order.status = Status::Shipped;
        orders.put(edit.clone());
        view.edited(&before, &edit.order, &orders);
        assert_eq!((view.rows().len(), view.row_of(index, &orders)), (count - 1, None));
        let kept = view.rows().clone();
        view.refresh(&orders);
        while view.progress().is_some() {
            view.advance(&orders);
        }
        assert_eq!(*view.rows(), kept, "worked out again it is the same");
    }
}
