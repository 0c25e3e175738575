//! By the browser's own `fetch`.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use js_sys::{Array, Uint8Array};
use n0_future::{StreamExt as _, boxed::BoxStream};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_streams::ReadableStream;
use web_sys::{AbortController, Headers, Request, RequestInit, RequestRedirect, ResponseType, Url};

use super::Response;
use crate::platform::page_url;

/// An absolute address, as the browser writes it.
#[derive(Clone, Debug)]
pub(crate) struct Address(String);

impl Address {
    /// Reads an address, which may be relative to the page, or says why it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let url = match page_url() {
            Some(page) => Url::new_with_base(text, &page),
            None => Url::new(text),
        };
        // The words of some browsers repeat the text, which may hold a key.
        url.map(|url| Self(url.href()))
            .map_err(|_words| "it is no address".to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn scheme(&self) -> String {
        self.read(|url| url.protocol().trim_end_matches(':').to_owned())
    }

    /// The host, with the port where it is not the usual one.
    pub(crate) fn host(&self) -> String {
        self.read(Url::host)
    }

    pub(crate) fn path(&self) -> String {
        self.read(Url::pathname)
    }

    /// The query as it stands there; empty where there is none.
    pub(crate) fn query(&self) -> String {
        self.read(|url| url.search().strip_prefix('?').unwrap_or_default().to_owned())
    }

    /// The same with another path and without a fragment.
    pub(crate) fn with_path(self, path: &str) -> Self {
        self.with(|url| {
            url.set_pathname(path);
            url.set_hash("");
        })
    }

    pub(super) fn with_query(self, query: &str) -> Self {
        self.with(|url| url.set_search(query))
    }

    /// The same without name and password.
    pub(crate) fn without_user(self) -> Self {
        self.with(|url| {
            url.set_username("");
            url.set_password("");
        })
    }

    /// `Basic` with name and password, where there are any: `fetch` takes no address that has them.
    fn authorization(&self) -> Option<HeaderValue> {
        let decoded = |text: String| js_sys::decode_uri_component(&text).map(String::from).unwrap_or(text);
        let (name, password) = self.read(|url| (decoded(url.username()), decoded(url.password())));
        if name.is_empty() && password.is_empty() {
            return None;
        }
        // It takes one character for each byte.
        let bytes: String = format!("{name}:{password}").bytes().map(char::from).collect();
        let encoded = web_sys::window()?.btoa(&bytes).ok()?;
        let mut value = HeaderValue::try_from(format!("Basic {encoded}")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// What the browser wrote it can read.
    fn read<R: Default>(&self, read: impl FnOnce(&Url) -> R) -> R {
        Url::new(&self.0).map(|url| read(&url)).unwrap_or_default()
    }

    fn with(self, change: impl FnOnce(&Url)) -> Self {
        match Url::new(&self.0) {
            Ok(url) => {
                change(&url);
                Self(url.href())
            }
            Err(_) => self,
        }
    }
}

/// What sends requests; the browser keeps the connections.
#[derive(Clone, Debug)]
pub(crate) struct Client;

impl Client {
    pub(crate) fn to(_address: &Address) -> Result<Self, String> {
        Ok(Self)
    }

    /// Sends a request, and waits until the answer begins.
    pub(crate) async fn post(&self, to: &Address, mut headers: HeaderMap, body: Vec<u8>) -> Result<Response, String> {
        if let Some(value) = to.authorization() {
            headers.entry(header::AUTHORIZATION).or_insert(value);
        }
        let abort = Abort::new()?;
        let to = to.clone().without_user();
        let answer = fetch(&to, &headers, &body, &abort).await?;
        let status = match answer.type_() {
            // Where it leads is not for the page to know.
            ResponseType::Opaqueredirect => Ok(StatusCode::FOUND),
            _ => StatusCode::from_u16(answer.status()),
        };
        let stream = answer
            .body()
            .map(|body| ReadableStream::from_raw(body).try_into_stream());
        let body: BoxStream<_> = match stream {
            None => Box::pin(n0_future::stream::empty()),
            Some(Err((error, _))) => return Err(words(&error)),
            Some(Ok(stream)) => Box::pin(stream.map(move |piece| {
                // It is over when nobody reads any more.
                let _abort = &abort;
                let piece = piece.map_err(|error| words(&error))?;
                Ok(Bytes::from(Uint8Array::new(&piece).to_vec()))
            })),
        };
        Ok(Response {
            status: status.map_err(|error| error.to_string())?,
            headers: read_headers(&answer.headers()),
            body,
        })
    }
}

async fn fetch(to: &Address, headers: &HeaderMap, body: &[u8], abort: &Abort) -> Result<web_sys::Response, String> {
    let request = request(to, headers, body, abort).map_err(|error| words(&error))?;
    let window = web_sys::window().ok_or("there is no window to send it from")?;
    match JsFuture::from(window.fetch_with_request(&request)).await {
        Ok(answer) => answer.dyn_into().map_err(|error| words(&error)),
        Err(error) => Err(format!(
            "{} (why, the browser's console says; a server must allow the page's origin)",
            words(&error)
        )),
    }
}

fn request(to: &Address, headers: &HeaderMap, body: &[u8], abort: &Abort) -> Result<Request, JsValue> {
    let sent = Headers::new()?;
    for (name, value) in headers {
        let value = value.to_str().map_err(|error| JsValue::from(error.to_string()))?;
        sent.append(name.as_str(), value)?;
    }
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers(&sent);
    init.set_body(&Uint8Array::from(body));
    init.set_redirect(RequestRedirect::Manual);
    init.set_signal(Some(&abort.0.signal()));
    Request::new_with_str_and_init(to.as_str(), &init)
}

fn read_headers(headers: &Headers) -> HeaderMap {
    let pairs = Array::from(headers);
    let pairs = pairs.iter().filter_map(|pair| {
        let pair: Array = pair.dyn_into().ok()?;
        let name = HeaderName::try_from(pair.get(0).as_string()?).ok()?;
        Some((name, HeaderValue::try_from(pair.get(1).as_string()?).ok()?))
    });
    pairs.collect()
}

/// Ends a request when it is dropped.
struct Abort(AbortController);

impl Abort {
    fn new() -> Result<Self, String> {
        AbortController::new().map(Self).map_err(|error| words(&error))
    }
}

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What the browser says of an error. Of a failed request that is little: a page is to learn nothing of other servers.
fn words(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| "it gives no reason".to_owned()),
    }
}
