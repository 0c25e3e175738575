//! From a call to a receipt: check, approve, perform, settle.
//!
//! [`Executor::invoke`] takes one [`Call`] through the gates in this order, each with its own refusal:
//! known → permitted → arguments valid → record resolved → revealed → available → pre-hooks → approval or
//! handoff → re-check → perform → settle → expectation → post-hooks → [`Receipt`].

mod approval;
mod call;
mod code;
mod executor;
mod hook;
mod host;
mod receipt;

pub use approval::{Approval, ApprovalMode, Approvals, Decision, DefaultApproval};
pub use call::{Arguments, Call, Origin};
pub use code::Code;
pub use executor::{Executor, Policy};
pub use hook::{Hooks, PostToolUse, PreToolUse, ToolUse};
pub use host::{Host, Operation, Performed, Refusal, SettleLimits, Settled, Target};
pub use receipt::{ActionRef, Receipt};
