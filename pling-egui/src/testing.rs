//! Agent tests for an app's author: the app under `egui_kittest`, with an agent.
//!
//! Everything runs on one thread. Without a model of your own the offline planner answers, so a test needs no
//! key and no network and is the same each time.
//!
//! ```
//! use pling_egui::{ResponseExt as _, Tool, testing::AgentHarness};
//!
//! let mut saved = 0;
//! let mut harness = AgentHarness::new_ui(|ui| {
//!     if ui.button("Save").tool(Tool::new("save", "Save the form")).clicked() {
//!         saved += 1;
//!     }
//! });
//! let outcome = harness.ask("Save the form");
//! assert!(outcome.receipts[0].is_ok());
//! drop(harness);
//! assert_eq!(saved, 1);
//! ```

use std::sync::Arc;

use egui::{Ui, Vec2, ViewportId};
use egui_kittest::{Harness, HarnessBuilder};
use pling_core::{
    act::{ApprovalMode, Arguments, Call, Code, Hooks, Origin, Receipt},
    agent::{ConfigError, ConfigPatch, Outcome},
    llm::Llm,
    observe::{Observation, ToolTarget},
    platform::{Duration, sleep},
    snapshot::Snapshot,
};
use serde_json::Value;
use tokio::{runtime::Runtime, sync::Notify};
use tokio_util::sync::CancellationToken;

use crate::{Builder, Driver, Pling, headless::drive};

/// An app under `egui_kittest`, with an agent.
pub struct AgentHarness<'a, State = ()> {
    harness: Harness<'a, State>,
    pling: Pling,
    driver: Driver,
    runtime: Runtime,
    wake: Arc<Notify>,
    calls: u64,
}

impl<'a> AgentHarness<'a> {
    /// An app that is one function. The offline planner answers; approvals are denied.
    ///
    /// # Panics
    /// When there is no runtime to be had, as every set-up here: it is a test.
    #[must_use]
    pub fn new_ui(ui: impl FnMut(&mut Ui) + 'a) -> Self {
        Self::builder().build_ui(ui)
    }
}

impl<'a, State> AgentHarness<'a, State> {
    /// An app that is a function of a state.
    #[must_use]
    pub fn new_ui_state(ui: impl FnMut(&mut Ui, &mut State) + 'a, state: State) -> Self {
        AgentHarness::<()>::builder().build_ui_state(ui, state)
    }

    /// Chooses the model, approvals, size and more first.
    pub fn builder() -> AgentHarnessBuilder {
        AgentHarnessBuilder::default()
    }

    /// Sends a text to the assistant and waits for the end of its run.
    pub fn ask(&mut self, text: &str) -> Outcome {
        let sent = self.pling.session().send(text);
        self.run(sent)
    }

    /// Calls one action, by its tool name or, where only one has it, by its id. Goes through every gate.
    pub fn invoke(&mut self, action: &str, arguments: Value) -> Receipt {
        self.calls += 1;
        let id = format!("test_{}", self.calls);
        let executor = self.pling.executor().clone();
        let action = action.to_owned();
        self.run(async move {
            match executor.observe().await {
                Ok(seen) => {
                    let tool = tool_named(&seen, &action);
                    let mut call = Call::new(id, tool, Arguments::from(arguments), seen);
                    call.origin = Origin::Code;
                    executor.invoke(call, &CancellationToken::new()).await
                }
                Err(refusal) => Receipt::refused(id, refusal.code, refusal.message),
            }
        })
    }

    /// What a model would see now: the page section of the system message.
    pub fn observation(&mut self) -> String {
        self.observe()
            .map(|seen| seen.text.clone())
            .unwrap_or_else(|code| format!("no observation: {code}"))
    }

    /// The facts of the page now.
    ///
    /// # Panics
    /// When no pass could be drawn.
    pub fn snapshot(&mut self) -> Arc<Snapshot> {
        match self.observe() {
            Ok(seen) => Arc::clone(&seen.snapshot),
            Err(code) => panic!("no pass could be drawn: {code}"),
        }
    }

    /// Text and tools as a model would see them now.
    ///
    /// # Errors
    /// Why no pass could be drawn.
    pub fn observe(&mut self) -> Result<Arc<Observation>, Code> {
        let executor = self.pling.executor().clone();
        self.run(async move { executor.observe().await.map_err(|refusal| refusal.code) })
    }

    /// Draws passes and runs the session until a future is ready.
    pub fn run<T>(&mut self, until: impl Future<Output = T>) -> T {
        let Self {
            harness,
            pling,
            driver,
            runtime,
            wake,
            calls: _,
        } = self;
        let pass = || {
            harness.step();
            let root = harness.output().viewport_output.get(&ViewportId::ROOT);
            root.map_or(Duration::MAX, |viewport| viewport.repaint_delay)
        };
        runtime.block_on(drive(pass, wake, pling, driver, until))
    }

    /// Draws passes and runs the session until a condition on the app holds.
    ///
    /// # Panics
    /// When it does not hold within ten seconds.
    pub fn run_until(&mut self, what: &str, mut holds: impl FnMut(&Pling) -> bool) {
        let pling = self.pling.clone();
        let met = self.run(async move {
            for _ in 0..5000 {
                if holds(&pling) {
                    return true;
                }
                sleep(Duration::from_millis(2)).await;
            }
            false
        });
        assert!(met, "waited for: {what}");
    }

    /// Pling's handle: session, executor, approvals.
    #[must_use]
    pub fn pling(&self) -> &Pling {
        &self.pling
    }

    /// The harness underneath, to click and type as a user.
    pub fn kittest(&mut self) -> &mut Harness<'a, State> {
        &mut self.harness
    }

    /// The app's own state.
    #[must_use]
    pub fn state(&self) -> &State {
        self.harness.state()
    }

    /// The app's own state.
    pub fn state_mut(&mut self) -> &mut State {
        self.harness.state_mut()
    }
}

impl<State> std::fmt::Debug for AgentHarness<'_, State> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentHarness")
            .field("pling", &self.pling)
            .finish_non_exhaustive()
    }
}

/// The tool of this name, or the only tool of the action with this id.
fn tool_named(seen: &Observation, name: &str) -> String {
    if seen.tool(name).is_some() {
        return name.to_owned();
    }
    let mut of_action = seen.tools.iter().filter(|tool| match &tool.target {
        ToolTarget::Action { id, .. } => id.as_str() == name,
        ToolTarget::Discovery(_) => false,
    });
    match (of_action.next(), of_action.next()) {
        (Some(tool), None) => tool.name.clone(),
        _ => name.to_owned(),
    }
}

/// The set-up of an [`AgentHarness`].
#[derive(Debug)]
#[must_use = "build it with `build_ui(..)`"]
pub struct AgentHarnessBuilder {
    pling: Builder,
    has_model: bool,
    size: Vec2,
    theme: Option<egui::Theme>,
    accessibility_check: bool,
}

impl Default for AgentHarnessBuilder {
    fn default() -> Self {
        Self {
            // A test must not depend on the machine it runs on.
            pling: Pling::builder().environment(|_| None).approval(ApprovalMode::DenyAll),
            has_model: false,
            size: Vec2::new(800.0, 600.0),
            theme: None,
            accessibility_check: false,
        }
    }
}

impl AgentHarnessBuilder {
    /// A model: scripted, or a real one.
    pub fn llm(mut self, llm: impl Llm) -> Self {
        self.pling = self.pling.llm(llm);
        self.has_model = true;
        self
    }

    /// Explicit configuration; with an endpoint in it, that model answers.
    pub fn config(mut self, config: ConfigPatch) -> Self {
        self.has_model |= config.base_url.is_some();
        self.pling = self.pling.config(config);
        self
    }

    /// Who answers approvals; denied by default.
    pub fn approval(mut self, mode: ApprovalMode) -> Self {
        self.pling = self.pling.approval(mode);
        self
    }

    /// The application's own policy around executions.
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.pling = self.pling.hooks(hooks);
        self
    }

    /// Anything else about Pling.
    pub fn pling(mut self, set: impl FnOnce(Builder) -> Builder) -> Self {
        self.pling = set(self.pling);
        self
    }

    /// The screen, in points.
    pub fn size(mut self, size: impl Into<Vec2>) -> Self {
        self.size = size.into();
        self
    }

    /// Light or dark.
    pub fn theme(mut self, theme: egui::Theme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// Whether an input without an accessible name fails the test, as in `egui_kittest` by itself. Off by default.
    pub fn accessibility_check(mut self, check: bool) -> Self {
        self.accessibility_check = check;
        self
    }

    /// An app that is one function.
    ///
    /// # Panics
    /// When the configuration cannot be used.
    #[must_use]
    pub fn build_ui<'a>(self, ui: impl FnMut(&mut Ui) + 'a) -> AgentHarness<'a> {
        self.build(|builder| builder.build_ui(ui), |_, _| {})
    }

    /// An app that is a function of a state.
    ///
    /// # Panics
    /// When the configuration cannot be used.
    #[must_use]
    pub fn build_ui_state<'a, State>(
        self,
        ui: impl FnMut(&mut Ui, &mut State) + 'a,
        state: State,
    ) -> AgentHarness<'a, State> {
        self.build(|builder| builder.build_ui_state(ui, state), |_, _| {})
    }

    /// An eframe app. `attach` hands it the Pling that was set up, for its panel.
    ///
    /// # Panics
    /// When the configuration cannot be used.
    #[must_use]
    pub fn build_eframe<'a, State: eframe::App + 'static>(
        self,
        app: impl FnOnce(&mut eframe::CreationContext<'a>) -> State,
        attach: impl FnOnce(&mut State, &Pling),
    ) -> AgentHarness<'a, State> {
        self.build(|builder| builder.build_eframe(app), attach)
    }

    fn build<'a, State>(
        self,
        harness: impl FnOnce(HarnessBuilder<State>) -> Harness<'a, State>,
        attach: impl FnOnce(&mut State, &Pling),
    ) -> AgentHarness<'a, State> {
        // What an agent types may be in any script; egui's own fonts do not have them all.
        let mut builder = Harness::builder()
            .with_size(self.size)
            .with_accessibility_check(self.accessibility_check)
            .allow_missing_glyphs();
        if let Some(theme) = self.theme {
            builder = builder.with_theme(theme);
        }
        let mut harness = harness(builder);
        let pling = if self.has_model {
            self.pling
        } else {
            self.pling.offline()
        };
        let (pling, driver) = installed(pling.try_install_driven(&harness.ctx));
        let wake = Arc::new(Notify::new());
        let waker = Arc::clone(&wake);
        harness.ctx.set_request_repaint_callback(move |info| {
            if info.delay.is_zero() {
                waker.notify_one();
            }
        });
        attach(harness.state_mut(), &pling);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        AgentHarness {
            harness,
            pling,
            driver,
            runtime: match runtime {
                Ok(runtime) => runtime,
                Err(error) => panic!("no runtime: {error}"),
            },
            wake,
            calls: 0,
        }
    }
}

fn installed(result: Result<(Pling, Driver), ConfigError>) -> (Pling, Driver) {
    match result {
        Ok(parts) => parts,
        Err(error) => panic!("the configuration cannot be used: {error}"),
    }
}
