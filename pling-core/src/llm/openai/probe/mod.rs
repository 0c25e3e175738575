//! Whether an endpoint can be used, in words: what stands behind a settings page's test button.
//!
//! Three requests, each of which needs the one before it: a few words, a call, and the call's result.

mod report;

use std::sync::Arc;

use serde_json::{Value, json};

pub use report::{Finding, Probe, Verdict};

use super::{OpenAi, wire::Heard};
use crate::{
    llm::{ErrorKind, Finish, LlmError, Request, RetryPolicy},
    model::{ActionId, RegionPath},
    observe::{Budget, Observation, ToolSchema, ToolTarget},
    snapshot::Snapshot,
};

/// The tool of the test, which nothing executes.
const TOOL: &str = "note_word";

impl OpenAi {
    /// Tries the endpoint with the model that this client was made for: up to four small requests, none of them retried.
    /// Dropping the future closes the connection.
    pub async fn probe(&self) -> Probe {
        let mut conversation = vec![
            message(
                "system",
                "An application tests its connection to you. Do what the user asks, in few words.",
            ),
            message("user", "Count from one to ten in words."),
        ];
        let (first, streams, stream) = match self.try_once(&conversation, false, true).await {
            Ok(heard) => {
                let streams = streams(&heard);
                (heard, streams, true)
            }
            // A refused key or model is refused in any form.
            Err(error) if !worth_trying_whole(&error) => return Probe::silent(&error),
            Err(error) => match self.try_once(&conversation, false, false).await {
                Ok(heard) => {
                    let words = format!("no: {error}; it answers in one piece, so turn streaming off");
                    (heard, Finding::new(Verdict::No, words), false)
                }
                Err(_) => return Probe::silent(&error),
            },
        };
        let mut probe = Probe {
            answers: answers(&first),
            model: first.assembled.reply.model.clone(),
            streams,
            needs_stream_off: !stream,
            ..Probe::silent(&LlmError::new(ErrorKind::Protocol, ""))
        };

        conversation[1] = message("user", "Call the tool note_word with the word pling.");
        let called = match self.try_once(&conversation, true, stream).await {
            Ok(heard) => heard,
            Err(error) => {
                probe.calls_tools = Finding::new(Verdict::No, format!("no: {}", advice(&error)));
                return probe;
            }
        };
        probe.calls_tools = calls(&called);
        let Some(call) = called.assembled.reply.calls.first() else {
            return probe;
        };
        probe.streams_calls = streams_calls(&called);

        conversation.push(called.assembled.reply.to_message());
        let results =
            called.assembled.reply.calls.iter().map(
                |call| json!({ "role": "tool", "tool_call_id": call.id, "content": "{\"result\":{\"ok\":true}}" }),
            );
        conversation.extend(results);
        tracing::debug!(tool = call.name, "the probe got a call");
        probe.takes_results = match self.try_once(&conversation, true, stream).await {
            Ok(_) => Finding::new(Verdict::Yes, "yes"),
            Err(error) => Finding::new(Verdict::No, format!("no: {}", advice(&error))),
        };
        probe
    }

    async fn try_once(&self, messages: &[Value], with_tool: bool, stream: bool) -> Result<Heard, LlmError> {
        let observation = Arc::new(Observation::new(&Arc::new(Snapshot::new(0)), &Budget::default()));
        let mut request = Request::new(&self.model, messages.to_vec(), observation);
        request.stream = stream;
        request.tools = if with_tool { vec![tool()] } else { Vec::new() };
        self.ask(&request, &RetryPolicy::never(), &(Arc::new(|_| {}) as _))
            .await
    }
}

fn message(role: &str, content: &str) -> Value {
    json!({ "role": role, "content": content })
}

fn tool() -> ToolSchema {
    ToolSchema {
        name: TOOL.to_owned(),
        description: "Notes a word".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "word": { "type": "string", "description": "The word" } },
            "required": ["word"],
        }),
        target: ToolTarget::Action {
            id: ActionId::from(TOOL),
            region: RegionPath::default(),
            takes_record: false,
        },
    }
}

fn worth_trying_whole(error: &LlmError) -> bool {
    matches!(error.kind, ErrorKind::Protocol | ErrorKind::Server)
        || (error.kind == ErrorKind::Network && !error.message.starts_with("no answer"))
}

fn answers(heard: &Heard) -> Finding {
    let reply = &heard.assembled.reply;
    if !reply.text.trim().is_empty() {
        Finding::new(Verdict::Yes, "yes")
    } else if reply.finish == Finish::Length {
        Finding::new(
            Verdict::Yes,
            "yes, but the output limit cut it before its first word: raise maxTokens",
        )
    } else {
        Finding::new(Verdict::Yes, "yes, but with an empty reply")
    }
}

fn streams(heard: &Heard) -> Finding {
    match heard.assembled.text_pieces {
        _ if !heard.streamed => Finding::new(Verdict::No, "no: it answers in one piece though a stream is asked for"),
        0 => Finding::new(Verdict::Unknown, "there were no words to tell by"),
        1 => Finding::new(
            Verdict::No,
            "no: all words come at once at the end; something on the way holds them back",
        ),
        pieces => Finding::new(Verdict::Yes, format!("yes, ten words came in {pieces} pieces")),
    }
}

fn calls(heard: &Heard) -> Finding {
    let reply = &heard.assembled.reply;
    let text = reply.text.trim();
    match reply.calls.first() {
        Some(call) if call.name != TOOL => {
            let words = format!("no: it calls “{}”, which was not offered", call.name);
            Finding::new(Verdict::No, words)
        }
        Some(call) if !has_word(&call.arguments) => Finding::new(
            Verdict::No,
            "no: the call has no usable arguments; a larger model may do better",
        ),
        Some(_) if reply.finish == Finish::Length => {
            Finding::new(Verdict::No, "no: the output limit cut the call: raise maxTokens")
        }
        Some(_) => Finding::new(Verdict::Yes, "yes"),
        None if looks_like_call(text) => Finding::new(
            Verdict::No,
            "no: calls come as plain text; the server does not know this model's way of calling (its chat template or \
             its tool parser)",
        ),
        None if reply.finish == Finish::Length => Finding::new(
            Verdict::Unknown,
            "the output limit cut the reply before a call: raise maxTokens",
        ),
        None => Finding::new(
            Verdict::Unknown,
            "it answered in words instead; the model may not be made for tools",
        ),
    }
}

fn streams_calls(heard: &Heard) -> Finding {
    match heard.assembled.call_pieces {
        _ if !heard.streamed => Finding::new(Verdict::No, "no: it answers in one piece"),
        0 | 1 => Finding::new(Verdict::No, "no: a call comes whole, which works as well"),
        pieces => Finding::new(Verdict::Yes, format!("yes, a call came in {pieces} pieces")),
    }
}

fn has_word(arguments: &str) -> bool {
    serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments["word"].is_string())
}

/// The ways in which models write calls when nobody reads them: JSON with the tool's name, or tags.
fn looks_like_call(text: &str) -> bool {
    let has_name = text.contains(TOOL);
    has_name && (text.contains('{') || text.contains('<') || text.contains(&format!("{TOOL}(")))
}

/// The error, and what can be done about it.
fn advice(error: &LlmError) -> String {
    let what = match error.kind {
        ErrorKind::Auth => "the key is refused",
        ErrorKind::ModelNotFound => "the model or the path is not known there",
        ErrorKind::Quota => "there is nothing left to spend",
        ErrorKind::RateLimited => "too many requests at the moment",
        ErrorKind::Network => "nothing answers there",
        ErrorKind::Server => "the server fails",
        ErrorKind::Protocol if error.message.contains("enable-auto-tool-choice") => {
            "the server was started without tools"
        }
        _ => return error.message.clone(),
    };
    format!("{what}: {}", error.message)
}
