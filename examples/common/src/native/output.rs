//! What the command line prints: JSON lines, or lines for people.

use std::io::{Write as _, stdout};

use pling_egui::core::{
    act::{Arguments, Receipt},
    agent::Event,
    observe::Observation,
};
use serde_json::{Value, json};

use crate::Summary;

/// Prints as it happens.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Something happened in the session.
    pub(crate) fn event(&self, event: &Event) {
        match event {
            Event::Text { text } => self.line(&json!({ "type": "text", "text": text }), text),
            Event::Call {
                id,
                action,
                tool,
                arguments,
            } => {
                let action = action.as_ref().map_or(tool.as_str(), |action| action.id.as_str());
                let arguments = match arguments {
                    Arguments::Object(map) => Value::Object(map.clone()),
                    Arguments::Invalid { raw, .. } => Value::String(raw.clone()),
                };
                let line = json!({ "type": "call", "id": id, "action": action, "arguments": arguments });
                self.line(&line, &format!("→ {action} {arguments}"));
            }
            Event::ApprovalDecided { id, action, decision } => {
                let decision = decision.as_str();
                let line = json!({ "type": "approval", "id": id, "action": action.id, "decision": decision });
                self.line(&line, &format!("  approval of {}: {decision}", action.id));
            }
            Event::Receipt { id, receipt } => {
                let line = json!({ "type": "receipt", "id": id, "receipt": receipt.to_json() });
                self.line(&line, &receipt_words(receipt));
            }
            Event::Notice { code, message } => self.notice(code, message),
            Event::Error { code, message } => {
                self.line(
                    &json!({ "type": "error", "code": code, "message": message }),
                    &format!("{code}: {message}"),
                );
            }
            _ => {}
        }
    }

    pub(crate) fn notice(&self, code: &str, message: &str) {
        self.line(
            &json!({ "type": "notice", "code": code, "message": message }),
            &format!("({message})"),
        );
    }

    /// What a model would see.
    pub(crate) fn observation(&self, seen: &Observation) {
        let tools: Vec<Value> = seen.tools.iter().map(|tool| tool.to_json()).collect();
        let line = json!({ "type": "observation", "text": seen.text, "tools": tools });
        let tools: Vec<String> = tools.iter().map(Value::to_string).collect();
        self.line(&line, &format!("{}\n\n{}", seen.text.trim_end(), tools.join("\n")));
    }

    /// The end: the last text, and what the app itself knows.
    pub(crate) fn last(&self, answer: Option<&str>, summary: &Summary) {
        let Summary { records, state, words } = summary;
        let line = json!({ "type": "final", "answer": answer, "records": records, "state": state });
        self.line(&line, &format!("({words})"));
    }

    fn line(&self, json: &Value, words: &str) {
        let mut out = stdout().lock();
        // A reader that went away, as `head` does, is no reason to stop working.
        let _ = if self.json {
            writeln!(out, "{json}")
        } else {
            writeln!(out, "{words}")
        };
        let _ = out.flush();
    }
}

fn receipt_words(receipt: &Receipt) -> String {
    match &receipt.error {
        Some((code, message)) => format!("  ✘ {code}: {message}"),
        None => {
            let json = receipt.to_json();
            let mut words = format!("  ✔ {}", json["result"]["changed"]);
            for extra in ["value", "warning"] {
                if let Some(value) = json["result"].get(extra) {
                    words.push_str(&format!(" {extra}: {value}"));
                }
            }
            words
        }
    }
}
