//! Canaries: what is declared sensitive is in nothing that leaves the app, whoever put it there.
//!
//! What the app keeps secret is nowhere. What a model itself typed into a sensitive input stays in its own message,
//! which goes back to it word for word; it is in no receipt, event, card, transcript, hook, log, observation or schema.

use std::{collections::BTreeSet, rc::Rc, sync::Arc};

use egui::{DragValue, TextEdit, Ui};
use parking_lot::Mutex;
use pling_core::{
    act::{ApprovalMode, Code, Hooks, PostToolUse, PreToolUse},
    agent::{ConfigPatch, Outcome, TraceRing},
    llm::Turn,
    platform::{Duration, sleep},
};
use pling_egui::{
    AssistantPanel, Pling, Record, Region, ResponseExt as _, Tool, ToolCall, UiExt as _, testing::AgentHarness,
};
use serde_json::{Value, json};

use crate::support::{
    Scripted,
    log::Log,
    server::{Answer, Server},
};

const ALIAS: &str = "canary-alias-7741";
const PASSWORD: &str = "canary-password-3386";
const LIMIT: i64 = 918_273_645;
const FIELD: &str = "canary-field-2290";
const TYPED_ALIAS: &str = "typed-alias-9932";
const TYPED_PASSWORD: &str = "typed-password-1187";
const TYPED_LIMIT: i64 = 445_566_778;
const TYPED_CODE: &str = "typed-code-5518";

/// What the app kept secret before, and what the model typed.
fn canaries() -> ([String; 4], [String; 4]) {
    let app = [
        ALIAS.to_owned(),
        PASSWORD.to_owned(),
        LIMIT.to_string(),
        FIELD.to_owned(),
    ];
    let typed = [
        TYPED_ALIAS.to_owned(),
        TYPED_PASSWORD.to_owned(),
        TYPED_LIMIT.to_string(),
        TYPED_CODE.to_owned(),
    ];
    (app, typed)
}

/// A code that says what is wrong with it.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
struct Secret(String);

impl TryFrom<String> for Secret {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.strip_prefix("bad ") {
            Some(text) => Err(format!("{text} is no code")),
            None => Ok(Self(text)),
        }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Unlock {
    code: Secret,
}

struct Vault {
    pling: Option<Pling>,
    alias: String,
    password: String,
    limit: i64,
    note: String,
    unlocked: Vec<String>,
    /// Every word of the panel's accessibility tree, in any pass.
    panel: Rc<Mutex<BTreeSet<String>>>,
}

fn vault(ui: &mut Ui, vault: &mut Vault) {
    if let Some(pling) = &vault.pling {
        AssistantPanel::new(pling).show(ui);
        // What is there by now is the panel's.
        ui.ctx().viewport(|viewport| {
            let nodes = viewport.this_pass.accesskit_state.as_ref().map(|state| &state.nodes);
            let mut words = vault.panel.lock();
            for node in nodes.into_iter().flat_map(|nodes| nodes.values()) {
                let all = [node.label(), node.value(), node.description(), node.placeholder()];
                words.extend(all.into_iter().flatten().map(ToOwned::to_owned));
            }
        });
    }
    egui::CentralPanel::default().show(ui, |ui| page(ui, vault));
}

fn page(ui: &mut Ui, vault: &mut Vault) {
    ui.sensitive_state("balance", "What is in the vault");
    ui.region(Region::new("vault", "Vault"), |ui| {
        let record = Record::new("v1", "My vault")
            .sensitive_field("balance")
            .field("open", true);
        ui.record(record, |ui| {
            let alias = ui.add(TextEdit::singleline(&mut vault.alias).id_salt("alias"));
            let alias = alias.tool(Tool::new("set_alias", "Set the alias").sensitive());
            drop(alias.field("alias").feedback(pling_egui::Feedback::info()));
            let password = TextEdit::singleline(&mut vault.password)
                .id_salt("password")
                .password(true);
            drop(
                ui.add(password)
                    .tool(Tool::new("set_password", "Set the password"))
                    .field("password"),
            );
            let limit = ui.add(DragValue::new(&mut vault.limit).range(0..=999_999_999_i64));
            drop(
                limit
                    .tool(Tool::new("set_limit", "Set the limit").sensitive())
                    .field("limit"),
            );
            let note = ui.add(TextEdit::singleline(&mut vault.note).id_salt("note").password(true));
            drop(note.field("note"));
        });
        let mut run = |call: Option<ToolCall<Unlock>>| {
            if let Some(call) = call {
                let code = call.args().code.0.clone();
                vault.unlocked.push(code.clone());
                call.finish(code);
            }
        };
        run(ui.tool_call(Tool::new("unlock", "Unlock the vault").sensitive()));
        run(ui.tool_call(Tool::new("empty", "Empty the vault").sensitive().danger()));
    });
}

/// A request without what the model itself wrote.
fn without_own_words(body: &Value) -> String {
    let mut body = body.clone();
    let messages = body["messages"].as_array_mut().expect("a conversation");
    messages.retain(|message| message["role"] != "assistant");
    body.to_string()
}

fn answers() -> Vec<Answer> {
    let record = |key: &str, value: Value| json!({ "record": "v1", key: value });
    let calls = [
        ("set_alias", record("text", json!(TYPED_ALIAS))),
        ("set_alias", record("text", json!(5))),
        ("set_password", record("text", json!(TYPED_PASSWORD))),
        ("set_limit", record("value", json!(TYPED_LIMIT))),
        ("set_limit", record("value", json!(format!("about {TYPED_LIMIT}")))),
        ("set_limit", record("value", json!(TYPED_LIMIT))),
        ("unlock", json!({ "code": TYPED_CODE })),
        ("unlock", json!({ "code": format!("bad {TYPED_CODE}") })),
        ("unlock", json!({ "code": [TYPED_CODE] })),
        ("empty", json!({ "code": TYPED_CODE })),
        ("empty", json!({ "code": format!("{TYPED_CODE} again") })),
    ];
    let calls = calls.iter().enumerate();
    let calls =
        calls.map(|(index, (name, arguments))| Answer::call(&format!("call_{index}"), name, &arguments.to_string()));
    calls.chain([Answer::text("It is done.")]).collect()
}

#[test]
fn what_is_sensitive_is_in_nothing_that_leaves_the_app() {
    let server = Server::start(answers());
    let events = Arc::new(Mutex::new(String::new()));
    let hooked = Arc::new(Mutex::new(String::new()));
    let log = Log::default();
    let (all, before, after) = (Arc::clone(&events), Arc::clone(&hooked), Arc::clone(&hooked));
    let hooks = Hooks::new();
    hooks.add_pre(move |usage| {
        before.lock().push_str(&format!("{usage:?}\n"));
        PreToolUse::Continue
    });
    hooks.add_post(move |usage, receipt| {
        after.lock().push_str(&format!("{usage:?} {receipt:?}\n"));
        PostToolUse::Keep
    });
    let mut config = ConfigPatch::new().base_url(server.url("/v1")).model("scripted");
    config.limits.max_turns = Some(20);
    let panel = Rc::default();
    let state = Vault {
        pling: None,
        alias: ALIAS.to_owned(),
        password: PASSWORD.to_owned(),
        limit: LIMIT,
        note: FIELD.to_owned(),
        unlocked: Vec::new(),
        panel: Rc::clone(&panel),
    };
    // With one subscriber alone, `tracing` asks only the thread that comes first whether a line is wanted.
    let _second = tracing::Dispatch::new(log.clone());
    let said = tracing::subscriber::with_default(log.clone(), || {
        let mut harness = AgentHarness::<()>::builder()
            .config(config)
            .approval(ApprovalMode::Ask)
            .hooks(hooks)
            .pling(move |pling| pling.on_event(move |event| all.lock().push_str(&format!("{event:?}\n"))))
            .build_ui_state(vault, state);
        let pling = harness.pling().clone();
        harness.state_mut().pling = Some(pling.clone());
        let trace = TraceRing::new(100);
        pling.session().set_trace(Some(trace.sink()));
        let mut said = harness.observation();
        let sent = pling.session().send("Look after my vault");
        let mut cards = String::new();
        let outcome = harness.run(async {
            let decide = async {
                let mut allow = true;
                loop {
                    // Long enough for the card to be drawn.
                    sleep(Duration::from_millis(100)).await;
                    for card in pling.session().waiting_for() {
                        cards.push_str(&format!("{card:?}\n"));
                        if std::mem::take(&mut allow) {
                            pling.session().approve(&card.call_id);
                        } else {
                            pling.session().deny(&card.call_id, Some("no".to_owned()));
                        }
                    }
                }
            };
            tokio::select! {
                outcome = sent => outcome,
                () = decide => unreachable!("it never ends"),
            }
        });
        assert_eq!(outcome.answer.as_deref(), Some("It is done."), "{outcome:?}");
        let ok: Vec<_> = outcome.receipts.iter().map(pling_core::act::Receipt::is_ok).collect();
        let expected = [true, false, true, true, false, true, true, false, false, true, false];
        assert_eq!(ok, expected, "{:?}", outcome.receipts);
        let vault = harness.state();
        assert_eq!(
            (vault.alias.as_str(), vault.password.as_str()),
            (TYPED_ALIAS, TYPED_PASSWORD)
        );
        assert_eq!((vault.limit, vault.unlocked.len()), (TYPED_LIMIT, 2));
        for receipt in &outcome.receipts {
            said.push_str(&format!("{receipt:?}\n{}\n", receipt.to_json()));
        }
        said.push_str(&cards);
        said.push_str(&format!("{outcome:?}\n{pling:?}\n"));
        let page = harness.observe().expect("a pass is drawn");
        said.push_str(&page.text);
        for tool in &page.tools {
            said.push_str(&format!("{tool:?}\n"));
        }
        for body in trace.requests() {
            said.push_str(&without_own_words(&body));
        }
        assert_eq!(trace.requests().len(), server.requests().len());
        said
    });
    let own: String = server
        .requests()
        .iter()
        .map(|request| request.body.to_string())
        .collect();
    let requests: String = server
        .requests()
        .iter()
        .map(|request| without_own_words(&request.body))
        .collect();
    let panel: String = panel.lock().iter().map(|word| format!("{word}\n")).collect();
    let places = [
        ("receipts, cards, observation, schemas and trace", said),
        ("requests", requests),
        ("events", events.lock().clone()),
        ("hooks", hooked.lock().clone()),
        ("logs", log.words()),
        ("the panel", panel),
    ];
    let (app, typed) = canaries();
    for secret in app.iter().chain(&typed) {
        for (place, text) in &places {
            assert!(!text.is_empty(), "{place}");
            assert!(
                !text.contains(secret.as_str()),
                "{secret} is in {place}: {}",
                around(text, secret)
            );
        }
    }
    for secret in &app {
        assert!(!own.contains(secret.as_str()), "{secret} is in a request");
    }
    for (place, text) in &places {
        assert!(
            !text.contains("••"),
            "the length of a password is in {place}: {}",
            around(text, "••")
        );
    }
    assert!(
        places[5].1.contains("Set the alias"),
        "the panel was read: {}",
        places[5].1
    );
    assert!(places[3].1.contains("[withheld]"), "arguments are masked, not left out");
}

#[test]
fn an_indirect_call_of_a_sensitive_action_shows_nothing_either() {
    let arguments = json!({ "action": "set_alias", "arguments": { "text": TYPED_ALIAS } });
    let (outcome, alias, told) = alias_set_by(Turn::call("invoke_action", arguments));
    assert!(outcome.receipts[0].is_ok(), "{outcome:?}");
    assert_eq!(alias, TYPED_ALIAS);
    assert!(told.contains("set_alias"), "{told}");
    assert!(!told.contains(TYPED_ALIAS), "{}", around(&told, TYPED_ALIAS));
}

#[test]
fn a_sensitive_action_that_is_called_by_no_listed_name_shows_nothing_either() {
    for name in ["set_alias", "Set-Alias", "setAlias"] {
        let (outcome, alias, told) = alias_set_by(Turn::call(name, json!({ "text": TYPED_ALIAS })));
        assert_eq!(outcome.receipts[0].code(), Some(Code::UnknownAction), "{outcome:?}");
        assert_eq!(alias, "");
        assert!(told.contains(name), "{told}");
        assert!(!told.contains(TYPED_ALIAS), "{name}: {}", around(&told, TYPED_ALIAS));
    }
    let (_, _, told) = alias_set_by(Turn::call("go_home", json!({ "text": TYPED_ALIAS })));
    assert!(
        told.contains(TYPED_ALIAS),
        "no secret is meant, and the user sees what was asked"
    );
}

/// One call on a page with so many actions that the sensitive one is not listed: its outcome, what the field holds then,
/// and everything that was told or is kept of it.
fn alias_set_by(call: Turn) -> (Outcome, String, String) {
    let events = Arc::new(Mutex::new(String::new()));
    let all = Arc::clone(&events);
    let script = Scripted::new([call, Turn::text("Done.")]);
    let mut harness = AgentHarness::<()>::builder()
        .llm(script)
        .pling(move |pling| pling.on_event(move |event| all.lock().push_str(&format!("{event:?}\n"))))
        .build_ui_state(
            |ui, alias: &mut String| {
                ui.horizontal_wrapped(|ui| {
                    for index in 0..60 {
                        drop(ui.small_button("Go").tool(Tool::new(format!("go{index}"), "Go")));
                    }
                });
                let field = ui.add(TextEdit::singleline(alias).id_salt("alias"));
                drop(field.tool(Tool::new("set_alias", "Set the alias").sensitive()));
            },
            String::new(),
        );
    let outcome = harness.ask("Set the alias");
    let kept = harness.pling().save();
    let told = format!("{}\n{kept}", events.lock());
    (outcome, harness.state().clone(), told)
}

fn around(text: &str, word: &str) -> String {
    let at = text.find(word).unwrap_or_default();
    let from = text.floor_char_boundary(at.saturating_sub(300));
    let to = text.ceil_char_boundary((at + 100).min(text.len()));
    text[from..to].to_owned()
}
