//! All orders: how many there are, and those that were edited.

use std::collections::BTreeMap;

use super::{Order, OrderId};

/// An order with its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The order itself.
    pub order: Order,
    /// What the seller wrote about it.
    pub note: String,
    /// Where it goes.
    pub address: String,
    /// Where the confirmation goes. Private.
    pub email: String,
}

impl Edit {
    fn of(order: Order) -> Self {
        Self {
            order,
            note: String::new(),
            address: order.customer.address(),
            email: order.customer.email(),
        }
    }
}

/// The orders there were before the last edit, to bring them back.
#[derive(Debug, Default)]
struct Undo {
    what: String,
    before: Vec<(u32, Option<Edit>)>,
}

/// All orders. Only those that were edited are stored.
#[derive(Debug)]
pub struct Orders {
    len: u32,
    edits: BTreeMap<u32, Edit>,
    undo: Option<Undo>,
    revision: u64,
}

impl Orders {
    /// This many orders, none of them edited.
    #[must_use]
    pub fn new(len: u32) -> Self {
        Self {
            len,
            edits: BTreeMap::new(),
            undo: None,
            revision: 0,
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The order at an index below [`Orders::len`].
    #[must_use]
    pub fn get(&self, index: u32) -> Order {
        match self.edits.get(&index) {
            Some(edit) => edit.order,
            None => Order::placed(index),
        }
    }

    /// The order at an index, with its texts.
    #[must_use]
    pub fn details(&self, index: u32) -> Edit {
        let edited = self.edits.get(&index).cloned();
        edited.unwrap_or_else(|| Edit::of(Order::placed(index)))
    }

    /// The index of the order with this id.
    #[must_use]
    pub fn index_of(&self, id: &str) -> Option<u32> {
        let index = id.parse::<OrderId>().ok()?.index();
        (index < self.len).then_some(index)
    }

    /// The edited ones, in order.
    pub fn edited(&self) -> impl Iterator<Item = Order> {
        self.edits.values().map(|edit| edit.order)
    }

    /// Greater after each change.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Begins an edit that can be undone as one; `what` says it to the user.
    pub fn begin(&mut self, what: impl Into<String>) {
        let what = what.into();
        self.undo = Some(Undo {
            what,
            before: Vec::new(),
        });
    }

    /// Stores an order, as a part of the edit begun last.
    pub fn put(&mut self, edit: Edit) {
        self.revision += 1;
        let index = edit.order.index;
        let before = self.edits.insert(index, edit);
        if let Some(undo) = &mut self.undo {
            undo.before.push((index, before));
        }
    }

    /// The edit begun last cannot be undone.
    pub fn forget_undo(&mut self) {
        self.undo = None;
    }

    /// What would be undone.
    #[must_use]
    pub fn undoable(&self) -> Option<&str> {
        let undo = self.undo.as_ref().filter(|undo| !undo.before.is_empty())?;
        Some(&undo.what)
    }

    /// Undoes the last edit and says what it was.
    pub fn undo(&mut self) -> Option<String> {
        let undo = self.undo.take()?;
        self.revision += 1;
        for (index, before) in undo.before.into_iter().rev() {
            match before {
                Some(edit) => self.edits.insert(index, edit),
                None => self.edits.remove(&index),
            };
        }
        Some(undo.what)
    }
}
