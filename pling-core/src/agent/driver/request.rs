//! One request: rules, role and page in the system message, the conversation behind it, the tools beside it.

use std::sync::Arc;

use crate::{
    agent::{Config, History, Summarize, system_message},
    llm::{Llm, Request},
    observe::Observation,
};

/// The request of a turn.
pub(super) fn of_turn(config: &Config, llm: &dyn Llm, history: &History, observation: Arc<Observation>) -> Request {
    let mut messages = Vec::with_capacity(history.messages().len() + 1);
    messages.push(system_message(&config.system_prompt, &observation.text));
    messages.extend_from_slice(history.messages());
    debug_assert!(history.open_calls().next().is_none(), "a call without a result");
    Request {
        temperature: config.temperature,
        max_tokens: config.max_tokens,
        stream: config.stream,
        ..Request::new(model_name(config, llm), messages, observation)
    }
}

/// The request for a summary: no page, no tools, and nothing of it is shown as it comes in.
pub(super) fn of_summary(config: &Config, llm: &dyn Llm, summarize: &Summarize) -> Request {
    let messages = summarize.messages.clone();
    Request {
        tools: Vec::new(),
        temperature: config.temperature,
        max_tokens: config.max_tokens,
        stream: config.stream,
        ..Request::new(model_name(config, llm), messages, Arc::clone(&summarize.seen))
    }
}

/// An injected model may go without a configured name.
fn model_name(config: &Config, llm: &dyn Llm) -> String {
    match config.model.trim() {
        _ if llm.is_offline() => "offline".to_owned(),
        "" => llm.model(),
        model => model.to_owned(),
    }
}
