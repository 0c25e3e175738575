//! Windows of their own: one page, each drawn when it is, closed and hidden at any time.

use std::{
    cell::{Cell, RefCell},
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use egui::{ComboBox, Context, RawInput, TextEdit, Ui, ViewportBuilder, ViewportCommand, ViewportId};
use parking_lot::Mutex;
use pling_core::{
    act::{Call, CancellationToken, Code, Decision, Receipt},
    observe::Observation,
    platform::now,
};
use pling_egui::{Driver, Pling, Record, Region, ResponseExt as _, Tool, UiExt as _};
use serde_json::{Value, json};

use crate::support::call_id;

/// Between two frames of the screen.
const FRAME: Duration = Duration::from_millis(50);

fn palette() -> ViewportId {
    ViewportId::from_hash_of("palette")
}

/// What the app knows. Deferred windows are drawn whenever they like, so all of it is shared.
#[derive(Default)]
struct App {
    deferred: bool,
    /// Whether the other window is shown from within a record of the main one.
    within: bool,
    kept: Mutex<(bool, u32)>,
    open: AtomicBool,
    /// Frames of the main window after which it closes the other one.
    close_in: AtomicU32,
    clicks: AtomicU32,
    deleted: AtomicU32,
    fields: Mutex<Fields>,
}

#[derive(Default)]
struct Fields {
    text: String,
    submitted: Vec<String>,
    on: bool,
    size: String,
}

impl App {
    fn new(deferred: bool) -> Arc<Self> {
        let app = Self {
            deferred,
            ..Self::default()
        };
        app.open.store(true, Ordering::Relaxed);
        app.fields.lock().size = "small".to_owned();
        Arc::new(app)
    }

    fn main(self: &Arc<Self>, ui: &mut Ui) {
        match self.close_in.load(Ordering::Relaxed) {
            0 => {}
            1 => self.open.store(false, Ordering::Relaxed),
            _ => {}
        }
        let left = self.close_in.load(Ordering::Relaxed);
        self.close_in.store(left.saturating_sub(1), Ordering::Relaxed);
        let clicks = self.clicks.load(Ordering::Relaxed);
        ui.state("clicks", "Clicks in the other window", &clicks);
        drop(ui.button("Main").tool(Tool::new("main", "In the main window")));
        if !self.open.load(Ordering::Relaxed) {
            return;
        }
        if self.within {
            ui.record(Record::new("p1", "Red"), |ui| {
                self.show(ui);
                let (keep, handled) = &mut *self.kept.lock();
                let keep = ui.checkbox(keep, "Keep").tool(Tool::new("keep", "Keep it"));
                *handled += u32::from(keep.changed());
            });
        } else {
            self.show(ui);
        }
    }

    fn show(self: &Arc<Self>, ui: &mut Ui) {
        let builder = ViewportBuilder::default().with_title("Palette");
        let app = Arc::clone(self);
        if self.deferred {
            ui.ctx()
                .show_viewport_deferred(palette(), builder, move |ui, _| app.palette(ui));
        } else {
            ui.ctx()
                .show_viewport_immediate(palette(), builder, |ui, _| app.palette(ui));
        }
    }

    fn palette(&self, ui: &mut Ui) {
        ui.region(Region::new("palette", "Palette"), |ui| {
            if ui.button("Count").tool(Tool::new("count", "Count one up")).clicked() {
                self.clicks.fetch_add(1, Ordering::Relaxed);
            }
            ui.record(Record::new("p1", "Red"), |ui| {
                if ui
                    .button("Delete")
                    .tool(Tool::new("delete", "Delete it").danger())
                    .clicked()
                {
                    self.deleted.fetch_add(1, Ordering::Relaxed);
                }
            });
            let fields = &mut *self.fields.lock();
            drop(ui.checkbox(&mut fields.on, "On").tool(Tool::new("switch", "Switch it")));
            let field = ui.add(TextEdit::singleline(&mut fields.text).id_salt("name"));
            let field = field.tool(Tool::new("add", "Add a name").submit());
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) {
                fields.submitted.push(std::mem::take(&mut fields.text));
            }
            let combo = ComboBox::from_label("Size")
                .selected_text(fields.size.as_str())
                .show_ui(ui, |ui| {
                    for size in ["small", "large"] {
                        ui.selectable_value(&mut fields.size, size.to_owned(), size);
                    }
                });
            drop(
                combo
                    .response
                    .tool(Tool::new("size", "Choose the size").choices(["small", "large"])),
            );
        });
    }
}

/// A screen that shows windows as an integration does: each has its own input and is drawn by itself.
struct Screen {
    ctx: Context,
    pling: Pling,
    driver: Driver,
    windows: Rc<RefCell<egui::ViewportIdMap<egui::ViewportInfo>>>,
    /// Windows of which no frame is drawn, unless they are asked to and this screen listens.
    minimized: Vec<ViewportId>,
    listens: Cell<bool>,
    deferred: Option<Arc<egui::DeferredViewportUiCallback>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Screen {
    fn new() -> Self {
        let ctx = Context::default();
        ctx.set_embed_viewports(false);
        let (pling, driver) = Pling::builder()
            .environment(|_| None)
            .offline()
            .try_install_driven(&ctx)
            .expect("a good configuration");
        let windows = Rc::new(RefCell::new(egui::ViewportIdMap::default()));
        windows
            .borrow_mut()
            .insert(ViewportId::ROOT, egui::ViewportInfo::default());
        let shown = Rc::clone(&windows);
        Context::set_immediate_viewport_renderer(move |ctx, mut viewport| {
            let id = viewport.ids.this;
            shown.borrow_mut().entry(id).or_default();
            let mut output = ctx.run_ui(input(id, &shown), |ui| (viewport.viewport_ui_cb)(ui));
            output.textures_delta.clear();
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        Self {
            ctx,
            pling,
            driver,
            windows,
            minimized: Vec::new(),
            listens: Cell::new(true),
            deferred: None,
            runtime: Some(runtime),
        }
    }

    fn minimize(&mut self, id: ViewportId, says_so: bool) {
        self.minimized.push(id);
        if let Some(info) = self.windows.borrow_mut().get_mut(&id) {
            info.minimized = says_so.then_some(true);
        }
    }

    fn restore(&mut self) {
        for id in self.minimized.drain(..) {
            if let Some(info) = self.windows.borrow_mut().get_mut(&id) {
                info.minimized = None;
            }
        }
    }

    /// One frame of every window that is drawn.
    fn frame(&mut self, app: &Arc<App>, asked: &mut Vec<ViewportId>) {
        let root = ViewportId::ROOT;
        if self.is_drawn(root, asked) {
            let app = Arc::clone(app);
            let mut output = self.ctx.run_ui(input(root, &self.windows), |ui| app.main(ui));
            output.textures_delta.clear();
            self.take(&output.viewport_output, asked);
            self.windows
                .borrow_mut()
                .retain(|id, _| output.viewport_output.contains_key(id));
            self.deferred = output.viewport_output.get(&palette()).and_then(|out| {
                self.windows.borrow_mut().entry(palette()).or_default();
                out.viewport_ui_cb.clone()
            });
        } else {
            let logic = self.ctx.run_logic(&input(root, &self.windows), |_| {});
            for (id, commands) in logic.viewport_commands {
                asked.extend(
                    commands
                        .contains(&ViewportCommand::RequestPaintWhileHidden)
                        .then_some(id),
                );
            }
        }
        if let Some(draw) = self.deferred.clone()
            && self.is_drawn(palette(), asked)
        {
            let mut output = self.ctx.run_ui(input(palette(), &self.windows), |ui| draw(ui));
            output.textures_delta.clear();
            self.take(&output.viewport_output, asked);
        }
    }

    fn take(&self, output: &egui::OrderedViewportIdMap<egui::ViewportOutput>, asked: &mut Vec<ViewportId>) {
        for (id, output) in output {
            let asks = output.commands.contains(&ViewportCommand::RequestPaintWhileHidden);
            asked.extend(asks.then_some(*id));
        }
    }

    fn is_drawn(&self, id: ViewportId, asked: &mut Vec<ViewportId>) -> bool {
        let was_asked = asked.contains(&id);
        asked.retain(|other| *other != id);
        !self.minimized.contains(&id) || (was_asked && self.listens.get())
    }

    /// Draws frames until a future is ready. Whoever is asked on the way says yes.
    fn run<T>(&mut self, app: &Arc<App>, until: impl Future<Output = T>) -> T {
        let runtime = self.runtime.take().expect("one run at a time");
        let value = runtime.block_on(async {
            let mut until = pin!(until);
            let mut asked = Vec::new();
            loop {
                tokio::select! {
                    biased;
                    value = &mut until => return value,
                    () = &mut self.driver => {}
                    () = tokio::time::sleep(FRAME) => {}
                }
                self.frame(app, &mut asked);
                for card in self.pling.executor().approvals().pending() {
                    self.pling.executor().approvals().decide(&card.call_id, Decision::Allow);
                }
            }
        });
        self.runtime = Some(runtime);
        value
    }

    fn observe(&mut self, app: &Arc<App>) -> Arc<Observation> {
        let executor = self.pling.executor().clone();
        self.run(app, async move { executor.observe().await })
            .expect("it is drawn")
    }

    fn invoke(&mut self, app: &Arc<App>, seen: &Arc<Observation>, tool: &str, arguments: Value) -> Receipt {
        let executor = self.pling.executor().clone();
        let call = Call::new(call_id(), tool, arguments.into(), Arc::clone(seen));
        self.run(
            app,
            async move { executor.invoke(call, &CancellationToken::new()).await },
        )
    }
}

fn input(id: ViewportId, windows: &RefCell<egui::ViewportIdMap<egui::ViewportInfo>>) -> RawInput {
    RawInput {
        viewport_id: id,
        viewports: windows.borrow().clone(),
        screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 300.0))),
        ..RawInput::default()
    }
}

#[test]
fn the_widgets_of_another_window_are_part_of_the_page_and_operated_there() {
    for deferred in [false, true] {
        let app = App::new(deferred);
        let mut screen = Screen::new();
        let seen = screen.observe(&app);
        assert!(seen.text.contains("Palette"), "{}", seen.text);
        for (tool, arguments) in [
            ("main", json!({})),
            ("count", json!({})),
            ("delete", json!({ "record": "p1" })),
            ("switch", json!({ "checked": true })),
            ("add", json!({ "text": "Ada" })),
            ("size", json!({ "choice": "large" })),
            ("count", json!({})),
        ] {
            let receipt = screen.invoke(&app, &seen, tool, arguments);
            assert!(receipt.is_ok(), "deferred {deferred}, {tool}: {receipt:?}");
        }
        assert_eq!(app.clicks.load(Ordering::Relaxed), 2);
        assert_eq!(app.deleted.load(Ordering::Relaxed), 1);
        let fields = app.fields.lock();
        assert!(fields.on);
        assert_eq!(fields.submitted, ["Ada"]);
        assert_eq!(fields.size, "large");
    }
}

#[test]
fn what_ends_in_a_window_inside_takes_nothing_back_here() {
    let app = Arc::new(App {
        within: true,
        open: AtomicBool::new(true),
        ..App::default()
    });
    let mut screen = Screen::new();
    let seen = screen.observe(&app);
    let receipt = screen.invoke(&app, &seen, "keep", json!({ "record": "p1", "checked": true }));
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.warning, None, "it was seen to react");
    assert_eq!(*app.kept.lock(), (true, 1), "its handler ran once");
}

#[test]
fn what_a_click_there_changes_here_is_in_its_receipt() {
    for deferred in [false, true] {
        let app = App::new(deferred);
        let mut screen = Screen::new();
        let seen = screen.observe(&app);
        let receipt = screen.invoke(&app, &seen, "count", json!({}));
        let changed = &receipt.to_json()["result"]["changed"];
        assert!(
            changed["state"].to_string().contains("clicks"),
            "deferred {deferred}: {receipt:?}"
        );
    }
}

#[test]
fn a_window_that_closes_takes_its_facts_along_and_its_calls_never_run() {
    for deferred in [false, true] {
        let mut ran = 0;
        for close_in in 0..8 {
            let app = App::new(deferred);
            let mut screen = Screen::new();
            let seen = screen.observe(&app);
            app.close_in.store(close_in, Ordering::Relaxed);
            let receipt = screen.invoke(&app, &seen, "count", json!({}));
            let clicks = app.clicks.load(Ordering::Relaxed);
            assert_eq!(
                clicks,
                u32::from(receipt.is_ok()),
                "deferred {deferred}, closed in {close_in}: {receipt:?}"
            );
            ran += clicks;
            app.close_in.store(0, Ordering::Relaxed);
            if !app.open.swap(false, Ordering::Relaxed) && !receipt.is_ok() {
                assert_eq!(receipt.code(), Some(Code::ActionGone), "{receipt:?}");
            }
            let after = screen.observe(&app);
            let after = screen.invoke(&app, &after, "main", json!({})).is_ok() && after.snapshot.regions.is_empty();
            assert!(after, "its facts are gone");
            app.open.store(true, Ordering::Relaxed);
            screen.observe(&app);
            assert_eq!(
                app.clicks.load(Ordering::Relaxed),
                clicks,
                "open again, the old call does not run"
            );
        }
        assert!((2..8).contains(&ran), "deferred {deferred}: {ran} ran");
    }
}

#[test]
fn a_minimized_window_is_asked_to_paint_and_operated() {
    for window in [ViewportId::ROOT, palette()] {
        for says_so in [false, true] {
            let app = App::new(true);
            let mut screen = Screen::new();
            let seen = screen.observe(&app);
            screen.minimize(window, says_so);
            let tool = if window == palette() { "count" } else { "main" };
            let receipt = screen.invoke(&app, &seen, tool, json!({}));
            assert!(receipt.is_ok(), "{window:?}, {says_so}: {receipt:?}");
        }
    }
}

#[test]
fn what_a_function_tool_did_is_told_though_nobody_sees_the_page_after_it() {
    let ctx = Context::default();
    let (pling, driver) = Pling::builder()
        .environment(|_| None)
        .offline()
        .try_install_driven(&ctx)
        .expect("a good configuration");
    let exported = Cell::new(0);
    let pass = || {
        let mut output = ctx.run_ui(RawInput::default(), |ui| {
            if let Some(call) = ui.tool_call::<()>(Tool::new("export", "Export the list").read()) {
                exported.set(exported.get() + 1);
                call.finish("12 rows");
            }
        });
        output.textures_delta.clear();
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    let executor = pling.executor().clone();
    let receipt = runtime.block_on(async {
        let mut driver = pin!(driver);
        let mut work = pin!(async {
            let seen = executor.observe().await.expect("it is drawn");
            let call = Call::new(call_id(), "export", json!({}).into(), seen);
            executor.invoke(call, &CancellationToken::new()).await
        });
        loop {
            tokio::select! {
                biased;
                receipt = &mut work => return receipt,
                () = &mut driver => {}
                () = tokio::time::sleep(FRAME) => {}
            }
            // The app hides its window with the export.
            if exported.get() == 0 {
                pass();
            }
        }
    });
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(receipt.value, Some(json!("12 rows")));
    let warning = receipt.warning.unwrap_or_default();
    assert!(warning.contains("could not be seen"), "{warning}");
    assert_eq!(exported.get(), 1);
}

#[test]
fn a_window_that_stays_hidden_is_said_to_be_and_the_call_does_not_run_later() {
    for window in [ViewportId::ROOT, palette()] {
        for says_so in [false, true] {
            let app = App::new(true);
            let mut screen = Screen::new();
            let seen = screen.observe(&app);
            screen.listens.set(false);
            screen.minimize(window, says_so);
            if window == ViewportId::ROOT {
                screen.minimize(palette(), says_so);
            }
            let started = screen.runtime.as_ref().map(|runtime| runtime.block_on(async { now() }));
            let receipt = screen.invoke(&app, &seen, "count", json!({}));
            let took = screen.runtime.as_ref().map(|runtime| runtime.block_on(async { now() }));
            assert_eq!(
                receipt.code(),
                Some(Code::WindowHidden),
                "{window:?}, {says_so}: {receipt:?}"
            );
            let took = took.zip(started).map(|(end, start)| end - start).expect("it ran");
            assert!(took < Duration::from_secs(5), "{took:?}");
            screen.restore();
            screen.listens.set(true);
            screen.observe(&app);
            assert_eq!(
                app.clicks.load(Ordering::Relaxed),
                0,
                "restored, the old call does not run"
            );
            let receipt = screen.invoke(&app, &seen, "count", json!({}));
            assert!(receipt.is_ok(), "and a new one does: {receipt:?}");
        }
    }
}
