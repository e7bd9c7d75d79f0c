//! Anthropic messages with `reqwest`: the bytes of the event stream become a stream of events.
//!
//! ```text
//! cargo run --all-features --example anthropic [QUESTION]
//! ```
//!
//! Prints each event as a line of JSON. `ANTHROPIC_BASE_URL`, `ANTHROPIC_API_KEY` and `MODEL` select the server; the default is
//! that of `serve_recording`. (`reqwest` is built without TLS here: for an `https` URL turn on its feature `rustls`.)

use std::env;
use std::error::Error;
use std::pin::pin;

use futures_util::StreamExt as _;
use serde_json::json;
use tagwire::EventStreamExt as _;
use tagwire::sse::{Answer, Format};
use tagwire::workforce::{self, Mode, Role};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let var = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let question = env::args().nth(1).unwrap_or_else(|| "Fix the parser of matrices.".to_owned());
    let request = json!({
        "model": var("MODEL", "recording"),
        "max_tokens": 4096,
        "stream": true,
        "system": "Act by tags such as [[RUN cmd=\"...\"/]].",
        "messages": [{"role": "user", "content": question}],
    });
    // The status is not checked: any other body is an error with the server's own message.
    let response = reqwest::Client::new()
        .post(format!("{}/v1/messages", var("ANTHROPIC_BASE_URL", "http://127.0.0.1:8086")))
        .header("x-api-key", var("ANTHROPIC_API_KEY", "none"))
        .header("anthropic-version", "2023-06-01")
        .json(&request)
        .send()
        .await?;

    let policy = workforce::policy(Role::Developer, Mode::Work);
    let mut events = pin!(response.bytes_stream().tag_events_from_sse(policy, Answer::with_format(Format::Anthropic)));
    while let Some(event) = events.next().await {
        println!("{}", serde_json::to_string(&event?)?);
    }
    eprintln!("{:?}, {}", events.ended_as(), events.decoder().reason().unwrap_or("no reason"));
    Ok(())
}
