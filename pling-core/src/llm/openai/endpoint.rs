//! Where requests go: from the base URL that a person wrote down to the one path that is called.

use crate::{
    llm::{ErrorKind, LlmError},
    platform::net::Address,
};

/// What every chat completion path ends in.
const TAIL: &str = "/chat/completions";

/// The URL that is called, and a form of it that may be shown.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub(super) url: Address,
    /// Without passwords and without the values of query fields that look like keys.
    pub(super) shown: String,
    /// The host, for people; with the port where it is not the usual one.
    pub(super) host: String,
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
        let url = Address::parse(base_url).map_err(|error| refuse(&format!("cannot be read: {error}")))?;
        if !matches!(&*url.scheme(), "http" | "https") {
            return Err(refuse("must begin with http:// or https://"));
        }
        let path = url.path();
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let mut path: String = segments.flat_map(|segment| ["/", segment]).collect();
        if path.is_empty() {
            path.push_str(root);
        }
        if !path.ends_with(TAIL) {
            path.push_str(TAIL);
        }
        let url = url.with_path(&path);
        Ok(Self {
            shown: shown(&url),
            host: url.host(),
            url,
        })
    }

    /// Adds a query field, or replaces the one of the same name.
    pub(super) fn set_query(&mut self, name: &str, value: &str) {
        let fields = self.url.fields();
        let others = fields.iter().filter(|(other, _)| other != name);
        let others = others.map(|(name, value)| (&**name, &**value));
        self.url = self.url.clone().with_fields(others.chain([(name, value)]));
        self.shown = shown(&self.url);
    }

    /// The values of query fields that look like keys, for servers that repeat them.
    pub(super) fn secrets(&self) -> Vec<String> {
        let fields = self.url.fields().into_iter();
        fields
            .filter(|(name, _)| is_secret(name))
            .map(|(_, value)| value)
            .collect()
    }
}

fn shown(url: &Address) -> String {
    let shown = url.clone().without_user();
    let fields = url.fields();
    if fields.is_empty() {
        return shown.as_str().to_owned();
    }
    let fields = fields
        .iter()
        .map(|(name, value)| (&**name, if is_secret(name) { "***" } else { value }));
    shown.with_fields(fields).as_str().to_owned()
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
        assert_eq!(endpoint.url.query(), "x=a+b&api-version=2&sig=hush");
        assert!(
            endpoint.shown.ends_with("?x=a+b&api-version=2&sig=***"),
            "{}",
            endpoint.shown
        );
    }
}
