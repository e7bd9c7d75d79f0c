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
    let finish = match recording["finish"].as_str() {
        // No tag is open in these.
        Some("unstated") => "complete",
        Some(finish) => finish,
        None => "truncated",
    };
    assert_eq!((&end["event"], &end["finish"]), (&json!("end"), &json!(finish)), "{file}");
    let tiles = rest.iter().filter(|event| event["event"] != "error");
    assert_eq!(tiles.map(|event| at_span(text, event)).collect::<String>(), text, "{file}");
    if finish == "complete" {
        let plain = words(STREAM, text).succeeded().lines();
        assert_eq!(joined(rest), joined(&plain), "{file}");
        let mut plain = plain.last().expect("an end").clone();
        if let Some(reason) = recording["reason"].as_str() {
            plain["reason"] = reason.into();
        }
        if let Some(instead) = end.get("instead_of_text") {
            assert_eq!(text, "", "{file}");
            plain["instead_of_text"] = instead.clone();
        }
        assert_eq!(*end, plain, "{file}");
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

/// The tag in the truncated file is not printed.
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

/// The decided events are printed, then the reply ends as truncated, and the message says where.
#[test]
fn a_bad_event_cuts_the_reply_off() {
    let start = [chunk("é [[READ_FILE/]]"), chunk("[[WRITE_FILE]][[RUN/]]")].concat();
    for (bad, message) in [
        (&b"data: {\"choices\n\n"[..], "after byte 39 of the reply: event 3 is not JSON: "),
        (b"data: {\"error\": \"no \x1b[31mmemory\"}\n\n", "event 3 is not JSON: control character"),
        (
            b"event: error\ndata: {\"message\": \"no\\u001b[31m memory\"}\n\n",
            r"after byte 39 of the reply: the server failed: no\u{1b}[31m memory",
        ),
        (b"data: \xFF\n\n", &format!("after byte 39 of the reply: invalid UTF-8 at byte {}", start.len() + 6)),
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
        for args in ["auto", "openai", "openai-responses", "anthropic --replay 3", "ollama", "auto --format text"] {
            let run = from(args, body(file));
            run.refused(&[words]);
            assert_eq!(run.out, "", "{file} {args}");
        }
    }
    from("auto", "[[RUN/]] plain text").refused(&["expected an event stream, got \"[[RUN/]] plain text\""]);
    from("anthropic", body("openai.sse"))
        .refused(&["expected a stream in the format anthropic, got one in the format openai"]);
    from("openai --choice 2", body("openai-choices.sse")).refused(&["the answer has no choice 2"]);
    let formats = "openai, openai-responses, anthropic, gemini, ollama, cohere, mistral, auto";
    from("palm", "").refused(&["palm", formats]);
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
    // The end event ends the reply although the pipe is open.
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

/// With `curl`: the first event is printed before the reply ends, and a broken connection truncates it.
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

/// The events of a stream, without the blank lines between them.
fn events(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

/// A truncated file that contains a command.
const OPEN: &str = r#"[[WRITE_FILE path=\"n.md\"]]Never: [[RUN cmd=\"rm -rf b\"/]]"#;

fn openai(content: &str) -> String {
    format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{content}"}}}}]}}"#)
}

#[track_caller]
fn is_cut_off(run: Run, reason: Option<&str>) {
    let events = run.succeeded().lines();
    assert!(events.iter().all(|event| event["event"] != "tag"), "{events:?}");
    let end = events.last().expect("an end");
    assert_eq!((&end["finish"], end.get("reason")), (&json!("truncated"), reason.map(Value::from).as_ref()));
}

#[track_caller]
fn is_one_tag(run: Run, attr: &str, value: &str) {
    let events = run.succeeded().lines();
    let [tag, end] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&tag["event"], &tag["attrs"][attr]), (&json!("tag"), &json!(value)));
    assert_eq!(end["finish"], "complete");
}

#[test]
fn f1_a_completed_response_may_be_incomplete() {
    let delta = format!(r#"{{"type":"response.output_text.delta","delta":"{OPEN}"}}"#);
    let end = r#"{"type":"response.completed","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#;
    for format in ["openai-responses", "auto --replay 1"] {
        is_cut_off(from(format, events(&[&delta, end])), Some("max_output_tokens"));
    }
}

#[test]
fn f2_a_reason_to_be_cut_off_stays() {
    let length = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}"#;
    let stop = length.replace("length", "stop");
    let text = openai(OPEN);
    for ends in [[length, &stop], [&stop, length]] {
        let body = events(&[&text, ends[0], ends[1], "[DONE]"]);
        is_cut_off(from("openai", body), Some("length"));
    }
}

#[test]
fn f3_an_end_without_a_reason_cuts_an_open_tag_off() {
    is_cut_off(from("openai", events(&[&openai(OPEN), "[DONE]"])), None);
    let block =
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{OPEN}"}}}}"#);
    is_cut_off(from("anthropic", events(&[&block, r#"{"type":"message_stop"}"#])), None);
    is_cut_off(
        from(
            "cohere",
            events(&[
                &block.replace("content_block_delta", "content-delta").replace(
                    &format!(r#"{{"type":"text_delta","text":"{OPEN}"}}"#),
                    &format!(r#"{{"message":{{"content":{{"text":"{OPEN}"}}}}}}"#),
                ),
                r#"{"type":"message-end"}"#,
            ]),
        ),
        None,
    );
    is_cut_off(from("ollama", format!("{{\"response\":\"{OPEN}\",\"done\":true}}\n")), None);
    // An unfinished token is open, too, and an unknown tag that may have a body.
    is_cut_off(from("openai", events(&[&openai(r#"Hi [[RUN cmd=\"a"#), "[DONE]"])), None);
    is_cut_off(from("openai", events(&[&openai(r#"Hi [[NOTE]] [[RUN cmd=\"a\"/]]"#), "[DONE]"])), None);
    // With nothing open it is complete.
    is_one_tag(from("openai", events(&[&openai(r#"[[RUN cmd=\"a\"/]]"#), "[DONE]"])), "cmd", "a");
    let end = from("openai", events(&[&openai("a ["), "[DONE]"])).succeeded().lines().pop();
    assert_eq!(end, Some(json!({"event": "end", "tags": 0, "errors": [], "prose": "a [", "finish": "complete"})));
}

#[test]
fn f4_a_failure_in_other_words() {
    let error = "error: {\"code\":400,\"message\":\"context too long\"}\n\ndata: [DONE]\n\n";
    for args in ["openai", "auto", "auto --replay 1"] {
        let run = from(args, error);
        run.refused(&["the server failed: context too long (400)"]);
        assert_eq!(run.out, "");
    }
    let error = events(&[r#"{"error_type":"overloaded","error_message":"busy"}"#, "[DONE]"]);
    from("openai", error).refused(&["the server failed: busy (overloaded)"]);
}

#[test]
fn f6_events_without_blank_lines() {
    let stop = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let body = events(&[&openai(r#"[[RUN cmd=\"a\"/]]"#), stop, "[DONE]"]).replace("\n\n", "\n");
    for args in ["openai", "auto", "auto --replay 1"] {
        is_one_tag(from(args, &body), "cmd", "a");
    }
}

#[test]
fn f7_nothing_understood_is_no_empty_answer() {
    let body = |choices: &str| events(&[&format!(r#"{{"choices":{choices}}}"#), "[DONE]"]);
    for choices in [
        r#"[{"index":0,"text":"[[RUN cmd=\"a\"/]]","finish_reason":"stop"}]"#,
        r#"[{"index":0,"message":{"content":"[[RUN cmd=\"a\"/]]"},"finish_reason":"stop"}]"#,
        r#"{"index":0,"delta":{"content":"[[RUN cmd=\"a\"/]]"},"finish_reason":"stop"}"#,
    ] {
        is_one_tag(from("auto", body(choices)), "cmd", "a");
        let in_a_list = body(choices).replace("data: {", "data: [{").replace("}\n\ndata: [D", "}]\n\ndata: [D");
        is_one_tag(from("auto", in_a_list), "cmd", "a");
    }
    let gemini = r#"{"candidates":[{"content":{"parts":[{"text":"[[RUN cmd=\"a\"/]]"}]},"finishReason":"STOP"}]}"#;
    is_one_tag(from("auto", events(&[gemini])), "cmd", "a");
    let unknown = events(&[r#"{"contentBlockDelta":{"delta":{"text":"[[RUN/]]"}}}"#]);
    let run = from("auto", &unknown);
    run.refused(&["expected a stream in a known format", "contentBlockDelta"]);
    assert_eq!(run.out, "");
    from("openai", &unknown).refused(&["expected a stream in the format openai", "contentBlockDelta"]);
}

#[test]
fn f8_halves_of_a_character() {
    let halves = [openai(r#"[[WRITE_FILE path=\"notes-\ud83d"#), openai(r#"\ude80.md\"]]x[[/WRITE_FILE]]"#)];
    is_one_tag(from("openai", events(&[&halves[0], &halves[1], "[DONE]"])), "path", "notes-🚀.md");
}

#[test]
fn f9_an_answer_that_begins_again() {
    let start = r#"{"type":"message_start","message":{"id":"1"}}"#;
    let text = |text: &str| {
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#)
    };
    let (one, two) =
        (text(r#"[[WRITE_FILE path=\"a\"]]one"#), text(r#"[[WRITE_FILE path=\"a\"]]one two[[/WRITE_FILE]]"#));
    let end = [r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#, r#"{"type":"message_stop"}"#];
    let run = from("anthropic", events(&[start, &one, &start.replace('1', "2"), &two, end[0], end[1]]));
    run.refused(&["after byte 26 of the reply: event 3 begins the answer again"]);
    let lines = run.lines();
    assert!(lines.iter().all(|event| event["event"] != "tag"), "{lines:?}");
    assert_eq!(lines.last().expect("an end")["finish"], "truncated");

    let piece =
        |id: u8| format!(r#"{{"id":"{id}","choices":[{{"index":0,"delta":{{"role":"assistant","content":"Hi"}}}}]}}"#);
    from("openai", events(&[&piece(1), &piece(2)])).refused(&["event 2 begins the answer again"]);
}

#[test]
fn f11_a_missing_choice_is_told() {
    let stop = r#"{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    for body in [events(&[stop]), events(&[stop, "[DONE]"])] {
        from("openai --choice 5", body).refused(&["the answer has no choice 5"]);
    }
}

#[test]
fn f12_no_error_is_no_error() {
    for error in ["{}", r#""""#, "false", "null"] {
        let chunk = format!(r#"{{"error":{error},"choices":[{{"index":0,"delta":{{"content":"Hi"}}}}]}}"#);
        let lines = from("openai", events(&[&chunk, "[DONE]"])).succeeded().lines();
        assert_eq!((&lines[0]["text"], &lines[1]["finish"]), (&json!("Hi"), &json!("complete")), "{error}");
    }
}

#[test]
fn a_body_of_nothing_is_not_an_empty_answer() {
    for body in ["{}", "[]", "[{}]\n"] {
        for format in ["auto", "openai", "ollama"] {
            from(format, body).refused(&[body.trim()]);
        }
    }
}

#[test]
fn a_deep_field_that_nobody_reads_is_no_fault() {
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let chunk =
        format!(r#"{{"extra":{deep},"choices":[{{"index":0,"delta":{{"content":"Hi"}},"finish_reason":"stop"}}]}}"#);
    let lines = from("auto", events(&[&chunk, "[DONE]"])).succeeded().lines();
    assert_eq!((&lines[0]["text"], &lines[1]["finish"]), (&json!("Hi"), &json!("complete")));
}

#[test]
fn the_end_tells_why_and_what_instead() {
    let run = from("openai", body("openai-length.sse")).succeeded();
    assert_eq!(run.lines().last().expect("an end")["reason"], "length");
    let tools = body("cohere-tools.sse");
    let end = json!({"event": "end", "tags": 0, "errors": [], "prose": "", "finish": "complete", "reason": "TOOL_CALL",
        "instead_of_text": "tool_calls"});
    assert_eq!(from("auto", &tools).succeeded().lines(), [end]);
    let shown = from("auto --format text", &tools).succeeded().out;
    assert_eq!(shown, "complete (TOOL_CALL): no tags, no errors, only tool calls\n");
    let refusal = from("auto", body("openai-refusal.sse")).succeeded().lines();
    assert_eq!(refusal[0]["instead_of_text"], "refusal");
}

#[test]
fn gzip_has_a_hint() {
    from("auto", body("openai.sse.gz")).refused(&["got bytes compressed with gzip: run curl with `--compressed`"]);
}

#[test]
fn lossy_replaces_what_is_not_utf_8() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xFF\xE2\x82b\"},\"finish_reason\":\"stop\"}]}\n\n";
    from("openai", body).refused(&["invalid UTF-8 at byte 40"]);
    for args in ["openai --lossy", "auto --lossy --replay 1"] {
        let lines = from(args, body).succeeded().lines();
        assert_eq!(lines.last().expect("an end")["prose"], "a\u{FFFD}\u{FFFD}b");
    }
    let lines = words(&format!("{STREAM} --lossy"), b"a\xFF\xE2\x82").succeeded().lines();
    assert_eq!(lines.last().expect("an end")["prose"], "a\u{FFFD}\u{FFFD}");
    words(STREAM, b"a\xFF").refused(&["invalid UTF-8 at byte 1"]);
}
