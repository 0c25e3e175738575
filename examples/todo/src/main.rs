//! `todo`: the window, or with `--ask` no window at all.

use std::process::ExitCode;

fn main() -> ExitCode {
    todo::cli::main(std::env::args_os())
}
