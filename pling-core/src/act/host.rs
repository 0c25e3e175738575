//! The running application as the executor sees it.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::Code;
use crate::{
    model::{ActionId, RecordId, RegionPath},
    observe::Budget,
    platform::{BoxFuture, Duration, MaybeSend, MaybeSync},
    snapshot::Snapshot,
};

/// The running application as the executor sees it. Every wait is bounded by the host; dropping a future
/// withdraws what it asked for, as long as that has not been delivered.
pub trait Host: MaybeSend + MaybeSync + 'static {
    /// Draws a pass and returns its facts. [`Code::WindowHidden`] when no pass comes.
    fn snapshot(&self) -> BoxFuture<Result<Arc<Snapshot>, Refusal>>;

    /// Waits until the page is quiet, then returns its facts.
    fn settle(&self, limits: SettleLimits) -> BoxFuture<Result<Settled, Refusal>>;

    /// Brings the target into view (drawn and scrolled to) and returns the facts of the page that shows it.
    /// A record of a source is looked up first: [`Code::RecordGone`] or [`Code::UnknownRecord`] when it has none.
    /// [`Code::Unavailable`] when it could not be brought into view.
    fn reveal(&self, target: Target) -> BoxFuture<Result<Arc<Snapshot>, Refusal>>;

    /// Delivers one operation to the target's widget, after the host's own admission in that very pass,
    /// and waits until the page is quiet again. Cancelled while it waits for its turn, it never has it and answers
    /// [`Code::Cancelled`]; once it has begun, a cancel changes nothing.
    fn perform(
        &self,
        target: Target,
        operation: Operation,
        limits: SettleLimits,
        cancel: &CancellationToken,
    ) -> BoxFuture<Result<Performed, Refusal>>;

    /// Looks through the declared sources: records whose label or shown fields contain every word of the query,
    /// at most `limit`, as `{"id","label","fields"}` objects, and whether the search saw everything.
    fn find_records(&self, query: String, limit: usize) -> BoxFuture<Result<(Vec<Value>, bool), Refusal>>;

    /// Scrolls a region by about a page, or to its start or end; `direction` is `up`, `down`, `left`, `right`.
    fn scroll(&self, region: RegionPath, direction: String) -> BoxFuture<Result<Arc<Snapshot>, Refusal>>;

    /// Waits while the user is at work in the application: their input comes first. Whether that took any time.
    fn until_free(&self) -> BoxFuture<bool> {
        Box::pin(async { false })
    }

    /// Waits until the host stands still for a reason that is not the application's and passes by itself, such as a
    /// browser tab in the background; it goes on waiting then, and the user is told in these words.
    fn standstill(&self) -> BoxFuture<&'static str> {
        Box::pin(std::future::pending())
    }

    /// Tells the host that somebody observes (or no longer does). While nobody does, it collects nothing.
    fn observe(&self, on: bool);

    /// Asks the host to prepare snapshots for this budget (such as how many ids of a source to list).
    fn set_budget(&self, _budget: &Budget) {}
}

/// What a call is aimed at, by meaning. Never by position or widget id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Target {
    /// The action; `None` to aim at a region or record as such.
    pub action: Option<ActionId>,
    /// Where it is declared.
    pub region: RegionPath,
    /// The record it belongs to.
    pub record: Option<RecordId>,
}

impl Target {
    /// An action, perhaps of a record.
    #[must_use]
    pub fn action(action: ActionId, region: RegionPath, record: Option<RecordId>) -> Self {
        Self {
            action: Some(action),
            region,
            record,
        }
    }

    /// A region as such.
    #[must_use]
    pub fn region(region: RegionPath) -> Self {
        Self {
            action: None,
            region,
            record: None,
        }
    }
}

/// What is done to a widget.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Triggers it once.
    Click,
    /// Toggles it, or sees that it is checked (or not).
    Toggle(Option<bool>),
    /// Replaces its text; a password host never echoes it.
    Type {
        /// The whole new text.
        text: String,
        /// Whether Enter follows.
        submit: bool,
    },
    /// Sets its number; the widget clamps and rounds.
    SetNumber(f64),
    /// Opens it, picks this choice and closes it.
    Choose(String),
    /// Opens or closes a section.
    Expand(Option<bool>),
    /// Hands arguments to a function tool.
    Function(Map<String, Value>),
}

/// An operation that reached its widget.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Performed {
    /// The facts after the page was quiet again.
    pub after: Arc<Snapshot>,
    /// Whether the page became quiet within the limits.
    pub settled: bool,
    /// A function tool's result, or the value a widget took when that is not what was asked (clamped, cut).
    pub value: Option<Value>,
    /// What the caller should know, such as `clamped to 30`.
    pub warning: Option<String>,
}

impl Performed {
    /// An operation that reached its widget and left a quiet page.
    #[must_use]
    pub fn new(after: Arc<Snapshot>) -> Self {
        Self {
            after,
            settled: true,
            value: None,
            warning: None,
        }
    }
}

/// A page after a wait.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settled {
    /// The facts of the last pass.
    pub snapshot: Arc<Snapshot>,
    /// Whether it became quiet within the limits.
    pub settled: bool,
}

impl Settled {
    /// A page after a wait.
    #[must_use]
    pub fn new(snapshot: Arc<Snapshot>, settled: bool) -> Self {
        Self { snapshot, settled }
    }
}

/// How long a page may take to become quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SettleLimits {
    /// While nothing is busy.
    pub idle: Duration,
    /// While the app says it is busy, or an expectation is open.
    pub busy: Duration,
}

impl Default for SettleLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(2),
            busy: Duration::from_secs(30),
        }
    }
}

/// A step that did not happen, and why.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refusal {
    /// The stable code.
    pub code: Code,
    /// One sentence for a model.
    pub message: String,
    /// The machine-readable reason, such as `covered_by`.
    pub reason: Option<String>,
    /// What changed all the same, when the operation may have had an effect.
    pub changed: Option<Box<crate::snapshot::Changes>>,
}

impl Refusal {
    /// A refusal with a code and words.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            reason: None,
            changed: None,
        }
    }

    /// Adds the machine-readable reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}
