//! Stands in for a chat API on this machine, for the other examples.
//!
//! ```text
//! cargo run --all-features --example serve_recording [FILE...]
//! ```
//!
//! It serves the recordings in `tests/data/sse`: the given files, one per request, or one that fits the request. It listens on
//! `ADDRESS`, by default `127.0.0.1:8086` as the other examples expect, and waits `DELAY_MS` between two pieces.

#[path = "support/server.rs"]
mod server;

use std::env;
use std::error::Error;
use std::time::Duration;

use server::Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:8086".to_owned());
    let delay = env::var("DELAY_MS").map_or(Ok(5), |delay| delay.parse())?;
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("http://{}", listener.local_addr()?);
    let files = env::args().skip(1).collect();
    Server { files, delay: Duration::from_millis(delay), ..Server::default() }.serve(listener).await?;
    Ok(())
}
