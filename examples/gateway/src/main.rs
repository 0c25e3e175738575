//! `gateway`: configured by its environment, see [`gateway::Config`].

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line talks to its terminal"
)]

use std::{net::SocketAddr, process::ExitCode};

use gateway::{Config, router};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gateway: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let config = Config::from_env(|name| std::env::var(name).ok())?;
    let address = std::env::var("GATEWAY_ADDRESS").unwrap_or_else(|_| "127.0.0.1:8787".to_owned());
    let address: SocketAddr = address.parse().map_err(|error| format!("GATEWAY_ADDRESS: {error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await;
        let listener = listener.map_err(|error| format!("cannot listen on {address}: {error}"))?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        println!("listening on http://{address}/v1");
        axum::serve(listener, router(config))
            .await
            .map_err(|error| error.to_string())
    })
}
