//! The verbs as plain JSON. What a call comes to is in the answer, not in the status.

use http::{StatusCode, request::Parts};
use serde_json::Value;

use crate::surface::{Failure, Surface, Verb};

/// How a client names itself.
const CLIENT: &str = "x-pling-client";

pub(super) async fn answer(surface: &Surface, parts: &Parts, body: &[u8]) -> (StatusCode, Value) {
    let name = parts.headers.get(CLIENT).and_then(|name| name.to_str().ok());
    let client = surface.client(name.unwrap_or("http"));
    let verb = Verb::named(parts.uri.path().trim_start_matches('/')).unwrap_or(Verb::Wait);
    let answer = match (verb, read(body)) {
        (Verb::Describe, _) => client.answer(verb, Value::Null).await,
        (_, Ok(arguments)) => client.answer(verb, arguments).await,
        (_, Err(failure)) => Err(failure),
    };
    match answer {
        Ok(json) => (StatusCode::OK, json),
        Err(failure) => (status(failure.code), failure.to_json()),
    }
}

fn read(body: &[u8]) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::invalid(error.to_string()))
}

fn status(code: &str) -> StatusCode {
    match code {
        "INVALID_ARGUMENTS" => StatusCode::BAD_REQUEST,
        "RATE_LIMITED" | "BUDGET_EXCEEDED" => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}
