//! Who may speak at all: this machine, no web page, whoever can read the token.

use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};

/// The names under which a loopback listener may be asked for.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// What every request has to show.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) port: u16,
    pub(super) token: String,
    /// Origins beside the listener's own, such as `https://app.example.com`.
    pub(super) origins: Vec<String>,
}

/// A request that is turned away.
#[derive(Debug)]
pub(super) struct TurnedAway {
    pub(super) status: StatusCode,
    pub(super) message: &'static str,
}

const fn turned_away(status: StatusCode, message: &'static str) -> TurnedAway {
    TurnedAway { status, message }
}

impl Guard {
    /// That it was meant for this listener, and comes from no page that the application does not know.
    pub(super) fn check_source(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), TurnedAway> {
        if !self.is_own_host(uri, headers) {
            let message = "the Host header must be a loopback name of this listener, with its port";
            return Err(turned_away(StatusCode::FORBIDDEN, message));
        }
        if !headers
            .get_all(header::ORIGIN)
            .iter()
            .all(|origin| self.may_come_from(origin.as_bytes()))
        {
            return Err(turned_away(
                StatusCode::FORBIDDEN,
                "requests from this Origin are not allowed",
            ));
        }
        Ok(())
    }

    /// The origin of a page that the application lets in.
    pub(super) fn listed<'a>(&self, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
        let origin = headers.get(header::ORIGIN)?;
        self.is_listed(origin.to_str().ok()?).then_some(origin)
    }

    pub(super) fn check_token(&self, headers: &HeaderMap) -> Result<(), TurnedAway> {
        if !self.has_token(headers) {
            let message = "a bearer token is needed: that of this run of the application";
            return Err(turned_away(StatusCode::UNAUTHORIZED, message));
        }
        Ok(())
    }

    /// A name that some DNS server made point here is none of ours. No port means 80, which is never ours.
    fn is_own_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let is_own = |authority: &str| self.is_own(authority);
        host.to_str().is_ok_and(is_own) && uri.authority().is_none_or(|authority| is_own(authority.as_str()))
    }

    fn may_come_from(&self, origin: &[u8]) -> bool {
        let Ok(origin) = std::str::from_utf8(origin) else {
            return false;
        };
        let own = origin
            .strip_prefix("http://")
            .is_some_and(|authority| self.is_own(authority));
        own || self.is_listed(origin)
    }

    fn is_listed(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }

    fn is_own(&self, authority: &str) -> bool {
        let Some((name, port)) = authority.rsplit_once(':') else {
            return false;
        };
        port.parse() == Ok(self.port) && LOOPBACK.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(given), None) = (given.next(), given.next()) else {
            return false;
        };
        let given = given.to_str().unwrap_or_default();
        let Some((scheme, token)) = given.split_once(' ') else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer") && is_same(token.trim().as_bytes(), self.token.as_bytes())
    }
}

/// Takes as long for a near miss as for any other of this length.
fn is_same(given: &[u8], token: &[u8]) -> bool {
    given.len() == token.len() && given.iter().zip(token).fold(0, |seen, (a, b)| seen | (a ^ b)) == 0
}
