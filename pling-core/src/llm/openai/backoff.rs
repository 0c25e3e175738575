//! When a request is sent again: a growing wait, never shorter than the server asks for.

use backon::{BackoffBuilder as _, ExponentialBuilder};
use http::HeaderMap;
use n0_future::time::SystemTime;

use crate::{llm::RetryPolicy, platform::Duration};

/// The waits of a policy, one for each retry, each a little longer than the policy says so that clients spread out.
pub(super) fn waits(policy: &RetryPolicy) -> impl Iterator<Item = Duration> + use<> {
    let max = policy.max_delay;
    ExponentialBuilder::new()
        .with_min_delay(policy.base_delay)
        .with_max_delay(max)
        .with_max_times(policy.max_retries as usize)
        .with_jitter()
        .build()
        .map(move |wait| wait.min(max))
}

/// How long a server asks us to wait: seconds, a fraction of them, or a date. `None`: nothing it said makes sense,
/// or the date has passed.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1000.0)) {
        return Some(wait);
    }
    let value = text("retry-after")?;
    seconds(value, 1.0).or_else(|| {
        let until = since_epoch(value)?;
        // The server's own clock, where it tells: the user's may be wrong by hours.
        let now = text("date").and_then(since_epoch).or_else(now)?;
        until.checked_sub(now).filter(|wait| !wait.is_zero())
    })
}

fn seconds(text: &str, units_per_second: f64) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(value / units_per_second).ok()
}

fn since_epoch(date: &str) -> Option<Duration> {
    let time = httpdate::parse_http_date(date).ok()?;
    time.duration_since(std::time::UNIX_EPOCH).ok()
}

fn now() -> Option<Duration> {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    http::HeaderName::from_static(name),
                    HeaderValue::from_str(value).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn a20_retry_after_forms() {
        let check = |value: &str, expect: Option<f64>| {
            let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
            let wait = retry_after(&headers(&[("retry-after", value), date]));
            assert_eq!(wait, expect.map(Duration::from_secs_f64), "{value}");
        };
        check("2", Some(2.0));
        check(" 1.5 ", Some(1.5));
        check("86400", Some(86_400.0));
        check("Sun, 06 Nov 1994 08:49:39 GMT", Some(2.0));
        check("Sun, 06 Nov 1994 08:49:30 GMT", None);
        for garbage in ["abc", "-1", "", "NaN", "inf", "1e300"] {
            check(garbage, None);
        }
        assert_eq!(
            retry_after(&headers(&[("retry-after-ms", "250")])),
            Some(Duration::from_millis(250))
        );
    }

    #[test]
    fn a_date_without_the_servers_clock_counts_from_ours() {
        let until = std::time::UNIX_EPOCH + now().unwrap() + Duration::from_secs(30);
        let wait = retry_after(&headers(&[("retry-after", &httpdate::fmt_http_date(until))])).unwrap();
        assert!((28..=30).contains(&wait.as_secs()), "{wait:?}");
    }

    #[test]
    fn waits_grow_within_their_bounds() {
        let policy = RetryPolicy::new(4, Duration::from_millis(100), Duration::from_millis(400));
        let waits: Vec<_> = waits(&policy).collect();
        assert_eq!(waits.len(), 4);
        for (wait, floor) in waits.iter().zip([100, 200, 400, 400]) {
            assert!((floor..=400).contains(&wait.as_millis()), "{waits:?}");
        }
        assert_eq!(super::waits(&RetryPolicy::never()).count(), 0);
    }
}
