//! Driving an app's `ui` function with no window and no GPU.
//!
//! The app, the passes and the session share one thread, so that a run with a scripted model is the same each
//! time. A pass is drawn when egui, the app or Pling asks for one, and only then.

use std::{pin::pin, sync::Arc};

use egui::{Context, Event, RawInput, Rect, Ui, Vec2, ViewportId};
use pling_core::platform::{Duration, Instant, now, sleep};
use tokio::sync::Notify;

use crate::Pling;

/// The longest time between two looks at a page that asks for nothing.
const IDLE: Duration = Duration::from_secs(60);
/// The shortest time between two passes that only the app asks for: nobody looks at its animations.
const FRAME: Duration = Duration::from_millis(16);

/// A context with a screen that nobody sees.
///
/// ```
/// use pling_egui::{Pling, headless::Headless};
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// let mut headless = Headless::new([800.0, 600.0]);
/// let (pling, driver) = Pling::builder().offline().try_install_driven(headless.ctx())?;
/// let ui = |ui: &mut egui::Ui| drop(ui.button("Save"));
/// let outcome = runtime.block_on(headless.run(&pling, driver, ui, pling.session().send("Hello")));
/// assert!(outcome.is_answered());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Headless {
    ctx: Context,
    size: Vec2,
    started: Instant,
    events: Vec<Event>,
    wake: Arc<Notify>,
}

impl Headless {
    /// A screen of this many points.
    #[must_use]
    pub fn new(size: impl Into<Vec2>) -> Self {
        let ctx = Context::default();
        let wake = Arc::new(Notify::new());
        let waker = Arc::clone(&wake);
        ctx.set_request_repaint_callback(move |info| {
            if info.delay.is_zero() {
                waker.notify_one();
            }
        });
        // Nobody watches: what moves only takes time.
        ctx.all_styles_mut(|style| {
            style.animation_time = 0.0;
            style.scroll_animation = egui::style::ScrollAnimation::none();
        });
        Self {
            ctx,
            size: size.into(),
            started: now(),
            events: Vec::new(),
            wake,
        }
    }

    /// The context, to install Pling in.
    #[must_use]
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }

    /// What the user does in the next pass.
    pub fn push_event(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Draws one pass now. Returns in how long the next one is wanted.
    pub fn pass(&mut self, ui: impl FnMut(&mut Ui)) -> Duration {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, self.size)),
            time: Some(self.started.elapsed().as_secs_f64()),
            events: std::mem::take(&mut self.events),
            ..RawInput::default()
        };
        let mut output = self.ctx.run_ui(input, ui);
        // There is nothing to upload them to.
        output.textures_delta.clear();
        let root = output.viewport_output.get(&ViewportId::ROOT);
        root.map_or(IDLE, |viewport| viewport.repaint_delay)
    }

    /// Polls the session's work and draws passes until a future is ready.
    pub async fn run<T>(
        &mut self,
        pling: &Pling,
        driver: impl Future<Output = ()>,
        mut ui: impl FnMut(&mut Ui),
        until: impl Future<Output = T>,
    ) -> T {
        let wake = Arc::clone(&self.wake);
        let pass = || self.pass(&mut ui);
        drive(pass, &wake, pling, driver, until).await
    }
}

/// Draws passes as they are asked for, until a future is ready; `driver` is polled all the while.
pub(crate) async fn drive<T>(
    mut pass: impl FnMut() -> Duration,
    wake: &Notify,
    pling: &Pling,
    driver: impl Future<Output = ()>,
    until: impl Future<Output = T>,
) -> T {
    let mut driver = pin!(driver);
    let mut until = pin!(until);
    let mut driver_over = false;
    let mut delay = Duration::ZERO;
    loop {
        tokio::select! {
            biased;
            value = &mut until => return value,
            () = &mut driver, if !driver_over => driver_over = true,
            () = wake.notified() => {}
            () = sleep(delay.min(IDLE)) => {}
        }
        delay = pass();
        if !pling.needs_passes() {
            delay = delay.max(FRAME);
            tokio::select! {
                biased;
                value = &mut until => return value,
                () = &mut driver, if !driver_over => driver_over = true,
                // egui says nothing where it wants another pass anyway.
                () = pling.until_needs_passes() => delay = Duration::ZERO,
                () = sleep(FRAME) => {}
            }
        }
        // Let whatever else this thread runs (a server, a client) have its turn.
        tokio::task::yield_now().await;
    }
}
