//! The tools as they were before: the same files without their declarations.

pub mod gallery;
pub mod modals;
pub mod table;
