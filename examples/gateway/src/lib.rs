//! A small server between an app in a browser and a model's provider: it holds the key, so that the app does not.
//!
//! The app sends what it would send to the provider, with a session token in the place of the key. The gateway checks
//! token and limits, passes on what it knows of a request with its own key and model, and streams the answer through. It logs nothing of what is said, and
//! it takes the key out of whatever comes back, for some servers repeat it in their errors.
//!
//! How a session token is handed to a user is the business of your own sign-in; here they are configured.

mod config;
mod limits;
mod request;
mod scrub;

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
    routing::post,
};
use n0_future::StreamExt as _;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

pub use config::Config;
use limits::Sessions;
use scrub::Scrub;

struct Gateway {
    config: Config,
    sessions: Sessions,
    http: reqwest::Client,
}

/// The gateway's routes.
pub fn router(config: Config) -> Router {
    let max_body = config.max_body;
    let gateway = Gateway {
        sessions: Sessions::new(&config),
        // A redirect would carry the key to whoever is named there.
        http: reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap_or_default(),
        config,
    };
    Router::new()
        .route("/v1/chat/completions", post(complete).options(preflight))
        .layer(DefaultBodyLimit::max(max_body))
        .with_state(Arc::new(gateway))
}

async fn preflight(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let allowed = answer.headers_mut();
    allowed.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    let names = HeaderValue::from_static("authorization, content-type");
    allowed.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names);
    allowed.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    gateway.for_origin(&headers, answer)
}

async fn complete(State(gateway): State<Arc<Gateway>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let answer = match gateway.forward(&headers, &body).await {
        Ok(answer) => answer,
        Err(refusal) => refusal.into_response(),
    };
    gateway.for_origin(&headers, answer)
}

impl Gateway {
    async fn forward(&self, headers: &HeaderMap, body: &[u8]) -> Result<Response<Body>, Refusal> {
        let token = bearer(headers).ok_or(Refusal::UNKNOWN)?;
        let Ok(Value::Object(request)) = serde_json::from_slice(body) else {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "the body is no JSON object"));
        };
        // Which of the two the provider takes, the client finds out: it is told when one is refused.
        let limit = ["max_completion_tokens", "max_tokens"]
            .into_iter()
            .find_map(|name| Some((name, request.get(name)?.as_u64()?)));
        let (limit, wanted) = limit.unwrap_or(("max_tokens", u64::MAX));
        let output = wanted.min(self.config.max_output);
        let request = request::passed_on(request);
        // A token of text has at least one byte: an upper bound, for a limit and not for a bill.
        self.sessions.admit(token, body.len() as u64 + output)?;
        let mut request = request.map_err(|message| Refusal::new(StatusCode::BAD_REQUEST, message))?;
        request.insert(limit.to_owned(), output.into());
        request.insert("model".to_owned(), self.config.model.as_str().into());

        let mut key = HeaderValue::from_str(&format!("Bearer {}", self.config.api_key.expose_secret()))
            .map_err(|_unprintable| Refusal::new(StatusCode::BAD_GATEWAY, "the gateway is not set up"))?;
        key.set_sensitive(true);
        let sent = self
            .http
            .post(&self.config.upstream)
            .header(header::AUTHORIZATION, key)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Value::Object(request).to_string())
            .send()
            .await;
        // The words of an error hold the address of the provider, which is nobody's business.
        let upstream =
            sent.map_err(|_error| Refusal::new(StatusCode::BAD_GATEWAY, "the provider cannot be reached"))?;
        self.answer(upstream).await
    }

    async fn answer(&self, upstream: reqwest::Response) -> Result<Response<Body>, Refusal> {
        let status = upstream.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) || status.is_redirection() {
            return Err(Refusal::new(
                StatusCode::BAD_GATEWAY,
                "the provider does not accept the gateway",
            ));
        }
        let mut answer = Response::builder().status(status);
        for name in [header::CONTENT_TYPE, header::RETRY_AFTER] {
            if let Some(value) = upstream.headers().get(&name) {
                answer = answer.header(name, value);
            }
        }
        let mut scrub = Scrub::new(self.config.api_key.expose_secret());
        let mut pieces = Box::pin(upstream.bytes_stream().fuse());
        let stream = n0_future::stream::poll_fn(move |context| {
            use std::task::Poll;
            match pieces.as_mut().poll_next(context) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Some(Ok(piece))) => Poll::Ready(Some(Ok(scrub.pass(&piece)))),
                Poll::Ready(Some(Err(_))) => Poll::Ready(Some(Err("the provider broke off"))),
                Poll::Ready(None) => Poll::Ready(scrub.rest().map(Ok)),
            }
        });
        answer
            .body(Body::from_stream(stream))
            .map_err(|_error| Refusal::new(StatusCode::BAD_GATEWAY, "the provider's answer cannot be passed on"))
    }

    /// Lets the app's own pages read the answer, and no others.
    fn for_origin(&self, headers: &HeaderMap, mut answer: Response<Body>) -> Response<Body> {
        let own = headers
            .get(header::ORIGIN)
            .filter(|origin| self.config.origins.iter().any(|own| own == *origin));
        let out = answer.headers_mut();
        if let Some(origin) = own {
            out.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        }
        out.insert(header::VARY, HeaderValue::from_static("origin"));
        out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        answer
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?
        .strip_prefix("Bearer ")
}

/// A request that is not passed on, in the form of a provider's error.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    message: &'static str,
    retry_after: Option<u64>,
}

impl Refusal {
    const UNKNOWN: Self = Self::new(StatusCode::UNAUTHORIZED, "a session token is needed");

    const fn new(status: StatusCode, message: &'static str) -> Self {
        Self {
            status,
            message,
            retry_after: None,
        }
    }

    fn into_response(self) -> Response<Body> {
        let json = json!({ "error": { "message": self.message, "type": "gateway" } });
        let mut answer = Response::new(Body::from(json.to_string()));
        *answer.status_mut() = self.status;
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        answer
    }
}
