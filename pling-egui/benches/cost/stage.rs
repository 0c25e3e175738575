//! Contexts to draw in, and a way to ask for facts.

use std::{hint::black_box, pin::pin};

use egui::{Context, RawInput, Rect, Ui, Vec2, ViewportId};
use pling_core::{
    act::ApprovalMode,
    platform::{Duration, now},
};
use pling_egui::{Builder, Driver, Pling};
use tokio::runtime::{self, Runtime};

/// Points of the screen: all of a page's 1,000 widgets are in view.
const SIZE: Vec2 = Vec2::new(1000.0, 6000.0);

/// An app's screen that nobody sees.
pub(crate) struct Stage {
    pub(crate) ctx: Context,
    pub(crate) size: Vec2,
    time: f64,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self {
            ctx: Context::default(),
            size: SIZE,
            time: 0.0,
        }
    }

    /// Draws one pass, up to what the graphics card would get. Says how long it took and when the next is wanted.
    pub(crate) fn pass(&mut self, ui: impl FnMut(&mut Ui)) -> (Duration, Duration) {
        self.time += 1.0 / 60.0;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, self.size)),
            time: Some(self.time),
            ..RawInput::default()
        };
        let start = now();
        let mut output = self.ctx.run_ui(input, ui);
        output.textures_delta.clear();
        black_box(self.ctx.tessellate(output.shapes, output.pixels_per_point));
        let took = start.elapsed();
        let root = output.viewport_output.get(&ViewportId::ROOT);
        (took, root.map_or(Duration::MAX, |viewport| viewport.repaint_delay))
    }
}

/// A screen with Pling, on one thread.
pub(crate) struct WithPling {
    pub(crate) stage: Stage,
    pub(crate) pling: Pling,
    driver: Driver,
    runtime: Runtime,
}

impl WithPling {
    /// With the offline planner as its model.
    pub(crate) fn new() -> Self {
        Self::with(Builder::offline)
    }

    pub(crate) fn with(set: impl FnOnce(Builder) -> Builder) -> Self {
        let stage = Stage::new();
        let builder = Pling::builder().environment(|_| None).approval(ApprovalMode::AllowAll);
        let built = set(builder).try_install_driven(&stage.ctx);
        let (pling, driver) = built.expect("the defaults are valid");
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        Self {
            stage,
            pling,
            driver,
            runtime: runtime.expect("a runtime of this thread"),
        }
    }

    /// Runs everything that can run, and a future with it that waits for a pass.
    pub(crate) fn begin<T>(&mut self, until: impl Future<Output = T>) {
        let Self { driver, runtime, .. } = self;
        runtime.block_on(async {
            tokio::select! {
                biased;
                _ = until => {}
                () = driver => {}
                () = settled() => {}
            }
        });
    }

    /// Draws passes until a future is ready, one for each time that everything else waits. Returns what it
    /// gave and how many passes it took.
    pub(crate) fn passes_until<T>(
        &mut self,
        mut ui: impl FnMut(&mut Ui),
        until: impl Future<Output = T>,
    ) -> (T, usize) {
        let mut until = pin!(until);
        let mut passes = 0;
        let Self {
            stage, driver, runtime, ..
        } = self;
        loop {
            let ready = runtime.block_on(async {
                tokio::select! {
                    biased;
                    value = &mut until => Some(value),
                    () = &mut *driver => None,
                    () = settled() => None,
                }
            });
            match ready {
                Some(value) => return (value, passes),
                None => {
                    stage.pass(&mut ui);
                    passes += 1;
                }
            }
        }
    }
}

/// Ready once everything that can run now has run.
async fn settled() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}
