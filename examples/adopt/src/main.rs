//! `adopt gallery|modals|table`: the window, or with `--ask` no window at all.

use std::process::ExitCode;

fn main() -> ExitCode {
    adopt::tools::main(std::env::args_os().collect())
}
