//! One request, from its head to the verb it asks for.

use std::{collections::VecDeque, convert::Infallible, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited, combinators::BoxBody};
use hyper::body::Incoming;
use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService,
    session::{SessionId, SessionManager as _, local::LocalSessionManager},
};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    ServeOptions,
    departure::{Departure, Watched},
    guard::{Guard, TurnedAway},
    mcp::Handler,
    plain,
    rooms::Room,
};
use crate::{
    platform::{Duration, timeout},
    surface::{Surface, limits::Bucket},
};

/// For the body of a request.
const BODY_WITHIN: Duration = Duration::from_secs(10);
/// Sessions of clients that still speak a revision with sessions.
const MAX_SESSIONS: usize = 32;
/// The header of such a session.
const SESSION: &str = "mcp-session-id";
/// What pages of listed origins may send, and may read of an answer's head.
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
const ALLOWED: HeaderValue = HeaderValue::from_static(
    "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, \
     x-pling-client",
);
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, retry-after, www-authenticate");

pub(super) type Answered = Response<Watched<BoxBody<Bytes, Infallible>>>;

/// What stands behind the listener.
pub(super) struct Door {
    surface: Surface,
    guard: Guard,
    max_body: usize,
    per_minute: u32,
    rate: Mutex<Bucket>,
    sessions: Arc<LocalSessionManager>,
    /// Their ids, in the order in which they were used last.
    recent: Mutex<VecDeque<SessionId>>,
    mcp: StreamableHttpService<Handler, LocalSessionManager>,
}

impl Door {
    pub(super) fn new(surface: Surface, guard: Guard, options: &ServeOptions, stop: CancellationToken) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        let handler = Handler::new(surface.clone(), options);
        // `Host` and `Origin` were looked at before it comes here, more strictly.
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins();
        config.max_request_body_bytes = options.max_body;
        config.cancellation_token = stop;
        Self {
            surface,
            guard,
            max_body: options.max_body,
            per_minute: options.per_minute,
            rate: Mutex::new(Bucket::full()),
            mcp: StreamableHttpService::new(move || Ok(handler.of_session()), Arc::clone(&sessions), config),
            sessions,
            recent: Mutex::default(),
        }
    }

    pub(super) async fn answer(&self, request: Request<Incoming>, room: &Room) -> Answered {
        let (departure, guard) = Departure::new();
        let origin = self.guard.listed(request.headers()).cloned();
        let mut answer = Box::pin(self.route(request, departure, room)).await;
        if let Some(origin) = origin {
            let headers = answer.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            headers.append(header::VARY, HeaderValue::from_static("origin"));
        }
        answer.map(|body| Watched::new(body, guard))
    }

    async fn route(
        &self,
        request: Request<Incoming>,
        departure: Departure,
        room: &Room,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        let (mut parts, body) = request.into_parts();
        let comes_from = self.guard.check_source(&parts.uri, &parts.headers);
        // A browser asks whether a page may ask before it sends the token.
        if comes_from.is_ok() && parts.method == Method::OPTIONS && self.guard.listed(&parts.headers).is_some() {
            return preflight();
        }
        let checked = comes_from.and_then(|()| self.guard.check_token(&parts.headers));
        if let Err(TurnedAway { status, message }) = checked {
            let mut answer = refused(status, message);
            if status == StatusCode::UNAUTHORIZED {
                let challenge = HeaderValue::from_static("Bearer realm=\"pling\"");
                answer.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            return answer;
        }
        room.is_known();
        if let Err(wait) = self.rate.lock().take(self.per_minute) {
            let mut answer = refused(StatusCode::TOO_MANY_REQUESTS, "too many requests");
            let seconds = HeaderValue::from(wait.as_secs() + 1);
            answer.headers_mut().insert(header::RETRY_AFTER, seconds);
            return answer;
        }
        let is_mcp = match parts.uri.path() {
            "/mcp" => true,
            "/describe" | "/search" | "/invoke" | "/wait" => false,
            _ => return refused(StatusCode::NOT_FOUND, "there is nothing at this path"),
        };
        let is_post = parts.method == Method::POST;
        if !is_post && !is_mcp {
            let mut answer = refused(StatusCode::METHOD_NOT_ALLOWED, "only POST");
            answer
                .headers_mut()
                .insert(header::ALLOW, HeaderValue::from_static("POST"));
            return answer;
        }
        // What a web page can send without asking first is never JSON.
        if is_post && !is_json(&parts.headers) {
            return refused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Content-Type must be application/json",
            );
        }
        let body = match timeout(BODY_WITHIN, Limited::new(body, self.max_body).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
            }
            Ok(Err(_)) => return refused(StatusCode::BAD_REQUEST, "the body broke off"),
            Err(_elapsed) => return refused(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
        };
        if !is_mcp {
            let (status, json) = plain::answer(&self.surface, &parts, &body).await;
            return response(status, &json);
        }
        if is_post {
            if let Err(error) = serde_json::from_slice::<IgnoredAny>(&body) {
                return rpc_error(-32700, &format!("the body is not JSON: {error}"));
            }
            if !is_message(&body) {
                return rpc_error(-32600, "the body is no JSON-RPC 2.0 message");
            }
            self.make_room(parts.headers.get(SESSION)).await;
        }
        parts.extensions.insert(departure);
        let ends = parts.method == Method::DELETE;
        let mut answer = self.mcp.handle(Request::from_parts(parts, Full::new(body))).await;
        if let Some(id) = answer.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.used(id);
        }
        // It is over by then, and clients report anything but this as a failure.
        if ends && answer.status() == StatusCode::ACCEPTED {
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }

    /// A client that speaks a revision with sessions may never end one. Where a request opens one more than there is room
    /// for, the one that was not used for longest ends.
    async fn make_room(&self, given: Option<&HeaderValue>) {
        if let Some(id) = given.and_then(|id| id.to_str().ok()) {
            return self.used(id);
        }
        while self.sessions.sessions.read().await.len() >= MAX_SESSIONS {
            let Some(oldest) = self.recent.lock().pop_front() else {
                return;
            };
            if let Err(error) = self.sessions.close_session(&oldest).await {
                tracing::debug!(%error, "a session that was to make room was gone");
            }
        }
    }

    fn used(&self, id: &str) {
        let mut recent = self.recent.lock();
        recent.retain(|other| **other != *id);
        recent.push_back(id.into());
        // Some of them are gone, or never were.
        if recent.len() > 4 * MAX_SESSIONS {
            recent.pop_front();
        }
    }
}

fn is_json(headers: &http::HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| {
        let essence = value.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case("application/json")
    })
}

/// Whether it is one message: batches ended with the revision that had them.
fn is_message(body: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Message {
        jsonrpc: String,
    }
    serde_json::from_slice::<Message>(body).is_ok_and(|message| message.jsonrpc == "2.0")
}

/// What a page of a listed origin may send.
fn preflight() -> Response<BoxBody<Bytes, Infallible>> {
    let mut answer = Response::new(Full::default().boxed());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    answer
}

fn rpc_error(code: i32, message: &str) -> Response<BoxBody<Bytes, Infallible>> {
    let json = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    response(StatusCode::BAD_REQUEST, &json)
}

fn refused(status: StatusCode, message: &str) -> Response<BoxBody<Bytes, Infallible>> {
    response(status, &json!({ "error": { "message": message } }))
}

fn response(status: StatusCode, json: &Value) -> Response<BoxBody<Bytes, Infallible>> {
    let mut answer = Response::new(Full::new(Bytes::from(json.to_string())).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}
