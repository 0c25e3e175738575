//! `todo`: the window, or with `--ask` no window at all.

use std::process::ExitCode;

fn main() -> ExitCode {
    example_common::main(&todo::EXAMPLE, std::env::args_os())
}
