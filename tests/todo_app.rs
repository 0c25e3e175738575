//! The to-do example under an agent: what the first slice must show, counted by the app's own handlers.

use std::sync::Arc;

use pling_core::{
    act::{ApprovalMode, Code},
    agent::ConfigPatch,
    llm::Turn,
};
use pling_egui::testing::AgentHarness;
use serde_json::json;
use todo::app::TodoApp;

use crate::support::{
    Scripted,
    server::{Answer, Server},
    validate::assert_valid_request,
};

fn harness(approval: ApprovalMode) -> AgentHarness<'static, TodoApp> {
    AgentHarness::<()>::builder()
        .size([640.0, 480.0])
        .approval(approval)
        .build_ui_state(|ui, app: &mut TodoApp| app.ui(ui), TodoApp::default())
}

fn done(harness: &AgentHarness<'_, TodoApp>) -> Vec<String> {
    let todos = harness.state().todos.iter();
    todos.filter(|todo| todo.done).map(|todo| todo.id.clone()).collect()
}

#[test]
fn one_sentence_of_two_steps_leaves_two_receipts() {
    let mut harness = harness(ApprovalMode::DenyAll);
    let outcome = harness.ask("Mark milk as done and add bread");
    assert!(outcome.is_answered());
    assert_eq!(outcome.receipts.len(), 2);
    assert!(
        outcome
            .receipts
            .iter()
            .all(|receipt| receipt.is_ok() && receipt.changed.as_ref().unwrap().observed())
    );
    assert_eq!(done(&harness), ["t3"]);
    assert_eq!(harness.state().todos.last().unwrap().title, "bread");
    assert_eq!((harness.state().handled.toggle, harness.state().handled.add), (1, 1));
}

#[test]
fn c02_a_row_out_of_view_is_scrolled_in_and_its_own_check_box_toggled() {
    let mut harness = harness(ApprovalMode::DenyAll);
    let shown = |harness: &mut AgentHarness<'_, TodoApp>| {
        let snapshot = harness.snapshot();
        let row = snapshot
            .records
            .iter()
            .find(|facts| facts.record.id.as_str() == "t11")
            .unwrap();
        row.visible
    };
    assert!(shown(&mut harness) < 0.5, "t11 begins out of view");
    let receipt = harness.invoke("toggle", json!({ "record": "t12" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(done(&harness), ["t12"]);
    assert_eq!(harness.state().handled.toggle, 1);
    assert_eq!(
        harness.state().handled.clear_done,
        0,
        "the danger button below the list was not hit"
    );
    assert!(shown(&mut harness) >= 0.5, "the list was scrolled to where t12 was");
}

#[test]
fn c01_behind_a_modal_everything_is_refused_with_its_name() {
    let mut harness = harness(ApprovalMode::AllowAll);
    assert!(harness.invoke("open_settings", json!({})).is_ok());
    let before = harness.state().handled;
    for (action, arguments) in [
        ("toggle", json!({ "record": "t1" })),
        ("delete", json!({ "record": "t2" })),
        ("add_todo", json!({ "text": "x" })),
        ("search", json!({ "text": "x" })),
        ("set_filter", json!({ "choice": "all" })),
        ("set_due_days", json!({ "record": "t1", "value": 3 })),
    ] {
        let receipt = harness.invoke(action, arguments);
        assert_eq!(receipt.code(), Some(Code::Unavailable), "{action}: {receipt:?}");
        assert_eq!(receipt.reason.as_deref(), Some("covered_by"), "{action}");
        assert!(receipt.error.unwrap().1.contains("Settings"), "{action}");
    }
    assert_eq!(harness.state().handled, before);
    assert!(
        harness
            .state()
            .todos
            .iter()
            .all(|todo| !todo.done && todo.due_days == 0)
    );
    assert!(harness.invoke("close_settings", json!({})).is_ok());
    assert!(harness.invoke("toggle", json!({ "record": "t1" })).is_ok());
}

#[test]
fn c06_searching_replaces_the_text_and_runs_the_app_s_own_filter() {
    let mut harness = harness(ApprovalMode::DenyAll);
    assert!(harness.invoke("search", json!({ "text": "old" })).is_ok());
    let receipt = harness.invoke("search", json!({ "text": "milk" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(harness.state().handled.search, 2);
    let snapshot = harness.snapshot();
    let listed: Vec<_> = snapshot.records.iter().map(|facts| facts.record.id.as_str()).collect();
    assert_eq!(listed, ["t3"]);
    let field = snapshot
        .actions
        .iter()
        .find(|facts| facts.action.id.as_str() == "search")
        .unwrap();
    assert_eq!(field.value, Some(json!("milk")));
}

#[test]
fn d01_a_deleted_record_is_gone_and_no_other_is_hit() {
    let mut harness = harness(ApprovalMode::AllowAll);
    assert!(harness.invoke("delete", json!({ "record": "t2" })).is_ok());
    let receipt = harness.invoke("toggle", json!({ "record": "t2" }));
    assert_eq!(receipt.code(), Some(Code::RecordGone), "{receipt:?}");
    assert_eq!(harness.state().handled.toggle, 0);
}

#[test]
fn denied_nothing_is_deleted_and_the_conversation_goes_on() {
    let mut harness = harness(ApprovalMode::DenyAll);
    let outcome = harness.ask("Delete milk");
    assert!(outcome.is_answered());
    assert_eq!(outcome.receipts[0].code(), Some(Code::ApprovalDenied));
    assert_eq!(harness.state().handled.delete, 0);
    assert!(harness.ask("Add bread").receipts[0].is_ok());
}

#[test]
fn an_empty_task_shows_the_page_s_own_message_in_the_receipt() {
    let mut harness = harness(ApprovalMode::DenyAll);
    let receipt = harness.invoke("add_todo", json!({ "text": "" }));
    let feedback = &receipt.changed.as_ref().unwrap().feedback;
    assert_eq!(feedback[0].text, "A task needs a title", "{receipt:?}");
    assert_eq!(harness.state().todos.len(), 12);
}

#[test]
fn what_a_model_sees_of_the_page_is_golden_and_small() {
    let mut harness = harness(ApprovalMode::DenyAll);
    let seen = harness.observe().unwrap();
    let tools: Vec<_> = seen.tools.iter().map(|tool| tool.to_json().to_string()).collect();
    let tools = tools.join("\n");
    let size = seen.text.len() + tools.len();
    assert!(size <= 6000, "{size} bytes");
    insta::assert_snapshot!("todo_observation", format!("{}\n{tools}", seen.text));
}

#[test]
fn the_weekly_report_over_a_streaming_server_keeps_its_trace() {
    let server = Server::start([
        Answer::call("call_1", "search", r#"{"text":"weekly report"}"#),
        Answer::call("call_2", "toggle", r#"{"record":"t9"}"#),
        Answer::text("The weekly report is marked as done."),
    ]);
    let config = ConfigPatch::new().base_url(server.url("/v1")).model("scripted");
    let mut harness = AgentHarness::<()>::builder()
        .size([640.0, 480.0])
        .config(config)
        .pling(|builder| builder.role(todo::ROLE))
        .build_ui_state(|ui, app: &mut TodoApp| app.ui(ui), TodoApp::default());
    let outcome = harness.ask("Mark the weekly report as done.");
    assert_eq!(outcome.answer.as_deref(), Some("The weekly report is marked as done."));
    assert_eq!(done(&harness), ["t9"]);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let bodies: Vec<_> = requests.iter().map(|request| request.body.clone()).collect();
    for body in &bodies {
        assert_valid_request(body);
        assert_eq!(
            body["messages"][0]["content"]
                .as_str()
                .unwrap()
                .matches("## Page")
                .count(),
            1
        );
    }
    let lines: Vec<_> = requests
        .iter()
        .map(|request| String::from_utf8(request.bytes.clone()).unwrap())
        .collect();
    insta::assert_snapshot!("todo_weekly_report_trace", lines.join("\n"));
}

#[test]
fn the_weekly_report_takes_three_requests_each_with_one_page() {
    let script = Scripted::new([
        Turn::call("search", json!({ "text": "weekly report" })).saying("I will find it first."),
        Turn::call("toggle", json!({ "record": "t9" })),
        Turn::text("It is done."),
    ]);
    let bodies = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let sink = Arc::clone(&bodies);
    let mut harness = AgentHarness::<()>::builder()
        .size([640.0, 480.0])
        .llm(script)
        .build_ui_state(|ui, app: &mut TodoApp| app.ui(ui), TodoApp::default());
    let sink = Arc::new(move |body: &serde_json::Value| sink.lock().push(body.clone()));
    harness.pling().session().set_trace(Some(sink));
    assert!(harness.ask("Mark the weekly report as done.").is_answered());
    assert_eq!(done(&harness), ["t9"]);
    let bodies = bodies.lock();
    assert_eq!(bodies.len(), 3);
    for body in bodies.iter() {
        assert_valid_request(body);
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert_eq!(system.matches("## Page").count(), 1);
    }
}
