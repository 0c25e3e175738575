//! Setting Pling up for a context, and the handle of what was set up.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{self, Poll},
};

use egui::Context;
use parking_lot::Mutex;
use pling_core::{
    act::{ApprovalMode, Approvals, AuditSink, DefaultApproval, Executor, Hooks},
    agent::{Checkpoint, CheckpointError, Config, ConfigError, ConfigPatch, Event, OnEvent, Session, SessionParts},
    llm::{ErrorKind, Llm, LlmError, Offline, OnDelta, Reply, Request},
    platform::{BoxFuture, MaybeSend, MaybeSync},
    surface::Surface,
};
use tokio::sync::{broadcast::error::RecvError, mpsc};

use crate::{host::EguiHost, plugin::PlingPlugin};

/// Pling in one context; a cheap handle.
///
/// ```
/// use pling_egui::Pling;
/// # let ctx = egui::Context::default();
/// let pling = Pling::builder().role("You help the user manage a personal task list.").install(&ctx);
/// let session = pling.session();
/// # let _ = session;
/// ```
#[derive(Clone)]
pub struct Pling {
    inner: Arc<Inner>,
}

struct Inner {
    session: Session,
    executor: Executor,
    surface: Surface,
    #[cfg(any(feature = "panel", not(target_arch = "wasm32")))] // only the panel and a driver of passes ask
    shared: Arc<crate::plugin::Shared>,
    /// The configuration in force; only the panel takes another one.
    config: Mutex<Arc<Config>>,
    /// The configuration that it was set up with.
    #[cfg(feature = "panel")]
    own_config: Arc<Config>,
    /// The model that was set up with it.
    #[cfg(feature = "panel")]
    own_model: Option<Arc<dyn Llm>>,
    /// Whether a panel was drawn.
    #[cfg(feature = "panel")]
    has_panel: AtomicBool,
    offline: AtomicBool,
    #[cfg(feature = "panel")]
    tasks: mpsc::UnboundedSender<BoxFuture<()>>,
    #[cfg(feature = "panel")]
    transcript: Arc<crate::panel::Transcript>,
    #[cfg(feature = "panel")]
    say: crate::panel::Strings,
}

impl Pling {
    /// Begins the set-up.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The dialogue with the assistant.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.inner.session
    }

    /// The executor that every call goes through.
    #[must_use]
    pub fn executor(&self) -> &Executor {
        &self.inner.executor
    }

    /// What outside agents may do here. Nobody is let in by that: see `pling_core::surface`.
    #[must_use]
    pub fn surface(&self) -> &Surface {
        &self.inner.surface
    }

    /// The configuration that is in force.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.inner.config.lock())
    }

    /// The conversation as a text that [`Self::restore`] takes up again, for eframe's storage or a file. It holds what
    /// was said and done; never a key, the page, an open question, nor what goes into a sensitive input.
    #[must_use]
    pub fn save(&self) -> String {
        self.inner.session.checkpoint().to_json()
    }

    /// Takes up a saved conversation in the place of this one, and shows it.
    ///
    /// # Errors
    /// A text that is damaged, or was saved by another version: the conversation stays as it is.
    pub fn restore(&self, saved: &str) -> Result<(), CheckpointError> {
        self.inner.session.restore(Checkpoint::from_json(saved)?);
        Ok(())
    }

    /// Whether the offline planner answers, because no model is configured.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.inner.offline.load(Ordering::Relaxed)
    }

    /// Whether something is waited for that needs passes.
    #[cfg(not(target_arch = "wasm32"))] // only a driver of passes asks
    pub(crate) fn needs_passes(&self) -> bool {
        self.inner.shared.needs_passes()
    }

    /// Waits until something is waited for that needs passes.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) async fn until_needs_passes(&self) {
        self.inner.shared.until_needs_passes().await;
    }

    /// Has something done beside the session, where that runs.
    #[cfg(feature = "panel")]
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + MaybeSend + 'static) {
        // Fails when the driver is gone, and the application with it.
        let _ = self.inner.tasks.send(Box::pin(task));
    }

    /// Takes another configuration and model from the next run on.
    #[cfg(feature = "panel")]
    pub(crate) fn configure(&self, config: Config, llm: Option<Arc<dyn Llm>>) {
        let offline = llm.as_ref().is_some_and(|llm| llm.is_offline());
        self.inner.offline.store(offline, Ordering::Relaxed);
        *self.inner.config.lock() = Arc::new(config.clone());
        self.inner.session.configure(config, llm);
    }

    /// The configuration that it was set up with.
    #[cfg(feature = "panel")]
    pub(crate) fn own_config(&self) -> &Config {
        &self.inner.own_config
    }

    /// Whether no panel has asked this before.
    #[cfg(feature = "panel")]
    pub(crate) fn is_first_panel(&self) -> bool {
        !self.inner.has_panel.swap(true, Ordering::Relaxed)
    }

    /// The model that was set up at first.
    #[cfg(feature = "panel")]
    pub(crate) fn own_model(&self) -> Option<Arc<dyn Llm>> {
        self.inner.own_model.clone()
    }

    #[cfg(feature = "panel")]
    pub(crate) fn shared(&self) -> &crate::plugin::Shared {
        &self.inner.shared
    }

    #[cfg(feature = "panel")]
    pub(crate) fn transcript(&self) -> &Arc<crate::panel::Transcript> {
        &self.inner.transcript
    }

    /// The panel's texts.
    #[cfg(feature = "panel")]
    pub(crate) fn say(&self) -> &crate::panel::Strings {
        &self.inner.say
    }
}

impl fmt::Debug for Pling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pling")
            .field("session", &self.inner.session)
            .finish_non_exhaustive()
    }
}

/// The set-up of Pling for one context.
#[derive(Default)]
#[must_use = "nothing is set up until `install(&ctx)`"]
pub struct Builder {
    role: Option<String>,
    explicit: ConfigPatch,
    environment: Option<Environment>,
    llm: Option<Arc<dyn Llm>>,
    offline: Fallback,
    hooks: Hooks,
    approval: ApprovalMode,
    audit: Option<Arc<dyn AuditSink>>,
    on_event: Vec<OnEvent>,
    #[cfg(feature = "panel")]
    say: crate::panel::Strings,
    #[cfg(not(target_arch = "wasm32"))]
    runtime: Option<tokio::runtime::Handle>,
}

/// Reads an environment variable.
type Environment = Box<dyn Fn(&str) -> Option<String>>;

/// When the offline planner answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fallback {
    /// Never: without a model every `send` ends `NOT_CONFIGURED`.
    #[default]
    Never,
    /// When no model is configured.
    Unconfigured,
    /// Whatever is configured.
    Always,
}

impl Builder {
    /// What the assistant is for, in a sentence or two, after Pling's own rules.
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// Explicit values: they win over the environment, field by field.
    pub fn config(mut self, config: ConfigPatch) -> Self {
        self.explicit = config;
        self
    }

    /// Where environment variables are read from; the process's own by default.
    pub fn environment(mut self, read: impl Fn(&str) -> Option<String> + 'static) -> Self {
        self.environment = Some(Box::new(read));
        self
    }

    /// A model of your own; no endpoint needs to be configured.
    pub fn llm(mut self, llm: impl Llm) -> Self {
        self.llm = Some(Arc::new(llm));
        self
    }

    /// Lets the offline planner answer when no model is configured. It says what it is.
    pub fn offline_if_unconfigured(mut self) -> Self {
        self.offline = Fallback::Unconfigured;
        self
    }

    /// Lets the offline planner answer, whatever is configured.
    pub fn offline(mut self) -> Self {
        self.offline = Fallback::Always;
        self
    }

    /// The application's own policy around executions.
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = hooks;
        self
    }

    /// Who answers approvals; the user by default.
    pub fn approval(mut self, mode: ApprovalMode) -> Self {
        self.approval = mode;
        self
    }

    /// Told of every call of every caller once it is settled: who, what, on whose word, and the receipt.
    /// `pling_core::act::JsonLines` writes them to a file.
    pub fn audit(mut self, sink: impl AuditSink) -> Self {
        self.audit = Some(Arc::new(sink));
        self
    }

    /// Called for everything that happens in the session, from the session's own task.
    pub fn on_event(mut self, callback: impl Fn(&Event) + MaybeSend + MaybeSync + 'static) -> Self {
        self.on_event.push(Arc::new(callback));
        self
    }

    /// The panel's texts in another language: `None` for a text says it in English. It is asked whenever a text is
    /// made, so what it answers may depend on the language that the user chose just now; what was said before stays as it was.
    #[cfg(feature = "panel")]
    pub fn strings(
        mut self,
        translate: impl Fn(&crate::PanelText<'_>) -> Option<String> + MaybeSend + MaybeSync + 'static,
    ) -> Self {
        self.say = crate::panel::Strings::new(translate);
        self
    }

    /// The tokio runtime that the session runs on. Without one it gets a thread of its own, named `pling`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn runtime(mut self, runtime: tokio::runtime::Handle) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Sets Pling up.
    ///
    /// # Errors
    /// A configuration that cannot be used; the error names the field.
    pub fn try_install(self, ctx: &Context) -> Result<Pling, ConfigError> {
        let llm = self.model()?;
        Ok(self.spawned(ctx, llm))
    }

    /// Sets Pling up, whatever the configuration: with a bad one every `send` ends `NOT_CONFIGURED` and says why, and
    /// everybody else's calls are asked about, whatever they do.
    #[must_use = "keep it: the session ends with its last handle"]
    pub fn install(self, ctx: &Context) -> Pling {
        let model = self.model().unwrap_or_else(|error| {
            tracing::warn!(%error, "Pling is not configured");
            // What should have been asked about is not known, and outside agents and the palette go on.
            let mut config = Config::default();
            config.default_approval = DefaultApproval::Always;
            (config, Some(Arc::new(NotConfigured(error.to_string())) as Arc<dyn Llm>))
        });
        self.spawned(ctx, model)
    }

    /// Sets Pling up and hands over the work of the session, to be polled by the caller: on one thread with the
    /// passes, for tests and for apps without a window.
    ///
    /// # Errors
    /// A configuration that cannot be used; the error names the field.
    pub fn try_install_driven(self, ctx: &Context) -> Result<(Pling, Driver), ConfigError> {
        let model = self.model()?;
        Ok(self.build(ctx, model))
    }

    /// The checked configuration, and the model it leads to. `None`: none is configured.
    fn model(&self) -> Result<(Config, Option<Arc<dyn Llm>>), ConfigError> {
        let environment = |name: &str| match &self.environment {
            Some(read) => read(name),
            None => std::env::var(name).ok(),
        };
        let mut explicit = self.explicit.clone();
        explicit.system_prompt = explicit.system_prompt.or_else(|| self.role.clone());
        if self.llm.is_some() || self.offline == Fallback::Always {
            let config = Config::resolve_injected(environment, explicit)?;
            let llm = self.llm.clone().unwrap_or_else(|| Arc::new(Offline::new()));
            return Ok((config, Some(llm)));
        }
        let config = Config::resolve(environment, explicit)?;
        let llm = match client(&config)? {
            Some(client) => Some(client),
            None if self.offline == Fallback::Unconfigured => Some(Arc::new(Offline::new()) as Arc<dyn Llm>),
            None => None,
        };
        Ok((config, llm))
    }

    fn build(self, ctx: &Context, (config, llm): (Config, Option<Arc<dyn Llm>>)) -> (Pling, Driver) {
        ctx.add_plugin(PlingPlugin::new());
        let shared = ctx
            .with_plugin(|plugin: &mut PlingPlugin| Arc::clone(plugin.shared()))
            .unwrap_or_default();
        let host = Arc::new(EguiHost::new(ctx.clone(), Arc::clone(&shared)));
        let executor = Executor::new(host, config.policy(), self.hooks, Approvals::new(self.approval));
        executor.set_audit(self.audit);
        let shown = show_cards(executor.approvals(), ctx.clone());
        let mut parts = SessionParts::new(executor.clone(), config.clone());
        let offline = llm.as_ref().is_some_and(|llm| llm.is_offline());
        #[cfg(feature = "panel")]
        let own_model = llm.clone();
        parts.llm = llm;
        let (session, work) = Session::new(parts);
        let config = Arc::new(config);
        let (tasks, inbox) = mpsc::unbounded_channel();
        #[cfg(not(feature = "panel"))]
        drop(tasks);
        for callback in self.on_event {
            session.on_event(callback);
        }
        #[cfg(feature = "panel")]
        let transcript = crate::panel::Transcript::of(&session, ctx, &shared, &self.say);
        let inner = Inner {
            session,
            surface: Surface::new(executor.clone()),
            executor,
            #[cfg(any(feature = "panel", not(target_arch = "wasm32")))]
            shared,
            config: Mutex::new(Arc::clone(&config)),
            #[cfg(feature = "panel")]
            own_config: config,
            #[cfg(feature = "panel")]
            has_panel: AtomicBool::new(false),
            #[cfg(feature = "panel")]
            own_model,
            offline: AtomicBool::new(offline),
            #[cfg(feature = "panel")]
            tasks,
            #[cfg(feature = "panel")]
            transcript,
            #[cfg(feature = "panel")]
            say: self.say,
        };
        let pling = Pling { inner: Arc::new(inner) };
        let work = async move {
            tokio::select! {
                () = work => {}
                () = shown => {}
            }
        };
        let driver = Driver {
            session: Box::pin(work),
            inbox,
            tasks: Vec::new(),
        };
        (pling, driver)
    }

    fn spawned(self, ctx: &Context, model: (Config, Option<Arc<dyn Llm>>)) -> Pling {
        #[cfg(not(target_arch = "wasm32"))]
        let runtime = self.runtime.clone();
        let (pling, driver) = self.build(ctx, model);
        #[cfg(target_arch = "wasm32")]
        pling_core::platform::spawn(driver);
        #[cfg(not(target_arch = "wasm32"))]
        match runtime {
            Some(runtime) => drop(runtime.spawn(driver)),
            None => own_thread(driver),
        }
        pling
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("explicit", &self.explicit)
            .field("approval", &self.approval)
            .finish_non_exhaustive()
    }
}

/// The work of a session, to be polled by whoever asked for it.
#[must_use = "nothing happens in the session unless this is polled"]
pub struct Driver {
    session: BoxFuture<()>,
    /// What is to be done beside it: the palette's calls, the test of an endpoint.
    inbox: mpsc::UnboundedReceiver<BoxFuture<()>>,
    tasks: Vec<BoxFuture<()>>,
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<()> {
        let Self { session, inbox, tasks } = &mut *self;
        while let Poll::Ready(Some(task)) = inbox.poll_recv(context) {
            tasks.push(task);
        }
        tasks.retain_mut(|task| task.as_mut().poll(context).is_pending());
        session.as_mut().poll(context)
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Driver")
    }
}

/// Draws a pass when a question is put or closed: a client of the Surface asks while the app is idle.
fn show_cards(approvals: &Approvals, ctx: Context) -> impl Future<Output = ()> + MaybeSend + use<> {
    let mut events = approvals.subscribe();
    async move {
        while !matches!(events.recv().await, Err(RecvError::Closed)) {
            ctx.request_repaint();
        }
        // The work of the session says when it is over.
        std::future::pending().await
    }
}

/// Runs the session on a thread of its own; it ends with the last handle.
#[cfg(not(target_arch = "wasm32"))]
fn own_thread(driver: Driver) {
    let run = || match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(driver),
        Err(error) => tracing::error!(%error, "Pling has no runtime: every message ends cancelled"),
    };
    if let Err(error) = std::thread::Builder::new().name("pling".to_owned()).spawn(run) {
        tracing::error!(%error, "Pling has no thread: every message ends cancelled");
    }
}

/// The client of the configured endpoint. `None`: none is configured.
pub(crate) fn client(config: &Config) -> Result<Option<Arc<dyn Llm>>, ConfigError> {
    #[cfg(feature = "openai")]
    {
        Ok(config.client()?.map(|client| Arc::new(client) as _))
    }
    #[cfg(not(feature = "openai"))]
    match config.endpoint() {
        None => Ok(None),
        Some(_) => Err(ConfigError::new(
            "baseUrl",
            "this build has no client for endpoints: turn the feature `openai` on, or pass a model with `llm(..)`",
        )),
    }
}

/// Stands in for a model that cannot be reached because the configuration is wrong.
#[derive(Debug)]
struct NotConfigured(String);

impl Llm for NotConfigured {
    fn name(&self) -> String {
        "not configured".to_owned()
    }

    fn complete(&self, _request: Arc<Request>, _on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let error = LlmError::new(ErrorKind::NotConfigured, &self.0);
        Box::pin(async { Err(error) })
    }
}
