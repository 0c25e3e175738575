//! On the user's own computer: a window, or a command line without one.

mod cli;
mod output;
mod serve;
mod window;

pub use cli::main;
