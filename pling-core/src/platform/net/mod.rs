//! One POST over HTTP, as a model's client needs it: by a library natively, by the browser's own `fetch` in a page, which
//! has a parser of addresses and a cache of connections already.
//!
//! Both sides have the same names. Redirects are not followed: one would carry the page's content to a place that nobody
//! configured.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(target_arch = "wasm32")]
mod page;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use n0_future::boxed::BoxStream;

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::{Address, Client};
#[cfg(target_arch = "wasm32")]
pub(crate) use page::{Address, Client};

/// An answer whose body is still to come.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// Pieces of the body, or in words why it broke off. Dropped, nothing more is received.
    pub(crate) body: BoxStream<Result<Bytes, String>>,
}

impl Address {
    /// The fields of its query, decoded.
    pub(crate) fn fields(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(self.query().as_bytes()).into_owned().collect()
    }

    /// The same with these fields as its query.
    pub(crate) fn with_fields<'a>(self, fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut query = form_urlencoded::Serializer::new(String::new());
        self.with_query(&query.extend_pairs(fields).finish())
    }
}
