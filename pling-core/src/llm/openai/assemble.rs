//! From the pieces of a reply to the reply, without IO.
//!
//! Providers agree on little, so the reader takes what is there and asks for nothing:
//!
//! - A new non-empty id opens a call; a known one continues its call. Without an id the `index` decides,
//!   without either the call opened last goes on.
//! - A call's name is appended to, unless the same whole name comes again.
//! - Fields that are not known are kept, of the message and of each call: text is appended, lists are extended, items of
//!   lists that carry the same `index` go on with each other, everything else is replaced.
//! - A reply is complete with a non-empty `finish_reason` or `[DONE]`. Anything less was interrupted.

use serde_json::{Map, Value};

use super::keep::{keep, keep_in_function};
use crate::llm::{Finish, Reply, ToolCall, Usage};

/// The pieces of one reply so far.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    text: String,
    calls: Vec<OpenCall>,
    finish: Option<Finish>,
    done: bool,
    usage: Option<Usage>,
    extra: Map<String, Value>,
    model: Option<String>,
    text_pieces: usize,
    call_pieces: usize,
}

#[derive(Debug, Default)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extra: Map<String, Value>,
}

/// A whole reply, and in how many pieces it came.
#[derive(Debug)]
pub(super) struct Assembled {
    pub(super) reply: Reply,
    pub(super) text_pieces: usize,
    pub(super) call_pieces: usize,
}

/// What a piece turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Part of the reply; the text it adds, perhaps none.
    Text(String),
    /// The provider's report of a failure, as JSON text.
    Error(String),
}

impl Assembler {
    /// Takes one chunk of a stream, or a whole completion.
    pub(super) fn push(&mut self, chunk: &Value) -> Piece {
        if chunk.get("error").is_some_and(|error| !error.is_null()) || chunk["object"] == "error" {
            return Piece::Error(chunk.to_string());
        }
        if let Some(usage) = chunk.get("usage").and_then(read_usage) {
            self.usage = Some(usage);
        }
        if let Some(model) = chunk["model"].as_str().filter(|model| !model.is_empty()) {
            self.model = Some(model.to_owned());
        }
        let mut added = String::new();
        // Only one answer was asked for.
        let choice = chunk["choices"].get(0).unwrap_or(&Value::Null);
        if let Some(delta) = choice["delta"].as_object() {
            added = self.push_message(delta, false);
        } else if let Some(message) = choice["message"].as_object() {
            added = self.push_message(message, true);
        }
        match choice["finish_reason"].as_str() {
            None | Some("") => {}
            Some("error") => return Piece::Error(chunk.to_string()),
            Some(reason) => self.finish = Some(read_finish(reason)),
        }
        Piece::Text(added)
    }

    /// Notes the `[DONE]` of a stream, or the end of a body that came in one piece.
    pub(super) fn mark_done(&mut self) {
        self.done = true;
    }

    /// Whether the provider said why it stopped.
    pub(super) fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// The reply, or `None` when it was interrupted. Calls without an id of their own get one that begins with `made_up`.
    pub(super) fn finish(self, made_up: &str) -> Option<Assembled> {
        if !self.done && self.finish.is_none() {
            return None;
        }
        let mut calls: Vec<ToolCall> = Vec::with_capacity(self.calls.len());
        for (index, call) in self.calls.into_iter().enumerate() {
            let is_taken = calls.iter().any(|other| other.id == call.id);
            let id = if call.id.is_empty() || is_taken {
                format!("{made_up}_{index}")
            } else {
                call.id
            };
            let mut kept = ToolCall::new(id, call.name, call.arguments);
            kept.extra = call.extra;
            calls.push(kept);
        }
        let finish = match self.finish.unwrap_or_default() {
            // Many servers say `stop` after calls all the same.
            Finish::Stop if !calls.is_empty() => Finish::ToolCalls,
            finish => finish,
        };
        Some(Assembled {
            reply: Reply {
                text: self.text,
                calls,
                finish,
                usage: self.usage,
                extra: self.extra,
                model: self.model,
            },
            text_pieces: self.text_pieces,
            call_pieces: self.call_pieces,
        })
    }

    /// Returns the text that was added. In a `whole` message each call of the list is a call of its own.
    fn push_message(&mut self, message: &Map<String, Value>, whole: bool) -> String {
        let mut added = String::new();
        for (key, value) in message {
            match key.as_str() {
                "role" => {}
                "content" => read_content(value, &mut added),
                "tool_calls" => {
                    let deltas = value.as_array().map(Vec::as_slice).unwrap_or_default();
                    self.call_pieces += usize::from(!deltas.is_empty());
                    deltas.iter().for_each(|delta| self.push_call(delta, whole));
                }
                // A refusal takes the place of the answer.
                "refusal" => added.push_str(value.as_str().unwrap_or_default()),
                _ => keep(&mut self.extra, key, value),
            }
        }
        self.text.push_str(&added);
        self.text_pieces += usize::from(!added.is_empty());
        added
    }

    fn push_call(&mut self, delta: &Value, whole: bool) {
        let id = match &delta["id"] {
            Value::String(id) => id.clone(),
            Value::Number(id) => id.to_string(),
            _ => String::new(),
        };
        let index = delta["index"].as_u64();
        let function = &delta["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };

        let position = if whole { None } else { self.continued(&id, index) };
        // Without ids, a name and arguments beside arguments that are already whole begin another call.
        let may_be_another = id.is_empty() && !name.is_empty() && !arguments.is_empty();
        let position = position.filter(|position| !(may_be_another && is_object(&self.calls[*position].arguments)));
        let position = position.unwrap_or_else(|| {
            self.calls.push(OpenCall::default());
            self.calls.len() - 1
        });
        let call = &mut self.calls[position];
        if call.id.is_empty() {
            call.id = id;
        }
        call.index = call.index.or(index);
        if call.name != name {
            call.name.push_str(name);
        }
        call.arguments.push_str(&arguments);
        for (key, value) in delta.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("id" | "index" | "type", _) => {}
                ("function", Value::Object(function)) => {
                    for (key, value) in function {
                        if !matches!(key.as_str(), "name" | "arguments") {
                            keep_in_function(&mut call.extra, key, value);
                        }
                    }
                }
                _ => keep(&mut call.extra, key, value),
            }
        }
    }

    /// Which call a delta goes on with. `None`: a new one.
    fn continued(&self, id: &str, index: Option<u64>) -> Option<usize> {
        let latest = |test: &dyn Fn(&OpenCall) -> bool| self.calls.iter().rposition(test);
        match (id, index) {
            ("", None) => self.calls.len().checked_sub(1),
            ("", Some(_)) => latest(&|call| call.index == index),
            (id, None) => latest(&|call| call.id == id),
            (id, Some(_)) => latest(&|call| call.id == id)
                .or_else(|| latest(&|call| call.index == index).filter(|position| self.calls[*position].id.is_empty())),
        }
    }
}

fn is_object(arguments: &str) -> bool {
    matches!(serde_json::from_str(arguments), Ok(Value::Object(_)))
}

/// Text, or the text parts of a list of parts.
fn read_content(content: &Value, text: &mut String) {
    match content {
        Value::String(piece) => text.push_str(piece),
        Value::Array(parts) => {
            for part in parts
                .iter()
                .filter(|part| matches!(part["type"].as_str(), None | Some("text")))
            {
                text.push_str(part["text"].as_str().unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn read_usage(usage: &Value) -> Option<Usage> {
    let tokens = |key: &str| usage[key].as_u64();
    tokens("prompt_tokens").or(tokens("completion_tokens"))?;
    Some(Usage {
        prompt_tokens: tokens("prompt_tokens").unwrap_or_default(),
        completion_tokens: tokens("completion_tokens").unwrap_or_default(),
    })
}

fn read_finish(reason: &str) -> Finish {
    match reason.to_lowercase().as_str() {
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "content_filter" | "safety" => Finish::ContentFilter,
        _ => Finish::Stop,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The calls that a sequence of `tool_calls` entries gives, as `id name arguments`.
    fn calls(deltas: &[Value]) -> Vec<String> {
        let mut assembler = Assembler::default();
        for delta in deltas {
            assembler.push(&json!({ "choices": [{ "delta": { "tool_calls": [delta] } }] }));
        }
        assembler.mark_done();
        let reply = assembler.finish("made_up").unwrap().reply;
        reply
            .calls
            .iter()
            .map(|call| format!("{} {} {}", call.id, call.name, call.arguments))
            .collect()
    }

    #[test]
    fn ids_before_indices_before_order() {
        let f = |name: &str, arguments: &str| json!({ "name": name, "arguments": arguments });
        // Index only; the id comes with the first piece.
        assert_eq!(
            calls(&[
                json!({ "index": 0, "id": "a", "function": f("x", "{") }),
                json!({ "index": 1, "id": "b", "function": f("y", "{") }),
                json!({ "index": 0, "function": { "arguments": "}" } }),
                json!({ "index": 1, "function": { "arguments": "}" } }),
            ]),
            ["a x {}", "b y {}"]
        );
        // The id comes late.
        assert_eq!(
            calls(&[
                json!({ "index": 0, "function": f("x", "") }),
                json!({ "index": 0, "id": "a", "function": { "arguments": "{}" } }),
            ]),
            ["a x {}"]
        );
        // Neither ids nor different indices: whole calls one after the other.
        assert_eq!(
            calls(&[
                json!({ "index": 0, "id": "", "function": f("x", "{}") }),
                json!({ "index": 0, "id": "", "function": f("x", "{}") }),
            ]),
            ["made_up_0 x {}", "made_up_1 x {}"]
        );
        // Arguments as an object.
        assert_eq!(
            calls(&[json!({ "id": 7, "function": { "name": "x", "arguments": { "n": 1 } } })]),
            [r#"7 x {"n":1}"#]
        );
    }

    #[test]
    fn a_whole_message_with_one_id_twice_has_two_calls() {
        let call = json!({ "id": "a", "function": { "name": "x", "arguments": "{}" } });
        let mut assembler = Assembler::default();
        assembler.push(
            &json!({ "choices": [{ "message": { "tool_calls": [call, call] }, "finish_reason": "tool_calls" }] }),
        );
        let reply = assembler.finish("made_up").unwrap().reply;
        let ids: Vec<_> = reply.calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "made_up_1"]);
    }

    #[test]
    fn unknown_fields_are_kept_whole() {
        let mut assembler = Assembler::default();
        for piece in ["think", "ing"] {
            let delta = json!({ "reasoning_content": piece, "details": [piece], "audio": null, "content": [{ "type": "text", "text": piece }] });
            assembler.push(&json!({ "choices": [{ "delta": delta }] }));
        }
        assembler.mark_done();
        let reply = assembler.finish("").unwrap().reply;
        assert_eq!(reply.text, "thinking");
        assert_eq!(
            Value::Object(reply.extra),
            json!({ "reasoning_content": "thinking", "details": ["think", "ing"] })
        );
    }

    #[test]
    fn items_of_lists_go_on_by_index() {
        let mut assembler = Assembler::default();
        let item = |index: u64, text: &str| json!({ "type": "reasoning.text", "index": index, "text": text });
        for items in [
            vec![item(0, "ha")],
            vec![item(0, "ha"), item(1, "ho")],
            vec![json!({ "type": "reasoning.text", "index": 0, "signature": "s" })],
            vec![json!({ "type": "reasoning.encrypted", "index": 0, "data": "x" })],
        ] {
            assembler.push(&json!({ "choices": [{ "delta": { "reasoning_details": items } }] }));
        }
        assembler.mark_done();
        assert_eq!(
            assembler.finish("").unwrap().reply.extra["reasoning_details"],
            json!([
                { "type": "reasoning.text", "index": 0, "text": "haha", "signature": "s" },
                { "type": "reasoning.text", "index": 1, "text": "ho" },
                { "type": "reasoning.encrypted", "index": 0, "data": "x" },
            ])
        );
    }

    #[test]
    fn unknown_fields_of_a_call_are_kept() {
        let mut assembler = Assembler::default();
        for delta in [
            json!({ "index": 0, "id": "a", "type": "function", "extra_content": { "google": { "thought_signature": "s" } },
                "function": { "name": "x", "arguments": "{", "strict": true } }),
            json!({ "index": 0, "function": { "arguments": "}" } }),
        ] {
            assembler.push(&json!({ "choices": [{ "delta": { "tool_calls": [delta] } }] }));
        }
        assembler.mark_done();
        let message = assembler.finish("").unwrap().reply.to_message();
        assert_eq!(
            message["tool_calls"][0],
            json!({
                "id": "a", "type": "function", "extra_content": { "google": { "thought_signature": "s" } },
                "function": { "name": "x", "arguments": "{}", "strict": true },
            })
        );
    }

    #[test]
    fn nothing_in_a_chunk_can_break_the_reader() {
        let mut assembler = Assembler::default();
        for chunk in [
            json!(null),
            json!([]),
            json!({ "choices": {} }),
            json!({ "choices": [null] }),
            json!({ "choices": [{ "delta": { "tool_calls": [null, 3, {}] } }] }),
            json!({ "usage": null, "choices": [{ "delta": "x", "finish_reason": 1 }] }),
        ] {
            assert_eq!(assembler.push(&chunk), Piece::Text(String::new()));
        }
        assert!(!assembler.has_finish());
        assert!(assembler.finish("").is_none());
    }
}
