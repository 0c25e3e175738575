//! Who called what, on whose word, and what came of it: one entry for each call that reached the executor.
//!
//! Events and traces are for people who look on and for debugging; this is for those who ask later. What goes into a
//! sensitive input is masked, and arguments of what is no declared action are not repeated: nobody knows what they are.

use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{ActionRef, ApprovalOutcome, Call, Origin, Receipt};
use crate::platform::{self, MaybeSend, MaybeSync};

/// Takes the entries. Called from the task that makes the call, after it ended; it should not block for long.
pub trait AuditSink: MaybeSend + MaybeSync + 'static {
    /// One call ended.
    fn record(&self, entry: &AuditEntry);
}

/// One call from its arrival to its end. The JSON form is camelCase.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditEntry {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: u64,
    /// Who asked: `assistant`, `user`, `code`, or `client:` and the name of a client of the Surface.
    pub who: String,
    /// The call's id.
    pub call_id: String,
    /// The tool's name as it was called.
    pub tool: String,
    /// The declared action; absent where the call means none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
    /// The exact arguments; sensitive ones are masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Map<String, Value>>,
    /// On whose word it ran, or did not.
    pub consent: Consent,
    /// Whether it was handed to the application. `true` without a receipt: what came of it is not known.
    pub delivered: bool,
    /// The receipt as it was written, whatever a hook shows the model instead. `null`: the caller went away first.
    pub receipt: Option<Value>,
}

/// On whose word a call ran, or did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Consent {
    /// It did not get as far as that.
    #[default]
    NotReached,
    /// The policy asks nobody about this action.
    NotRequired,
    /// The user allowed it, once.
    Allowed,
    /// The user allowed it, and the action for the rest of the session.
    AllowedForSession,
    /// An earlier word of the user covers it.
    Granted,
    /// The mode of the approvals allowed it: a test or a trusted script.
    AllowedByMode,
    /// The user says that they did the step.
    DoneByUser,
    /// The user said no, now or to the same call before.
    Denied,
    /// The mode of the approvals denied it.
    DeniedByMode,
    /// Nobody answered in time.
    Expired,
    /// The call was cancelled, or its caller went away, while the question was open.
    Withdrawn,
}

impl Consent {
    /// What the end of a question means.
    pub(super) fn of(outcome: &ApprovalOutcome, by_user: bool, is_handoff: bool) -> Self {
        match (outcome, by_user) {
            (ApprovalOutcome::Allowed | ApprovalOutcome::AllowedForSession, true) if is_handoff => Self::DoneByUser,
            (ApprovalOutcome::Allowed, true) => Self::Allowed,
            (ApprovalOutcome::AllowedForSession, true) => Self::AllowedForSession,
            (ApprovalOutcome::Allowed | ApprovalOutcome::AllowedForSession, false) => Self::AllowedByMode,
            (ApprovalOutcome::Denied { .. }, true) => Self::Denied,
            (ApprovalOutcome::Denied { .. }, false) => Self::DeniedByMode,
            (ApprovalOutcome::Expired, _) => Self::Expired,
            (ApprovalOutcome::Cancelled, _) => Self::Withdrawn,
        }
    }
}

/// Writes each entry as one line of JSON, and flushes it.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: Mutex<W>,
    failures: AtomicU64,
}

impl<W: Write> JsonLines<W> {
    /// Writes to this: a file opened for appending, a pipe, a buffer.
    #[must_use]
    pub fn new(out: W) -> Self {
        Self {
            out: Mutex::new(out),
            failures: AtomicU64::new(0),
        }
    }

    /// How many entries could not be written. Calls go on without them; whoever must not, blocks them by a hook.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Gives the writer back.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.out.into_inner()
    }

    fn write(&self, entry: &AuditEntry) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut out = self.out.lock();
        out.write_all(&line)?;
        out.flush()
    }
}

impl<W: Write + MaybeSend + 'static> AuditSink for JsonLines<W>
where
    Mutex<W>: MaybeSync,
{
    fn record(&self, entry: &AuditEntry) {
        if let Err(error) = self.write(entry) {
            self.failures.fetch_add(1, Ordering::Relaxed);
            tracing::error!(%error, "an audit entry could not be written");
        }
    }
}

/// The entry of one call while it is on its way. Dropped without an end, it says that the caller went away.
pub(super) struct Trail {
    sink: Option<Arc<dyn AuditSink>>,
    entry: AuditEntry,
}

impl Trail {
    pub(super) fn new(sink: Option<Arc<dyn AuditSink>>, call: &Call) -> Self {
        let entry = AuditEntry {
            at_ms: 0,
            who: who(&call.origin),
            call_id: call.id.clone(),
            tool: call.tool.clone(),
            action: None,
            arguments: None,
            consent: Consent::default(),
            delivered: false,
            receipt: None,
        };
        Self { sink, entry }
    }

    pub(super) fn means(&mut self, action: &ActionRef, arguments: Option<Map<String, Value>>) {
        if self.sink.is_some() {
            self.entry.action = Some(action.to_json());
            self.entry.arguments = arguments.or(self.entry.arguments.take());
        }
    }

    pub(super) fn consent(&mut self, consent: Consent) {
        self.entry.consent = consent;
    }

    pub(super) fn delivered(&mut self) {
        self.entry.delivered = true;
    }

    /// The host took it back before it began.
    pub(super) fn not_delivered(&mut self) {
        self.entry.delivered = false;
    }

    pub(super) fn end(mut self, receipt: &Receipt) {
        if self.sink.is_some() {
            let mut own = receipt.clone();
            own.replaced = None;
            self.entry.receipt = Some(own.to_json());
        }
    }
}

impl Drop for Trail {
    fn drop(&mut self) {
        if let Some(sink) = self.sink.take() {
            self.entry.at_ms = platform::unix_millis();
            sink.record(&self.entry);
        }
    }
}

fn who(origin: &Origin) -> String {
    match origin {
        Origin::Assistant => "assistant".to_owned(),
        Origin::User => "user".to_owned(),
        Origin::Code => "code".to_owned(),
        Origin::Client(name) => format!("client:{name}"),
    }
}
