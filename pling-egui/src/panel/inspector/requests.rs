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
    let say = pling.say();
    let mut is_on = trace.is_some();
    if ui.checkbox(&mut is_on, say.record_requests()).changed() {
        let ring = is_on.then(|| TraceRing::new(MAX_REQUESTS));
        pling.session().set_trace(ring.as_ref().map(TraceRing::sink));
        *trace = ring;
    }
    ui.label(aside(ui, say.record_requests_hint()));
    let Some(ring) = trace else { return };
    for (index, body) in ring.requests().iter().enumerate().rev() {
        let messages = body["messages"].as_array().map_or(0, Vec::len);
        let title = say.request(&(index + 1).to_string(), &messages.to_string());
        CollapsingHeader::new(title).id_salt(("request", index)).show(ui, |ui| {
            let text = serde_json::to_string_pretty(&**body).unwrap_or_default();
            ui.label(aside(ui, say.request_tokens(estimate_tokens(&text))));
            if ui
                .button(say.copy())
                .accessible_name(say.copy_request(&(index + 1).to_string()))
                .clicked()
            {
                ui.ctx().copy_text(text.clone());
            }
            ui.label(code(ui, visible(&text)));
        });
    }
}
