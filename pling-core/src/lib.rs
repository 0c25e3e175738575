//! The GUI-free heart of Pling: what a page can do, what an agent sees of it, and how a call is carried out.
//!
//! Data flows one way: declarations become a [`snapshot::Snapshot`], a snapshot becomes an
//! [`observe::Observation`] with its tools, a model answers with calls, [`act`] checks and performs them
//! through a [`act::Host`] and writes a [`act::Receipt`], and the next turn begins with a new snapshot.
//!
//! The chapters of the documentation are in [`doc`]; [`doc::sessions`] has every field, limit and failure of a session,
//! [`doc::agents`] how an outside agent is let in.
//!
//! # Invariants
//!
//! - This crate names neither a GUI toolkit nor an accessibility library.
//! - [`agent`] does not know the Agent Surface, nor the other way round; both call the one executor in [`act`].
//! - A snapshot is a value: built whole, shared as `Arc`, never edited.
//! - Observation text and tool schemas come from one fold, so they cannot disagree.
//! - No handler of a widget and no function tool is held here; hooks and listeners are the application's only closures.
//! - A declaration never grants permission, and a model's argument never counts as consent; nor does the word of an outside
//!   agent.
//! - Nothing here makes the application's thread wait.
//! - The decisions of a run (`agent::Run`) are a step machine without IO.

pub mod act;
pub mod agent;
pub mod llm;
pub mod model;
pub mod observe;
pub mod platform;
pub mod snapshot;
pub mod surface;
pub mod text;

mod hash;
mod tokens;

/// The chapters of the documentation.
pub mod doc {
    #[doc = include_str!("doc/agents.md")]
    pub mod agents {}
    #[doc = include_str!("doc/sessions.md")]
    pub mod sessions {}
}
