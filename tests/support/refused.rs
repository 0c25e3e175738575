//! What every refusal has in common.

use pling_core::act::{Code, Receipt};

use super::Bench;

/// The words of an error; empty when there is none.
pub(crate) fn message(receipt: &Receipt) -> &str {
    receipt.error.as_ref().map_or("", |(_, message)| message)
}

/// Refused with this code, with these words in the message, and no handler ran.
#[track_caller]
pub(crate) fn assert_refused(bench: &Bench, receipt: &Receipt, code: Code, words: &str) {
    assert_eq!(receipt.code(), Some(code), "{receipt:?}");
    assert!(message(receipt).contains(words), "{}", message(receipt));
    assert_eq!(bench.host.handled(), [""; 0], "nothing may run");
    assert!(receipt.changed.is_none(), "nothing ran, so nothing is claimed");
}
