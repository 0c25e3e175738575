//! Which orders, in which order.

use std::sync::Arc;

/// Some of the orders in some order; cheap to clone. Each entry is a sort key and the order's index below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// `None`: all of them as they are numbered, which needs no list.
    keys: Option<Arc<Vec<u64>>>,
    all: u32,
}

/// The index of the order in an entry.
#[expect(clippy::cast_possible_truncation, reason = "the index is the lower half")]
pub(crate) fn index_in(key: u64) -> u32 {
    key as u32
}

impl Rows {
    /// All orders, as they are numbered.
    #[must_use]
    pub fn all(len: u32) -> Self {
        Self { keys: None, all: len }
    }

    /// These, in ascending order of the whole entry.
    pub(crate) fn sorted(keys: Vec<u64>, all: u32) -> Self {
        let keys = Some(Arc::new(keys));
        Self { keys, all }
    }

    /// Whether it is all of them, as they are numbered.
    pub(crate) fn is_all(&self) -> bool {
        self.keys.is_none()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.as_ref().map_or(self.all as usize, |keys| keys.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of the order in a row below [`Rows::len`].
    #[must_use]
    pub fn at(&self, row: usize) -> u32 {
        match &self.keys {
            Some(keys) => index_in(keys[row]),
            None => u32::try_from(row).unwrap_or(u32::MAX),
        }
    }

    /// Indices from row `from` on, at most `most`.
    pub fn slice(&self, from: usize, most: usize) -> impl Iterator<Item = u32> {
        (from..self.len().min(from + most)).map(|row| self.at(row))
    }

    /// The row of an entry.
    pub(crate) fn row_of(&self, key: u64) -> Option<usize> {
        match &self.keys {
            Some(keys) => keys.binary_search(&key).ok(),
            None => Some(index_in(key) as usize).filter(|row| *row < self.all as usize),
        }
    }

    /// The row of an order whose sort key is not known any more.
    pub(crate) fn find(&self, index: u32) -> Option<usize> {
        let keys = self.keys.as_ref()?;
        keys.iter().position(|key| index_in(*key) == index)
    }

    /// Moves an order to where it belongs now, or takes it out.
    pub(crate) fn replace(&mut self, before: u64, after: Option<u64>) {
        let Some(keys) = &mut self.keys else { return };
        let keys = Arc::make_mut(keys);
        if let Ok(row) = keys.binary_search(&before) {
            keys.remove(row);
        }
        if let Some(after) = after
            && let Err(row) = keys.binary_search(&after)
        {
            keys.insert(row, after);
        }
    }
}
