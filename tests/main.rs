//! Pling's integration tests: one binary, one line a topic. Cases are named after their ids in the list of failures
//! that users of similar products reported.

mod support; // what tests share: validators, fakes

mod config; // where configuration comes from, and every complaint about it
mod run; // the step machine of a run, fed by hand
