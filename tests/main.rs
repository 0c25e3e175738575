//! Pling's tests: one binary, one module for each topic. Cases are named after their ids in the list of failures
//! that users of similar products reported.

mod support;

// The model client, against a loopback server that misbehaves as servers do.
mod llm_client; // requests, errors, retries, replies in one piece
mod llm_stream; // replies in pieces

// The offline planner, as any other model sees a page.
mod offline;

// What the executor refuses, runs and says about it.
mod executor;
// The user's decision: once, bound to what was shown, gone with the call.
mod approvals;

// The dialogue.
mod config; // where configuration comes from, and every complaint about it
mod run; // the step machine of a run, fed by hand
mod session; // the handle and its driver, with a scripted model and a fake app
