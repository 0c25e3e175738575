//! One order.

use std::{fmt, str::FromStr};

use serde::Serialize;

use super::{CUSTOMERS, Customer, Day, spread};

/// What is sold, and its price in cents.
const PRODUCTS: [(&str, u32); 10] = [
    ("Coffee beans, 1 kg", 1_890),
    ("Desk lamp", 4_900),
    ("Field notebook", 1_250),
    ("Filter kettle", 7_990),
    ("Linen apron", 3_450),
    ("Office chair", 24_900),
    ("Oak shelf", 11_900),
    ("Tea sampler", 2_100),
    ("Travel mug", 2_790),
    ("Wool blanket", 8_600),
];
/// The first day an order is placed on, 2025-01-01, and on how many days there are any.
const FIRST_DAY: u32 = 20_089;
const DAYS: u32 = 500;

/// How far an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Placed, not paid.
    Pending,
    /// Paid, not shipped.
    Paid,
    /// On its way.
    Shipped,
    /// Received.
    Delivered,
    /// Given up before it was paid.
    Cancelled,
    /// Paid back.
    Refunded,
}

impl Status {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Paid,
        Self::Shipped,
        Self::Delivered,
        Self::Cancelled,
        Self::Refunded,
    ];

    /// As the page says it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Paid => "paid",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Cancelled => "cancelled",
            Self::Refunded => "refunded",
        }
    }

    /// What a refund still needs; `None` when nothing is missing.
    #[must_use]
    pub fn refund_needs(self) -> Option<&'static str> {
        match self {
            Self::Paid | Self::Shipped | Self::Delivered => None,
            Self::Refunded => Some("an order that was not refunded already"),
            Self::Pending | Self::Cancelled => Some("an order that was paid"),
        }
    }
}

/// What an order is called: `ORD-000001` is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderId(u32);

impl OrderId {
    /// The id of the order at an index.
    #[must_use]
    pub fn of(index: u32) -> Self {
        Self(index + 1)
    }

    /// The index of the order.
    #[must_use]
    pub fn index(self) -> u32 {
        self.0 - 1
    }
}

impl fmt::Display for OrderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ORD-{:06}", self.0)
    }
}

/// The text is no order's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoOrderId;

impl FromStr for OrderId {
    type Err = NoOrderId;

    fn from_str(text: &str) -> Result<Self, NoOrderId> {
        let number = text.strip_prefix("ORD-").and_then(|digits| digits.parse().ok());
        let id = number.filter(|number| *number > 0).map(Self).ok_or(NoOrderId)?;
        // Only as it is written: an id is no number.
        if id.to_string() == text { Ok(id) } else { Err(NoOrderId) }
    }
}

/// One order, without its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Its place among all.
    pub index: u32,
    /// Whose it is.
    pub customer: Customer,
    /// When it was placed.
    pub placed: Day,
    /// When it is to be shipped.
    pub ships: Day,
    /// How far it is.
    pub status: Status,
    /// How many pieces.
    pub quantity: u32,
    product: u8,
}

impl Order {
    /// The order at an index, as it was placed: a pure function.
    #[must_use]
    pub fn placed(index: u32) -> Self {
        let bits = spread(u64::from(index));
        let part = |shift: u32, modulus: u32| (bits >> shift) as u32 % modulus;
        let status = match part(0, 100) {
            0..10 => Status::Pending,
            10..35 => Status::Paid,
            35..55 => Status::Shipped,
            55..90 => Status::Delivered,
            90..96 => Status::Cancelled,
            _ => Status::Refunded,
        };
        let placed = FIRST_DAY + part(8, DAYS);
        Self {
            index,
            #[expect(clippy::cast_possible_truncation, reason = "below `CUSTOMERS`")]
            customer: Customer(part(20, u32::from(CUSTOMERS)) as u16),
            placed: Day(placed),
            ships: Day(placed + 1 + part(34, 9)),
            status,
            quantity: 1 + part(40, 6),
            #[expect(clippy::cast_possible_truncation, reason = "below 10")]
            product: part(44, 10) as u8,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn id(&self) -> OrderId {
        OrderId::of(self.index)
    }

    /// What was ordered.
    #[must_use]
    pub fn product(&self) -> &'static str {
        PRODUCTS[usize::from(self.product)].0
    }

    /// The price of one piece, in cents.
    #[must_use]
    pub fn unit_cents(&self) -> u32 {
        PRODUCTS[usize::from(self.product)].1
    }

    /// The price of all, in cents.
    #[must_use]
    pub fn total_cents(&self) -> u32 {
        self.unit_cents() * self.quantity
    }
}
