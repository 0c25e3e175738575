//! Keys that browsers have a use for themselves.

use std::fmt;

use egui::Context;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::KeyboardEvent;

use super::script::Listener;

/// Keeps the palette's shortcut from the browser. Dropped, it does so no more.
#[must_use = "the browser has the shortcut again once it is dropped"]
pub struct Claimed(#[expect(dead_code, reason = "what it does it does by being there")] Listener);

impl fmt::Debug for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claimed")
    }
}

/// Keeps Ctrl+K (Cmd+K) from the browser while the app has the keyboard. Several browsers go to their address bar with it,
/// and eframe lets them, so that what is typed for the palette would land there.
pub fn claim_shortcut(ctx: &Context) -> Claimed {
    let ctx = ctx.clone();
    let window = web_sys::window().map_or(JsValue::NULL, JsValue::from);
    // Before eframe hears of it, which tells nobody further up.
    Claimed(Listener::first(window.into(), "keydown", move |event| {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let command = event.ctrl_key() != event.meta_key() && !event.shift_key() && !event.alt_key();
        if command && event.key().eq_ignore_ascii_case("k") && ctx.input(|input| input.focused) {
            event.prevent_default();
        }
    }))
}
