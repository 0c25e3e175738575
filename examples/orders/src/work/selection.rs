//! Which orders are checked.

/// A set of orders, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    words: Vec<u64>,
    count: usize,
}

impl Selection {
    /// How many are checked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether this one is.
    #[must_use]
    pub fn contains(&self, index: u32) -> bool {
        let word = self.words.get(index as usize / 64);
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Checks an order, or takes the mark away.
    pub fn set(&mut self, index: u32, checked: bool) {
        let at = index as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let before = self.words[at];
        let bit = 1 << (index % 64);
        self.words[at] = if checked { before | bit } else { before & !bit };
        if self.words[at] != before {
            self.count = if checked { self.count + 1 } else { self.count - 1 };
        }
    }

    /// Takes all marks away.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The checked ones, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let words = self.words.iter().zip(0_u32..);
        words.flat_map(|(word, at)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| at * 64 + bit)
        })
    }
}
