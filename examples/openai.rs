//! Chat completions with `async-openai`: its stream of chunks becomes a stream of events.
//!
//! ```text
//! cargo run --all-features --example openai [QUESTION]
//! ```
//!
//! Prints each event as a line of JSON. `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `MODEL` select the server; the default is that of
//! `serve_recording`. (The crates are built without TLS here: for an `https` URL turn on a feature such as `rustls` of `async-openai`.)

use std::cell::Cell;
use std::env;
use std::error::Error;
use std::pin::pin;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs, FinishReason,
};
use futures_util::{StreamExt as _, TryStreamExt as _};
use tagwire::workforce::{self, Mode, Role};
use tagwire::{EventStreamExt as _, Finish};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let var = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let config = OpenAIConfig::new()
        .with_api_base(var("OPENAI_BASE_URL", "http://127.0.0.1:8086/v1"))
        .with_api_key(var("OPENAI_API_KEY", "none"));
    let question = env::args().nth(1).unwrap_or_else(|| "Fix the parser of matrices.".to_owned());
    let request = CreateChatCompletionRequestArgs::default()
        .model(var("MODEL", "recording"))
        .messages([
            ChatCompletionRequestSystemMessage::from("Act by tags such as [[RUN cmd=\"...\"/]].").into(),
            ChatCompletionRequestUserMessage::from(question).into(),
        ])
        .build()?;
    let chunks = Client::with_config(config).chat().create_stream(request).await?;

    // The answer is truncated unless the server says otherwise.
    let finish = Cell::new(Finish::Truncated);
    let text = chunks.map_ok(|chunk| {
        let Some(choice) = chunk.choices.into_iter().next() else {
            return String::new();
        };
        if matches!(choice.finish_reason, Some(FinishReason::Stop | FinishReason::ToolCalls)) {
            finish.set(Finish::Complete);
        }
        choice.delta.content.unwrap_or_default()
    });
    let mut events = pin!(text.tag_events(workforce::policy(Role::Developer, Mode::Work)).finish_by(|| finish.get()));
    while let Some(event) = events.next().await {
        println!("{}", serde_json::to_string(&event?)?);
    }
    eprintln!("{:?}", finish.get());
    Ok(())
}
