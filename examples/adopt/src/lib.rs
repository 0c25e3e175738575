//! Three tools that exist, and what it takes to let an agent operate them.
//!
//! [`plain`] holds them as they were; beside it are the same files with declarations. The difference is shown in
//! this example's README.

#![expect(
    missing_docs,
    missing_debug_implementations,
    reason = "the tools are what people have: not written to be a library"
)]

pub mod gallery;
pub mod modals;
pub mod plain;
pub mod table;
pub mod tools;
