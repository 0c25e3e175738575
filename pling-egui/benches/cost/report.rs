//! The lines of the report.

#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

use std::{cmp::Ordering, fmt::Display};

use pling_core::platform::Duration;

/// The first line.
pub(crate) fn heading() {
    println!("{:<66} {:>12} {:>12}  ", "what", "median", "bound");
}

/// A ratio against the same app without Pling.
pub(crate) fn ratio(what: &str, ratio: f64, bound: f64) {
    line(what, format!("{ratio:.3} ×"), format!("{bound:.2} ×"), ratio <= bound);
}

/// A number of passes, frames or tokens.
pub(crate) fn count(what: &str, count: usize, bound: usize) {
    line(what, count, bound, count <= bound);
}

/// A time.
pub(crate) fn time(what: &str, time: Duration, bound: Duration) {
    line(what, format!("{time:.1?}"), format!("{bound:.1?}"), time <= bound);
}

/// Something that could not be measured here, and why.
pub(crate) fn missing(what: &str, why: &str) {
    println!("{what:<66} not measured: {why}");
}

fn line(what: &str, median: impl Display, bound: impl Display, holds: bool) {
    let verdict = if holds { "ok" } else { "over" };
    println!("{what:<66} {median:>12} {bound:>12}  {verdict}");
}

/// The value in the middle.
pub(crate) fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> Option<T> {
    values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    values.get(values.len() / 2).copied()
}
