//! A screen reader next to the agent: told more, and never cut off.

use egui::accesskit::{Node, Role, TreeUpdate};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use pling_egui::{
    Driver, Pling, Record, Region, ResponseExt as _, Tool, UiExt as _, headless::Headless, testing::AgentHarness,
};
use serde_json::json;

fn page(ui: &mut egui::Ui) {
    ui.region(Region::new("todos", "Tasks").purpose("what is open"), |ui| {
        drop(ui.button("Save").tool(Tool::new("save", "Save the form")));
        let other = ui.button("Send").on_hover_text("Sends it away");
        let id = other.id;
        ui.ctx()
            .accesskit_node_builder(id, |node| node.set_description("its own words"));
        drop(other.tool(Tool::new("send", "Send the form")));
        ui.record(Record::new("t1", "Milk"), |ui| {
            drop(
                ui.checkbox(&mut false, "Milk")
                    .tool(Tool::new("toggle", "Mark as complete")),
            );
        });
    });
}

#[test]
fn regions_and_tools_are_told_to_a_screen_reader_whether_or_not_an_agent_is_there() {
    let mut harness = AgentHarness::new_ui(page);
    for observed in [false, true] {
        if observed {
            harness.snapshot();
        }
        harness.kittest().run_steps(2);
        let kittest = harness.kittest();
        let region = kittest.get_by_role_and_label(Role::Region, "Tasks");
        assert_eq!(region.accesskit_node().description().as_deref(), Some("what is open"));
        let save = region.get_by_label("Save");
        assert_eq!(save.accesskit_node().description().as_deref(), Some("Save the form"));
        let send = region.get_by_label("Send");
        assert_eq!(send.accesskit_node().description().as_deref(), Some("its own words"));
        let toggle = region.get_by_label("Milk");
        assert_eq!(toggle.accesskit_node().role(), Role::CheckBox);
        assert_eq!(
            toggle.accesskit_node().description().as_deref(),
            Some("Mark as complete")
        );
    }
}

/// One pass by hand, with its tree.
fn pass(ctx: &egui::Context, events: Vec<egui::Event>, mut ui: impl FnMut(&mut egui::Ui)) -> Option<TreeUpdate> {
    let input = egui::RawInput {
        events,
        ..egui::RawInput::default()
    };
    let mut output = ctx.run_ui(input, |ui_| ui(ui_));
    output.textures_delta.clear();
    output.platform_output.accesskit_update
}

/// An app without a window, and an agent in it.
fn app() -> (Headless, Pling, Driver) {
    let headless = Headless::new([300.0, 200.0]);
    let (pling, driver) = Pling::builder()
        .environment(|_| None)
        .offline()
        .try_install_driven(headless.ctx())
        .expect("a good configuration");
    (headless, pling, driver)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

#[test]
fn without_a_screen_reader_the_tree_is_there_for_the_agent_s_passes_only() {
    let (mut headless, pling, driver) = app();
    let executor = pling.executor().clone();
    let ctx = headless.ctx().clone();
    assert!(pass(&ctx, Vec::new(), page).is_none());
    let seen = runtime().block_on(headless.run(&pling, driver, page, async { executor.observe().await }));
    assert!(seen.is_ok());
    assert!(pass(&ctx, Vec::new(), page).is_none(), "nor is it kept on");
}

#[test]
fn a_screen_reader_that_was_there_keeps_its_tree() {
    let (mut headless, pling, driver) = app();
    let executor = pling.executor().clone();
    let ctx = headless.ctx().clone();
    ctx.enable_accesskit();
    pass(&ctx, Vec::new(), page);
    let seen = runtime().block_on(headless.run(&pling, driver, page, async { executor.observe().await }));
    assert!(seen.is_ok());
    let tree = pass(&ctx, Vec::new(), page).expect("it is still on");
    let described = |(_, node): &(_, Node)| node.description() == Some("Save the form");
    assert!(tree.nodes.iter().any(described));
    // And one that leaves is not brought back.
    ctx.disable_accesskit();
    assert!(pass(&ctx, Vec::new(), page).is_none());
    assert!(pass(&ctx, Vec::new(), page).is_none());
}

#[test]
fn a_screen_reader_that_starts_while_the_agent_works_is_noticed_when_it_asks() {
    let (mut headless, pling, mut driver) = app();
    let executor = pling.executor().clone();
    let ctx = headless.ctx().clone();
    pass(&ctx, Vec::new(), page);
    // It starts between two passes of the agent's.
    let reader = ctx.clone();
    let mut passes = 0;
    let ui = move |ui: &mut egui::Ui| {
        passes += 1;
        if passes == 1 {
            reader.enable_accesskit();
        }
        page(ui);
    };
    let seen = runtime().block_on(headless.run(&pling, &mut driver, ui, async { executor.observe().await }));
    assert!(seen.is_ok());
    let request = egui::Event::AccessKitActionRequest(egui::accesskit::ActionRequest {
        action: egui::accesskit::Action::Focus,
        target_tree: egui::accesskit::TreeId::ROOT,
        target_node: egui::accesskit_root_id().accesskit_id(),
        data: None,
    });
    assert!(pass(&ctx, vec![request], page).is_some(), "it has its tree");
    let seen = runtime().block_on(headless.run(&pling, &mut driver, page, async { executor.observe().await }));
    assert!(seen.is_ok());
    assert!(pass(&ctx, Vec::new(), page).is_some(), "and keeps it");
}

#[test]
fn operating_a_page_takes_no_focus_from_a_reader() {
    let mut harness = AgentHarness::new_ui(page);
    harness.kittest().get_by_label("Save").focus();
    harness.kittest().step();
    let focus = harness.kittest().ctx.memory(|memory| memory.focused());
    assert!(focus.is_some());
    assert!(harness.invoke("send", json!({})).is_ok());
    assert!(harness.invoke("toggle", json!({ "record": "t1" })).is_ok());
    assert_eq!(harness.kittest().ctx.memory(|memory| memory.focused()), focus);
}
