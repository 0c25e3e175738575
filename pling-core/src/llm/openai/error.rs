//! What a failed request means: one of our kinds, the provider's own words, and whether to try again.

use secrecy::SecretString;
use serde_json::Value;

use super::mask::masked;
use crate::{
    llm::{ErrorKind, LlmError},
    platform::Duration,
};

/// A server that asks for more patience than this is not waited for; the user is told instead.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The longest part of a provider's text that is shown, in characters.
const MAX_WORDS: usize = 600;

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: LlmError,
    /// Whether the same request may be sent again.
    pub(super) retry: bool,
    /// The shortest wait the server allows.
    pub(super) wait: Option<Duration>,
    /// Whether the server found fault with the request's form: without what it names, it may take it.
    pub(super) form: bool,
}

impl Failure {
    /// Sending the same again would not help.
    pub(super) fn lasting(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            error: LlmError::new(kind, message),
            retry: false,
            wait: None,
            form: false,
        }
    }

    /// A connection that was refused or broke.
    pub(super) fn broken(message: impl Into<String>) -> Self {
        Self {
            error: LlmError::new(ErrorKind::Network, message),
            retry: true,
            wait: None,
            form: false,
        }
    }

    /// An answer with a status other than success. `url` must hold no secrets.
    pub(super) fn from_status(status: u16, body: &str, url: &str, wait: Option<Duration>) -> Self {
        let report = Report::read(body);
        let wait = wait.max(report.wait);
        let kind = report.kind(Some(status));
        let words = report.words.unwrap_or_else(|| "no explanation".to_owned());
        let mut message = format!("status {status} from {url}: {words}");
        if status == 404 {
            message.push_str(" (check the base URL and the model's name)");
        }
        let mut retry = matches!(kind, ErrorKind::RateLimited | ErrorKind::Server);
        if let Some(wait) = wait.filter(|wait| retry && *wait > LONGEST_WAIT) {
            retry = false;
            message.push_str(&format!(" (the server asks to wait {} seconds)", wait.as_secs()));
        }
        Self {
            form: kind == ErrorKind::Protocol && matches!(status, 400 | 422),
            error: LlmError::new(kind, message),
            retry,
            wait,
        }
    }

    /// An error that came inside a successful answer. The provider took the request, so it is not sent again.
    pub(super) fn in_band(body: &str) -> Self {
        let report = Report::read(body);
        let kind = report.kind(None);
        let words = report
            .words
            .unwrap_or_else(|| "an error without explanation".to_owned());
        Self::lasting(kind, format!("the provider reported: {words}"))
    }

    /// Takes the keys out of the message.
    pub(super) fn masked(mut self, secrets: &[SecretString]) -> Self {
        self.error.message = masked(&self.error.message, secrets);
        self
    }
}

/// What is wrong with the configuration stays wrong.
impl From<LlmError> for Failure {
    fn from(error: LlmError) -> Self {
        Self::lasting(error.kind, error.message)
    }
}

/// What a provider's error text says, in any of the shapes seen in the field.
struct Report {
    words: Option<String>,
    /// Its machine-readable `code` and `type`, in lower case.
    codes: String,
    /// A `code` that is an HTTP status.
    status: Option<u16>,
    /// How long to wait, where the body says so: Google's `RetryInfo.retryDelay`.
    wait: Option<Duration>,
}

impl Report {
    fn read(body: &str) -> Self {
        let mut report = Self {
            words: None,
            codes: String::new(),
            status: None,
            wait: None,
        };
        match serde_json::from_str::<Value>(body.trim()) {
            Ok(json) => report.read_json(&json),
            Err(_) if looks_like_html(body) => report.words = Some("an HTML page instead of an API answer".to_owned()),
            Err(_) => report.words = Some(body.trim().to_owned()),
        }
        report.words = report.words.filter(|words| !words.is_empty()).map(|words| cut(&words));
        report
    }

    fn read_json(&mut self, json: &Value) {
        match json {
            Value::String(text) => self.words = Some(text.clone()),
            Value::Array(items) => items.iter().take(1).for_each(|item| self.read_json(item)),
            Value::Object(map) => {
                for key in ["code", "type", "status"] {
                    match &map.get(key) {
                        Some(Value::String(text)) => {
                            self.status = self.status.or(text.parse().ok());
                            self.codes.push_str(&text.to_lowercase());
                            self.codes.push(' ');
                        }
                        Some(Value::Number(number)) => {
                            let status = number.as_u64().and_then(|code| u16::try_from(code).ok());
                            self.status = self.status.or(status);
                        }
                        _ => {}
                    }
                }
                for key in ["error", "message", "detail", "error_description"] {
                    match map.get(key) {
                        Some(inner @ Value::Object(_)) => self.read_json(inner),
                        Some(Value::String(text)) if self.words.is_none() => self.words = Some(text.clone()),
                        Some(inner @ Value::Array(_)) if self.words.is_none() => self.words = Some(inner.to_string()),
                        _ => {}
                    }
                }
                let details = map.get("details").and_then(Value::as_array).into_iter().flatten();
                let delay = details
                    .filter_map(|detail| seconds(detail["retryDelay"].as_str()?))
                    .max();
                self.wait = self.wait.max(delay);
                if self.words.is_none() {
                    self.words = Some(json.to_string());
                }
            }
            _ => self.words = Some(json.to_string()),
        }
    }

    fn kind(&self, status: Option<u16>) -> ErrorKind {
        let status = status.or(self.status.filter(|status| (400..600).contains(status)));
        let code = |needles: &[&str]| needles.iter().any(|needle| self.codes.contains(needle));
        let words = self.words.as_deref().unwrap_or_default().to_lowercase();
        let says = |needles: &[&str]| needles.iter().any(|needle| words.contains(needle));

        if status == Some(402)
            || code(&[
                "insufficient_quota",
                "insufficient_balance",
                "exceeded_current_quota",
                "billing",
            ])
            || says(&["insufficient balance", "insufficient credits", "余额不足"])
            // Google says the same of a quota for each minute, and then how long to wait.
            || (self.wait.is_none() && says(&["exceeded your current quota"]))
        {
            ErrorKind::Quota
        } else if status == Some(413)
            || code(&["context_length", "context_size", "context_window"])
            || (matches!(status, Some(400 | 422) | None)
                && says(&["context length", "context window", "context size", "prompt is too long"]))
        {
            ErrorKind::ContextLength
        } else if code(&["content_filter", "content_policy"]) {
            ErrorKind::ContentFilter
        } else if matches!(status, Some(401 | 403))
            || code(&["invalid_api_key", "authentication", "permission"])
            // Google's status for it is 400.
            || says(&["api key not valid", "invalid api key", "incorrect api key"])
        {
            ErrorKind::Auth
        } else if status == Some(404) || code(&["model_not_found", "not_found_error"]) {
            ErrorKind::ModelNotFound
        } else if status == Some(429) || code(&["rate_limit", "too_many_requests"]) {
            ErrorKind::RateLimited
        } else {
            match status {
                // 408 and 409 are what gateways say when they gave up on a request that is fine in itself.
                Some(408 | 409 | 500..) => ErrorKind::Server,
                Some(_) => ErrorKind::Protocol,
                None if code(&["invalid_request"]) => ErrorKind::Protocol,
                None => ErrorKind::Server,
            }
        }
    }
}

/// A duration as Google writes it: `17s`, `0.5s`.
fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.strip_suffix('s')?.parse().ok()?).ok()
}

/// Whether a body is a page for people: a proxy's log-in form, or a base URL that points at a web site.
pub(super) fn looks_like_html(body: &str) -> bool {
    let start = body.trim_start().as_bytes();
    ["<!doctype", "<html", "<head", "<body"].iter().any(|tag| {
        start
            .get(..tag.len())
            .is_some_and(|bytes| bytes.eq_ignore_ascii_case(tag.as_bytes()))
    })
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(MAX_WORDS) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_codes_before_statuses() {
        let check = |status: u16, body: &str, expect: ErrorKind, retry: bool| {
            let failure = Failure::from_status(status, body, "http://h/v1/chat/completions", None);
            assert_eq!((failure.error.kind, failure.retry), (expect, retry), "{status} {body}");
        };
        check(
            429,
            r#"{"error":{"message":"slow down","type":"requests"}}"#,
            ErrorKind::RateLimited,
            true,
        );
        check(
            429,
            r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#,
            ErrorKind::Quota,
            false,
        );
        check(
            400,
            r#"{"error":{"message":"long","code":"context_length_exceeded"}}"#,
            ErrorKind::ContextLength,
            false,
        );
        check(
            400,
            "this model's maximum context length is 8192 tokens",
            ErrorKind::ContextLength,
            false,
        );
        check(413, "", ErrorKind::ContextLength, false);
        check(
            400,
            r#"{"error":{"message":"invalid model"}}"#,
            ErrorKind::Protocol,
            false,
        );
        check(
            400,
            r#"{"error":{"message":"no","code":"content_filter"}}"#,
            ErrorKind::ContentFilter,
            false,
        );
        check(401, "no", ErrorKind::Auth, false);
        check(403, "[]", ErrorKind::Auth, false);
        check(
            404,
            r#"{"error":{"message":"no such model","code":"model_not_found"}}"#,
            ErrorKind::ModelNotFound,
            false,
        );
        check(
            429,
            r#"{"error":{"message":"pay","type":"exceeded_current_quota_error"}}"#,
            ErrorKind::Quota,
            false,
        );
        check(
            429,
            r#"{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}"#,
            ErrorKind::Quota,
            false,
        );
        check(
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            ErrorKind::Auth,
            false,
        );
        check(408, "", ErrorKind::Server, true);
        check(409, "", ErrorKind::Server, true);
        check(503, "<html><body>busy", ErrorKind::Server, true);
    }

    #[test]
    fn a_quota_for_each_minute_is_waited_for() {
        let quota = |details: &str| {
            let error = format!(
                r#"[{{"error":{{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED"{details}}}}}]"#
            );
            Failure::from_status(429, &error, "http://h", Some(Duration::from_secs(1)))
        };
        let lasting = quota("");
        assert_eq!((lasting.error.kind, lasting.retry), (ErrorKind::Quota, false));
        let passing = quota(r#","details":[{"@type":"x"},{"retryDelay":"17s"}]"#);
        assert_eq!((passing.error.kind, passing.retry), (ErrorKind::RateLimited, true));
        assert_eq!(passing.wait, Some(Duration::from_secs(17)));
        let long = quota(r#","details":[{"retryDelay":"3600s"}]"#);
        assert!(
            !long.retry && long.error.message.contains("3600 seconds"),
            "{}",
            long.error.message
        );
        assert_eq!(
            quota(r#","details":[{"retryDelay":"soon"}]"#).error.kind,
            ErrorKind::Quota
        );
    }

    #[test]
    fn words_are_found_in_every_shape() {
        let check = |body: &str, expect: &str| {
            let message = Failure::in_band(body).error.message;
            assert!(message.ends_with(expect), "{body}: {message}");
        };
        check(r#"{"error":{"message":"overloaded","code":503}}"#, ": overloaded");
        check(r#"{"error":"text"}"#, ": text");
        check(r#"[{"error":{"message":"listed","status":"UNAVAILABLE"}}]"#, ": listed");
        check(r#"{"message":"top"}"#, ": top");
        check(
            r#"{"detail":[{"msg":"field required"}]}"#,
            r#": [{"msg":"field required"}]"#,
        );
        check("plain", ": plain");
        check("  ", "without explanation");
    }

    #[test]
    fn a_long_wait_is_shown_and_not_waited_for() {
        let failure = Failure::from_status(429, "slow", "http://h", Some(Duration::from_secs(86_400)));
        assert!(!failure.retry);
        assert!(
            failure.error.message.contains("86400 seconds"),
            "{}",
            failure.error.message
        );
    }
}
