//! Where requests go: from the base URL that a person wrote down to the one path that is called.

use reqwest::Url;

use crate::{
    llm::{ErrorKind, LlmError},
    platform::page_url,
};

/// What every chat completion path ends in.
const TAIL: &str = "/chat/completions";

/// The URL that is called, and a form of it that may be shown.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub(super) url: Url,
    /// Without passwords and without the values of query fields that look like keys.
    pub(super) shown: String,
}

impl Endpoint {
    /// Joins a base URL. The query is kept, the fragment dropped, and repeated slashes count as one. In a browser it may
    /// be relative to the page.
    ///
    /// | base URL ends in | path called |
    /// | --- | --- |
    /// | no path, or `/` | the provider's root, usually `/v1`, and `/chat/completions` |
    /// | `/chat/completions` | as it is |
    /// | any other path, such as `/v1` or `/api/paas/v4` | that path and `/chat/completions` |
    pub(super) fn new(base_url: &str, root: &str) -> Result<Self, LlmError> {
        let refuse = |why: &str| LlmError::new(ErrorKind::NotConfigured, format!("the base URL {why}"));
        let base_url = base_url.trim();
        if base_url.is_empty() {
            return Err(refuse("is empty"));
        }
        let page = page_url().and_then(|page| Url::parse(&page).ok());
        let url = Url::options().base_url(page.as_ref()).parse(base_url);
        let mut url = url.map_err(|error| refuse(&format!("cannot be read: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse("must begin with http:// or https://"));
        }
        url.set_fragment(None);
        let segments: Vec<_> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
        let mut path: String = segments.iter().flat_map(|segment| ["/", segment]).collect();
        if path.is_empty() {
            path.push_str(root);
        }
        if !path.ends_with(TAIL) {
            path.push_str(TAIL);
        }
        url.set_path(&path);
        Ok(Self {
            shown: shown(&url),
            url,
        })
    }

    /// Adds a query field, or replaces the one of the same name.
    pub(super) fn set_query(&mut self, name: &str, value: &str) {
        let others: Vec<_> = self
            .url
            .query_pairs()
            .into_owned()
            .filter(|(other, _)| other != name)
            .collect();
        let mut pairs = self.url.query_pairs_mut();
        pairs.clear().extend_pairs(others).append_pair(name, value);
        drop(pairs);
        self.shown = shown(&self.url);
    }

    /// The values of query fields that look like keys, for servers that repeat them.
    pub(super) fn secrets(&self) -> Vec<String> {
        let pairs = self.url.query_pairs();
        pairs
            .filter(|(name, _)| is_secret(name))
            .map(|(_, value)| value.into_owned())
            .collect()
    }

    /// The host, for people; with the port where it is not the usual one.
    pub(super) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Whether it is this very machine, where no proxy belongs in between.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_matches(['[', ']']);
        host == "localhost"
            || host
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback())
    }
}

fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    // Neither can fail on a URL with a host.
    let _ = shown.set_password(None);
    let _ = shown.set_username("");
    if url.query().is_some() {
        let pairs: Vec<_> = url.query_pairs().into_owned().collect();
        shown.query_pairs_mut().clear().extend_pairs(
            pairs
                .iter()
                .map(|(name, value)| (name, if is_secret(name) { "***" } else { value })),
        );
    }
    shown.to_string()
}

/// Whether the value of a header or a query field of this name should be seen by nobody.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    ["key", "token", "secret", "sig", "password", "auth", "code"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a24_one_path_for_each_form() {
        let check = |base: &str, expect: &str| assert_eq!(Endpoint::new(base, "/v1").unwrap().url.as_str(), expect);
        check("http://h", "http://h/v1/chat/completions");
        check("http://h/", "http://h/v1/chat/completions");
        check(" http://h/v1 ", "http://h/v1/chat/completions");
        check("http://h/v1/", "http://h/v1/chat/completions");
        check("http://h//v1//", "http://h/v1/chat/completions");
        check("http://h/api/paas/v4", "http://h/api/paas/v4/chat/completions");
        check("http://h/v1/chat/completions", "http://h/v1/chat/completions");
        check("http://h/v1/chat/completions/", "http://h/v1/chat/completions");
        check(
            "http://h:81/v1?api-version=x#top",
            "http://h:81/v1/chat/completions?api-version=x",
        );
        check("https://h?api-version=x", "https://h/v1/chat/completions?api-version=x");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for base in ["", "  ", "localhost:8080/v1", "ftp://h/v1", "/v1", "http://"] {
            assert_eq!(
                Endpoint::new(base, "/v1").unwrap_err().kind,
                ErrorKind::NotConfigured,
                "{base}"
            );
        }
    }

    #[test]
    fn secrets_of_a_url_are_not_shown() {
        let endpoint = Endpoint::new("http://me:pass@h/v1?api-version=x&api_key=hush", "/v1").unwrap();
        assert_eq!(endpoint.secrets(), ["hush"]);
        assert_eq!(endpoint.shown, "http://h/v1/chat/completions?api-version=x&api_key=***");
    }

    #[test]
    fn query_fields_are_added_and_replaced() {
        let mut endpoint = Endpoint::new("https://h/v1?api-version=1&x=a%20b", "/v1").unwrap();
        endpoint.set_query("api-version", "2");
        endpoint.set_query("sig", "hush");
        assert_eq!(endpoint.url.query(), Some("x=a+b&api-version=2&sig=hush"));
        assert!(
            endpoint.shown.ends_with("?x=a+b&api-version=2&sig=***"),
            "{}",
            endpoint.shown
        );
    }
}
