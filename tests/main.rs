//! Behavior of the whole product through its public doors, one module for each topic.

mod diff; // what a receipt may claim: the difference of two snapshots
mod observation; // what a model sees: golden text, folding, budgets, trust
mod observation_props; // the same for any snapshot
mod support; // pages built by hand
