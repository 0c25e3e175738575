//! `pling-mcp NAME`: the running application of this name, over stdio.

use std::process::ExitCode;

#[expect(clippy::print_stderr, reason = "stdout is the protocol's; people read stderr")]
fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = match (args.next(), args.next()) {
        (Some(name), None) if !name.starts_with('-') => name,
        _ => {
            eprintln!("pling-mcp NAME: connects a client that speaks MCP over stdio to the running application NAME");
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("pling-mcp: no runtime: {error}");
            return ExitCode::from(1);
        }
    };
    let bridge = pling_mcp::bridge(&name, None, tokio::io::stdin(), tokio::io::stdout());
    let result = runtime.block_on(bridge);
    // The thread that reads standard input cannot be interrupted.
    runtime.shutdown_background();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pling-mcp: {error}");
            ExitCode::from(1)
        }
    }
}
