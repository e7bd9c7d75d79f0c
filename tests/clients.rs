//! The examples, each as its own process, with a local server that sends the recordings in odd pieces.
//!
//! Cargo builds the examples for `cargo test`, but not for `cargo test --test clients` alone.

#[path = "../examples/support/server.rs"]
mod server;

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{env, fs, thread};

use serde_json::Value;
use server::Server;
use tagwire::Finish;
use tagwire::sse::Answer;
use tagwire::workforce::{self, Mode, Role};

/// A server in a thread that ends with the test.
struct Running {
    url: String,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

fn serve(files: &[&str]) -> Running {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let files = files.iter().map(|&file| file.to_owned()).collect();
    let server = Server { files, delay: Duration::from_micros(200), ..Server::default() };
    let requests = Arc::clone(&server.requests);
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { server.serve(tokio::net::TcpListener::from_std(listener).unwrap()).await.unwrap() });
    });
    Running { url, requests }
}

impl Running {
    /// Runs an example, with only the environment that it reads.
    fn run(&self, example: &str) -> Output {
        let tests = env::current_exe().unwrap();
        let name = format!("{example}{}", env::consts::EXE_SUFFIX);
        let program: PathBuf = tests.ancestors().nth(2).unwrap().join("examples").join(name);
        assert!(program.exists(), "build the examples first: cargo build --all-features --examples");
        let mut command = Command::new(program);
        command
            .env("OPENAI_BASE_URL", format!("{}/v1", self.url))
            .env("ANTHROPIC_BASE_URL", &self.url)
            .env("OPENAI_API_KEY", "sk-test")
            .env("ANTHROPIC_API_KEY", "sk-test");
        for name in ["MODEL", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(name);
        }
        command.output().unwrap()
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

/// The lines of JSON with adjacent prose joined.
fn joined(lines: &str) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for line in lines.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        match joined.last_mut().filter(|last| event["event"] == "prose" && last["event"] == "prose") {
            Some(last) => {
                last["text"] = format!("{}{}", last["text"].as_str().unwrap(), event["text"].as_str().unwrap()).into();
                last["span"][1] = event["span"][1].clone();
            }
            None => joined.push(event),
        }
    }
    joined
}

/// The library's events for the text of a recording.
fn events_of(file: &str, finish: Finish) -> Vec<Value> {
    let body = fs::read(format!("{}/tests/data/sse/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut text = String::new();
    // An error halfway leaves the text before it.
    let _ = Answer::auto().feed(&body, &mut text);
    let mut parser = tagwire::Parser::new(workforce::policy(Role::Developer, Mode::Work));
    let mut lines = String::new();
    for event in parser.feed(&text) {
        lines += &format!("{}\n", serde_json::to_string(&event).unwrap());
    }
    for event in parser.finish_with(finish) {
        lines += &format!("{}\n", serde_json::to_string(&event).unwrap());
    }
    joined(&lines)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[track_caller]
fn assert_run(example: &str, file: &str, finish: Finish, end: &str) {
    let server = serve(&[file]);
    let output = server.run(example);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert_eq!(joined(text(&output.stdout)), events_of(file, finish));
    assert!(errors.contains(end), "{errors}");
    let (_, request) = &server.requests()[0];
    assert_eq!(request["stream"], true);
}

/// No tag in a truncated file is executed.
#[test]
fn nothing_in_a_body_that_was_cut_off() {
    for example in ["openai", "blocking"] {
        let output = serve(&["openai-length.sse"]).run(example);
        let events = joined(text(&output.stdout));
        let kinds: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["prose", "error", "dropped"], "{example}");
        assert_eq!(events[1]["message"], "ERROR: unclosed tag [[WRITE_FILE]] ignored (the reply was cut off)");
    }
}

#[test]
fn openai() {
    assert_run("openai", "openai.sse", Finish::Complete, "Complete");
    assert_run("openai", "openai-length.sse", Finish::Truncated, "Truncated");
}

#[test]
fn anthropic() {
    assert_run("anthropic", "anthropic.sse", Finish::Complete, "tool_use");
    assert_run("anthropic", "anthropic-max-tokens.sse", Finish::Truncated, "max_tokens");
    assert_run("anthropic", "anthropic-no-end.sse", Finish::Truncated, "end_turn");
}

#[test]
fn blocking() {
    assert_run("blocking", "openai.sse", Finish::Complete, "stop");
    assert_run("blocking", "openai-choices.sse", Finish::Complete, "tool_calls");
    assert_run("blocking", "openai-broken.sse", Finish::Truncated, "Truncated");
    assert_run("blocking", "responses.sse", Finish::Complete, "completed");
}

#[test]
fn errors_have_the_words_of_the_server() {
    for (example, file, words) in [
        ("openai", "openai-error.json", "Incorrect API key provided"),
        ("anthropic", "anthropic-error.json", "max_tokens: Field required"),
        ("anthropic", "anthropic-overloaded.sse", "Overloaded"),
        ("blocking", "openai-error.json", "Incorrect API key provided"),
        ("blocking", "openai-error.sse", "The server had an error while processing your request"),
        ("agent_loop", "bad-gateway.html", "<html>"),
    ] {
        let output = serve(&[file]).run(example);
        assert!(!output.status.success(), "{example} {file}");
        assert!(text(&output.stderr).contains(words), "{example} {file}: {}", text(&output.stderr));
    }
}

/// The mistake is reported to the model, and its corrected reply is executed.
#[test]
fn agent_loop() {
    let server = serve(&[]);
    let output = server.run("agent_loop");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let expected = "I start with the greeting.
WRITE_FILE: greet.py written, 100 bytes
to the model: ERROR: unknown tag [[WRITE]] ignored
Right, the tag is WRITE_FILE.
WRITE_FILE: test_greet.py written, 64 bytes
LIST_DIR: greet.py, test_greet.py
to the model: LIST_DIR: greet.py, test_greet.py
WORK_REPORT: reported
report: greet.py and its test are written.
";
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(text(&output.stderr), "");

    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let roles = |request: &Value| -> Vec<String> {
        request["messages"].as_array().unwrap().iter().map(|message| message["role"].to_string()).collect()
    };
    let (path, last) = &requests[2];
    assert_eq!(path, "/v1/chat/completions");
    assert_eq!(roles(last).join(" "), r#""system" "user" "assistant" "user" "assistant" "user""#);
    assert!(last["messages"][0]["content"].as_str().unwrap().contains("WRITE_FILE"));
    assert_eq!(last["messages"][3]["content"], "ERROR: unknown tag [[WRITE]] ignored");
    assert_eq!(last["messages"][5]["content"], "LIST_DIR: greet.py, test_greet.py");
}

/// The server with its defaults: each example gets a fitting recording.
#[test]
fn serve_recording() {
    use std::io::{BufRead as _, BufReader};
    let tests = env::current_exe().unwrap();
    let program =
        tests.ancestors().nth(2).unwrap().join(format!("examples/serve_recording{}", env::consts::EXE_SUFFIX));
    let mut child = Command::new(program)
        .env("ADDRESS", "127.0.0.1:0")
        .env("DELAY_MS", "0")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let server = Running { url: url.trim().to_owned(), requests: Arc::default() };
    let outputs = ["openai", "anthropic", "blocking", "agent_loop"].map(|example| server.run(example));
    child.kill().unwrap();
    child.wait().unwrap();
    for output in outputs {
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}
