//! What immediate mode makes hard: moving rows, endless repaints, other threads, egui's own lock.

use std::{cell::Cell, rc::Rc, sync::Arc, time::Duration};

use pling_core::{
    act::{ApprovalMode, Code},
    agent::Status,
    llm::Turn,
    platform::now,
};
use pling_egui::{Feedback, Pling, Record, Region, ResponseExt as _, Tool, UiExt as _, testing::AgentHarness};
use serde_json::json;

use crate::support::Scripted;

/// A list whose app can insert a row above in the very pass that delivers.
#[derive(Default)]
struct Rows {
    ids: Vec<String>,
    checked: Vec<String>,
    deleted: Vec<String>,
    /// Passes after which a row is inserted, counted down once it is set.
    insert_in: Option<u32>,
}

fn rows(ui: &mut egui::Ui, rows: &mut Rows) {
    if let Some(passes) = &mut rows.insert_in {
        if *passes == 0 {
            rows.ids.insert(0, format!("new{}", rows.ids.len()));
            rows.insert_in = None;
        } else {
            *passes -= 1;
        }
    }
    let mut deleted = None;
    ui.region(Region::new("rows", "Rows"), |ui| {
        for id in &rows.ids {
            ui.record(Record::new(id, id), |ui| {
                let mut on = rows.checked.contains(id);
                if ui.checkbox(&mut on, id).tool(Tool::new("check", "Check it")).changed() {
                    rows.checked.push(id.clone());
                }
                if ui.button("Delete").tool(Tool::new("delete", "Delete it")).clicked() {
                    deleted = Some(id.clone());
                }
            });
        }
    });
    if let Some(id) = deleted {
        rows.ids.retain(|other| *other != id);
        rows.deleted.push(id);
    }
}

#[test]
fn a_row_inserted_above_in_any_pass_never_turns_a_call_onto_another_record() {
    let mut applied = 0;
    for insert_in in 0..8 {
        for action in ["delete", "check"] {
            let state = Rows {
                ids: vec!["t1".into(), "t2".into(), "t3".into()],
                ..Rows::default()
            };
            let mut harness = AgentHarness::new_ui_state(rows, state);
            harness.snapshot();
            harness.state_mut().insert_in = Some(insert_in);
            let receipt = harness.invoke(action, json!({ "record": "t2" }));
            let state = harness.state();
            let hit = if action == "delete" {
                &state.deleted
            } else {
                &state.checked
            };
            if receipt.is_ok() {
                assert_eq!(*hit, ["t2"], "{action}, inserted in pass {insert_in}");
                applied += 1;
            } else {
                assert!(hit.is_empty(), "{action}, inserted in pass {insert_in}: {receipt:?}");
            }
        }
    }
    assert!(applied >= 12, "most calls get through: {applied} of 16");
}

/// A check box without a record or id of its own, after undeclared ones of which one may be inserted.
#[derive(Default)]
struct Boxes {
    undeclared: Vec<bool>,
    target: bool,
    insert_in: Option<u32>,
}

fn boxes(ui: &mut egui::Ui, boxes: &mut Boxes) {
    match &mut boxes.insert_in {
        Some(0) => {
            boxes.undeclared.extend([false; 2]);
            boxes.insert_in = None;
        }
        Some(passes) => *passes -= 1,
        None => {}
    }
    ui.region(Region::new("boxes", "Boxes"), |ui| {
        for on in &mut boxes.undeclared {
            ui.checkbox(on, "undeclared");
        }
        drop(ui.button("Before").tool(Tool::new("before", "Stands before")));
        drop(
            ui.checkbox(&mut boxes.target, "target")
                .tool(Tool::new("target", "Check the target")),
        );
    });
}

#[test]
fn an_id_that_came_to_mean_another_widget_is_never_used() {
    let mut applied = 0;
    for insert_in in 0..8 {
        // Two before: the id of the target becomes that of an undeclared one when two more widgets stand before it.
        let state = Boxes {
            undeclared: vec![false; 2],
            ..Boxes::default()
        };
        let mut harness = AgentHarness::new_ui_state(boxes, state);
        harness.snapshot();
        harness.state_mut().insert_in = Some(insert_in);
        let receipt = harness.invoke("target", json!({}));
        let state = harness.state();
        assert!(
            state.undeclared.iter().all(|on| !on),
            "inserted in pass {insert_in}: {receipt:?}"
        );
        assert_eq!(
            state.target,
            receipt.is_ok(),
            "inserted in pass {insert_in}: {receipt:?}"
        );
        applied += u32::from(state.target);
    }
    assert!(applied >= 6, "most calls get through: {applied} of 8");
}

#[test]
fn c09_an_endless_spinner_does_not_hold_a_receipt_up() {
    let passes = Rc::new(Cell::new(0_u32));
    let drawn = Rc::clone(&passes);
    let mut harness = AgentHarness::new_ui(move |ui| {
        drawn.set(drawn.get() + 1);
        ui.spinner();
        ui.ctx().request_repaint();
        let _ = ui.button("Add").tool(Tool::new("add", "Add"));
    });
    let before = passes.get();
    assert!(harness.invoke("add", json!({})).is_ok());
    assert!(passes.get() - before < 30, "{} passes", passes.get() - before);
}

#[test]
fn c10_an_idle_app_is_woken_from_another_thread_and_sleeps_again() {
    let passes = Rc::new(Cell::new(0_u32));
    let clicks = Rc::new(Cell::new(0_u32));
    let (drawn, clicked) = (Rc::clone(&passes), Rc::clone(&clicks));
    let mut headless = pling_egui::headless::Headless::new([300.0, 200.0]);
    let script = Scripted::new([Turn::call("save", json!({})), Turn::text("Saved.")]);
    // The session works on a thread of its own, as in a window.
    let pling = Pling::builder()
        .environment(|_| None)
        .llm(script)
        .install(headless.ctx());
    let ui = |ui: &mut egui::Ui| {
        drawn.set(drawn.get() + 1);
        if ui.button("Save").tool(Tool::new("save", "Save the form")).clicked() {
            clicked.set(clicked.get() + 1);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let sent = pling.session().send("Save it");
    let outcome = runtime.block_on(headless.run(&pling, std::future::pending(), ui, async {
        tokio::time::timeout(Duration::from_secs(20), sent).await
    }));
    assert!(outcome.expect("woken without any input").is_answered());
    assert_eq!(clicks.get(), 1);
    assert!(passes.get() < 60, "{} passes", passes.get());
}

#[test]
fn c21_handles_work_inside_egui_s_own_lock() {
    let watchdog = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let done = Arc::clone(&watchdog);
    let script = Scripted::new([Turn::call("delete_all", json!({})), Turn::text("Done.")]);
    let mut harness = AgentHarness::<()>::builder()
        .llm(script)
        .approval(ApprovalMode::Ask)
        .build_ui(|ui| {
            drop(
                ui.button("Delete all")
                    .tool(Tool::new("delete_all", "Delete all").danger()),
            )
        });
    let pling = harness.pling().clone();
    let ctx = harness.kittest().ctx.clone();
    // A dead-lock would hang the test: this ends the process with words instead.
    std::thread::spawn(move || {
        let started = now();
        while !done.load(std::sync::atomic::Ordering::Acquire) {
            if started.elapsed() > Duration::from_secs(20) {
                eprintln!("c21: a handle waits for egui's lock for ever");
                std::process::exit(101);
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    });
    let sent = ctx.input(|_| pling.session().send("Delete all"));
    harness.run_until("the card", |pling| !pling.session().waiting_for().is_empty());
    let card = ctx.data_mut(|_| pling.session().waiting_for().remove(0));
    assert!(ctx.memory_mut(|_| pling.session().deny(&card.call_id, None)));
    ctx.input(|_| assert_ne!(pling.session().status(), Status::Cancelled));
    let outcome = harness.run(sent);
    assert_eq!(outcome.receipts[0].code(), Some(Code::ApprovalDenied));
    ctx.input_mut(|_| {
        pling.session().cancel();
        pling.session().reset();
    });
    watchdog.store(true, std::sync::atomic::Ordering::Release);
}

#[test]
fn c06_a_cut_text_is_reported_and_a_read_only_field_refused() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, state: &mut (String, String)| {
            let short = egui::TextEdit::singleline(&mut state.0).char_limit(5);
            drop(ui.add(short).tool(Tool::new("short", "A short text")));
            let fixed = egui::TextEdit::singleline(&mut state.1).interactive(false);
            drop(ui.add(fixed).tool(Tool::new("fixed", "A fixed text")));
        },
        ("old".to_owned(), "fixed".to_owned()),
    );
    let cut = harness.invoke("short", json!({ "text": "0123456789" }));
    assert!(cut.is_ok(), "{cut:?}");
    assert_eq!(harness.state().0, "01234");
    assert_eq!(cut.value, Some(json!("01234")));
    assert_eq!(cut.warning.as_deref(), Some("the field cut the text"));
    let refused = harness.invoke("fixed", json!({ "text": "changed" }));
    assert_eq!(refused.code(), Some(Code::Unavailable), "{refused:?}");
    assert_eq!(harness.state().1, "fixed");
}

#[test]
fn a_widget_without_a_safe_route_is_unsupported_and_untouched() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, on: &mut bool| {
            ui.record_inline(Record::new("r", "R"), |ui| {
                drop(ui.checkbox(on, "On").tool(Tool::new("on", "Switch it on")));
            });
            drop(ui.label("Only words").tool(Tool::new("words", "A label")));
        },
        false,
    );
    let inline = harness.invoke("on", json!({ "record": "r" }));
    assert_eq!(inline.code(), Some(Code::Unsupported), "{inline:?}");
    assert!(!harness.state());
}

#[test]
fn without_a_pass_the_window_is_hidden_and_the_call_never_runs_later() {
    let clicks = Rc::new(Cell::new(0_u32));
    let clicked = Rc::clone(&clicks);
    let mut headless = pling_egui::headless::Headless::new([300.0, 200.0]);
    let (pling, driver) = Pling::builder()
        .environment(|_| None)
        .offline()
        .try_install_driven(headless.ctx())
        .unwrap();
    let mut ui = |ui: &mut egui::Ui| {
        if ui.button("Save").tool(Tool::new("save", "Save the form")).clicked() {
            clicked.set(clicked.get() + 1);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let executor = pling.executor().clone();
    let seen = runtime
        .block_on(headless.run(&pling, driver, &mut ui, async { executor.observe().await }))
        .unwrap();
    // No pass is drawn any more.
    let call = pling_core::act::Call::new("c1", "save", json!({}).into(), seen);
    let receipt = runtime.block_on(executor.invoke(call, &pling_core::act::CancellationToken::new()));
    assert_eq!(receipt.code(), Some(Code::WindowHidden), "{receipt:?}");
    for _ in 0..5 {
        headless.pass(&mut ui);
    }
    assert_eq!(clicks.get(), 0, "restored, the old call does not run");
}

#[test]
fn d10_a_call_that_is_stopped_behind_somebody_else_s_look_never_runs() {
    let mut clicks = 0;
    let mut passes = 0;
    let restless = |ui: &mut egui::Ui| {
        passes += 1;
        ui.state("passes", "Passes drawn", &passes);
        if ui.button("Save").tool(Tool::new("save", "Save the form")).clicked() {
            clicks += 1;
        }
    };
    // Between the last check and the operation somebody else begins to look, and never finds the page at rest.
    let looks = Arc::new(parking_lot::Mutex::new(None));
    let executor = Arc::new(parking_lot::Mutex::new(None::<pling_core::act::Executor>));
    let hooks = pling_core::act::Hooks::new();
    let (looking, of_app) = (Arc::clone(&looks), Arc::clone(&executor));
    hooks.add_pre(move |_| {
        let executor = of_app.lock().clone().expect("it is installed");
        let mut look: std::pin::Pin<Box<dyn Future<Output = _> + Send>> =
            Box::pin(async move { executor.observe().await });
        let mut nobody = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(look.as_mut().poll(&mut nobody).is_pending());
        *looking.lock() = Some(look);
        pling_core::act::PreToolUse::Continue
    });
    let mut harness = AgentHarness::<()>::builder().hooks(hooks).build_ui(restless);
    *executor.lock() = Some(harness.pling().executor().clone());
    let seen = harness.observe().expect("a pass is drawn");
    let call = pling_core::act::Call::new("c1", "save", json!({}).into(), seen);
    let (executor, cancel) = (
        harness.pling().executor().clone(),
        pling_core::act::CancellationToken::new(),
    );
    let receipt = harness.run(async {
        let mut invocation = std::pin::pin!(executor.invoke(call, &cancel));
        loop {
            tokio::select! {
                biased;
                receipt = &mut invocation => break receipt,
                () = tokio::task::yield_now(), if looks.lock().is_some() => cancel.cancel(),
                () = tokio::task::yield_now() => {}
            }
        }
    });
    assert_eq!(receipt.code(), Some(Code::Cancelled), "{receipt:?}");
    harness.kittest().run_steps(5);
    drop(harness);
    assert_eq!(clicks, 0);
}

#[test]
fn a_handler_that_keeps_the_pass_is_waited_for_and_not_told_as_undone() {
    let ctx = egui::Context::default();
    let pling = Pling::builder().environment(|_| None).offline().install(&ctx);
    let executor = pling.executor().clone();
    let (done, receipt) = std::sync::mpsc::channel();
    let caller = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let receipt = runtime.block_on(async {
            let seen = executor.observe().await.expect("passes are drawn");
            let call = pling_core::act::Call::new("c1", "open", json!({}).into(), seen);
            executor.invoke(call, &pling_core::act::CancellationToken::new()).await
        });
        done.send(receipt).unwrap();
    });
    let mut early = None;
    let receipt = loop {
        if let Ok(receipt) = receipt.try_recv() {
            break receipt;
        }
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            if ui.button("Open…").tool(Tool::new("open", "Open a file")).clicked() {
                // A dialog of the system, open for longer than a window may go undrawn.
                early = receipt.recv_timeout(std::time::Duration::from_millis(2600)).ok();
            }
        });
        output.textures_delta.clear();
    };
    caller.join().unwrap();
    assert!(early.is_none(), "{early:?}");
    assert!(receipt.is_ok(), "{receipt:?}");
}

#[test]
fn two_records_of_one_id_are_refused_as_ambiguous() {
    let clicks = Rc::new(Cell::new(0_u32));
    let clicked = Rc::clone(&clicks);
    let mut harness = AgentHarness::new_ui(move |ui| {
        for _ in 0..2 {
            ui.record_inline(Record::new("same", "Same"), |ui| {
                if ui.button("Go").tool(Tool::new("go", "Go")).clicked() {
                    clicked.set(clicked.get() + 1);
                }
            });
        }
    });
    let receipt = harness.invoke("go", json!({ "record": "same" }));
    assert_eq!(receipt.code(), Some(Code::AmbiguousTarget), "{receipt:?}");
    assert_eq!(clicks.get(), 0);
    assert!(harness.snapshot().faults[0].contains("twice"), "the author is told");
}

#[test]
fn c15_what_is_drawn_invisible_is_refused_and_not_read() {
    let clicks = Rc::new(Cell::new(0_u32));
    let clicked = Rc::clone(&clicks);
    let mut harness = AgentHarness::new_ui(move |ui| {
        ui.scope(|ui| {
            ui.set_invisible();
            if ui.button("Secret plan").tool(Tool::new("go", "Go")).clicked() {
                clicked.set(clicked.get() + 1);
            }
        });
    });
    let receipt = harness.invoke("go", json!({}));
    assert_eq!(receipt.reason.as_deref(), Some("hidden"), "{receipt:?}");
    assert_eq!(clicks.get(), 0);
    assert!(!harness.observation().contains("Secret plan"));
}

#[test]
fn d06_no_receipt_claims_a_change_that_was_not_seen() {
    let mut harness = AgentHarness::new_ui(|ui| {
        drop(ui.button("Nothing").tool(Tool::new("nothing", "Does nothing")));
        drop(ui.label("A note").feedback(Feedback::info()));
    });
    let receipt = harness.invoke("nothing", json!({}));
    assert!(receipt.is_ok());
    assert_eq!(receipt.to_json()["result"]["changed"]["observed"], json!(false));
}

#[test]
fn c03_one_id_for_two_widgets_or_records_never_fires_two_handlers() {
    let checked = Rc::new(Cell::new((0_u32, 0_u32)));
    let seen = Rc::clone(&checked);
    let mut harness = AgentHarness::new_ui_state(
        move |ui, texts: &mut [String; 2]| {
            // Two records whose widgets were given the same id by hand.
            for (index, text) in texts.iter_mut().enumerate() {
                ui.record(Record::new(format!("t{index}"), "Task"), |ui| {
                    let field = egui::TextEdit::singleline(text).id(egui::Id::unique("the same"));
                    drop(ui.add(field).tool(Tool::new("rename", "Rename it")));
                    ui.push_id("salt", |ui| {
                        let mut on = false;
                        if ui
                            .checkbox(&mut on, "On")
                            .tool(Tool::new("check", "Check it"))
                            .changed()
                        {
                            let (first, second) = checked.get();
                            checked.set(if index == 0 {
                                (first + 1, second)
                            } else {
                                (first, second + 1)
                            });
                        }
                    });
                });
            }
            // Two actions of one name at one place.
            for _ in 0..2 {
                drop(ui.button("Go").tool(Tool::new("go", "Go")));
            }
        },
        Default::default(),
    );
    let receipt = harness.invoke("check", json!({ "record": "t1" }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(seen.get(), (0, 1));
    let receipt = harness.invoke("rename", json!({ "record": "t1", "text": "bread" }));
    let texts = harness.state();
    assert_eq!(texts[0], "", "{receipt:?}");
    assert_eq!(texts[1] == "bread", receipt.is_ok(), "{receipt:?}");
    let twice = harness.invoke("go", json!({}));
    assert_eq!(twice.code(), Some(Code::AmbiguousTarget), "{twice:?}");
}

#[test]
fn c03_two_widgets_of_one_egui_id_are_told_apart_or_refused() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, heard: &mut Vec<&'static str>| {
            for name in ["first", "second"] {
                let mut text = String::new();
                let field = egui::TextEdit::singleline(&mut text).id(egui::Id::unique("the same"));
                if ui.add(field).tool(Tool::new(name, "Write it")).changed() {
                    heard.push(name);
                }
                let area = ui.allocate_space(egui::vec2(40.0, 20.0)).1;
                let place = ui.interact(area, egui::Id::unique("the same place"), egui::Sense::click());
                if place.tool(Tool::new(format!("press_{name}"), "Press it")).clicked() {
                    heard.push(name);
                }
            }
        },
        Vec::new(),
    );
    for name in ["first", "second"] {
        let receipt = harness.invoke(name, json!({ "text": "x" }));
        assert_eq!(receipt.code(), Some(Code::AmbiguousTarget), "{receipt:?}");
        assert!(harness.state().is_empty());
    }
    // Triggered at its own declaration, a widget cannot be mistaken.
    for name in ["first", "second"] {
        assert!(harness.invoke(&format!("press_{name}"), json!({})).is_ok());
        assert_eq!(std::mem::take(harness.state_mut()), [name]);
    }
}

#[test]
fn c03_two_records_of_one_id_are_never_merged() {
    let mut harness = AgentHarness::new_ui_state(
        |ui, on: &mut [bool; 2]| {
            for on in on {
                ui.record(Record::new("same", "Same"), |ui| {
                    drop(ui.checkbox(on, "On").tool(Tool::new("check", "Check it")));
                });
            }
        },
        [false; 2],
    );
    let receipt = harness.invoke("check", json!({ "record": "same" }));
    assert_eq!(receipt.code(), Some(Code::AmbiguousTarget), "{receipt:?}");
    assert_eq!(*harness.state(), [false; 2]);
    let faults = &harness.snapshot().faults;
    assert!(faults.iter().any(|fault| fault.contains("same")), "{faults:?}");
}

#[test]
fn c20_the_user_s_focus_and_keys_stay_where_they_are_while_the_agent_acts() {
    #[derive(Default)]
    struct App {
        chat: String,
        name: String,
        on: bool,
        saved: u32,
        deleted: u32,
    }
    let mut harness = AgentHarness::new_ui_state(
        |ui, app: &mut App| {
            let chat = ui.add(egui::TextEdit::singleline(&mut app.chat).id_salt("chat"));
            // A shortcut of the app, off while somebody types.
            if !ui.ctx().egui_wants_keyboard_input() && ui.input(|input| input.key_pressed(egui::Key::Backspace)) {
                app.deleted += 1;
            }
            drop(chat);
            let name = egui::TextEdit::singleline(&mut app.name).id_salt("name");
            drop(ui.add(name).tool(Tool::new("rename", "Rename it")));
            drop(ui.checkbox(&mut app.on, "On").tool(Tool::new("switch", "Switch it")));
            if ui.button("Save").tool(Tool::new("save", "Save it")).clicked() {
                app.saved += 1;
            }
        },
        App::default(),
    );
    harness.kittest().run_steps(2);
    let fields: Vec<_> = {
        use egui_kittest::kittest::Queryable as _;
        harness
            .kittest()
            .query_all_by_role(egui::accesskit::Role::TextInput)
            .collect()
    };
    fields[0].focus();
    drop(fields);
    harness.kittest().step();
    let focus = harness.kittest().ctx.memory(|memory| memory.focused());
    let mut typed = String::new();
    for (key, action, arguments) in [
        ("a", "rename", json!({ "text": "Ada" })),
        ("b", "switch", json!({})),
        ("c", "save", json!({})),
    ] {
        harness.kittest().event(egui::Event::Text(key.into()));
        typed.push_str(key);
        let receipt = harness.invoke(action, arguments);
        assert!(receipt.is_ok(), "{receipt:?}");
        let now = harness.kittest().ctx.memory(|memory| memory.focused());
        assert_eq!(now, focus, "{action}");
    }
    harness.kittest().key_press(egui::Key::Backspace);
    harness.kittest().run_steps(3);
    typed.pop();
    let app = harness.state();
    assert_eq!(
        (app.chat.as_str(), app.name.as_str(), app.on, app.saved),
        (typed.as_str(), "Ada", true, 1)
    );
    assert_eq!(app.deleted, 0, "no shortcut of the app ran");
}
