//! Pling's tests: one binary, one module for each topic.

mod support;

mod approvals; // the user's decision: once, bound to what was shown, gone with the call
mod discovery; // ways to see more, and actions without a tool of their own
mod executor; // the gates: what is refused before anything runs
mod receipts; // what is said of a call that ran
mod turns; // one call at a time: order, distance, cancel, batches
