//! The verbs as plain JSON. What a call comes to is in the answer, not in the status.

use http::{StatusCode, request::Parts};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::surface::{Failure, Surface};

/// How a client names itself.
const CLIENT: &str = "x-pling-client";

pub(super) async fn answer(surface: &Surface, parts: &Parts, body: &[u8]) -> (StatusCode, Value) {
    let name = parts.headers.get(CLIENT).and_then(|name| name.to_str().ok());
    let client = surface.client(name.unwrap_or("http"));
    let answer = match parts.uri.path() {
        "/describe" => client.describe().await.map(|page| json!(page)),
        "/search" => match read(body) {
            Ok(request) => client.search(request).await.map(|found| json!(found)),
            Err(failure) => Err(failure),
        },
        "/invoke" => match read(body) {
            Ok(request) => Ok(json!(client.invoke(request).await)),
            Err(failure) => Err(failure),
        },
        _ => match read(body) {
            Ok(request) => Ok(json!(client.wait(&request).await)),
            Err(failure) => Err(failure),
        },
    };
    match answer {
        Ok(json) => (StatusCode::OK, json),
        Err(failure) => (status(failure.code), failure.to_json()),
    }
}

/// Reads a body, or a call's arguments; the error names the field.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => Failure::invalid(error.inner().to_string()),
            path => Failure::invalid(format!("`{path}`: {}", error.inner())),
        }
    })?;
    reader.end().map_err(|error| Failure::invalid(error.to_string()))?;
    Ok(value)
}

fn status(code: &str) -> StatusCode {
    match code {
        "INVALID_ARGUMENTS" => StatusCode::BAD_REQUEST,
        "RATE_LIMITED" | "BUDGET_EXCEEDED" => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}
