//! Helpers shared by the topics.

pub(crate) mod todo_page;
