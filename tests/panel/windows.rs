//! Outlines in a window of the app's own.

use std::{cell::RefCell, rc::Rc, time::Duration};

use egui::{
    Context, RawInput, Rect, Ui, ViewportBuilder, ViewportId, ViewportIdMap, ViewportInfo, epaint::ClippedShape,
};
use pling_core::llm::Turn;
use pling_egui::{AssistantPanel, Pling, ResponseExt as _, Tool};
use serde_json::json;

use super::is_painted;
use crate::support::Scripted;

fn tools() -> ViewportId {
    ViewportId::from_hash_of("tools")
}

/// The contract is in a window of its own, drawn before the panel or after it.
fn app(ui: &mut Ui, pling: &Pling, panel_first: bool) {
    let window = |ui: &mut Ui| {
        let builder = ViewportBuilder::default();
        ui.ctx().show_viewport_immediate(tools(), builder, |ui, _| {
            let sign = Tool::new("sign", "Sign the contract").handoff("Only you can sign");
            let _ = ui.button("Sign").tool(sign);
        });
    };
    if !panel_first {
        window(ui);
    }
    AssistantPanel::new(pling).show(ui);
    if panel_first {
        window(ui);
    }
}

fn input(id: ViewportId, windows: &ViewportIdMap<ViewportInfo>) -> RawInput {
    RawInput {
        viewport_id: id,
        viewports: windows.clone(),
        screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(700.0, 500.0))),
        ..RawInput::default()
    }
}

#[test]
fn a_widget_is_outlined_in_the_window_it_is_in() {
    for panel_first in [true, false] {
        let ctx = Context::default();
        ctx.set_embed_viewports(false);
        let (pling, driver) = Pling::builder()
            .environment(|_| None)
            .llm(Scripted::new([Turn::call("sign", json!({})), Turn::text("Then not")]))
            .try_install_driven(&ctx)
            .expect("a good configuration");
        let windows = Rc::new(RefCell::new(ViewportIdMap::default()));
        for id in [ViewportId::ROOT, tools()] {
            windows.borrow_mut().insert(id, ViewportInfo::default());
        }
        let shown = Rc::new(RefCell::new(Vec::<ClippedShape>::new()));
        let (all, painted) = (Rc::clone(&windows), Rc::clone(&shown));
        Context::set_immediate_viewport_renderer(move |ctx, mut viewport| {
            let input = input(viewport.ids.this, &all.borrow());
            let mut output = ctx.run_ui(input, |ui| (viewport.viewport_ui_cb)(ui));
            output.textures_delta.clear();
            *painted.borrow_mut() = output.shapes;
        });
        let is_outlined = || is_painted(&shown.borrow(), "Your turn: Sign the contract");
        let mut here = Vec::new();
        let mut frames = |count: usize, driver: &mut pling_egui::Driver| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .expect("a runtime");
            for _ in 0..count {
                let mut output = ctx.run_ui(input(ViewportId::ROOT, &windows.borrow()), |ui| {
                    app(ui, &pling, panel_first)
                });
                output.textures_delta.clear();
                here = output.shapes;
                runtime.block_on(async {
                    tokio::select! {
                        biased;
                        () = &mut *driver => {}
                        () = tokio::time::sleep(Duration::from_millis(50)) => {}
                    }
                });
            }
        };
        let mut driver = driver;
        frames(3, &mut driver);
        drop(pling.session().send("sign it"));
        frames(20, &mut driver);
        let card = pling.session().waiting_for();
        assert_eq!(card.len(), 1);
        assert!(is_outlined(), "panel first: {panel_first}");
        pling.session().deny(&card[0].call_id, None);
        frames(40, &mut driver);
        assert!(!is_outlined(), "it goes away");
        assert!(!is_painted(&here, "Your turn: Sign"), "not in the panel's window");
    }
}
