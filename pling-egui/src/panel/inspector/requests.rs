//! What was sent to the model, byte by byte, once the user wants that recorded.

use egui::{CollapsingHeader, Ui};
use pling_core::{agent::TraceRing, llm::estimate_tokens};

use super::code;
use crate::{
    Pling,
    panel::{look::aside, visible::visible},
};

/// Requests that are kept.
const MAX_REQUESTS: usize = 5;

pub(super) fn requests_ui(ui: &mut Ui, pling: &Pling, trace: &mut Option<TraceRing>) {
    let mut is_on = trace.is_some();
    if ui.checkbox(&mut is_on, "Record requests").changed() {
        let ring = is_on.then(|| TraceRing::new(MAX_REQUESTS));
        pling.session().set_trace(ring.as_ref().map(TraceRing::sink));
        *trace = ring;
    }
    ui.label(aside(
        ui,
        "They hold the page and the conversation, and no key; they are kept until this is off",
    ));
    let Some(ring) = trace else { return };
    for (index, body) in ring.requests().iter().enumerate().rev() {
        let messages = body["messages"].as_array().map_or(0, Vec::len);
        let title = format!("Request {}: {messages} messages", index + 1);
        CollapsingHeader::new(title).id_salt(("request", index)).show(ui, |ui| {
            let text = serde_json::to_string_pretty(&**body).unwrap_or_default();
            ui.label(aside(ui, format!("about {} tokens", estimate_tokens(&text))));
            if ui
                .button("Copy")
                .accessible_name(format!("Copy request {}", index + 1))
                .clicked()
            {
                ui.ctx().copy_text(text.clone());
            }
            ui.label(code(ui, visible(&text)));
        });
    }
}
