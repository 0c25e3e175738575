//! A to-do list that an agent can operate: the example that the README walks through.
//!
//! [`app`] is an ordinary egui app; its declarations come from [`declare`], and with the feature `plain` they do
//! nothing. [`cli`] runs it without a window, [`window`] with one.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line talks to its terminal"
)]

pub mod app;
pub mod cli;
mod declare;
mod output;
pub mod window;

/// What the assistant is for.
pub const ROLE: &str = "You help the user manage a personal task list.";

/// The README's code, compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
