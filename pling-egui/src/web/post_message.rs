//! The Surface for another page that embeds this one, or opened it: messages between windows.
//!
//! | direction | message |
//! | --- | --- |
//! | in | `{ schema, id, verb, arguments }` |
//! | out | `{ schema, id, answer }` |
//!
//! `schema` is [`SCHEMA`], `id` is whatever the other page tells its answers apart by, `verb` one of `describe`, `search`,
//! `invoke`, `wait` and `leave`. Messages from an origin that is not allowed are not answered, and nothing is done.

use std::{fmt, rc::Rc};

use pling_core::{
    act::{Code, Refusal},
    platform::{Duration, sleep},
    surface::{Failure, SCHEMA, Surface, Verb},
};
use serde_json::json;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::MessageEvent;

use super::script::{Listener, answer, from_script, property, set, to_script};

/// Between two looks at whether the window that asked is still open.
const LOOK: Duration = Duration::from_millis(500);

/// Listens to other pages. Dropped, it does so no more, and their open calls are withdrawn.
#[must_use = "nobody is listened to once it is dropped"]
pub struct Listening {
    _messages: Listener,
    doors: Rc<Doors>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        for origin in &self.doors.origins {
            self.doors.surface.client(origin).leave();
        }
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening")
            .field("origins", &self.doors.origins)
            .finish_non_exhaustive()
    }
}

/// Something else than an origin in the list of those that are allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no origin: expected scheme, host and port alone, such as `https://app.example.com`")]
pub struct BadOrigin(pub String);

struct Doors {
    surface: Surface,
    origins: Vec<String>,
}

/// Lets pages of these origins use the Surface by messages to this window. Each origin is one client, by its name.
///
/// There is no word for all origins, and none for pages without one, such as files.
///
/// # Errors
/// An entry that is no origin: it would never match, or not what was meant.
pub fn listen(surface: &Surface, origins: impl IntoIterator<Item = impl Into<String>>) -> Result<Listening, BadOrigin> {
    let origins: Vec<String> = origins.into_iter().map(Into::into).collect();
    if let Some(bad) = origins.iter().find(|origin| !is_origin(origin)) {
        return Err(BadOrigin(bad.clone()));
    }
    let doors = Rc::new(Doors {
        surface: surface.clone(),
        origins,
    });
    let heard = Rc::clone(&doors);
    let window = web_sys::window().map_or(JsValue::NULL, JsValue::from);
    let messages = Listener::new(window.into(), "message", move |event| {
        if let Ok(event) = event.dyn_into::<MessageEvent>() {
            heard.take(&event);
        }
    });
    Ok(Listening {
        _messages: messages,
        doors,
    })
}

/// Whether it is written as browsers write the origin of a page.
fn is_origin(text: &str) -> bool {
    web_sys::Url::new(text).is_ok_and(|url| url.origin() == text && text != "null")
}

impl Doors {
    fn take(&self, event: &MessageEvent) {
        let origin = event.origin();
        if !self.origins.contains(&origin) {
            return;
        }
        // A window of another origin cannot be told by its type.
        let Some(source) = event.source().map(|source| source.unchecked_into::<web_sys::Window>()) else {
            return;
        };
        // Other scripts send messages of their own; what is not meant for us is not answered.
        let message = event.data();
        if property(&message, "schema").is_none_or(|schema| schema != SCHEMA) {
            return;
        }
        let id = property(&message, "id").unwrap_or(JsValue::NULL);
        let asked = property(&message, "verb")
            .and_then(|verb| verb.as_string())
            .unwrap_or_default();
        let arguments = from_script(&property(&message, "arguments").unwrap_or(JsValue::NULL));
        let client = self.surface.client(&origin);
        wasm_bindgen_futures::spawn_local(async move {
            let answer = match Verb::named(&asked) {
                Some(verb) => {
                    // Dropped, the work is withdrawn.
                    tokio::select! {
                        biased;
                        answer = answer(&client, verb, arguments) => answer,
                        () = closed(&source) => return,
                    }
                }
                None if asked == "leave" => {
                    client.leave();
                    json!({ "schema": SCHEMA })
                }
                None => {
                    let why = "`verb` is one of describe, search, invoke, wait, leave";
                    Failure::from(Refusal::new(Code::InvalidArguments, why)).to_json()
                }
            };
            let reply = to_script(&json!({ "schema": SCHEMA, "answer": answer }));
            set(reply.unchecked_ref(), "id", &id);
            // A window that is gone reads nothing.
            let _ = source.post_message(&reply, &origin);
        });
    }
}

/// Waits until a window is closed.
async fn closed(window: &web_sys::Window) {
    while !window.closed().unwrap_or(true) {
        sleep(LOOK).await;
    }
}
