//! Pling's tests: one binary, one module for each topic.

mod support;

// What the executor refuses, runs and says about it.
mod executor;
// The user's decision: once, bound to what was shown, gone with the call.
mod approvals;
