//! The orders example under an agent: a million rows, forms, approvals, work that takes long, two windows.

use std::{cell::Cell, pin::pin, rc::Rc, sync::Arc};

use egui::{RawInput, Rect, accesskit::Role, vec2};
use egui_kittest::kittest::Queryable as _;
use orders::{
    app::OrdersApp,
    data::{Order, OrderId, Status},
};
use pling_core::act::{ApprovalEvent, ApprovalMode, Arguments, Call, CancellationToken, Code, Decision, Receipt};
use pling_egui::testing::AgentHarness;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::call_id;

const MILLION: u32 = 1_000_000;

type Orders = AgentHarness<'static, OrdersApp>;

fn harness(rows: u32, approval: ApprovalMode) -> Orders {
    AgentHarness::<()>::builder()
        .size(orders::EXAMPLE.screen)
        .approval(approval)
        .build_ui_state(|ui, app: &mut OrdersApp| app.ui(ui), OrdersApp::new(rows))
}

#[track_caller]
fn ok(harness: &mut Orders, action: &str, arguments: Value) -> Receipt {
    let receipt = harness.invoke(action, arguments);
    assert!(receipt.is_ok(), "{action}: {receipt:?}");
    receipt
}

/// The orders of a status, the first first.
fn of(harness: &Orders, status: Status) -> Vec<(u32, String)> {
    let orders = &harness.state().orders;
    let indices = (0..orders.len()).filter(|index| orders.get(*index).status == status);
    indices.map(|index| (index, OrderId::of(index).to_string())).collect()
}

fn first(harness: &Orders, status: Status) -> (u32, String) {
    of(harness, status).swap_remove(0)
}

/// Everything that a model reads: the page and its tools.
fn read(harness: &mut Orders) -> String {
    let seen = harness.observe().expect("a pass is drawn");
    let tools: Vec<_> = seen.tools.iter().map(|tool| tool.to_json().to_string()).collect();
    format!("{}\n{}", seen.text, tools.join("\n"))
}

#[test]
fn any_of_a_million_orders_is_operated_by_its_own_widget() {
    let mut harness = harness(MILLION, ApprovalMode::DenyAll);
    let check = |harness: &mut Orders, index: u32| {
        let before = (harness.state().selection.len(), harness.state().handled.select);
        ok(harness, "select", json!({ "record": OrderId::of(index).to_string() }));
        let app = harness.state();
        assert!(app.selection.contains(index), "{index}");
        assert_eq!((app.selection.len(), app.handled.select), (before.0 + 1, before.1 + 1));
    };
    for index in [0, 1, 499_999, 777_777, MILLION - 2, MILLION - 1] {
        check(&mut harness, index);
    }
    // Among those of one status.
    ok(&mut harness, "filter_status", json!({ "choice": "pending" }));
    let rows = harness.state().view.rows().clone();
    assert!(rows.len() > 50_000 && rows.len() < 150_000);
    for row in [1, rows.len() / 2, rows.len() - 1] {
        check(&mut harness, rows.at(row));
    }
    let before = harness.state().handled.select;
    for (record, code) in [("ORD-000001", Code::RecordGone), ("ORD-1000001", Code::UnknownRecord)] {
        let receipt = harness.invoke("select", json!({ "record": record }));
        assert_eq!(receipt.code(), Some(code), "not among them: {receipt:?}");
    }
    assert_eq!(harness.state().handled.select, before);
    // The same by price, the dearest first.
    ok(&mut harness, "sort_by_total", json!({}));
    ok(&mut harness, "sort_by_total", json!({}));
    let (view, orders) = (&harness.state().view, &harness.state().orders);
    let totals: Vec<_> = view
        .rows()
        .slice(0, rows.len())
        .map(|index| orders.get(index).total_cents())
        .collect();
    assert_eq!(totals.len(), rows.len());
    assert!(totals.is_sorted_by(|a, b| a >= b) && totals.first() > totals.last());
    let sorted = view.rows().clone();
    for row in [0, sorted.len() / 3, sorted.len() - 2] {
        check(&mut harness, sorted.at(row));
    }
    assert!(harness.snapshot().faults.is_empty());
}

#[test]
fn what_a_model_reads_of_a_million_orders_is_golden_and_small() {
    let mut harness = harness(MILLION, ApprovalMode::DenyAll);
    let text = read(&mut harness);
    assert!(text.len() <= 12_000, "{} bytes", text.len());
    insta::assert_snapshot!("orders_observation", text);
}

#[test]
fn a_far_row_is_operated_within_a_few_passes_of_the_call() {
    const PASSES: u32 = 6;
    let (passes, operated) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (drawn, at) = (Rc::clone(&passes), Rc::clone(&operated));
    let ui = move |ui: &mut egui::Ui, app: &mut OrdersApp| {
        drawn.set(drawn.get() + 1);
        let before = app.handled.select;
        app.ui(ui);
        if app.handled.select > before {
            at.set(drawn.get());
        }
    };
    let mut harness = AgentHarness::<()>::builder()
        .size(orders::EXAMPLE.screen)
        .build_ui_state(ui, OrdersApp::new(MILLION));
    for number in [999_999, 2, 500_000, 750_001] {
        let seen = harness.observe().unwrap();
        let record = format!("ORD-{number:06}");
        let call = Call::new(call_id(), "select", Arguments::from(json!({ "record": record })), seen);
        let executor = harness.pling().executor().clone();
        passes.set(0);
        let receipt = harness.run(async move { executor.invoke(call, &CancellationToken::new()).await });
        assert!(receipt.is_ok(), "{receipt:?}");
        assert!(operated.get() <= PASSES, "{record}: {} passes", operated.get());
    }
}

#[test]
fn looking_through_all_orders_takes_many_passes() {
    let mut harness = harness(MILLION, ApprovalMode::DenyAll);
    let field = |harness: &mut Orders, text: &str| {
        let node = harness.kittest().get_by_role(Role::TextInput);
        node.focus();
        node.type_text(text);
    };
    field(&mut harness, "lovelace");
    let mut passes = 0;
    let mut last = 0.0;
    while passes == 0 || harness.state().view.progress().is_some() {
        harness.kittest().step();
        let progress = harness.state().view.progress().unwrap_or(1.0);
        assert!(progress >= last, "{progress} after {last}");
        last = progress;
        passes += 1;
        assert!(passes < 200);
    }
    assert!(passes >= 20, "{passes} passes");
    let app = harness.state();
    let rows = app.view.rows();
    assert!(rows.len() > 10_000);
    let names = rows
        .slice(0, rows.len())
        .map(|index| app.orders.get(index).customer.name());
    assert!(names.into_iter().all(|name| name.ends_with(" Lovelace")));
}

#[test]
fn facts_are_those_of_a_page_at_rest_however_long_that_takes() {
    let mut harness = harness(200_000, ApprovalMode::DenyAll);
    harness.kittest().get_by_label("Date").click();
    harness.kittest().run_steps(2);
    assert!(harness.state().view.progress().is_some());
    let text = harness.observation();
    assert!(harness.state().view.progress().is_none(), "{text}");
    assert!(text.contains("\"Date, ascending\""), "{text}");
}

#[test]
fn one_sentence_searches_and_another_opens_an_order_far_away() {
    let mut harness = harness(200_000, ApprovalMode::DenyAll);
    let outcome = harness.ask("Search for Ada Lovelace");
    assert!(outcome.is_answered());
    assert_eq!(outcome.receipts.len(), 1);
    let receipt = &outcome.receipts[0];
    assert!(receipt.is_ok() && receipt.warning.is_none(), "{receipt:?}");
    let app = harness.state();
    let rows = app.view.rows();
    assert!(rows.len() > 10);
    assert!(
        rows.slice(0, rows.len())
            .all(|index| app.orders.get(index).customer.name() == "Ada Lovelace")
    );
    let outcome = harness.ask("Open ORD-123456");
    assert!(outcome.receipts.iter().all(Receipt::is_ok), "{outcome:?}");
    assert_eq!(harness.state().handled.open, 1);
    assert!(
        harness
            .snapshot()
            .records
            .iter()
            .any(|facts| { facts.record.id.as_str() == "ORD-123456" && facts.region.to_string().contains("order") })
    );
}

#[test]
fn a_wrong_value_is_said_at_its_field_and_a_right_one_is_saved() {
    let mut harness = harness(10_000, ApprovalMode::DenyAll);
    let (index, id) = first(&harness, Status::Paid);
    ok(&mut harness, "open", json!({ "record": id }));
    let receipt = ok(&mut harness, "set_items", json!({ "record": id, "value": 500 }));
    assert_eq!(receipt.value, Some(json!(99)), "the widget's own limit: {receipt:?}");
    ok(&mut harness, "set_ship_date", json!({ "record": id, "text": "soon" }));
    ok(&mut harness, "set_address", json!({ "record": id, "text": " " }));
    let receipt = ok(&mut harness, "save", json!({ "record": id }));
    let feedback = &receipt.changed.as_ref().unwrap().feedback;
    assert_eq!(feedback.len(), 2, "{receipt:?}");
    let snapshot = harness.snapshot();
    let about = |field: &str| {
        let about = snapshot
            .feedback
            .iter()
            .find(|said| said.field.as_ref().is_some_and(|id| id.as_str() == field));
        about.map(|said| said.text.clone())
    };
    assert_eq!(
        about("set_ship_date").as_deref(),
        Some("A day is written as 2026-03-09")
    );
    assert_eq!(about("set_address").as_deref(), Some("An address is needed"));
    let text = harness.observation();
    assert!(text.contains("A day is written as 2026-03-09"));
    // What the user works on now comes before the twenty rows behind it.
    assert!(
        text.contains("\norder: <page_data>[{\"id\":") && text.contains("\"set_ship_date\":\"soon\""),
        "{text}"
    );
    assert_eq!(
        (harness.state().handled.save, harness.state().orders.edited().count()),
        (0, 0)
    );

    ok(
        &mut harness,
        "set_ship_date",
        json!({ "record": id, "text": "2027-01-31" }),
    );
    ok(&mut harness, "save", json!({ "record": id }));
    assert_eq!(harness.state().handled.save, 0, "the address is still missing");
    ok(
        &mut harness,
        "set_address",
        json!({ "record": id, "text": "1 Harbor Street" }),
    );
    assert!(harness.snapshot().feedback.is_empty());
    ok(&mut harness, "save", json!({ "record": id }));
    let edit = harness.state().orders.details(index);
    assert_eq!(
        (edit.order.quantity, edit.order.ships.to_string()),
        (99, "2027-01-31".to_owned())
    );
    assert_eq!(edit.address, "1 Harbor Street");
    assert_eq!(harness.state().handled.save, 1);
    // One edit, one step back.
    ok(&mut harness, "undo", json!({}));
    assert_eq!(harness.state().orders.edited().count(), 0);
}

#[test]
fn a_refund_is_asked_for_with_what_it_would_do() {
    let mut harness = harness(10_000, ApprovalMode::Ask);
    let paid = of(&harness, Status::Paid);
    let mut decide = |id: &str, decision: Decision| {
        let seen = harness.observe().unwrap();
        let arguments = Arguments::from(json!({ "record": id }));
        let call = Call::new(format!("refund {id}"), "refund", arguments, seen);
        let executor = harness.pling().executor().clone();
        let asked = harness.run(async move {
            let mut events = executor.approvals().subscribe();
            let cancel = CancellationToken::new();
            let mut invoke = pin!(executor.invoke(call, &cancel));
            let mut asked = None;
            loop {
                tokio::select! {
                    receipt = &mut invoke => return (receipt, asked),
                    event = events.recv() => if let Ok(ApprovalEvent::Asked(approval)) = event {
                        executor.approvals().decide(&approval.call_id, decision.clone());
                        asked = Some(approval);
                    }
                }
            }
        });
        (asked.0, asked.1, harness.state().handled.refund)
    };
    let (receipt, asked, refunds) = decide(&paid[0].1, Decision::Deny { message: None });
    assert_eq!((receipt.code(), refunds), (Some(Code::ApprovalDenied), 0));
    let order = Order::placed(paid[0].0);
    let cents = order.total_cents();
    let preview = asked.unwrap().preview.unwrap();
    assert!(preview.contains(&order.customer.name()), "{preview}");
    assert!(
        preview.contains(&format!("{:02}.{:02}", cents / 100 % 100, cents % 100)),
        "{preview}"
    );

    let (receipt, _, refunds) = decide(&paid[1].1, Decision::Allow);
    assert!(receipt.is_ok(), "{receipt:?}");
    let orders = &harness.state().orders;
    let status = |index: u32| orders.get(index).status;
    assert_eq!(
        (refunds, status(paid[0].0), status(paid[1].0)),
        (1, Status::Paid, Status::Refunded)
    );
    assert!(orders.undoable().is_none(), "money that went out stays out");
}

#[test]
fn a_refund_that_cannot_be_is_refused_with_the_reason_of_the_author() {
    let mut harness = harness(10_000, ApprovalMode::AllowAll);
    for (status, reason) in [
        (Status::Refunded, "was not refunded already"),
        (Status::Pending, "was paid"),
        (Status::Cancelled, "was paid"),
    ] {
        let (_, id) = first(&harness, status);
        let receipt = harness.invoke("refund", json!({ "record": id }));
        assert_eq!(receipt.code(), Some(Code::Unavailable), "{receipt:?}");
        assert!(receipt.error.as_ref().unwrap().1.contains(reason), "{receipt:?}");
    }
    assert_eq!(harness.state().handled.refund, 0);
}

#[test]
fn e_mail_and_card_are_nowhere_in_what_a_model_reads() {
    let mut harness = harness(10_000, ApprovalMode::AllowAll);
    let (index, id) = first(&harness, Status::Paid);
    let customer = harness.state().orders.get(index).customer;
    let canary = "canary.person@secret.example";
    let secrets = [
        customer.email(),
        customer.card(),
        canary.to_owned(),
        "canary".to_owned(),
    ];
    let mut heard = vec![ok(&mut harness, "open", json!({ "record": id })).to_json().to_string()];
    heard.push(read(&mut harness));
    assert!(heard[1].contains("[withheld]"), "they are known to exist: {}", heard[1]);
    let arguments = json!({ "record": id, "text": canary });
    heard.push(ok(&mut harness, "set_email", arguments).to_json().to_string());
    heard.push(read(&mut harness));
    heard.push(ok(&mut harness, "save", json!({ "record": id })).to_json().to_string());
    heard.push(ok(&mut harness, "export", json!({})).to_json().to_string());
    heard.push(read(&mut harness));
    assert_eq!(harness.state().orders.details(index).email, canary, "it was typed");
    heard.push(String::from_utf8(harness.state().exported().unwrap().to_vec()).unwrap());
    for text in &heard {
        for secret in &secrets {
            assert!(!text.contains(secret.as_str()), "{secret} in {text}");
        }
    }
}

#[test]
fn an_export_ends_with_its_count_and_is_kept_until_somebody_says_where_to() {
    let mut harness = harness(60_000, ApprovalMode::DenyAll);
    let receipt = ok(&mut harness, "export", json!({}));
    assert_eq!(receipt.value, Some(json!({ "orders": 60_000, "written_to": "memory" })));
    let csv = harness.state().exported().unwrap();
    assert_eq!(csv.iter().filter(|byte| **byte == b'\n').count(), 60_001);
    for id in ["ORD-000010", "ORD-000020"] {
        ok(&mut harness, "select", json!({ "record": id }));
    }
    let receipt = ok(&mut harness, "export", json!({ "selected": true }));
    assert_eq!(receipt.value.unwrap()["orders"], 2);

    let file = std::env::temp_dir().join(format!("pling-orders-{}.csv", std::process::id()));
    harness.state_mut().settings.export_path = file.to_str().unwrap().to_owned();
    let receipt = ok(&mut harness, "export", json!({ "selected": true }));
    assert_eq!(receipt.value.unwrap()["written_to"], "file");
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(written.lines().nth(2).unwrap().starts_with("ORD-000020,"), "{written}");
    assert!(harness.state().exported().is_none());

    harness.state_mut().settings.export_path = "/no such folder/orders.csv".to_owned();
    let receipt = harness.invoke("export", json!({}));
    assert_eq!(receipt.code(), Some(Code::HandlerFailed), "{receipt:?}");
    assert_eq!(harness.state().handled.export, 4);
}

#[test]
fn an_export_of_the_user_is_waited_for_and_can_be_stopped() {
    let mut harness = harness(100_000, ApprovalMode::DenyAll);
    let begin = |harness: &mut Orders| {
        harness.kittest().get_by_label("Export CSV").click();
        harness.kittest().run_steps(3);
        let (what, share) = harness.state().under_way().unwrap();
        assert_eq!(what, "Exporting 100,000 orders");
        assert!(share > 0.0 && share < 1.0, "{share}");
    };
    begin(&mut harness);
    assert!(harness.observation().contains("100,000 orders exported"));
    begin(&mut harness);
    harness.kittest().get_by_label("Stop").click();
    harness.kittest().run_steps(3);
    assert!(harness.state().under_way().is_none() && harness.state().exported().is_none());
    assert!(harness.observation().contains("The export was stopped"));
}

#[test]
fn an_export_that_nobody_waits_for_any_more_stops() {
    let started = Arc::new(Notify::new());
    let begun = Arc::clone(&started);
    let ui = move |ui: &mut egui::Ui, app: &mut OrdersApp| {
        app.ui(ui);
        if app.under_way().is_some() {
            begun.notify_one();
        }
    };
    let mut harness = AgentHarness::<()>::builder().build_ui_state(ui, OrdersApp::new(MILLION));
    let seen = harness.observe().unwrap();
    let call = Call::new("export", "export", Arguments::from(json!({})), seen);
    let executor = harness.pling().executor().clone();
    harness.run(async move {
        let cancel = CancellationToken::new();
        // The caller goes away.
        tokio::select! {
            receipt = executor.invoke(call, &cancel) => panic!("{receipt:?}"),
            () = started.notified() => {}
        }
    });
    harness.kittest().run_steps(3);
    let app = harness.state();
    assert_eq!(app.handled.export, 1);
    assert!(app.under_way().is_none() && app.exported().is_none());
}

#[test]
fn all_that_match_are_marked_as_shipped_and_that_is_undone() {
    let mut harness = harness(60_000, ApprovalMode::DenyAll);
    let receipt = harness.invoke("mark_shipped", json!({}));
    assert_eq!(
        receipt.code(),
        Some(Code::Unavailable),
        "nothing is checked: {receipt:?}"
    );
    ok(&mut harness, "filter_status", json!({ "choice": "paid" }));
    let paid = harness.state().view.rows().len();
    assert!(paid > 10_000);
    ok(&mut harness, "select_matching", json!({}));
    // One that cannot be shipped goes along.
    ok(&mut harness, "filter_status", json!({ "choice": "cancelled" }));
    let cancelled = OrderId::of(harness.state().view.rows().at(0)).to_string();
    ok(&mut harness, "select", json!({ "record": cancelled }));
    assert_eq!(harness.state().selection.len(), paid + 1);
    ok(&mut harness, "filter_status", json!({ "choice": "paid" }));
    let receipt = ok(&mut harness, "mark_shipped", json!({}));
    assert!(receipt.warning.is_none(), "it was waited for: {receipt:?}");
    let app = harness.state();
    assert_eq!((app.orders.edited().count(), app.handled.bulk), (paid, 1));
    assert!(app.orders.edited().all(|order| order.status == Status::Shipped));
    assert!(app.view.rows().is_empty(), "none is paid any more");
    let text = harness.observation();
    assert!(
        text.contains("clear_filters") && text.contains("1 were not paid"),
        "{text}"
    );
    ok(&mut harness, "undo", json!({}));
    assert_eq!(harness.state().view.rows().len(), paid);
    assert_eq!(harness.state().orders.edited().count(), 0);
    ok(&mut harness, "clear_selection", json!({}));
    assert!(harness.state().selection.is_empty());
}

#[test]
fn the_tools_of_a_second_window_work() {
    for embedded in [true, false] {
        let mut harness = harness(60_000, ApprovalMode::DenyAll);
        harness.kittest().ctx.set_embed_viewports(embedded);
        // What a window system would do, with nothing to look at.
        egui::Context::set_immediate_viewport_renderer(|ctx, mut viewport| {
            let input = RawInput {
                viewport_id: viewport.ids.this,
                viewports: std::iter::once((viewport.ids.this, egui::ViewportInfo::default())).collect(),
                screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, vec2(380.0, 320.0))),
                ..RawInput::default()
            };
            let mut output = ctx.run_ui(input, |ui| (viewport.viewport_ui_cb)(ui));
            output.textures_delta.clear();
        });
        ok(&mut harness, "filter_status", json!({ "choice": "paid" }));
        let paid = harness.state().view.rows().len();
        ok(&mut harness, "open_totals", json!({}));
        let totals = |harness: &mut Orders| {
            let snapshot = harness.snapshot();
            let totals = snapshot.state.iter().find(|state| state.name == "totals");
            totals.expect("the window is there").value.clone().unwrap()
        };
        assert_eq!(totals(&mut harness)["all"][0], 60_000, "embedded: {embedded}");
        ok(&mut harness, "only_matching", json!({}));
        assert_eq!(totals(&mut harness)["all"][0], paid, "embedded: {embedded}");
        assert_eq!(totals(&mut harness)["pending"][0], 0);
        ok(&mut harness, "close_totals", json!({}));
        assert!(!harness.snapshot().state.iter().any(|state| state.name == "totals"));
    }
}

#[test]
fn settings_change_how_the_page_writes_and_only_the_user_says_where_files_go() {
    let mut harness = harness(1000, ApprovalMode::AllowAll);
    ok(&mut harness, "open_settings", json!({}));
    ok(&mut harness, "set_currency", json!({ "choice": "GBP" }));
    ok(&mut harness, "set_decimals", json!({ "value": 0 }));
    let dark = harness.kittest().ctx.theme() == egui::Theme::Dark;
    ok(&mut harness, "dark_mode", json!({ "checked": !dark }));
    assert_eq!(harness.kittest().ctx.theme() == egui::Theme::Dark, !dark);
    ok(&mut harness, "stripes", json!({ "checked": false }));
    let receipt = harness.invoke("export_path", json!({ "text": "/etc/passwd" }));
    assert_eq!(receipt.code(), Some(Code::HandoffDeclined), "{receipt:?}");
    assert!(harness.state().settings.export_path.is_empty());
    ok(&mut harness, "close_settings", json!({}));
    let text = harness.observation();
    assert!(text.contains("\"£28\"") && !text.contains('€'), "{text}");
}
