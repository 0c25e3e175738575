//! Values from environment variables: `PLING_AGENT_` and the field's path in capitals.

use secrecy::SecretString;

use super::{ConfigError, Prices, SecretPairs, provider::Fields};
use crate::{act::DefaultApproval, llm::ToolContent};

/// Reads one variable. Unset and blank are the same: a blank line in a settings file sets nothing.
pub(super) fn read<T: FromText>(
    environment: &dyn Fn(&str) -> Option<String>,
    section: &str,
    field: &str,
) -> Result<Option<T>, ConfigError> {
    let name = format!("PLING_AGENT_{section}{field}").to_ascii_uppercase();
    let Some(text) = environment(&name).filter(|text| !text.trim().is_empty()) else {
        return Ok(None);
    };
    match T::from_text(text.trim()) {
        Some(value) => Ok(Some(value)),
        None => Err(ConfigError::new(name, format!("expected {}", T::EXPECTED))),
    }
}

/// A value that can be written as one variable.
pub(super) trait FromText: Sized {
    /// The end of `expected …`.
    const EXPECTED: &'static str;

    /// Reads trimmed text that is not empty.
    fn from_text(text: &str) -> Option<Self>;
}

macro_rules! parsed {
    ($expected:literal: $($type:ty),*) => {$(
        impl FromText for $type {
            const EXPECTED: &'static str = $expected;
            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

parsed!("text": String);
parsed!("a whole number": u32, u64, usize);
parsed!("a number": f64);

impl FromText for SecretString {
    const EXPECTED: &'static str = "text";

    fn from_text(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

impl FromText for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_text(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        }
    }
}

impl FromText for Prices {
    const EXPECTED: &'static str = r#"JSON such as {"gpt-5":{"input":1.25,"output":10}}"#;

    fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl FromText for DefaultApproval {
    const EXPECTED: &'static str = "never, danger, write or always";

    fn from_text(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "never" => Some(Self::Never),
            "danger" => Some(Self::Danger),
            "write" => Some(Self::Write),
            "always" => Some(Self::Always),
            _ => None,
        }
    }
}

impl FromText for ToolContent {
    const EXPECTED: &'static str = "null or empty";

    fn from_text(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "null" => Some(Self::Null),
            "empty" => Some(Self::Empty),
            _ => None,
        }
    }
}

impl FromText for SecretPairs {
    const EXPECTED: &'static str = "a JSON object of texts";

    fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl FromText for Fields {
    const EXPECTED: &'static str = "a JSON object";

    fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}
