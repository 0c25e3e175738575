//! Names that tie declarations, calls and receipts together.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps the text as it is; any text is an id.
            #[must_use]
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            /// The text of the id.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }
    };
}

text_id!(
    /// The author's name of an action, such as `toggle`. Authored.
    ActionId
);
text_id!(
    /// The application's own id of a business object, such as `t9`. Page data.
    RecordId
);
text_id!(
    /// The author's name of a region, such as `todos`. Authored.
    RegionId
);

/// Where something is declared: region ids from the outermost to the innermost; empty at the page's root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionPath(Arc<[RegionId]>);

impl RegionPath {
    /// The page itself, outside every region.
    #[must_use]
    pub fn root() -> Self {
        Self(Arc::from([]))
    }

    /// Whether it is the page itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path of a region nested directly in this one.
    #[must_use]
    pub fn child(&self, id: RegionId) -> Self {
        self.0.iter().cloned().chain([id]).collect()
    }

    /// The ids, outermost first.
    #[must_use]
    pub fn ids(&self) -> &[RegionId] {
        &self.0
    }

    /// The innermost region, or `None` at the root.
    #[must_use]
    pub fn innermost(&self) -> Option<&RegionId> {
        self.0.last()
    }

    /// Whether `self` is `outer` or lies somewhere inside it.
    #[must_use]
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }
}

impl Serialize for RegionPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

impl FromIterator<RegionId> for RegionPath {
    fn from_iter<I: IntoIterator<Item = RegionId>>(ids: I) -> Self {
        Self(ids.into_iter().collect())
    }
}

impl Default for RegionPath {
    fn default() -> Self {
        Self::root()
    }
}

impl fmt::Display for RegionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, id) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" > ")?;
            }
            f.write_str(id.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for RegionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}
