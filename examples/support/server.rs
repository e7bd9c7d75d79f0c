//! A local server that answers like the chat APIs, with the recordings in `tests/data/sse` in small pieces cut at odd offsets. For
//! `serve_recording` and the tests of the examples.

use std::convert::Infallible;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, io};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream;
use serde_json::Value;
use tokio::net::TcpListener;

/// The configuration of a server.
#[derive(Clone, Default)]
pub struct Server {
    /// The files to serve, one per request, repeated from the first. If empty, a file that fits the request.
    pub files: Vec<String>,
    /// The delay between two pieces.
    pub delay: Duration,
    /// The requests so far, path and body.
    pub requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Server {
    /// Serves until dropped.
    pub async fn serve(self, listener: TcpListener) -> io::Result<()> {
        let app = Router::new()
            .route("/v1/chat/completions", post(answer))
            .route("/v1/responses", post(answer))
            .route("/v1/messages", post(answer))
            .with_state(self);
        axum::serve(listener, app).await
    }

    fn file(&self, path: &str, request: &Value, number: usize) -> String {
        if !self.files.is_empty() {
            return self.files[number % self.files.len()].clone();
        }
        let messages = request["messages"].as_array().into_iter().flatten();
        let turn = 1 + messages.filter(|message| message["role"] == "assistant").count();
        match path {
            "/v1/messages" => "anthropic.sse".to_owned(),
            "/v1/responses" => "responses.sse".to_owned(),
            _ if request["model"] == "agent" => format!("agent-{}.sse", turn.min(3)),
            _ => "openai.sse".to_owned(),
        }
    }
}

async fn answer(State(server): State<Server>, uri: Uri, request: String) -> Response {
    let request: Value = serde_json::from_str(&request).unwrap_or_default();
    let number = {
        let mut requests = server.requests.lock().unwrap_or_else(|error| error.into_inner());
        requests.push((uri.path().to_owned(), request.clone()));
        requests.len() - 1
    };
    let file = server.file(uri.path(), &request, number);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sse").join(&file);
    let body = match fs::read(&path) {
        Ok(body) => body,
        Err(error) => return (StatusCode::NOT_FOUND, format!("{file}: {error}")).into_response(),
    };
    // Bodies that are no event stream have another status.
    let (status, kind) = match Path::new(&file).extension().and_then(|extension| extension.to_str()) {
        Some("sse") => (StatusCode::OK, "text/event-stream"),
        Some("json") => (StatusCode::UNAUTHORIZED, "application/json"),
        _ => (StatusCode::BAD_GATEWAY, "text/plain"),
    };
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
    (status, headers, pieces(body, server.delay)).into_response()
}

/// Lengths of pieces: shorter than an event, and cut at different offsets of each.
const LENGTHS: [usize; 7] = [1, 61, 2, 127, 3, 29, 89];

fn pieces(body: Vec<u8>, delay: Duration) -> Body {
    let lengths = LENGTHS.into_iter().cycle();
    Body::from_stream(stream::unfold((body, 0, lengths), move |(body, from, mut lengths)| async move {
        let to = body.len().min(from + lengths.next()?);
        if from == to {
            return None;
        }
        tokio::time::sleep(delay).await;
        Some((Ok::<_, Infallible>(body[from..to].to_vec()), (body, to, lengths)))
    }))
}
