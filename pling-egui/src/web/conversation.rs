//! The conversation in the browser's storage. eframe saves now and then, which a reload does not wait for.

use std::{
    fmt,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use pling_core::{
    agent::{Event, Listener as OfSession},
    platform::{Duration, sleep},
};
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};
use wasm_bindgen::JsValue;

use super::script::Listener;
use crate::Pling;

/// From what happened until it is written down: what happens together is written once.
const SOON: Duration = Duration::from_millis(300);

/// Keeps a conversation. Dropped, it does so no more; what was kept stays.
#[must_use = "nothing is kept once it is dropped"]
pub struct Kept {
    of_session: Option<OfSession>,
    _of_page: Listener,
    _writer: DropGuard,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(listener) = self.of_session.take() {
            listener.remove();
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

/// Keeps the conversation in the browser's `localStorage` under a key, soon after anything happens in it and before the
/// page goes away, and takes up what was kept there before.
///
/// Of several tabs, the one in which something happened last is taken up again. Every page of the same origin can read it. No key is in it, nor what is declared sensitive: see [`Pling::save`]. Where
/// there is no storage, or no room in it, nothing is kept.
pub fn keep_conversation(pling: &Pling, key: &str) -> Kept {
    if let Some(saved) = storage().and_then(|storage| storage.get_item(key).ok()?)
        && let Err(error) = pling.restore(&saved)
    {
        tracing::warn!(%error, "the conversation kept before cannot be taken up");
    }
    let keeper = Rc::new(Keeper {
        pling: pling.clone(),
        key: key.to_owned(),
        has_news: Arc::default(),
    });

    let happened = Arc::new(Notify::new());
    let (told, news) = (Arc::clone(&happened), Arc::clone(&keeper.has_news));
    let of_session = pling.session().on_event(Arc::new(move |event| {
        // The whole text follows; and what was taken up is written down.
        if !matches!(event, Event::TextDelta { .. } | Event::Restored { .. }) {
            news.store(true, Ordering::Relaxed);
            told.notify_one();
        }
    }));

    let writer = CancellationToken::new();
    let (is_over, of_writer) = (writer.clone(), Rc::clone(&keeper));
    wasm_bindgen_futures::spawn_local(async move {
        let write = async {
            loop {
                happened.notified().await;
                sleep(SOON).await;
                of_writer.write();
            }
        };
        is_over.run_until_cancelled(write).await;
    });

    let window = web_sys::window().map_or(JsValue::NULL, JsValue::from);
    Kept {
        of_session: Some(of_session),
        _of_page: Listener::new(window.into(), "pagehide", move |_| keeper.write()),
        _writer: writer.drop_guard(),
    }
}

struct Keeper {
    pling: Pling,
    key: String,
    /// Whether anything happened that is not written down.
    has_news: Arc<AtomicBool>,
}

impl Keeper {
    /// Writes down what happened. Where nothing did, another tab may have written since, and that stays.
    fn write(&self) {
        if !self.has_news.swap(false, Ordering::Relaxed) {
            return;
        }
        let Some(storage) = storage() else { return };
        if storage.set_item(&self.key, &self.pling.save()).is_err() {
            self.has_news.store(true, Ordering::Relaxed);
            tracing::warn!("the browser has no room for the conversation");
        }
    }
}

fn storage() -> Option<web_sys::Storage> {
    // Where the user forbids it, asking for it is an error.
    web_sys::window()?.local_storage().ok()?
}
