//! Names with values that may be keys.

use std::{collections::BTreeMap, fmt};

use secrecy::SecretString;
/// Names and values of headers or query fields. Printing it shows the names only.
#[derive(Clone, Default)]
pub struct SecretPairs(BTreeMap<String, SecretString>);

impl SecretPairs {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One more, or another value for the same name.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SecretString)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl fmt::Debug for SecretPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
