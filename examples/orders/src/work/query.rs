//! What the user wants to see.

use super::Rows;
use crate::data::{CUSTOMERS, Customer, Order, Status};

/// A column that can be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// Order number.
    #[default]
    Id,
    /// Customer's name.
    Customer,
    /// Day it was placed.
    Date,
    /// Status, from pending to refunded.
    Status,
    /// Number of pieces.
    Items,
    /// Price of all.
    Total,
}

/// The order of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// What they are ordered by; equal ones by number.
    pub by: Column,
    /// The greatest first.
    pub descending: bool,
}

impl Sort {
    /// What a click on a column's header makes of it.
    #[must_use]
    pub fn clicked(self, by: Column) -> Self {
        let descending = self.by == by && !self.descending;
        Self { by, descending }
    }
}

/// Which orders, in which order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// Only those; `None`: any.
    pub status: Option<Status>,
    /// Words of the customer's name, or an order's number.
    pub text: String,
    /// In which order.
    pub sort: Sort,
}

impl Query {
    /// Whether it is all orders, as they are numbered.
    pub(crate) fn is_trivial(&self) -> bool {
        self.status.is_none() && self.text.trim().is_empty() && self.sort == Sort::default()
    }

    /// The sort key of an order, and its index below it: unique, and ascending in the wanted order.
    pub(crate) fn key(&self, order: &Order) -> u64 {
        let key = match self.sort.by {
            Column::Id => order.index,
            Column::Customer => u32::from(order.customer.0),
            Column::Date => order.placed.0,
            Column::Status => order.status as u32,
            Column::Items => order.quantity,
            Column::Total => order.total_cents(),
        };
        let key = if self.sort.descending { !key } else { key };
        u64::from(key) << 32 | u64::from(order.index)
    }
}

/// A query made ready to be asked of many orders.
#[derive(Debug)]
pub(crate) struct Matcher {
    status: Option<Status>,
    /// By number of the customer; `None`: any.
    customers: Option<Vec<bool>>,
    /// The only index that matches; `None`: any.
    index: Option<u32>,
}

impl Matcher {
    pub(crate) fn new(query: &Query) -> Self {
        let text = query.text.to_lowercase();
        let (numbers, names): (Vec<&str>, Vec<&str>) =
            text.split_whitespace().partition(|word| number_in(word).is_some());
        let has_all = |customer: u16| {
            let name = Customer(customer).name().to_lowercase();
            names.iter().all(|word| name.contains(word))
        };
        // An index that no order has stands for a number that no order has.
        let index_of = |word: &&str| Some(number_in(word)?.checked_sub(1).unwrap_or(u32::MAX));
        let mut indices = numbers.iter().filter_map(index_of);
        let index = indices.next();
        Self {
            status: query.status,
            customers: (!names.is_empty()).then(|| (0..CUSTOMERS).map(has_all).collect()),
            // No order has two numbers.
            index: index.map(|index| {
                if indices.all(|other| other == index) {
                    index
                } else {
                    u32::MAX
                }
            }),
        }
    }

    pub(crate) fn matches(&self, order: &Order) -> bool {
        self.status.is_none_or(|status| order.status == status)
            && self.index.is_none_or(|index| order.index == index)
            && (self.customers.as_ref()).is_none_or(|customers| customers[usize::from(order.customer.0)])
    }

    /// The rows among which matches are.
    pub(crate) fn range(&self, among: &Rows) -> std::ops::Range<usize> {
        match self.index {
            // Nothing to look through for one whose place is known.
            Some(index) if among.is_all() => {
                let (row, end) = (index as usize, among.len());
                row.min(end)..row.saturating_add(1).min(end)
            }
            _ => 0..among.len(),
        }
    }
}

/// `ORD-000123`, `#123` and `123` are an order's number.
fn number_in(word: &str) -> Option<u32> {
    let digits = word
        .strip_prefix("ord-")
        .or_else(|| word.strip_prefix('#'))
        .unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Matcher, Query};
    use crate::{data::Order, work::Rows};

    #[test]
    fn a_text_is_names_or_a_number() {
        let order = Order::placed(41);
        let name = order.customer.name();
        let last = name.split(' ').next_back().unwrap().to_uppercase();
        for (text, fits) in [
            ("", true),
            (name.as_str(), true),
            (last.as_str(), true),
            ("42", true),
            ("ORD-000042", true),
            ("#42", true),
            ("43", false),
            ("0", false),
            ("42 43", false),
            ("99999999999999999999", false),
            ("nobody at all", false),
        ] {
            let query = Query {
                text: text.to_owned(),
                ..Query::default()
            };
            let matcher = Matcher::new(&query);
            let found = matcher.range(&Rows::all(1000)).contains(&41) && matcher.matches(&order);
            assert_eq!(found, fits, "{text}");
        }
    }
}
