//! What of a request goes on to the provider: text, and tools that the app runs itself.
//!
//! What is counted is the length of a request, which bounds the tokens of text and of nothing else. So everything is
//! taken by name: other models, dearer services, tools that the provider runs, pictures and sound are not among it.

use serde_json::{Map, Value, json};

/// Fields of a request. The gateway puts in the model and the limit itself.
const FIELDS: [&str; 14] = [
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "tool_stream",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "reasoning_effort",
    "stream",
    "stream_options",
];
/// Fields of a message. Some providers want their thoughts back.
const OF_MESSAGES: [&str; 10] = [
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "extra_content",
];

/// The request without what the provider does not get. `Err`: what it may not be asked.
pub(crate) fn passed_on(mut request: Map<String, Value>) -> Result<Map<String, Value>, &'static str> {
    let Some(Value::Array(messages)) = request.remove("messages") else {
        return Err("`messages` is no list");
    };
    let messages = messages.into_iter().map(message).collect::<Result<Vec<_>, _>>()?;
    let mut passed = only(&FIELDS, request);
    passed.insert("messages".to_owned(), messages.into());
    if let Some(tools) = passed.get_mut("tools") {
        *tools = functions(tools).ok_or("only tools of type `function` are passed on")?;
    }
    Ok(passed)
}

fn message(message: Value) -> Result<Value, &'static str> {
    let Value::Object(message) = message else {
        return Err("a message is no object");
    };
    if !matches!(message.get("content"), None | Some(Value::String(_) | Value::Null)) {
        return Err("only messages of plain text are passed on");
    }
    Ok(only(&OF_MESSAGES, message).into())
}

fn functions(tools: &Value) -> Option<Value> {
    let tools = tools.as_array()?.iter().map(|tool| {
        let function = tool.get("function").filter(|_| tool["type"] == "function")?;
        Some(json!({ "type": "function", "function": function }))
    });
    tools.collect::<Option<Vec<_>>>().map(Value::from)
}

fn only(names: &[&str], all: Map<String, Value>) -> Map<String, Value> {
    all.into_iter()
        .filter(|(name, _)| names.contains(&name.as_str()))
        .collect()
}
