//! The application's own policy around executions.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::{ActionRef, Origin, Receipt};
use crate::{
    model::Effect,
    platform::{MaybeSend, MaybeSync},
};

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
    /// The tool's name as it was called.
    pub tool: String,
    /// How far the action reaches.
    pub effect: Effect,
    /// Who asks.
    pub origin: Origin,
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
    /// The model sees this instead, of a failure under `error.value`; the receipt of record stays.
    Replace(Value),
}

/// Names a registered hook, to remove it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HookId(u64);

/// The registered hooks, in order; a cheap handle.
///
/// Hooks are called with no lock held: they may add and remove hooks. A hook added meanwhile is not called
/// for that call. The runtime's own ways to see more (`reveal`, `find_records` …) pass no hooks.
#[derive(Clone, Default)]
pub struct Hooks {
    shared: Arc<Mutex<Registry>>,
}

#[derive(Default)]
struct Registry {
    next: u64,
    /// Copied on write, so that a call takes the list with it.
    pre: Arc<Vec<(HookId, Arc<dyn PreHook>)>>,
    post: Arc<Vec<(HookId, Arc<dyn PostHook>)>>,
}

// The bounds differ between native programs and browser tabs, and a trait object can only name traits.
trait PreHook: Fn(&ToolUse) -> PreToolUse + MaybeSend + MaybeSync {}
impl<F: Fn(&ToolUse) -> PreToolUse + MaybeSend + MaybeSync> PreHook for F {}
trait PostHook: Fn(&ToolUse, &Receipt) -> PostToolUse + MaybeSend + MaybeSync {}
impl<F: Fn(&ToolUse, &Receipt) -> PostToolUse + MaybeSend + MaybeSync> PostHook for F {}

impl Hooks {
    /// No hooks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook that runs before approval. The first to block ends the call: later hooks are not called.
    pub fn add_pre(&self, hook: impl Fn(&ToolUse) -> PreToolUse + MaybeSend + MaybeSync + 'static) -> HookId {
        let mut registry = self.shared.lock();
        let id = registry.next_id();
        Arc::make_mut(&mut registry.pre).push((id, Arc::new(hook)));
        id
    }

    /// Adds a hook that runs after an execution, failed or not. The last to replace wins.
    pub fn add_post(
        &self,
        hook: impl Fn(&ToolUse, &Receipt) -> PostToolUse + MaybeSend + MaybeSync + 'static,
    ) -> HookId {
        let mut registry = self.shared.lock();
        let id = registry.next_id();
        Arc::make_mut(&mut registry.post).push((id, Arc::new(hook)));
        id
    }

    /// Removes a hook; `false` when it is not registered (any more).
    pub fn remove(&self, id: HookId) -> bool {
        // A hook may own anything: it is dropped after the lock is released.
        let _old;
        let mut registry = self.shared.lock();
        _old = (Arc::clone(&registry.pre), Arc::clone(&registry.post));
        let before = registry.pre.len() + registry.post.len();
        Arc::make_mut(&mut registry.pre).retain(|(other, _)| *other != id);
        Arc::make_mut(&mut registry.post).retain(|(other, _)| *other != id);
        registry.pre.len() + registry.post.len() < before
    }

    /// The first reason to block, in the order of registration.
    pub(super) fn before(&self, usage: &ToolUse) -> Result<(), String> {
        let hooks = Arc::clone(&self.shared.lock().pre);
        for (_, hook) in hooks.iter() {
            match hook(usage) {
                PreToolUse::Continue => {}
                PreToolUse::Block(reason) => return Err(reason),
            }
        }
        Ok(())
    }

    /// Shows the receipt to each hook; nothing but what the model sees can change.
    pub(super) fn after(&self, usage: &ToolUse, receipt: &mut Receipt) {
        let hooks = Arc::clone(&self.shared.lock().post);
        for (_, hook) in hooks.iter() {
            match hook(usage, receipt) {
                PostToolUse::Keep => {}
                PostToolUse::Replace(value) => receipt.replaced = Some(replacement(receipt, value)),
            }
        }
    }
}

/// What the model sees instead. A failure stays one, whatever a hook says of it.
fn replacement(receipt: &Receipt, value: Value) -> Value {
    match receipt.code() {
        None => value,
        Some(code) => json!({ "error": {
            "code": code,
            "message": "it failed; the application says what there is to know",
            "value": value,
        } }),
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.shared.lock();
        f.debug_struct("Hooks")
            .field("pre", &registry.pre.len())
            .field("post", &registry.post.len())
            .finish()
    }
}

impl Registry {
    fn next_id(&mut self) -> HookId {
        self.next += 1;
        HookId(self.next)
    }
}
