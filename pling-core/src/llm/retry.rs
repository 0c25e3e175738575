//! How often and how long a failed request is tried again.

use crate::platform::Duration;

/// How often and how long a failed request is tried again. The first request is not a retry: `1 + max_retries` attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Retries after the first attempt.
    pub max_retries: u32,
    /// The wait before the first retry; it doubles with each further one.
    pub base_delay: Duration,
    /// The longest computed wait. A server's `Retry-After` may ask for more.
    pub max_delay: Duration,
}

impl RetryPolicy {
    /// A policy.
    #[must_use]
    pub fn new(max_retries: u32, base_delay: Duration, max_delay: Duration) -> Self {
        Self {
            max_retries,
            base_delay,
            max_delay,
        }
    }

    /// One attempt and no more.
    #[must_use]
    pub fn never() -> Self {
        Self::new(0, Duration::ZERO, Duration::ZERO)
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new(3, Duration::from_millis(500), Duration::from_millis(4000))
    }
}
