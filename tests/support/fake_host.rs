//! [`Host`] over the [`App`] without a GUI. A pass takes 16 ms of tokio's clock, which tests pause.

use std::sync::Arc;

use parking_lot::Mutex;
use pling_core::{
    act::{CancellationToken, Code, Host, Operation, Performed, Refusal, SettleLimits, Settled, Target},
    model::RegionPath,
    platform::{BoxFuture, Duration, now, sleep},
    snapshot::Snapshot,
};
use serde_json::{Value, json};

use super::App;

const PASS: Duration = Duration::from_millis(16);
/// How long the host waits for a pass of a hidden window.
const HIDDEN: Duration = Duration::from_secs(2);

/// A running [`App`]; a cheap handle.
#[derive(Clone)]
pub(crate) struct FakeHost {
    shared: Arc<Mutex<(App, u64)>>,
}

impl FakeHost {
    /// The app of [`App::new`], running.
    pub(crate) fn new() -> Self {
        Self {
            shared: Arc::new(Mutex::new((App::new(), 0))),
        }
    }

    /// Looks at or edits the app, between two passes.
    pub(crate) fn with<T>(&self, edit: impl FnOnce(&mut App) -> T) -> T {
        edit(&mut self.shared.lock().0)
    }

    /// Every handler that ran, such as `toggle t1`.
    pub(crate) fn handled(&self) -> Vec<String> {
        self.with(|app| app.handled.clone())
    }

    /// The page as it is now, without a pass going by.
    pub(crate) fn page(&self) -> Arc<Snapshot> {
        let (app, revision) = &mut *self.shared.lock();
        *revision += 1;
        Arc::new(app.draw(*revision))
    }

    async fn pass(&self) -> Result<Arc<Snapshot>, Refusal> {
        sleep(PASS).await;
        while self.with(|app| app.paused) {
            sleep(PASS).await;
        }
        if self.with(|app| app.hidden) {
            sleep(HIDDEN).await;
            return Err(Refusal::new(Code::WindowHidden, "the window is hidden"));
        }
        self.with(App::tick);
        Ok(self.page())
    }

    async fn quiet(self, limits: SettleLimits) -> Result<Settled, Refusal> {
        let start = now();
        let mut last = self.pass().await?;
        let mut quiet = 0;
        loop {
            let page = self.pass().await?;
            let is_same = page.same_content(&last) && page.busy.is_empty();
            quiet = if is_same { quiet + 1 } else { 0 };
            let limit = if page.busy.is_empty() { limits.idle } else { limits.busy };
            if quiet == 2 || now() - start >= limit {
                return Ok(Settled::new(page, quiet == 2));
            }
            last = page;
        }
    }
}

impl Host for FakeHost {
    fn snapshot(&self) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        let host = self.clone();
        Box::pin(async move { host.pass().await })
    }

    fn settle(&self, limits: SettleLimits) -> BoxFuture<Result<Settled, Refusal>> {
        Box::pin(self.clone().quiet(limits))
    }

    fn reveal(&self, target: Target) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        let host = self.clone();
        Box::pin(async move {
            host.with(|app| app.reveal(&target))?;
            host.pass().await
        })
    }

    fn perform(
        &self,
        target: Target,
        operation: Operation,
        limits: SettleLimits,
        _cancel: &CancellationToken,
    ) -> BoxFuture<Result<Performed, Refusal>> {
        let host = self.clone();
        Box::pin(async move {
            // Dropped while it waits for this pass, the operation is withdrawn.
            host.pass().await?;
            let (value, warning) = host.with(|app| app.deliver(&target, &operation))?;
            let page = host.quiet(limits).await?;
            let mut performed = Performed::new(page.snapshot);
            performed.settled = page.settled;
            performed.value = value;
            performed.warning = warning;
            Ok(performed)
        })
    }

    fn find_records(&self, query: String, limit: usize) -> BoxFuture<Result<(Vec<Value>, bool), Refusal>> {
        let host = self.clone();
        Box::pin(async move {
            let words: Vec<_> = query.split_whitespace().map(str::to_lowercase).collect();
            let labels = (0..host.with(|app| app.archived)).map(|index| (index, format!("Archived {index}")));
            let found = labels.filter(|(_, label)| words.iter().all(|word| label.to_lowercase().contains(word)));
            let found = found.map(|(index, label)| json!({ "id": format!("a{index}"), "label": label, "fields": {} }));
            Ok((found.take(limit).collect(), true))
        })
    }

    fn scroll(&self, region: RegionPath, direction: String) -> BoxFuture<Result<Arc<Snapshot>, Refusal>> {
        let host = self.clone();
        Box::pin(async move {
            host.with(|app| {
                if region.to_string() == "archive" && direction == "down" {
                    app.archive_top += 3;
                }
            });
            host.pass().await
        })
    }

    fn standstill(&self) -> BoxFuture<&'static str> {
        let host = self.clone();
        Box::pin(async move {
            while !host.with(|app| app.paused) {
                sleep(PASS).await;
            }
            "Paused"
        })
    }

    fn observe(&self, _on: bool) {}
}
