//! Any of the formats with `ureq`, which blocks: the body of the response becomes an iterator of events.
//!
//! ```text
//! cargo run --all-features --example blocking [QUESTION]
//! ```
//!
//! Prints each event as a line of JSON. `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `MODEL` select the server; the default is that of
//! `serve_recording`. (`ureq` is built without TLS here: for an `https` URL turn on its feature `rustls`.)

use std::env;
use std::error::Error;

use serde_json::json;
use tagwire::EventReader;
use tagwire::sse::Answer;
use tagwire::workforce::{self, Mode, Role};

fn main() -> Result<(), Box<dyn Error>> {
    let var = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let question = env::args().nth(1).unwrap_or_else(|| "Fix the parser of matrices.".to_owned());
    let request = json!({
        "model": var("MODEL", "recording"),
        "stream": true,
        "messages": [
            {"role": "system", "content": "Act by tags such as [[RUN cmd=\"...\"/]]."},
            {"role": "user", "content": question},
        ],
    });
    let response = ureq::post(format!("{}/chat/completions", var("OPENAI_BASE_URL", "http://127.0.0.1:8086/v1")))
        .config()
        // A body that is no event stream is an error with the server's own message.
        .http_status_as_error(false)
        .build()
        .header("authorization", format!("Bearer {}", var("OPENAI_API_KEY", "none")))
        .send_json(&request)?;

    let policy = workforce::policy(Role::Developer, Mode::Work);
    let mut events = EventReader::with_decoder(response.into_body().into_reader(), policy, Answer::auto());
    for event in &mut events {
        println!("{}", serde_json::to_string(&event?)?);
    }
    eprintln!("{:?}, {}", events.ended_as(), events.decoder().reason().unwrap_or("no reason"));
    Ok(())
}
