//! Who may ask, how often, and for how much.

use axum::http::StatusCode;
use parking_lot::Mutex;
use pling_core::platform::{Duration, Instant, now};
use secrecy::{ExposeSecret as _, SecretString};

use crate::{Config, Refusal};

const MINUTE: Duration = Duration::from_secs(60);

/// Every session there is.
pub(crate) struct Sessions {
    sessions: Vec<Session>,
    per_minute: u32,
    spend: u64,
}

struct Session {
    token: SecretString,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    /// Until when the requests so far are paid for.
    paid_until: Option<Instant>,
    spent: u64,
}

impl Sessions {
    pub(crate) fn new(config: &Config) -> Self {
        let sessions = config.tokens.iter().map(|token| Session {
            token: token.clone(),
            used: Mutex::default(),
        });
        Self {
            sessions: sessions.collect(),
            per_minute: config.per_minute,
            spend: config.spend,
        }
    }

    /// Counts a request that may cost so many tokens.
    pub(crate) fn admit(&self, token: &str, cost: u64) -> Result<(), Refusal> {
        let session = self
            .sessions
            .iter()
            .find(|session| is_same(token, session.token.expose_secret()));
        let mut used = session.ok_or(Refusal::UNKNOWN)?.used.lock();
        let now = now();
        let step = MINUTE.checked_div(self.per_minute).unwrap_or(MINUTE);
        let paid_until = used.paid_until.filter(|until| *until > now).unwrap_or(now) + step;
        let ahead = paid_until - now;
        if ahead > MINUTE {
            let mut refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many requests in a minute");
            refusal.retry_after = Some((ahead - MINUTE).as_secs() + 1);
            return Err(refusal);
        }
        let spent = used.spent.saturating_add(cost);
        if spent > self.spend {
            return Err(Refusal::new(
                StatusCode::PAYMENT_REQUIRED,
                "this session has spent what it may",
            ));
        }
        *used = Used {
            paid_until: Some(paid_until),
            spent,
        };
        Ok(())
    }
}

/// Takes as long for a near miss as for any other of this length.
fn is_same(given: &str, token: &str) -> bool {
    let (given, token) = (given.as_bytes(), token.as_bytes());
    given.len() == token.len() && given.iter().zip(token).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
