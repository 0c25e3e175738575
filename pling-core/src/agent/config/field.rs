//! Values of fields: from the JSON form, or from environment variables, `PLING_AGENT_` and the field's path in capitals.

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::{ConfigError, Price, Prices, SecretPairs, provider::Fields};
use crate::{act::DefaultApproval, llm::ToolContent};

/// A value that a field can have.
pub(super) trait Field: Sized {
    /// The end of `expected …`.
    const EXPECTED: &'static str;

    /// Reads the JSON form, which is not `null`. An error names a field inside of it, or none.
    fn from_json(value: Value) -> Result<Self, ConfigError>;

    /// Reads trimmed text that is not empty.
    fn from_text(text: &str) -> Option<Self>;
}

/// Reads one variable. Unset and blank are the same: a blank line in a settings file sets nothing.
pub(super) fn read<T: Field>(
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

/// Takes one field out of a JSON object. Missing and `null` are the same. A value of the wrong sort is not repeated in
/// the error, for it may be a key.
pub(super) fn take<T: Field>(
    fields: &mut Map<String, Value>,
    section: &str,
    field: &str,
) -> Result<Option<T>, ConfigError> {
    let name = camel_case(field);
    match fields.remove(&name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::from_json(value)
            .map(Some)
            .map_err(|error| error.inside(&name).inside(section)),
    }
}

/// The object of a section; empty where there is none.
pub(super) fn section(value: Option<Value>, name: &str) -> Result<Map<String, Value>, ConfigError> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields),
        Some(_) => Err(ConfigError::new(name, "expected an object")),
    }
}

/// Refuses what is left in an object when the known fields were taken out.
pub(super) fn no_more(left: &Map<String, Value>, section: &str, known: &[&str]) -> Result<(), ConfigError> {
    let Some(unknown) = left.keys().next() else {
        return Ok(());
    };
    let known: Vec<_> = known.iter().map(|field| camel_case(field)).collect();
    let message = format!("no such field, expected one of {}", known.join(", "));
    Err(ConfigError::new(unknown, message).inside(section))
}

/// A value of another sort than expected.
fn expected(what: &str) -> ConfigError {
    ConfigError::new("", format!("expected {what}"))
}

impl ConfigError {
    /// The same, told from outside of a section.
    fn inside(self, section: &str) -> Self {
        let field = match (section, &*self.field) {
            ("", inner) => inner.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, inner) => format!("{outer}.{inner}"),
        };
        Self::new(field, self.message)
    }
}

/// The JSON form of a field's own name, which is ASCII.
fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}

macro_rules! parsed {
    ($expected:literal, $json:expr; $($type:ty),*) => {$(
        impl Field for $type {
            const EXPECTED: &'static str = $expected;
            fn from_json(value: Value) -> Result<Self, ConfigError> {
                let read = $json(&value).and_then(|value| value.try_into().ok());
                read.ok_or_else(|| expected(Self::EXPECTED))
            }
            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

parsed!("text", Value::as_str; String);
parsed!("a whole number", Value::as_u64; u32, u64, usize);
parsed!("a number", Value::as_f64; f64);

impl Field for SecretString {
    const EXPECTED: &'static str = "text";

    fn from_json(value: Value) -> Result<Self, ConfigError> {
        value.as_str().map(Into::into).ok_or_else(|| expected(Self::EXPECTED))
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(text.into())
    }
}

impl Field for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_json(value: Value) -> Result<Self, ConfigError> {
        value.as_bool().ok_or_else(|| expected(Self::EXPECTED))
    }

    fn from_text(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Some(true),
            "false" | "0" | "no" | "off" => Some(false),
            _ => None,
        }
    }
}

/// What a million tokens of a model cost.
fn price_of(value: Value) -> Result<Price, ConfigError> {
    let mut fields = section(Some(value), "")?;
    let mut number = |name| take(&mut fields, "", name)?.ok_or_else(|| expected(f64::EXPECTED).inside(name));
    let price = Price {
        input: number("input")?,
        output: number("output")?,
    };
    no_more(&fields, "", &["input", "output"])?;
    Ok(price)
}

impl Field for Prices {
    const EXPECTED: &'static str = r#"JSON such as {"gpt-5":{"input":1.25,"output":10}}"#;

    fn from_json(value: Value) -> Result<Self, ConfigError> {
        let mut prices = Self::new();
        for (model, price) in Fields::from_json(value).map_err(|_other| expected(Self::EXPECTED))? {
            let price = price_of(price).map_err(|error| error.inside(&model))?;
            prices = prices.with(model, price);
        }
        Ok(prices)
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::from_json(serde_json::from_str(text).ok()?).ok()
    }
}

/// One of a few words, in either case.
macro_rules! words {
    ($type:ident, $expected:literal; $($word:literal => $value:ident),+) => {
        impl Field for $type {
            const EXPECTED: &'static str = $expected;

            fn from_json(value: Value) -> Result<Self, ConfigError> {
                value.as_str().and_then(Self::from_text).ok_or_else(|| expected(Self::EXPECTED))
            }

            fn from_text(text: &str) -> Option<Self> {
                match text.to_ascii_lowercase().as_str() {
                    $($word => Some(Self::$value),)+
                    _ => None,
                }
            }
        }
    };
}

words!(DefaultApproval, "never, danger, write or always";
    "never" => Never, "danger" => Danger, "write" => Write, "always" => Always);
words!(ToolContent, "null or empty"; "null" => Null, "empty" => Empty);

impl Field for SecretPairs {
    const EXPECTED: &'static str = "a JSON object of texts";

    fn from_json(value: Value) -> Result<Self, ConfigError> {
        let mut pairs = Self::new();
        for (name, value) in Fields::from_json(value).map_err(|_other| expected(Self::EXPECTED))? {
            let value = SecretString::from_json(value).map_err(|error| error.inside(&name))?;
            pairs = pairs.with(name, value);
        }
        Ok(pairs)
    }

    fn from_text(text: &str) -> Option<Self> {
        Self::from_json(serde_json::from_str(text).ok()?).ok()
    }
}

impl Field for Fields {
    const EXPECTED: &'static str = "a JSON object";

    fn from_json(value: Value) -> Result<Self, ConfigError> {
        match value {
            Value::Object(fields) => Ok(fields),
            _ => Err(expected(Self::EXPECTED)),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}
