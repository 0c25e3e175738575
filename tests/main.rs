//! Pling's tests: one binary, one module for each topic. Cases are named after their ids in the list of failures
//! that users of similar products reported.

mod support;

// Where configuration comes from, and every complaint about it.
mod config;
// What the executor refuses, runs and says about it.
mod executor;
// The user's decision: once, bound to what was shown, gone with the call.
mod approvals;
// The step machine of a run, fed by hand.
mod run;
// The handle and its driver, with a fake model and a fake page.
mod session;
