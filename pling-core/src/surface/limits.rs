//! How much a client may do, and for how long it is waited.

use super::Failure;
use crate::{
    act::Permissions,
    platform::{Duration, Instant, now},
};

/// How much one client may do, and for how long it is waited.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientLimits {
    /// What it may call; what the executor permits at all stands beside it.
    pub permissions: Permissions,
    /// Requests of every kind in a minute; as many at once when it was quiet before.
    pub per_minute: u32,
    /// Calls in all. `None`: no limit.
    pub max_calls: Option<u64>,
    /// Calls that are not over.
    pub max_open: usize,
    /// After this time a call that goes on is answered with a handle.
    pub answer_within: Duration,
    /// For how long a handle is good while nobody waits for it.
    pub keep: Duration,
    /// For how long the user may think.
    pub decide_within: Duration,
    /// Tokens of one receipt, by the estimate of [`crate::llm::estimate_tokens`].
    pub max_result_tokens: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            permissions: Permissions::all(),
            per_minute: 240,
            max_calls: None,
            max_open: 8,
            // Clients give up after a minute, some after half of it.
            answer_within: Duration::from_secs(20),
            keep: Duration::from_secs(60),
            decide_within: Duration::from_secs(300),
            max_result_tokens: 1000,
        }
    }
}

impl ClientLimits {
    /// What it may call.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = permissions;
        self
    }

    /// Requests in a minute.
    #[must_use]
    pub fn per_minute(mut self, per_minute: u32) -> Self {
        self.per_minute = per_minute;
        self
    }

    /// Calls in all.
    #[must_use]
    pub fn max_calls(mut self, max_calls: u64) -> Self {
        self.max_calls = Some(max_calls);
        self
    }

    /// Calls that are not over.
    #[must_use]
    pub fn max_open(mut self, max_open: usize) -> Self {
        self.max_open = max_open;
        self
    }

    /// After how long a call that goes on is answered with a handle.
    #[must_use]
    pub fn answer_within(mut self, answer_within: Duration) -> Self {
        self.answer_within = answer_within;
        self
    }

    /// For how long a handle is good while nobody waits for it.
    #[must_use]
    pub fn keep(mut self, keep: Duration) -> Self {
        self.keep = keep;
        self
    }

    /// For how long the user may think.
    #[must_use]
    pub fn decide_within(mut self, decide_within: Duration) -> Self {
        self.decide_within = decide_within;
        self
    }

    /// Tokens of one receipt.
    #[must_use]
    pub fn max_result_tokens(mut self, max_result_tokens: usize) -> Self {
        self.max_result_tokens = max_result_tokens;
        self
    }
}

/// What a client used up.
#[derive(Debug)]
pub(super) struct Used {
    calls: u64,
    bucket: Bucket,
}

impl Used {
    pub(super) fn new() -> Self {
        Self {
            calls: 0,
            bucket: Bucket::full(),
        }
    }

    /// Counts a request.
    pub(super) fn request(&mut self, limits: &ClientLimits) -> Result<(), Failure> {
        self.bucket.take(limits.per_minute).map_err(|wait| {
            let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
            let message = format!("too many requests: at most {} in a minute", limits.per_minute);
            let mut failure = Failure::new("RATE_LIMITED", message);
            failure.retry_after_ms = Some(millis);
            failure
        })
    }

    /// Counts a call.
    pub(super) fn call(&mut self, limits: &ClientLimits) -> Result<(), Failure> {
        if let Some(max) = limits.max_calls.filter(|max| self.calls >= *max) {
            let message = format!("all {max} calls that this client may make are used up");
            return Err(Failure::new("BUDGET_EXCEEDED", message));
        }
        self.calls += 1;
        Ok(())
    }
}

/// A rate: what was not used for a minute may be used at once.
#[derive(Debug)]
pub(super) struct Bucket {
    /// When it was, or will be, empty of what was taken.
    free_at: Option<Instant>,
}

const MINUTE: Duration = Duration::from_secs(60);

impl Bucket {
    pub(super) fn full() -> Self {
        Self { free_at: None }
    }

    /// Takes one of so many in a minute. `Err`: how long until there is one.
    pub(super) fn take(&mut self, per_minute: u32) -> Result<(), Duration> {
        let now = now();
        let Some(step) = MINUTE.checked_div(per_minute) else {
            return Err(MINUTE);
        };
        let free_at = self.free_at.filter(|free_at| *free_at > now).unwrap_or(now) + step;
        let ahead = free_at.saturating_duration_since(now);
        if ahead > MINUTE {
            return Err(ahead - MINUTE);
        }
        self.free_at = Some(free_at);
        Ok(())
    }
}
