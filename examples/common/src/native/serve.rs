//! Letting outside agents in.

use std::{
    io::{Write as _, stdout},
    net::SocketAddr,
};

use pling_egui::{
    Pling,
    core::surface::server::{ServeError, ServeOptions, Serving},
};
use serde_json::json;

use crate::Example;

/// Listens, and prints the one line that a script needs to find it.
pub(crate) fn serve<A>(example: &Example<A>, pling: &Pling, address: SocketAddr) -> Result<Serving, ServeError> {
    let options = ServeOptions::new(example.name).title(example.title).address(address);
    let serving = pling.surface().serve(&options)?;
    let running = serving.running();
    let line = json!({ "url": running.url, "token": running.token, "pid": running.pid });
    let mut out = stdout().lock();
    // A reader that went away, as `head` does, is no reason to stop working.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    Ok(serving)
}
