//! What every request must be, as strict as the strictest provider and chat template.

use std::collections::BTreeSet;

use serde_json::Value;

/// Panics with the offending message unless the body of a request is one that every provider takes.
#[track_caller]
pub(crate) fn assert_valid_request(body: &Value) {
    assert_sendable(body);
    let system = body["messages"][0]["content"].as_str().expect("text");
    assert!(system.contains("## Rules"), "no rules: {system}");
}

/// As [`assert_valid_request`], whatever the system message says.
#[track_caller]
pub(crate) fn assert_sendable(body: &Value) {
    let messages = body["messages"].as_array().expect("messages");
    let system = messages.first().expect("a system message");
    assert_eq!(system["role"], "system", "the first message: {system}");
    assert!(system["content"].is_string(), "the system message is text: {system}");
    assert_valid_conversation(&messages[1..]);
    let last = messages.last().expect("messages");
    assert!(matches!(role(last), "user" | "tool"), "nothing to reply to: {last}");
    assert_valid_tools(body.get("tools"));
}

/// Panics unless these messages may follow a system message.
#[track_caller]
pub(crate) fn assert_valid_conversation(messages: &[Value]) {
    let mut previous = "system";
    let mut open: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    for message in messages {
        let role = role(message);
        let expected: &[&str] = match previous {
            _ if !open.is_empty() => &["tool"],
            "system" => &["user"],
            "user" | "tool" => &["assistant"],
            "assistant" => &["user"],
            other => panic!("role {other}"),
        };
        assert!(expected.contains(&role), "{role} after {previous}: {message}");
        assert_valid_content(message);
        match role {
            "assistant" => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    open.push(assert_valid_call(call));
                }
                for id in &open {
                    assert!(ids.insert(id.clone()), "call id {id} twice: {message}");
                }
                open.reverse();
            }
            "tool" => assert_eq!(
                message["tool_call_id"],
                Value::from(open.pop()),
                "result out of order: {message}"
            ),
            _ => {}
        }
        previous = role;
    }
    assert!(open.is_empty(), "calls without a result: {open:?}");
}

#[track_caller]
fn assert_valid_content(message: &Value) {
    let content = message
        .get("content")
        .unwrap_or_else(|| panic!("no content: {message}"));
    match content {
        Value::Null => assert!(
            message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty()),
            "null content without calls: {message}"
        ),
        Value::String(text) => assert!(
            !text.contains("<page_data>"),
            "a page section outside the system: {message}"
        ),
        other => panic!("content is no text: {other}"),
    }
    if role(message) == "tool" {
        let result: Value = serde_json::from_str(content.as_str().expect("text")).expect("a result is JSON");
        assert!(result.is_object(), "a result is no object: {message}");
    }
}

/// Returns the call's id.
#[track_caller]
fn assert_valid_call(call: &Value) -> String {
    assert_eq!(call["type"], "function", "{call}");
    assert_valid_name(call["function"]["name"].as_str().expect("a name"), 64);
    let arguments = call["function"]["arguments"].as_str().expect("arguments are text");
    let arguments: Value = serde_json::from_str(arguments).expect("arguments are JSON");
    assert!(arguments.is_object(), "arguments are no object: {call}");
    let id = call["id"].as_str().expect("an id");
    assert!(!id.trim().is_empty(), "blank id: {call}");
    id.to_owned()
}

#[track_caller]
fn assert_valid_tools(tools: Option<&Value>) {
    let mut names = BTreeSet::new();
    let Some(tools) = tools else { return };
    let tools = tools.as_array().expect("tools");
    assert!(!tools.is_empty(), "an empty list of tools is refused by some");
    for tool in tools {
        let name = tool["function"]["name"].as_str().expect("a tool's name");
        assert_valid_name(name, 40);
        assert!(names.insert(name), "tool {name} twice");
        assert_eq!(tool["function"]["parameters"]["type"], "object", "{tool}");
    }
}

#[track_caller]
fn assert_valid_name(name: &str, longest: usize) {
    let valid = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    assert!(valid && (1..=longest).contains(&name.len()), "name {name:?}");
}

fn role(message: &Value) -> &str {
    message["role"].as_str().expect("a role")
}
