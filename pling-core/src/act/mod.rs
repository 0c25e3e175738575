//! From a call to a receipt: check, approve, perform, settle.
//!
//! [`Executor::invoke`] takes one [`Call`] through the gates in this order, each with its own refusal:
//! known → permitted → arguments valid → record resolved → revealed → available → pre-hooks → approval or
//! handoff → re-check → perform → settle → expectation → post-hooks → [`Receipt`].
//!
//! Two types stand before and after the check: a [`Call`] is what came in, and nothing in it is trusted; a
//! `Checked` is one operation on one target, true of one snapshot. Only a `Checked` can be performed, and time
//! that passes for a user makes it stale: it is then checked again from the call.

mod answered;
mod approval;
mod arguments;
mod audit;
mod bounded;
mod call;
mod check;
mod code;
mod consent;
mod denials;
mod discovery;
mod executor;
mod expectation;
mod gates;
mod grants;
mod handoff;
mod hook;
mod host;
mod outcome;
mod policy;
mod queue;
mod receipt;
mod resolve;
mod schema;
mod seen;
mod suggest;
mod words;

pub(crate) use bounded::shortened;

pub use approval::{Approval, ApprovalEvent, ApprovalMode, ApprovalOutcome, Decision, DefaultApproval};
pub use audit::{AuditEntry, AuditSink, Consent, JsonLines};
pub use call::{Arguments, Call, Origin};
pub use code::Code;
pub use executor::Executor;
pub use grants::Grant;
pub use handoff::Handoff;
pub use hook::{HookId, Hooks, PostToolUse, PreToolUse, ToolUse};
pub use host::{Host, Operation, Performed, Refusal, SettleLimits, Settled, Target};
pub use policy::{Permissions, Policy, Preset};
pub use queue::Approvals;
pub use receipt::{ActionRef, Receipt};
/// Stops a call: the token that [`Executor::invoke`] takes.
pub use tokio_util::sync::CancellationToken;
