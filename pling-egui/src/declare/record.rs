//! The declaration of one business object.

use std::fmt::{self, Display, Write as _};

use pling_core::model::{self, RecordId};
use serde::Serialize;

use crate::collect;

/// The declaration of one business object, wrapped around the widgets that show it.
///
/// It borrows nothing, so a row may edit the very title it was made from; and while nobody observes it
/// copies nothing but a hash of the id.
#[derive(Clone, Debug)]
#[must_use = "a record does nothing until it is declared with `ui.record(..)`"]
pub struct Record {
    key: u64,
    facts: Option<Box<model::Record>>,
}

impl Record {
    /// An object with the application's own id and what a user would call it.
    ///
    /// The id must be stable and unique within its region; never the row's index.
    #[inline]
    pub fn new(id: impl Display, label: impl AsRef<str>) -> Self {
        let key = hash_of(&id);
        let facts =
            collect::collecting().then(|| Box::new(model::Record::new(RecordId::from(id.to_string()), label.as_ref())));
        Self { key, facts }
    }

    /// What sort of object it is, such as `order`.
    #[inline]
    pub fn kind(mut self, kind: impl AsRef<str>) -> Self {
        if let Some(facts) = &mut self.facts {
            kind.as_ref().clone_into(&mut facts.kind);
        }
        self
    }

    /// A readable field. A value that cannot be serialized is declared as `null` and reported as a fault.
    #[inline]
    pub fn field(mut self, name: impl AsRef<str>, value: impl Serialize) -> Self {
        if let Some(facts) = &mut self.facts {
            let value = collect::to_value(name.as_ref(), &value);
            facts.fields.push((name.as_ref().to_owned(), Some(value)));
        }
        self
    }

    /// A field that exists and whose value is withheld everywhere.
    #[inline]
    pub fn sensitive_field(mut self, name: impl AsRef<str>) -> Self {
        if let Some(facts) = &mut self.facts {
            facts.fields.push((name.as_ref().to_owned(), None));
        }
        self
    }

    /// What widget ids inside the record are derived from.
    #[inline]
    pub(crate) fn key(&self) -> (&'static str, u64) {
        ("pling.record", self.key)
    }

    /// The facts; `None` while nobody observes.
    pub(crate) fn into_facts(self) -> Option<model::Record> {
        self.facts.map(|facts| *facts)
    }

    /// The id; `None` while nobody observes.
    pub(crate) fn id(&self) -> Option<&RecordId> {
        self.facts.as_ref().map(|facts| &facts.id)
    }
}

/// Hashes the text of an id without building it.
fn hash_of(id: &impl Display) -> u64 {
    struct Fnv(u64);
    impl fmt::Write for Fnv {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for byte in text.bytes() {
                self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            Ok(())
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    // Only a `Display` that reports an error of its own can fail here; its text so far still counts.
    let _ = write!(hash, "{id}");
    hash.0
}
