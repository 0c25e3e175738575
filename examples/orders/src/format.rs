//! Money as the page writes it.

use serde::Serialize;

/// A currency. Amounts are not converted: it is what the shop's books are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Currency {
    /// Euro.
    #[serde(rename = "EUR")]
    Euro,
    /// US dollar.
    #[serde(rename = "USD")]
    Dollar,
    /// Pound sterling.
    #[serde(rename = "GBP")]
    Pound,
}

impl Currency {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Euro, Self::Dollar, Self::Pound];

    /// As the page says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Euro => "EUR",
            Self::Dollar => "USD",
            Self::Pound => "GBP",
        }
    }

    fn sign(self) -> char {
        match self {
            Self::Euro => '€',
            Self::Dollar => '$',
            Self::Pound => '£',
        }
    }
}

/// How amounts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money {
    /// The sign in front.
    pub currency: Currency,
    /// Digits after the point, 0 to 2; what is cut off is rounded.
    pub decimals: u32,
}

impl Money {
    /// An amount in cents.
    #[must_use]
    pub fn write(self, cents: u64) -> String {
        let unit = 10_u64.pow(2 - self.decimals.min(2));
        let rounded = (cents + unit / 2) / unit;
        let parts = 10_u64.pow(self.decimals.min(2));
        let mut text = format!("{}{}", self.currency.sign(), grouped(rounded / parts));
        if parts > 1 {
            let width = self.decimals.min(2) as usize;
            text += &format!(".{:0width$}", rounded % parts);
        }
        text
    }
}

/// A number with a comma before every three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Currency, Money};

    #[test]
    fn amounts_are_grouped_and_rounded() {
        for (cents, decimals, text) in [
            (0, 2, "€0.00"),
            (5, 2, "€0.05"),
            (12_340, 2, "€123.40"),
            (12_345, 1, "€123.5"),
            (99_950, 0, "€1,000"),
            (123_456_789, 2, "€1,234,567.89"),
        ] {
            let money = Money {
                currency: Currency::Euro,
                decimals,
            };
            assert_eq!(money.write(cents), text);
        }
    }
}
