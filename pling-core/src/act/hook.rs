//! The application's own policy around executions.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{ActionRef, Receipt};

/// What a hook is told of a call that is about to run or did run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolUse {
    /// The call's id.
    pub call_id: String,
    /// The action and record.
    pub action: ActionRef,
    /// The exact arguments; sensitive ones are masked.
    pub arguments: Map<String, Value>,
}

/// The answer of a hook that runs before approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PreToolUse {
    /// Go on.
    Continue,
    /// Refuse with `HOOK_BLOCKED` and this reason.
    Block(String),
}

/// The answer of a hook that runs after an execution.
#[derive(Clone, Debug, PartialEq)]
pub enum PostToolUse {
    /// The model sees the receipt as it is.
    Keep,
    /// The model sees this instead; the receipt of record stays.
    Replace(Value),
}

/// The registered hooks, in order; a cheap handle.
#[derive(Clone, Debug, Default)]
pub struct Hooks {
    _shared: Arc<()>,
}

impl Hooks {
    /// No hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[expect(dead_code, reason = "replaced by the hook registry")]
    fn touch(_: &ToolUse, _: &Receipt) {}
}
