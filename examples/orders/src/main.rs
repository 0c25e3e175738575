//! `orders`: the window, or with `--ask` no window at all.

use std::process::ExitCode;

fn main() -> ExitCode {
    example_common::main(&orders::EXAMPLE, std::env::args_os())
}
