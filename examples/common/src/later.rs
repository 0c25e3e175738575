//! Work that is done after a while, beside the app.

use std::{io, time::Duration};

/// Runs a closure after a while: on a thread of its own named `name`, or in the browser's queue.
///
/// # Errors
/// When there is no such thread.
#[cfg(not(target_arch = "wasm32"))]
pub fn later(name: &str, wait: Duration, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        std::thread::sleep(wait);
        run();
    });
    thread.map(drop)
}

/// Runs a closure after a while: on a thread of its own named `name`, or in the browser's queue.
///
/// # Errors
/// Never here.
#[cfg(target_arch = "wasm32")]
pub fn later(_name: &str, wait: Duration, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    wasm_bindgen_futures::spawn_local(async move {
        pling_egui::core::platform::sleep(wait).await;
        run();
    });
    Ok(())
}
