//! Helpers shared by the topics.

pub(crate) mod fence;
pub(crate) mod todo_page;
