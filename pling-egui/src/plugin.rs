//! The only `egui::Plugin`: where passes begin and end for Pling.
//!
//! `input_hook` decides whether the coming pass is collected and switches the accessibility tree on for it.
//! `on_begin_pass` opens the pass and lends it the errand; `on_end_pass` takes both back, makes facts of a kept
//! pass, and lets the jobs go on. The plugin owns nothing but its share of [`Shared`].
//!
//! Passes of windows that are shown at once nest in that of the window around them: they become facts when they
//! end, and the jobs see them when the outermost ends, which has the errand.
//!
//! egui's switch of the accessibility tree has no reader, and a screen reader that is started flips it between
//! passes. So it is off between passes unless somebody else has it on, and each pass that is not ours shows
//! whether somebody has. Between two passes of ours nothing shows; requests of a screen reader do, and from then
//! on the tree is left alone.

use std::sync::Arc;

use egui::{Context, Event, FullOutput, Plugin, RawInput, Ui, ViewportCommand, ViewportId};
use parking_lot::Mutex;
use pling_core::platform::Duration;
use tokio::sync::Notify;

use crate::{
    act::{Errand, Job, Page, Queue, UserAtWork, Wanted, Windows, is_keyboard},
    collect::{self, Registry},
};

/// What the host, on any thread, and the plugin, on the UI thread, share. Locked for moments, never while
/// application code runs and never while egui is asked for a repaint.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
    /// A job came.
    came: Notify,
}

#[derive(Debug, Default)]
struct State {
    registry: Registry,
    queue: Queue,
    /// Passes that ended, of any viewport: how the host knows that the app is drawn at all.
    passes: u64,
    /// Whether one is under way: the application's own code runs.
    is_drawing: bool,
    /// Whether the last pass begun was kept: then its facts are those of the page until the next begins.
    fresh: bool,
    /// The window in which the keyboard is lent to a field.
    borrowed: Option<ViewportId>,
    /// The user's keys, kept back meanwhile, with the window they are for.
    held: Vec<(ViewportId, Event)>,
    windows: Windows,
    user: UserAtWork,
    /// Passes yet to be collected because somebody looks on without waiting for anything.
    watched: u8,
    /// Widgets without a declaration, as the last watched pass of each window showed them.
    #[cfg(feature = "panel")]
    bare: std::collections::BTreeMap<u64, (ViewportId, Vec<collect::Bare>)>,
    #[cfg(feature = "panel")]
    outlines: crate::panel::Outlines,
}

/// Passes that are collected after one in which somebody looked on.
#[cfg(feature = "panel")]
const WATCHED_PASSES: u8 = 3;

impl Shared {
    /// Adds a job. The caller asks egui for a pass.
    pub(crate) fn push(&self, job: Box<dyn Job>) {
        self.state.lock().queue.push(job);
        self.came.notify_one();
    }

    /// Whether a job waits for passes.
    pub(crate) fn needs_passes(&self) -> bool {
        !self.state.lock().queue.is_empty()
    }

    /// Waits until a job waits for passes. For one task at a time.
    #[cfg(not(target_arch = "wasm32"))] // only a driver of passes asks
    pub(crate) async fn until_needs_passes(&self) {
        while !self.needs_passes() {
            self.came.notified().await;
        }
    }

    /// Has the next passes collected, whenever they come.
    #[cfg(feature = "panel")]
    pub(crate) fn watch(&self) {
        self.state.lock().watched = WATCHED_PASSES;
    }

    /// The page as it was seen last.
    pub(crate) fn snapshot(&self) -> Option<Arc<pling_core::snapshot::Snapshot>> {
        self.state.lock().registry.snapshot().cloned()
    }

    /// Widgets without a declaration, as far as somebody looked on.
    #[cfg(feature = "panel")]
    pub(crate) fn bare(&self) -> Vec<(ViewportId, collect::Bare)> {
        let state = self.state.lock();
        let windows = state.bare.values();
        let each = windows.flat_map(|(window, bare)| bare.iter().map(|widget| (*window, widget.clone())));
        each.collect()
    }

    /// Has a widget outlined, for as long as the panel says so in each of its passes.
    #[cfg(feature = "panel")]
    pub(crate) fn outline(&self, ctx: &Context, outline: crate::panel::Outline) {
        let window = ctx.viewport_id();
        self.state.lock().outlines.say(window, outline);
    }

    /// Draws what is outlined in the window whose pass ends.
    #[cfg(feature = "panel")]
    fn draw_outlines(&self, ctx: &Context) {
        let (here, stale) = self.state.lock().outlines.end_pass(ctx.viewport_id());
        crate::panel::draw_outlines(ctx, &here);
        for window in stale {
            ctx.request_repaint_of(window);
        }
    }

    /// The widgets of an action as they were seen last, of one record if it is given.
    #[cfg(feature = "panel")]
    pub(crate) fn places(
        &self,
        action: &pling_core::model::ActionId,
        record: Option<&pling_core::model::RecordId>,
    ) -> Vec<(ViewportId, collect::WidgetRef)> {
        let state = self.state.lock();
        let all = state.registry.widgets();
        let of_action =
            all.filter(|(key, _)| key.action == *action && (record.is_none() || key.record.as_ref() == record));
        of_action
            .filter_map(|(_, last)| Some((last.viewport, last.widget.clone()?)))
            .collect()
    }

    /// Passes that ended so far.
    pub(crate) fn passes(&self) -> u64 {
        self.state.lock().passes
    }

    /// Whether a pass is under way.
    pub(crate) fn is_drawing(&self) -> bool {
        self.state.lock().is_drawing
    }

    /// Whether the user leaves the page alone, as far as somebody cares.
    pub(crate) fn is_free(&self) -> bool {
        self.state.lock().user.is_free()
    }

    /// The panel is drawn: the user's input in the app comes first from now on. `ours`: this pass's was for the panel.
    #[cfg(feature = "panel")]
    pub(crate) fn give_way(&self, window: ViewportId, ours: bool) {
        self.state.lock().user.give_way(window, ours);
    }

    /// Whether the operation in front has reached the application.
    pub(crate) fn may_have_acted(&self) -> bool {
        self.state.lock().queue.may_have_acted()
    }
}

/// The plugin of one context.
#[derive(Debug)]
pub(crate) struct PlingPlugin {
    shared: Arc<Shared>,
    /// Passes under way: more than one when viewports nest.
    depth: usize,
    /// Whether the outermost pass under way is collected, and with it all that nest in it.
    collects: bool,
    /// Windows whose passes nested in the one under way and were kept.
    nested: Vec<ViewportId>,
    /// Whether somebody else keeps the accessibility tree on, as far as is known.
    tree_is_on: Option<bool>,
    /// Whether the tree was switched on for the pass under way.
    tree_is_ours: bool,
}

impl PlingPlugin {
    pub(crate) fn new() -> Self {
        Self {
            shared: Arc::default(),
            depth: 0,
            collects: false,
            nested: Vec::new(),
            tree_is_on: None,
            tree_is_ours: false,
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The outermost pass ends: the jobs go on with what it and the nested ones showed.
    fn conclude(
        &mut self,
        viewport: ViewportId,
        errand: Option<Errand>,
        kept: bool,
    ) -> (Wanted, Vec<(ViewportId, bool)>) {
        let mut state = self.shared.state.lock();
        let State {
            registry,
            queue,
            fresh,
            windows,
            ..
        } = &mut *state;
        *fresh = kept;
        queue.take_back(errand);
        let mut wanted = Wanted::Now;
        for viewport in self.nested.drain(..).chain(kept.then_some(viewport)) {
            if let Some(snapshot) = registry.snapshot().cloned() {
                wanted = queue.kept(&Page {
                    registry,
                    snapshot: &snapshot,
                    viewport,
                    windows,
                });
            }
        }
        (wanted, windows.to_draw().collect())
    }
}

impl Plugin for PlingPlugin {
    fn debug_name(&self) -> &'static str {
        "Pling"
    }

    fn input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        if input.viewport_id == ViewportId::ROOT {
            // It is never nested: what is left was left by a panic in the application's code.
            self.depth = 0;
        }
        self.depth += 1;
        // Pling's own requests never come this way.
        let by_reader = |event: &Event| matches!(event, Event::AccessKitActionRequest(_));
        if self.tree_is_on == Some(false) && input.events.iter().any(by_reader) {
            ctx.enable_accesskit();
            self.tree_is_on = Some(true);
        }
        let mut state = self.shared.state.lock();
        state.queue.drop_withdrawn();
        let windows = input.viewports.iter();
        let windows = windows.map(|(id, info)| (*id, info.visible().unwrap_or(true)));
        state.windows.set(windows, input.viewport_id, self.depth > 1);
        if self.depth > 1 {
            state.lend_keyboard(input);
            return;
        }
        self.nested.clear();
        // The very first pass only shows whether a screen reader is there.
        let is_wanted = !state.queue.is_empty() || state.watched > 0;
        state.watched = state.watched.saturating_sub(1);
        self.collects = is_wanted && self.tree_is_on.is_some();
        if self.collects {
            let State {
                registry, queue, fresh, ..
            } = &mut *state;
            queue.begin(registry, *fresh);
        }
        // Whatever this pass shows is newer.
        state.fresh = false;
        state.borrowed = state.queue.borrows_keyboard();
        state.lend_keyboard(input);
        drop(state);
        if self.collects && self.tree_is_on == Some(false) {
            // Asked for here it is there in the same pass.
            ctx.enable_accesskit();
            self.tree_is_ours = true;
        }
    }

    fn on_begin_pass(&mut self, ui: &mut Ui) {
        let viewport = ui.ctx().viewport_id();
        ui.input(|input| {
            let mut state = self.shared.state.lock();
            state.is_drawing = true;
            state.user.begin_pass(viewport, input);
        });
        let has_tree = ui
            .ctx()
            .viewport(|viewport| viewport.this_pass.accesskit_state.is_some());
        if self.collects && !has_tree {
            // A screen reader has left, and took the tree along: the next pass has one of ours.
            self.collects = false;
        }
        let errand = || self.shared.state.lock().queue.lend();
        collect::begin(viewport, self.collects, has_tree && !self.tree_is_ours, errand);
        collect::begin_errand(ui.ctx(), viewport);
    }

    fn on_end_pass(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let viewport = ctx.viewport_id();
        {
            let mut state = self.shared.state.lock();
            state.passes += 1;
            state.is_drawing = self.depth > 1;
        }
        #[cfg(feature = "panel")]
        self.shared.draw_outlines(&ctx);
        collect::end_errand(&ctx, viewport);
        let (pass, errand) = collect::end();
        let Some(pass) = pass else {
            if self.shared.needs_passes() {
                ctx.request_repaint();
            }
            return;
        };
        let kept = !ctx.will_discard();
        if kept {
            #[cfg(feature = "panel")]
            let bare = (self.shared.state.lock().watched > 0).then(|| collect::bare(&ctx, &pass));
            let facts = collect::assemble(&ctx, pass);
            let State {
                registry,
                windows,
                #[cfg(feature = "panel")]
                    bare: all_bare,
                ..
            } = &mut *self.shared.state.lock();
            registry.keep(viewport, facts, windows);
            #[cfg(feature = "panel")]
            if let Some(bare) = bare {
                all_bare.insert(viewport.0.value(), (viewport, bare));
            }
        }
        if self.depth > 1 {
            self.nested.extend(kept.then_some(viewport));
            return;
        }
        let (wanted, windows) = self.conclude(viewport, errand, kept);
        let delay = match wanted {
            Wanted::Never => return,
            Wanted::Now => Duration::ZERO,
            Wanted::Within(delay) => delay,
        };
        for (window, visible) in windows {
            ctx.request_repaint_after_for(delay, window);
            if !visible && cfg!(not(target_arch = "wasm32")) {
                ctx.send_viewport_cmd_to(window, ViewportCommand::RequestPaintWhileHidden);
            }
        }
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return;
        }
        if self.tree_is_ours {
            ctx.disable_accesskit();
            self.tree_is_ours = false;
        } else {
            self.tree_is_on = Some(output.platform_output.accesskit_update.is_some());
        }
    }
}

impl State {
    /// Keeps the user's keys back while the keyboard is lent to a field, and gives them back afterwards.
    fn lend_keyboard(&mut self, input: &mut RawInput) {
        let window = input.viewport_id;
        if self.borrowed == Some(window) {
            let (keys, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut input.events).into_iter().partition(is_keyboard);
            input.events = rest;
            self.held.extend(keys.into_iter().map(|key| (window, key)));
        } else if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held).into_iter();
            let (back, rest): (Vec<_>, Vec<_>) = held.partition(|(of, _)| *of == window);
            self.held = rest;
            let back = back.into_iter().map(|(_, key)| key);
            input.events.splice(0..0, back);
        }
    }
}
