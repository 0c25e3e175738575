//! By reqwest, over rustls.

use std::{error::Error as _, net::IpAddr};

use http::HeaderMap;
use n0_future::StreamExt as _;
use reqwest::{Url, redirect::Policy};

use super::Response;

/// An absolute address.
#[derive(Clone, Debug)]
pub(crate) struct Address(Url);

impl Address {
    /// Reads an address, or says why it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Url::parse(text).map(Self).map_err(|error| error.to_string())
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(crate) fn scheme(&self) -> String {
        self.0.scheme().to_owned()
    }

    /// The host, with the port where it is not the usual one.
    pub(crate) fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        match self.0.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    pub(crate) fn path(&self) -> String {
        self.0.path().to_owned()
    }

    /// The query as it stands there; empty where there is none.
    pub(crate) fn query(&self) -> String {
        self.0.query().unwrap_or_default().to_owned()
    }

    /// The same with another path and without a fragment.
    pub(crate) fn with_path(mut self, path: &str) -> Self {
        self.0.set_path(path);
        self.0.set_fragment(None);
        self
    }

    pub(super) fn with_query(mut self, query: &str) -> Self {
        self.0.set_query(Some(query));
        self
    }

    /// The same without name and password.
    pub(crate) fn without_user(mut self) -> Self {
        // Neither can fail on an address with a host.
        let _ = self.0.set_password(None);
        let _ = self.0.set_username("");
        self
    }

    /// Whether it is this very machine, where no proxy belongs in between.
    fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// What sends requests to an address; clones share their connections.
#[derive(Clone, Debug)]
pub(crate) struct Client(reqwest::Client);

impl Client {
    pub(crate) fn to(address: &Address) -> Result<Self, String> {
        let builder = reqwest::Client::builder().redirect(Policy::none());
        let builder = match address.is_loopback() {
            true => builder.no_proxy(),
            false => builder,
        };
        builder.build().map(Self).map_err(words)
    }

    /// Sends a request, and waits until the answer begins.
    pub(crate) async fn post(&self, to: &Address, headers: HeaderMap, body: Vec<u8>) -> Result<Response, String> {
        let request = self.0.post(to.0.clone()).headers(headers).body(body);
        let response = request.send().await.map_err(words)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes_stream().map(|piece| piece.map_err(words));
        Ok(Response {
            status,
            headers,
            body: Box::pin(body),
        })
    }
}

/// An error with its causes, and without the URL, which may hold a key.
fn words(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push_str(": ");
        words.push_str(&error.to_string());
        cause = error.source();
    }
    words
}
