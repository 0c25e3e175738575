//! The only `egui::Plugin`: where passes begin and end for Pling.
//!
//! `input_hook` decides whether the coming pass is collected and switches the accessibility tree on for it.
//! `on_begin_pass` opens the pass and lends it the errand; `on_end_pass` takes both back, makes facts of a kept
//! pass, and lets the jobs go on. The plugin owns nothing but its share of [`Shared`].

use std::sync::Arc;

use egui::{Context, Event, FullOutput, Plugin, RawInput, Ui, ViewportId};
use parking_lot::Mutex;

use crate::{
    act::{Job, Queue, Wanted, is_keyboard},
    collect::{self, Registry},
};

/// What the host, on any thread, and the plugin, on the UI thread, share. Locked for moments, never while
/// application code runs and never while egui is asked for a repaint.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    registry: Registry,
    queue: Queue,
    /// Passes begun, of any viewport: how the host knows that the app is drawn at all.
    passes: u64,
    /// The user's keys, kept back while the keyboard is lent to a field.
    held: Vec<Event>,
    open_viewports: Vec<ViewportId>,
}

impl Shared {
    /// Adds a job. The caller asks egui for a pass.
    pub(crate) fn push(&self, job: Job) {
        self.state.lock().queue.push(job);
    }

    /// Whether a job waits for passes.
    pub(crate) fn needs_passes(&self) -> bool {
        !self.state.lock().queue.is_empty()
    }

    /// Passes begun so far.
    pub(crate) fn passes(&self) -> u64 {
        self.state.lock().passes
    }

    /// Whether the operation in front has reached the application.
    pub(crate) fn has_acted(&self) -> bool {
        self.state.lock().queue.has_acted()
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
    /// Whether somebody else keeps the accessibility tree on, as the last pass showed. egui has no way to ask.
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
            tree_is_on: None,
            tree_is_ours: false,
        }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Plugin for PlingPlugin {
    fn debug_name(&self) -> &'static str {
        "Pling"
    }

    fn input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        self.depth += 1;
        let mut state = self.shared.state.lock();
        state.passes += 1;
        state.queue.drop_withdrawn();
        state.open_viewports = input.viewports.keys().copied().collect();
        state.lend_keyboard(input);
        if self.depth > 1 {
            return;
        }
        // The very first pass only shows whether a screen reader is there.
        self.collects = !state.queue.is_empty() && self.tree_is_on.is_some();
        drop(state);
        if self.collects && self.tree_is_on == Some(false) {
            // Asked for here it is there in the same pass.
            ctx.enable_accesskit();
            self.tree_is_ours = true;
        }
    }

    fn on_begin_pass(&mut self, ui: &mut Ui) {
        let viewport = ui.ctx().viewport_id();
        let shared = &self.shared;
        collect::begin(viewport, self.collects, || shared.state.lock().queue.lend());
        collect::begin_errand(ui.ctx(), viewport);
    }

    fn on_end_pass(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        let viewport = ctx.viewport_id();
        collect::end_errand(&ctx, viewport);
        let (pass, errand) = collect::end();
        let Some(pass) = pass else {
            if !self.shared.state.lock().queue.is_empty() {
                ctx.request_repaint();
            }
            return;
        };
        let facts = (!ctx.will_discard()).then(|| collect::assemble(&ctx, pass));
        let wanted = {
            let mut state = self.shared.state.lock();
            let State {
                registry,
                queue,
                open_viewports,
                ..
            } = &mut *state;
            if errand.is_some() {
                queue.take_back(errand);
            }
            match facts {
                // The errand is still under way in the pass around this one, and with it the job in front.
                Some(facts) if self.depth > 1 => {
                    registry.keep(viewport, facts, open_viewports);
                    collect::kept_inside(registry, viewport);
                    Wanted::Never
                }
                Some(facts) => {
                    let snapshot = registry.keep(viewport, facts, open_viewports);
                    queue.kept(registry, &snapshot, viewport)
                }
                None => Wanted::Now,
            }
        };
        match wanted {
            Wanted::Never => {}
            Wanted::Now => ctx.request_repaint(),
            Wanted::Within(delay) => ctx.request_repaint_after(delay),
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
        if self.queue.holds_keyboard() {
            let (keys, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut input.events).into_iter().partition(is_keyboard);
            input.events = rest;
            self.held.extend(keys);
        } else if !self.held.is_empty() {
            self.held.append(&mut input.events);
            input.events = std::mem::take(&mut self.held);
        }
    }
}
