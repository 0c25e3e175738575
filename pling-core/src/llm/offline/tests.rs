//! Conversations with the planner, on pages made by hand.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Offline, reply};
use crate::{
    llm::{Llm as _, Reply, Request},
    model::{Action, Effect, Input, Record},
    observe::{Budget, Discovery, Observation, ToolSchema, ToolTarget},
    snapshot::{ActionFacts, Availability, RecordFacts, Snapshot, SourceFacts},
};

/// A page and the conversation on it.
struct Chat {
    snapshot: Snapshot,
    tools: Vec<ToolSchema>,
    messages: Vec<Value>,
}

fn text() -> Input {
    Input::Text { multiline: false }
}

fn choice(choices: &[&str]) -> Input {
    Input::Choice {
        choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
    }
}

impl Chat {
    fn new() -> Self {
        Self {
            snapshot: Snapshot::new(1),
            tools: Vec::new(),
            messages: vec![json!({ "role": "system", "content": "" })],
        }
    }

    /// The task list of most tests.
    fn todo() -> Self {
        Self::new()
            .action("add_todo", "Add a task", text(), Effect::Write)
            .action("search", "Search the tasks by text", text(), Effect::Read)
            .action(
                "filter",
                "Which tasks are shown",
                choice(&["All", "Open", "Done"]),
                Effect::Read,
            )
            .action("clear_done", "Remove completed tasks", Input::Click, Effect::Danger)
            .action("open_settings", "Open the settings", Input::Click, Effect::Read)
            .action("sync", "Synchronize with the server", Input::Click, Effect::Write)
            .action("export", "Export the list", Input::Click, Effect::Read)
            .row_action("toggle", "Mark the task as complete", Input::Toggle, Effect::Write)
            .row_action("rename", "Rename the task", text(), Effect::Write)
            .row_action(
                "due",
                "Days until the task is due",
                Input::Number { min: None, max: None },
                Effect::Write,
            )
            .row_action("delete", "Delete the task", Input::Click, Effect::Danger)
            .record("t1", "Call the bank")
            .record("t2", "Expense report")
            .record("t3", "Buy milk")
            .source(&["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"])
    }

    fn add_action(
        mut self,
        id: &str,
        description: &'static str,
        input: Input,
        effect: Effect,
        takes_record: bool,
    ) -> Self {
        let mut action = Action::new(id, description);
        action.input = input;
        action.effect = effect;
        let facts = ActionFacts::new(action);
        self.tools.push(ToolSchema {
            name: id.to_owned(),
            description: format!("{description}. 3 rows, effect {}.", effect.as_str()),
            parameters: json!({ "type": "object" }),
            target: ToolTarget::Action {
                id: id.into(),
                region: facts.region.clone(),
                takes_record,
            },
        });
        self.snapshot.actions.push(facts);
        self
    }

    fn action(self, id: &str, description: &'static str, input: Input, effect: Effect) -> Self {
        self.add_action(id, description, input, effect, false)
    }

    fn row_action(self, id: &str, description: &'static str, input: Input, effect: Effect) -> Self {
        self.add_action(id, description, input, effect, true)
    }

    fn function(mut self, id: &str, description: &'static str, schema: Value) -> Self {
        self = self.action(id, description, Input::Schema(schema.clone()), Effect::Write);
        self.tools.last_mut().unwrap().parameters = schema;
        self
    }

    fn unavailable(mut self, id: &str, description: &'static str, availability: Availability) -> Self {
        let mut facts = ActionFacts::new(Action::new(id, description));
        facts.availability = availability;
        self.snapshot.actions.push(facts);
        self
    }

    fn find_records(mut self) -> Self {
        self.tools.push(ToolSchema {
            name: "find_records".to_owned(),
            description: "Looks through records that are not shown".to_owned(),
            parameters: json!({ "type": "object", "properties": { "query": { "type": "string" } }, "required": ["query"] }),
            target: ToolTarget::Discovery(Discovery::FindRecords),
        });
        self
    }

    fn without(mut self, id: &str) -> Self {
        self.tools.retain(|tool| tool.name != id);
        self.snapshot.actions.retain(|facts| facts.action.id.as_str() != id);
        self
    }

    fn record(mut self, id: &str, label: &str) -> Self {
        self.snapshot.records.push(RecordFacts::new(Record::new(id, label)));
        self
    }

    fn source(mut self, ids: &[&str]) -> Self {
        let mut source = SourceFacts::new("todos", ids.len());
        source.first_ids = ids.iter().map(|id| (*id).into()).collect();
        self.snapshot.sources.push(source);
        self
    }

    fn say(&mut self, text: &str) -> Reply {
        self.messages.push(json!({ "role": "user", "content": text }));
        self.next()
    }

    fn next(&mut self) -> Reply {
        let observation = Observation {
            tools: self.tools.clone(),
            ..Observation::new(&Arc::new(self.snapshot.clone()), &Budget::default())
        };
        let reply = reply(&Request::new("offline", self.messages.clone(), Arc::new(observation)));
        self.messages.push(reply.to_message());
        reply
    }

    /// Answers the last call, and lets the planner go on.
    fn receipt(&mut self, content: &Value) -> Reply {
        let id = self.messages.last().unwrap()["tool_calls"][0]["id"].clone();
        self.messages
            .push(json!({ "role": "tool", "tool_call_id": id, "content": content.to_string() }));
        self.next()
    }

    fn done(&mut self) -> Reply {
        self.receipt(&json!({ "result": { "ok": true, "changed": { "observed": true } } }))
    }

    fn refused(&mut self, code: &str, message: &str) -> Reply {
        self.receipt(&json!({ "error": { "code": code, "message": message, "available": [] } }))
    }
}

/// The one call of a reply.
#[track_caller]
fn called(reply: &Reply) -> (String, Value) {
    assert_eq!(reply.calls.len(), 1, "{reply:?}");
    let call = &reply.calls[0];
    (call.name.clone(), serde_json::from_str(&call.arguments).unwrap())
}

#[track_caller]
fn assert_call(reply: &Reply, tool: &str, arguments: Value) {
    assert_eq!(called(reply), (tool.to_owned(), arguments));
}

#[track_caller]
fn assert_says(reply: &Reply, parts: &[&str]) {
    assert!(reply.calls.is_empty(), "{reply:?}");
    for part in parts {
        assert!(reply.text.contains(part), "no {part:?} in {:?}", reply.text);
    }
}

#[test]
fn two_requests_in_one_message() {
    let mut chat = Chat::todo();
    let first = chat.say("Mark milk as done and add bread");
    assert_call(&first, "toggle", json!({ "record": "t3" }));
    let second = chat.done();
    assert_call(&second, "add_todo", json!({ "text": "bread" }));
    assert_ne!(first.calls[0].id, second.calls[0].id);
    let last = chat.done();
    assert_eq!(
        last.text,
        "Done: Mark the task as complete (Buy milk). Done: Add a task (“bread”)."
    );
    assert!(last.calls.is_empty());
}

#[test]
fn a_record_that_is_not_shown_is_searched_first() {
    let mut chat = Chat::todo();
    assert_call(
        &chat.say("Mark the weekly report as done."),
        "search",
        json!({ "text": "weekly report" }),
    );
    chat.snapshot.records.clear();
    chat = chat.record("t9", "Weekly report");
    assert_call(&chat.done(), "toggle", json!({ "record": "t9" }));
    assert_says(
        &chat.done(),
        &[
            "Search the tasks by text (“weekly report”)",
            "Mark the task as complete (Weekly report)",
        ],
    );
}

#[test]
fn a_record_that_is_nowhere_is_not_made_up() {
    let mut chat = Chat::todo().find_records();
    assert_call(
        &chat.say("delete the weekly report"),
        "search",
        json!({ "text": "weekly report" }),
    );
    assert_call(&chat.done(), "find_records", json!({ "query": "weekly report" }));
    let nothing = chat.receipt(&json!({ "result": { "ok": true, "value": { "records": [] } } }));
    assert_says(&nothing, &["I found no record that fits “weekly report”."]);
}

#[test]
fn what_a_discovery_tells_counts() {
    let mut chat = Chat::todo().without("search").find_records();
    assert_call(
        &chat.say("delete the weekly report"),
        "find_records",
        json!({ "query": "weekly report" }),
    );
    let found = json!({ "result": { "ok": true, "value": { "records": [{ "id": "t9", "label": "Weekly report" }] } } });
    assert_call(&chat.receipt(&found), "delete", json!({ "record": "t9" }));
}

#[test]
fn labels_outside_the_viewport_are_not_known() {
    let mut chat = Chat::todo().without("search");
    chat.snapshot.records[2].visible = 0.4;
    assert_says(&chat.say("mark milk as done"), &["I found no record that fits “milk”."]);
    assert_call(&chat.say("mark t3 as done"), "toggle", json!({ "record": "t3" }));
}

#[test]
fn one_request_of_every_kind() {
    for (text, tool, arguments) in [
        ("delete milk", "delete", json!({ "record": "t3" })),
        ("Please remove the milk task", "delete", json!({ "record": "t3" })),
        ("Could you tick off \"Buy milk\"?", "toggle", json!({ "record": "t3" })),
        ("milk is done", "toggle", json!({ "record": "t3" })),
        (
            "Mark milk as not done",
            "toggle",
            json!({ "record": "t3", "checked": false }),
        ),
        ("uncheck milk", "toggle", json!({ "record": "t3", "checked": false })),
        ("reopen buy milk", "toggle", json!({ "record": "t3", "checked": false })),
        ("mark t9 as done", "toggle", json!({ "record": "t9" })),
        ("complete the ninth task", "toggle", json!({ "record": "t9" })),
        ("mark the 2nd task as done", "toggle", json!({ "record": "t2" })),
        ("Set milk due in 5 days", "due", json!({ "record": "t3", "value": 5 })),
        (
            "set the due date of the expense report to 2.5",
            "due",
            json!({ "record": "t2", "value": 2.5 }),
        ),
        (
            "rename milk to Oat milk and honey",
            "rename",
            json!({ "record": "t3", "text": "Oat milk and honey" }),
        ),
        (
            "Rename 'Buy milk' to 'Buy tea'",
            "rename",
            json!({ "record": "t3", "text": "Buy tea" }),
        ),
        (
            "add bread and butter",
            "add_todo",
            json!({ "text": "bread and butter" }),
        ),
        (
            "Add a task called Call Anna, then Bob",
            "add_todo",
            json!({ "text": "Call Anna" }),
        ),
        (
            "add \"Milk; then bread\" to the list",
            "add_todo",
            json!({ "text": "Milk; then bread" }),
        ),
        ("add Bread to my list please", "add_todo", json!({ "text": "Bread" })),
        (
            "new task: water the plants",
            "add_todo",
            json!({ "text": "water the plants" }),
        ),
        (
            "search for the weekly report",
            "search",
            json!({ "text": "weekly report" }),
        ),
        ("Show all tasks", "filter", json!({ "choice": "All" })),
        ("show completed tasks", "filter", json!({ "choice": "Done" })),
        ("set the filter to open", "filter", json!({ "choice": "Open" })),
        ("open settings", "open_settings", json!({})),
        ("sync", "sync", json!({})),
        ("please refresh now", "sync", json!({})),
        ("Export", "export", json!({})),
        ("export the list", "export", json!({})),
        ("clear done tasks", "clear_done", json!({})),
        ("remove completed tasks", "clear_done", json!({})),
    ] {
        let reply = Chat::todo().say(text);
        assert_eq!(reply.calls.len(), 1, "{text}: {}", reply.text);
        assert_eq!(called(&reply), (tool.to_owned(), arguments), "{text}");
    }
}

#[test]
fn what_it_does_not_do() {
    for (text, says) in [
        ("What can you do?", "I can do this here: Add a task"),
        ("is milk done?", "I can do this here"),
        ("sing a song", "nothing on this page to do for “sing a song”"),
        ("don't delete milk", "I left this alone"),
        ("please do not delete milk", "I left this alone"),
        ("delete everything", "one record at a time"),
        ("delete the task", "which record?"),
        ("add", "which text?"),
        ("show tasks", "which one of “All”, “Open”, “Done”?"),
        ("", "I can do this here"),
    ] {
        let reply = Chat::todo().say(text);
        assert!(reply.calls.is_empty(), "{text}: {:?}", reply.calls);
        assert!(reply.text.contains(says), "{text}: {}", reply.text);
    }
}

#[test]
fn a_danger_is_not_reached_by_its_verb_alone() {
    let mut chat = Chat::todo().without("delete");
    assert!(chat.say("delete milk").calls.is_empty());
    assert!(chat.say("remove the expense report").calls.is_empty());
}

#[test]
fn a_name_that_fits_twice_is_a_question() {
    let mut chat = Chat::todo().record("t4", "Oat milk");
    assert_says(
        &chat.say("delete milk"),
        &["more than one fits", "“Buy milk” (t3)", "“Oat milk” (t4)"],
    );
    assert_call(&chat.say("delete oat milk"), "delete", json!({ "record": "t4" }));
    let mut chat = Chat::todo().record("t4", "Milk");
    assert_call(&chat.say("delete milk"), "delete", json!({ "record": "t4" }));
    // A word that does not fit is not left out.
    let mut chat = Chat::todo().without("search");
    assert_says(&chat.say("delete oat milk"), &["no record that fits “oat milk”"]);
}

#[test]
fn several_records_of_one_request() {
    let mut chat = Chat::todo();
    assert_call(
        &chat.say("delete milk and the expense report"),
        "delete",
        json!({ "record": "t3" }),
    );
    chat.snapshot.records.pop();
    assert_call(&chat.done(), "delete", json!({ "record": "t2" }));
    chat.snapshot.records.pop();
    assert_says(&chat.done(), &["Delete the task (t3)", "Delete the task (t2)"]);
}

#[test]
fn it_is_what_was_just_dealt_with() {
    let mut chat = Chat::todo();
    assert_call(
        &chat.say("rename milk to Tea, then mark it as done"),
        "rename",
        json!({ "record": "t3", "text": "Tea" }),
    );
    assert_call(&chat.done(), "toggle", json!({ "record": "t3" }));

    let mut chat = Chat::todo();
    chat.say("add bread and mark it as done");
    let added = json!({ "result": { "ok": true, "changed": { "observed": true, "records": { "added": ["t4"] } } } });
    assert_call(&chat.receipt(&added), "toggle", json!({ "record": "t4" }));
}

#[test]
fn a_checked_box_is_not_unchecked_by_doing_it_again() {
    let mut chat = Chat::todo();
    let toggle = chat
        .snapshot
        .actions
        .iter_mut()
        .find(|facts| facts.action.id.as_str() == "toggle")
        .unwrap();
    toggle.record = Some("t3".into());
    toggle.value = Some(true.into());
    assert_call(
        &chat.say("mark milk as done"),
        "toggle",
        json!({ "record": "t3", "checked": true }),
    );
}

#[test]
fn refusals_are_reported_and_not_repeated() {
    let mut chat = Chat::todo();
    chat.say("delete milk and add bread");
    assert_call(
        &chat.refused("APPROVAL_DENIED", "the user said no"),
        "add_todo",
        json!({ "text": "bread" }),
    );
    assert_says(
        &chat.done(),
        &[
            "Not done: Delete the task (Buy milk) – you declined it.",
            "Done: Add a task (“bread”).",
        ],
    );
    // Another message may ask again.
    assert_call(&chat.say("delete milk"), "delete", json!({ "record": "t3" }));
    assert_says(
        &chat.refused("UNAVAILABLE", "covered by \"Settings\""),
        &["Not done", "covered by \"Settings\""],
    );
    chat.say("delete milk and add bread");
    let cancelled = chat.refused("CANCELLED", "cancelled");
    assert_says(&cancelled, &["it was cancelled", "I left out “add bread”."]);
}

#[test]
fn an_answer_claims_what_receipts_say() {
    let mut chat = Chat::todo();
    chat.say("sync");
    let quiet = json!({ "result": { "ok": true, "changed": { "observed": false }, "warning": "still busy" } });
    assert_says(&chat.receipt(&quiet), &["I saw nothing change", "Note: still busy."]);

    chat.say("sync");
    chat.messages
        .push(json!({ "role": "tool", "tool_call_id": "another", "content": "{}" }));
    assert_says(&chat.next(), &["I do not know whether this was done"]);
}

#[test]
fn a_request_that_failed_in_its_turn_is_not_caught_up() {
    let mut chat = Chat::todo().without("search");
    assert_call(
        &chat.say("delete bread, then add bread"),
        "add_todo",
        json!({ "text": "bread" }),
    );
    chat = chat.record("t4", "bread");
    assert_says(
        &chat.done(),
        &["I left out “delete bread”.", "Done: Add a task (“bread”)."],
    );
}

#[test]
fn ids_are_unique_over_the_conversation() {
    let mut chat = Chat::todo();
    let mut ids = Vec::new();
    for text in ["sync", "sync", "delete milk and add bread"] {
        let mut reply = chat.say(text);
        while let Some(call) = reply.calls.first() {
            ids.push(call.id.clone());
            chat.snapshot.revision += 1;
            reply = chat.done();
        }
        // A history that was cut does not bring an id back.
        chat.messages.truncate(1);
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), count), (4, 4), "{ids:?}");
}

#[test]
fn a_call_that_is_not_its_own_is_the_end() {
    let mut chat = Chat::todo();
    chat.say("sync and add bread");
    chat.messages.last_mut().unwrap()["tool_calls"][0]["id"] = "call00001".into();
    assert_says(&chat.done(), &["I left out “sync”.", "I left out “add bread”."]);
}

#[test]
fn unavailable_actions_say_why() {
    let mut chat = Chat::new().unavailable(
        "export",
        "Export the list",
        Availability::Requires("sign in first".to_owned()),
    );
    assert_says(
        &chat.say("export the list"),
        &["“Export the list” cannot be used now: requires: sign in first."],
    );
}

#[test]
fn function_tools_are_filled_by_their_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "format": { "type": "string", "enum": ["csv", "json"] },
            "limit": { "type": "integer" },
            "name": { "type": "string" },
        },
        "required": ["format"],
    });
    let mut chat = Chat::new().function("export", "Export the list", schema);
    assert_call(
        &chat.say("export the list as JSON, limit 20"),
        "export",
        json!({ "format": "json", "limit": 20 }),
    );
    assert_says(&chat.say("export the list"), &["which format?"]);
}

#[test]
fn a_summary_in_front_is_not_a_request() {
    let mut chat = Chat::todo();
    let reply = chat.say("[Conversation history summary]\nThe user said: delete milk.\n\nadd bread");
    assert_call(&reply, "add_todo", json!({ "text": "bread" }));
}

#[test]
fn receipts_may_come_fenced() {
    let mut chat = Chat::todo();
    chat.say("sync");
    let id = chat.messages.last().unwrap()["tool_calls"][0]["id"].clone();
    let content = "<page_data>\n{\"error\":{\"code\":\"HANDLER_FAILED\",\"message\":\"no network\"}}\n</page_data>";
    chat.messages
        .push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
    assert_says(&chat.next(), &["no network"]);
}

#[test]
fn it_says_what_it_is() {
    assert!(Offline::new().is_offline());
    assert!(Offline::new().name().contains("offline"));
    assert_says(
        &Chat::new().say("sing"),
        &["I work offline", "There is nothing I can do on this page."],
    );
}
