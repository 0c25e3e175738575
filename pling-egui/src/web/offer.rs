//! The Surface's verbs as tools of the browser: WebMCP.
//!
//! The browser has a registry of tools, `document.modelContext`; older ones have it on `navigator`. An agent of the
//! browser, or one in an extension, finds the tools there. They are the same on every page of the app.

use std::{cell::RefCell, fmt, rc::Rc};

use js_sys::{Array, Function, Object, Promise};
use pling_core::surface::{Client, Surface, Verb};
use serde_json::{Value, json};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};

use super::script::{answer, from_script, method, property, set, settled, to_script};

/// How these clients are named; the browser does not say who calls.
const CLIENT: &str = "webmcp";

/// What a script calls: arguments in, a promise out.
type Execute = Closure<dyn FnMut(JsValue) -> Promise>;

/// Tools that are offered. Dropped, they are taken back.
#[must_use = "the tools are taken back once it is dropped"]
pub struct Offered {
    context: JsValue,
    client: Client,
    abort: web_sys::AbortController,
    refused: Rc<RefCell<Option<String>>>,
    /// Called as long as the browser has the tools.
    _executes: Vec<Execute>,
}

impl Offered {
    /// Why the browser did not take a tool, as far as it has said so.
    #[must_use]
    pub fn refused(&self) -> Option<String> {
        self.refused.borrow().clone()
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.abort.abort();
        // Where there is no signal, there is this.
        if let Some(unregister) = method(&self.context, "unregisterTool") {
            for verb in Verb::ALL {
                let _ = unregister.call1(&self.context, &JsValue::from_str(verb.tool()));
            }
        }
        self.client.leave();
    }
}

impl fmt::Debug for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offered")
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

/// Offers the Surface to agents of the browser. `None`: this browser has no registry of tools.
///
/// Whatever the browser lets in may then call the app's actions, within the limits of the [`Surface`]; what has to be
/// asked is asked in the app.
pub fn offer_tools(surface: &Surface) -> Option<Offered> {
    let window = web_sys::window()?;
    let places = [window.document().map(JsValue::from), Some(window.navigator().into())];
    let context = places
        .iter()
        .flatten()
        .find_map(|place| property(place, "modelContext"))?;
    let abort = web_sys::AbortController::new().ok()?;
    let client = surface.client(CLIENT);
    let (tools, executes): (Vec<_>, Vec<_>) = Verb::ALL.into_iter().map(|verb| tool(&client, verb)).unzip();

    let refused = Rc::new(RefCell::new(None));
    if let Some(register) = method(&context, "registerTool") {
        let options = Object::new();
        set(&options, "signal", &abort.signal());
        for tool in &tools {
            take(&refused, register.call2(&context, tool, &options));
        }
    } else {
        let provide = method(&context, "provideContext")?;
        let options = Object::new();
        set(&options, "tools", &Array::from_iter(&tools));
        take(&refused, provide.call1(&context, &options));
    }
    Some(Offered {
        context,
        client,
        abort,
        refused,
        _executes: executes,
    })
}

/// Remembers why a registration failed, at once or later.
fn take(refused: &Rc<RefCell<Option<String>>>, registered: Result<JsValue, JsValue>) {
    let refused = Rc::clone(refused);
    wasm_bindgen_futures::spawn_local(async move {
        let registered = match registered {
            Ok(registered) => settled(registered).await,
            Err(error) => Err(error),
        };
        if let Err(error) = registered {
            let why = property(&error, "message").and_then(|why| why.as_string());
            let why = why.unwrap_or_else(|| format!("{error:?}"));
            tracing::warn!(why, "the browser does not take a tool");
            *refused.borrow_mut() = Some(why);
        }
    });
}

/// A verb as the browser wants it.
fn tool(client: &Client, verb: Verb) -> (JsValue, Execute) {
    let about = json!({
        "name": verb.tool(),
        "title": verb.title(),
        "description": verb.description(),
        "inputSchema": verb.input(),
        "annotations": {
            "title": verb.title(),
            "readOnlyHint": verb.is_read_only(),
            "destructiveHint": !verb.is_read_only(),
            "idempotentHint": verb.is_read_only(),
            "openWorldHint": !verb.is_read_only(),
            // Whatever people wrote into the app is in the answers.
            "untrustedContentHint": true,
        },
    });
    let client = client.clone();
    let execute = Execute::new(move |arguments: JsValue| {
        let client = client.clone();
        let arguments = from_script(&arguments);
        wasm_bindgen_futures::future_to_promise(async move {
            let answer = answer(&client, verb, arguments).await;
            Ok(to_script(&result(&answer)))
        })
    });
    let tool = to_script(&about);
    let function: &Function = execute.as_ref().unchecked_ref();
    set(tool.unchecked_ref(), "execute", function);
    (tool, execute)
}

/// An answer in the form of the Model Context Protocol: text for a model, and the whole.
fn result(answer: &Value) -> Value {
    let text = match answer.get("text") {
        Some(Value::String(text)) => text.clone(),
        _ => answer.to_string(),
    };
    json!({
        "content": [{ "type": "text", "text": text }],
        "structuredContent": answer,
        "isError": answer.get("error").is_some(),
    })
}
