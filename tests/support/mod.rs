//! Helpers shared by the topics.

pub(crate) mod server;
