//! `tagwire stream --from`: the event streams of chat APIs.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use crate::server::Server;
use crate::support::{Dribble, Run, at_span, tagwire, words};

const STREAM: &str = "stream --role developer --mode work";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sse")
}

fn body(file: &str) -> Vec<u8> {
    fs::read(folder().join(file)).expect(file)
}

fn from(args: &str, body: impl AsRef<[u8]>) -> Run {
    words(&format!("{STREAM} --from {args}"), body)
}

/// A chunk of a chat completion.
fn chunk(content: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": content}}]}))
}

/// The events with adjacent prose joined, without the last one.
fn joined(events: &[Value]) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for event in events.iter().filter(|event| event["event"] != "end") {
        match joined.last_mut().filter(|last| event["event"] == "prose" && last["event"] == "prose") {
            Some(last) => {
                last["text"] = format!("{}{}", last["text"].as_str().unwrap(), event["text"].as_str().unwrap()).into();
                last["span"][1] = event["span"][1].clone();
            }
            None => joined.push(event.clone()),
        }
    }
    joined
}

#[track_caller]
fn check(recording: &Value, run: &Run) {
    let file = &recording["file"];
    let text = recording["text"].as_str().expect("a text");
    let error = ["error", "error_starts"].iter().find_map(|key| recording[key].as_str());
    match error {
        Some(error) => run.refused(&[error, "standard input"]),
        None => assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{file}"),
    }
    let events = run.lines();
    if text.is_empty() && error.is_some() {
        assert_eq!(run.out, "", "{file}");
        return;
    }
    let (end, rest) = events.split_last().expect("an end");
    let finish = if error.is_some() { "truncated" } else { recording["finish"].as_str().expect("a finish") };
    assert_eq!((&end["event"], &end["finish"]), (&json!("end"), &json!(finish)), "{file}");
    let tiles = rest.iter().filter(|event| event["event"] != "error");
    assert_eq!(tiles.map(|event| at_span(text, event)).collect::<String>(), text, "{file}");
    if finish == "complete" {
        let plain = words(STREAM, text).succeeded().lines();
        assert_eq!(joined(rest), joined(&plain), "{file}");
        assert_eq!(end, plain.last().expect("an end"), "{file}");
    }
}

#[test]
fn every_recording() {
    let lines = fs::read_to_string(folder().join("expected.jsonl")).expect("it is there");
    for line in lines.lines() {
        let recording: Value = serde_json::from_str(line).expect(line);
        let [file, choice] = ["file", "choice"].map(|key| &recording[key]);
        let file = file.as_str().expect("a name");
        let body = body(file);
        check(&recording, &from(&format!("auto --choice {choice}"), &body));
        check(&recording, &from(&format!("auto --choice {choice} --replay 7"), &body));
        if let Some(format) = recording["format"].as_str() {
            check(&recording, &from(&format!("{format} --choice {choice} --replay 1"), &body));
        }
    }
}

/// The tag in the file that was cut off is not given.
#[test]
fn nothing_in_a_body_that_was_cut_off() {
    for (format, file) in
        [("openai", "openai-length"), ("anthropic", "anthropic-max-tokens"), ("openai-responses", "responses-broken")]
    {
        let events = from(format, body(&format!("{file}.sse"))).succeeded().lines();
        let kinds = joined(&events).iter().map(|event| event["event"].clone()).collect::<Vec<_>>();
        assert_eq!(kinds, ["prose", "error", "dropped"], "{file}");
        assert_eq!(events.last().expect("an end")["finish"], "truncated");
    }
}

/// What was decided is given, then the reply ends as one that was cut off, and the message says where.
#[test]
fn a_bad_event_cuts_the_reply_off() {
    let start = [chunk("é [[READ_FILE/]]"), chunk("[[WRITE_FILE]][[RUN/]]")].concat();
    for (bad, message) in [
        (&b"data: {\"choices\n\n"[..], "behind byte 39 of the reply: event 3 has no JSON in it: "),
        (b"data: {\"error\": \"no \x1b[31mmemory\"}\n\n", "no JSON in it: control character"),
        (
            b"event: error\ndata: {\"message\": \"no\\u001b[31m memory\"}\n\n",
            r"behind byte 39 of the reply: the server failed: no\u{1b}[31m memory",
        ),
        (b"data: \xFF\n\n", &format!("behind byte 39 of the reply: invalid UTF-8 at byte {}", start.len() + 6)),
    ] {
        let body = [start.as_bytes(), bad, chunk("[[/WRITE_FILE]]").as_bytes()].concat();
        for args in ["openai", "auto --replay 1", "auto --replay 1000"] {
            let run = from(args, &body);
            run.refused(&[message]);
            let events = run.lines();
            let kinds = joined(&events).iter().map(|event| event["event"].clone()).collect::<Vec<_>>();
            assert_eq!(kinds, ["prose", "tag", "error", "dropped"], "{args} {}", run.out);
            let end = json!({"event": "end", "tags": 1,
                "errors": ["ERROR: unclosed tag [[WRITE_FILE]] ignored (the reply was cut off)"], "prose": "é",
                "finish": "truncated"});
            assert_eq!(events.last(), Some(&end));
        }
    }
}

#[test]
fn what_is_no_event_stream_is_refused() {
    for (file, words) in [
        ("openai-error.json", "Incorrect API key provided: sk-no. [[RUN/]] (invalid_api_key)"),
        ("anthropic-error.json", "max_tokens: Field required"),
        ("bad-gateway.html", "<html>"),
        ("whole-reply.json", "ask for `\"stream\": true`"),
    ] {
        for args in ["auto", "openai", "openai-responses", "anthropic --replay 3", "auto --format text"] {
            let run = from(args, body(file));
            run.refused(&[words]);
            assert_eq!(run.out, "", "{file} {args}");
        }
    }
    from("auto", "[[RUN/]] plain text").refused(&["no event stream, but \"[[RUN/]] plain text\""]);
    from("anthropic", body("openai.sse")).refused(&["a stream in the format openai, not anthropic"]);
    from("openai --choice 2", body("openai-choices.sse")).refused(&["the answer has no choice 2"]);
    from("gemini", "").refused(&["gemini", "openai, openai-responses, anthropic, auto"]);
}

#[test]
fn nothing_at_all_was_cut_off() {
    for body in ["", ": ping\n\n"] {
        let end = json!({"event": "end", "tags": 0, "errors": [], "prose": "", "finish": "truncated"});
        assert_eq!(from("auto", body).succeeded().lines(), [end]);
    }
}

#[test]
fn the_other_options_hold() {
    let body = [chunk("[[WRITE_FILE]]12"), chunk("3é[[/WRITE_FILE]]"), "data: [DONE]\n\n".to_owned()].concat();
    let events = from("openai --pending", &body).succeeded().lines();
    assert_eq!(events[0]["name"], "WRITE_FILE");
    let sizes = |args: &str| {
        let events = from(args, &body).succeeded().lines();
        events.iter().filter_map(|event| event["body_bytes"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(sizes("auto --pending --replay 1"), [2]);
    let events = from("openai --max-tag-bytes 16", &body).succeeded().lines();
    assert_eq!(events[0]["code"], "too-long");
}

#[test]
fn a_dribbling_pipe_shows_its_events_at_once() {
    let mut stream = Dribble::new(&format!("{STREAM} --from auto --pending"));
    let body = [chunk("Hello "), chunk("[[RUN/]][[WRITE_FILE]]a")].concat();
    for piece in body.as_bytes().chunks(11) {
        stream.write(piece);
    }
    assert_eq!(stream.event()["text"], "Hello ");
    assert_eq!(stream.event()["name"], "RUN");
    assert_eq!(stream.event()["body_bytes"], 1);
    stream.write(chunk("b[[/WRITE_FILE]]").as_bytes());
    assert_eq!(stream.event()["body"], "ab");
    // The end event is the end, though the pipe is open.
    stream.write(b"data: [DONE]\n\n");
    assert_eq!(stream.event()["finish"], "complete");
    assert_eq!(stream.child.wait().expect("it ends").code(), Some(0));
}

#[cfg(unix)]
#[test]
fn interrupted_it_says_what_is_decided() {
    let mut stream = Dribble::new(&format!("{STREAM} --from openai"));
    stream.write(chunk("Hi [[RUN/]][[WRITE_FILE]]held").as_bytes());
    assert_eq!(stream.event()["event"], "prose");
    assert_eq!(stream.event()["event"], "tag");
    crate::support::interrupt(&stream.child);
    stream.input = None;
    let end = json!({"event": "end", "tags": 1, "errors": [], "prose": "Hi", "finish": "interrupted"});
    assert_eq!(stream.event(), end);
    assert_eq!(stream.child.wait().expect("it ends").code(), Some(130));
}

/// As people do it. The first event is there before the reply has ended, and a broken connection cuts it off.
#[test]
fn curl_from_a_server() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("it can");
    let url = format!("http://{}/v1/chat/completions", listener.local_addr().expect("an address"));
    // Ten seconds for all of it.
    let server = Server { delay: Duration::from_millis(200), ..Server::default() };
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async { server.serve(tokio::net::TcpListener::from_std(listener).unwrap()).await.unwrap() });
    });
    let mut curl = Command::new("curl")
        .args(["--silent", "--no-buffer", "--noproxy", "*", "--data", "{\"stream\": true}", &url])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = curl.stdout.take().expect("it is piped");
    let stream = tagwire(format!("{STREAM} --from openai").split(' ')).stdin(input).spawn().expect("it starts");
    let mut stream = Dribble::of(stream);
    let first = stream.event();
    assert_eq!((&first["event"], &first["span"][0]), (&json!("prose"), &json!(0)));
    assert!(curl.try_wait().expect("it runs").is_none(), "the reply had ended");
    curl.kill().and_then(|()| curl.wait()).expect("it is killed");
    let mut rest = String::new();
    stream.events.read_to_string(&mut rest).expect("it ends");
    assert!(rest.ends_with("\"finish\":\"truncated\"}\n"), "{rest}");
}
