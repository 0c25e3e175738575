//! From Rust to the page's script and back.

use js_sys::{Function, JSON, Object, Promise, Reflect};
use pling_core::{
    act::{Code, Refusal},
    platform::{Duration, is_hidden_tab, sleep},
    surface::{Client, Failure, Verb},
};
use serde_json::{Value, json};
use wasm_bindgen::{JsCast as _, JsValue};

/// Bytes of what a client sends.
const MAX_MESSAGE: usize = 64 * 1024;
/// How long a page may be in the background until who asks about it is told.
const HIDDEN_AFTER: Duration = Duration::from_secs(2);

/// An event listener that is taken off when it is dropped.
pub(super) struct Listener {
    target: web_sys::EventTarget,
    event: &'static str,
    closure: wasm_bindgen::closure::Closure<dyn FnMut(JsValue)>,
    is_first: bool,
}

impl Listener {
    pub(super) fn new(target: web_sys::EventTarget, event: &'static str, heard: impl FnMut(JsValue) + 'static) -> Self {
        Self::listen(target, event, heard, false)
    }

    /// One that hears before what is further in on the page does.
    pub(super) fn first(
        target: web_sys::EventTarget,
        event: &'static str,
        heard: impl FnMut(JsValue) + 'static,
    ) -> Self {
        Self::listen(target, event, heard, true)
    }

    fn listen(
        target: web_sys::EventTarget,
        event: &'static str,
        heard: impl FnMut(JsValue) + 'static,
        is_first: bool,
    ) -> Self {
        let closure = wasm_bindgen::closure::Closure::new(heard);
        let function = closure.as_ref().unchecked_ref();
        // It fails for no target of a page.
        let _ = target.add_event_listener_with_callback_and_bool(event, function, is_first);
        Self {
            target,
            event,
            closure,
            is_first,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let function = self.closure.as_ref().unchecked_ref();
        let _ = self
            .target
            .remove_event_listener_with_callback_and_bool(self.event, function, self.is_first);
    }
}

/// A value of a script as JSON. `None`: it cannot be written so, or is longer than anybody needs.
pub(super) fn from_script(value: &JsValue) -> Option<Value> {
    if value.is_undefined() {
        return Some(Value::Null);
    }
    let text = String::from(JSON::stringify(value).ok()?);
    let fits = text.len() <= MAX_MESSAGE;
    fits.then(|| serde_json::from_str(&text).ok()).flatten()
}

/// JSON as a value of a script.
pub(super) fn to_script(value: &Value) -> JsValue {
    // JSON always parses.
    JSON::parse(&value.to_string()).unwrap_or(JsValue::NULL)
}

/// A property, where there is one.
pub(super) fn property(of: &JsValue, name: &str) -> Option<JsValue> {
    let value = Reflect::get(of, &JsValue::from_str(name)).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// A method, where there is one.
pub(super) fn method(of: &JsValue, name: &str) -> Option<Function> {
    property(of, name)?.dyn_into().ok()
}

pub(super) fn set(of: &Object, name: &str, value: &JsValue) {
    // It fails for frozen objects; these are our own.
    let _ = Reflect::set(of, &JsValue::from_str(name), value);
}

/// Takes an answer of a script that may be a promise, and reports when it is refused.
pub(super) async fn settled(answer: JsValue) -> Result<(), JsValue> {
    match answer.dyn_into::<Promise>() {
        Ok(promise) => wasm_bindgen_futures::JsFuture::from(promise).await.map(drop),
        Err(_no_promise) => Ok(()),
    }
}

/// Carries out a verb. A call waits for a tab in the background, with a handle; who only looks is told.
pub(super) async fn answer(client: &Client, verb: Verb, arguments: Option<Value>) -> Value {
    let arguments = match arguments {
        Some(Value::Null) => json!({}),
        Some(arguments) => arguments,
        None => return refused(Code::InvalidArguments, "the arguments are no JSON, or too long"),
    };
    let work = client.answer(verb, arguments);
    let hidden = async {
        while matches!(verb, Verb::Invoke | Verb::Wait) || !is_hidden_tab() {
            sleep(HIDDEN_AFTER).await;
        }
        sleep(HIDDEN_AFTER).await;
    };
    tokio::select! {
        biased;
        answer = work => answer.unwrap_or_else(|failure| failure.to_json()),
        () = hidden => refused(Code::WindowHidden, "the tab is in the background, and draws nothing until its user comes back"),
    }
}

fn refused(code: Code, message: &str) -> Value {
    Failure::from(Refusal::new(code, message)).to_json()
}
