//! Orders and customers, made from numbers, and what was edited.

mod customer;
mod day;
mod order;
mod store;

pub use customer::{CUSTOMERS, Customer};
pub use day::Day;
pub use order::{Order, OrderId, Status};
pub use store::{Edit, Orders};

/// The most orders there can be: rows of the table lie at even points, which `f32` keeps exact up to 2²⁵.
pub const MOST: u32 = 1_250_000;

/// Spreads a number over all bits (splitmix64), so that what is derived from neighbors looks unrelated.
fn spread(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
