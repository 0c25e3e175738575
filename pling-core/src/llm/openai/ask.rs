//! Asking until a reply is complete or nothing more may be tried.

use http::header;
use secrecy::ExposeSecret as _;

use super::{
    BAD_KEY, OpenAi, backoff,
    error::Failure,
    header_name, not_configured, secret_value,
    transport::{Outgoing, usual_headers},
    wire::{Heard, Reader},
};
use crate::{
    llm::{Delta, LlmError, OnDelta, Profile, Request, RetryPolicy},
    platform::{Duration, sleep},
};

impl OpenAi {
    /// Sends a request as often as the policy allows. A provider that finds fault with a field which can be left out or
    /// written otherwise is asked again at once; that is no retry, and what was learned is kept once it was right.
    pub(super) async fn ask(
        &self,
        request: &Request,
        policy: &RetryPolicy,
        on_delta: &OnDelta,
    ) -> Result<Heard, LlmError> {
        let mut profile = self.current_profile();
        let mut changes = Vec::new();
        let mut waits = backoff::waits(policy);
        let mut attempt = 0;
        loop {
            let failure = match self.attempt(request, &profile, on_delta).await {
                Ok(heard) => {
                    if !changes.is_empty() {
                        *self.profile.lock() = profile;
                    }
                    return Ok(heard);
                }
                Err(failure) => failure.masked(&self.secrets),
            };
            let change = if failure.form {
                profile
                    .adapt(&failure.error.message)
                    .filter(|change| !changes.contains(change))
            } else {
                None
            };
            let (wait, why) = match change {
                Some(change) => {
                    let why = format!("{}; asked again {change}", failure.error);
                    changes.push(change);
                    (Duration::ZERO, why)
                }
                None => match waits.next().filter(|_| failure.retry) {
                    Some(wait) => (wait.max(failure.wait.unwrap_or_default()), failure.error.to_string()),
                    None => return Err(failure.error),
                },
            };
            attempt += 1;
            tracing::debug!(attempt, kind = failure.error.kind.as_str(), "the request is sent again");
            on_delta(Delta::Retry {
                attempt,
                wait_millis: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                why,
            });
            sleep(wait).await;
        }
    }

    async fn attempt(&self, request: &Request, profile: &Profile, on_delta: &OnDelta) -> Result<Heard, Failure> {
        let body = profile.body(request);
        let made_up = format!("call_{}", request.messages.len());
        let reader = Reader {
            url: &self.endpoint.shown,
            stream: request.stream,
            idle: self.idle_timeout,
            max_event_bytes: self.max_event_bytes,
            made_up: &made_up,
        };
        let outgoing = Outgoing {
            endpoint: &self.endpoint,
            headers: self.headers(request.stream, profile)?,
            body: &body,
            recorder: self.recorder.as_ref(),
            secrets: &self.secrets,
        };
        reader.run(&self.transport, outgoing, on_delta).await
    }

    fn headers(&self, stream: bool, profile: &Profile) -> Result<http::HeaderMap, LlmError> {
        let mut headers = usual_headers(stream);
        if let Some(key) = &self.key {
            let name = header_name(&profile.key_header)?;
            let key = key.expose_secret();
            let value = if name == header::AUTHORIZATION {
                secret_value(&format!("Bearer {key}"))
            } else {
                secret_value(key)
            };
            headers.insert(name, value.ok_or_else(|| not_configured(BAD_KEY))?);
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        Ok(headers)
    }
}
