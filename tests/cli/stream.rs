//! `tagwire stream`.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Dribble, at_span, cases, expected, finish, run, shape, words};

const STREAM: &str = "stream --role developer --mode work";

fn replay(text: &str, n: usize) -> Vec<Value> {
    words(&format!("{STREAM} --pending --replay {n}"), text).succeeded().lines()
}

#[test]
fn every_vector_as_the_seed_has_it() {
    let cases = cases();
    let check = |(i, case): (usize, &Value)| {
        let [role, mode, text] = ["role", "mode", "text"].map(|key| case[key].as_str().expect("a string"));
        let n = ["1", "2", "3", "5", "64"][i % 5];
        let events = run(&["stream", "--role", role, "--mode", mode, "--replay", n], text).succeeded().lines();
        let (end, events) = events.split_last().expect("an end");
        let tiles = events.iter().filter(|event| event["event"] != "error");
        assert_eq!(tiles.map(|event| at_span(text, event)).collect::<String>(), text, "{}", case["id"]);
        let tags = events.iter().filter(|event| event["event"] == "tag").cloned().collect::<Vec<_>>();
        assert!(tags.iter().all(|tag| at_span(text, tag) == tag["raw"]), "{}", case["id"]);
        assert_eq!(shape(&tags, &end["errors"], &end["prose"]), expected(case), "{}", case["id"]);
        assert_eq!((&end["tags"], &end["finish"]), (&json!(tags.len()), &json!("complete")), "{}", case["id"]);
    };
    let cases = cases.iter().enumerate().collect::<Vec<_>>();
    thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(2)) {
            scope.spawn(move || part.iter().copied().for_each(check));
        }
    });
}

#[test]
fn events_have_their_shapes() {
    let text = " é\n[[NOTE]] [[RUN cmd='x'/]][[/RUN]]";
    let run = words(STREAM, text).succeeded();
    let error = |code: &str, tag: Value, span: [usize; 2], line: usize, column: usize, message: &str| json!({"event": "error", "code": code, "tag": tag, "span": span, "line": line, "column": column, "message": message});
    let unknown = "ERROR: unknown tag [[NOTE]] ignored";
    let stray = "ERROR: stray closing tag [[/RUN]] ignored";
    let expected = [
        json!({"event": "prose", "text": " é\n", "span": [0, 4]}),
        error("unknown-tag", json!("NOTE"), [4, 12], 2, 1, unknown),
        json!({"event": "dropped", "span": [4, 12]}),
        json!({"event": "prose", "text": " ", "span": [12, 13]}),
        json!({"event": "tag", "name": "RUN", "attrs": {"cmd": "x"}, "body": "", "raw": "[[RUN cmd='x'/]]", "span": [13, 29],
               "view": null}),
        error("stray-close", json!(null), [29, 37], 2, 26, stray),
        json!({"event": "dropped", "span": [29, 37]}),
        json!({"event": "end", "tags": 1, "errors": [unknown, stray], "prose": "é", "finish": "complete"}),
    ];
    let expected = expected.map(|line| format!("{line}\n")).concat();
    assert_eq!(run.out, expected);
}

#[test]
fn budget_errors_come_where_they_are_and_last_in_the_list() {
    let text = "[[HIRE/]][[HIRE/]][[FIRE/]][[HIRE/]][[NOTE]]";
    let events = words("stream --role manager --mode chat", text).succeeded().lines();
    let codes = events.iter().filter_map(|event| event["code"].as_str()).collect::<Vec<_>>();
    assert_eq!(codes, ["over-budget", "unknown-tag"]);
    let errors = &events.last().expect("an end")["errors"];
    assert_eq!(errors[1], "ERROR: too many [[HIRE]] in one reply (max 3); the extra was ignored");
}

#[test]
fn an_empty_reply_ends() {
    let end = json!({"event": "end", "tags": 0, "errors": [], "prose": "", "finish": "complete"});
    assert_eq!(words(STREAM, "").succeeded().lines(), [end]);
}

#[test]
fn pending_tells_how_a_body_grows() {
    let pending =
        |events: Vec<Value>| events.into_iter().filter(|event| event["event"] == "pending").collect::<Vec<_>>();
    let text = "[[WRITE_FILE path='a']]12é[4[[/WRITE_FILE]][[WRITE_FILE path='b']][[/WRITE_FILE]]";
    let sizes = |n| {
        let sizes = pending(replay(text, n)).into_iter().map(|event| event["body_bytes"].as_u64().expect("a number"));
        sizes.collect::<Vec<_>>()
    };
    assert_eq!(sizes(1), [1, 2, 4, 6]);
    assert_eq!(sizes(25), [2]);
    let lines = pending(replay(text, 1));
    assert_eq!(lines[0], json!({"event": "pending", "name": "WRITE_FILE", "attrs": {"path": "a"}, "body_bytes": 1}));
    assert_eq!(lines[1], json!({"event": "pending", "name": "WRITE_FILE", "body_bytes": 2}));
    // Without the option there are none.
    assert!(!words(&format!("{STREAM} --replay 1"), text).out.contains("pending"));
}

#[test]
fn attrs_come_again_with_the_next_tag() {
    let text = "[[WRITE_FILE path='a']]1[[/WRITE_FILE]][[WRITE_FILE path='b']]12[[/WRITE_FILE]]";
    let events = replay(text, 1);
    let attrs = events.iter().filter(|event| event["event"] == "pending").map(|event| event.get("attrs"));
    let (a, b) = (json!({"path": "a"}), json!({"path": "b"}));
    assert_eq!(attrs.collect::<Vec<_>>(), [Some(&a), Some(&b), None]);
}

#[test]
fn replay_cuts_at_multiples_whatever_is_read() {
    // Longer than one read.
    let text = format!("[[WRITE_FILE]]{}[[/WRITE_FILE]]", "é".repeat(100_000));
    let sizes = |n| replay(&text, n).iter().filter_map(|event| event["body_bytes"].as_u64()).collect::<Vec<_>>();
    assert_eq!(sizes(50_001), [49_986, 99_988, 149_988, 199_990]);
    assert!(sizes(1_000_000).is_empty());
}

#[test]
fn a_limit_is_kept() {
    let events =
        words(&format!("{STREAM} --max-tag-bytes 20"), "[[WRITE_FILE]]12345678901[[/WRITE_FILE]]ok").succeeded();
    let codes = events.lines().iter().filter_map(|event| event["code"].as_str().map(str::to_owned)).collect::<Vec<_>>();
    assert_eq!(codes, ["too-long"]);
}

#[test]
fn bytes_that_are_no_text_end_it_after_the_events_before() {
    for (bytes, offset) in [(&b"\xC3\xA9[[RUN/]]ab\xFFcd"[..], 12), (b"\xC3\xA9[[RUN/]]ab\xE2\x82", 12)] {
        for args in [STREAM.to_owned(), format!("{STREAM} --replay 1")] {
            let run = words(&args, bytes);
            run.refused(&["standard input", &format!("invalid UTF-8 at byte {offset}")]);
            let prose =
                run.lines().iter().filter_map(|event| event["text"].as_str().map(str::to_owned)).collect::<String>();
            assert_eq!(prose, "éab");
            assert!(!run.out.contains("\"end\""), "{}", run.out);
        }
    }
}

/// The two lines of the help.
const CUT_OFF: &str = "[[WRITE_FILE path=\"notes.md\"]]Never run this:\n[[RUN cmd=\"rm -rf /\"/]]";

#[test]
fn how_a_reply_ended_decides_what_is_read_after_an_open_tag() {
    for replay in ["1", "7", "1000"] {
        let run = |finish: &str| {
            let events = words(&format!("{STREAM} --replay {replay}{finish}"), CUT_OFF).succeeded().lines();
            let tags = events.iter().filter(|event| event["event"] == "tag").map(|tag| tag["name"].clone());
            (tags.collect::<Vec<_>>(), events.last().expect("an end").clone())
        };
        for finish in ["", " --finish complete"] {
            let (tags, end) = run(finish);
            assert_eq!(tags, ["RUN"]);
            assert_eq!((&end["finish"], &end["prose"]), (&json!("complete"), &json!("Never run this:")));
        }
        let (tags, end) = run(" --finish truncated");
        assert!(tags.is_empty(), "{tags:?}");
        let error = "ERROR: unclosed tag [[WRITE_FILE]] ignored (the reply was cut off)";
        assert_eq!(end, json!({"event": "end", "tags": 0, "errors": [error], "prose": "", "finish": "truncated"}));
    }
}

#[test]
fn the_help_shows_why_the_finish_matters() {
    let help = words("stream --help", "").succeeded().out;
    for line in CUT_OFF.lines() {
        assert!(help.contains(line), "{help}");
    }
}

#[test]
fn an_event_stream_says_itself_how_it_ended() {
    words(&format!("{STREAM} --from auto --finish truncated"), "").refused(&["--finish", "--from"]);
    words(&format!("{STREAM} --finish length"), "").refused(&["length", "complete", "truncated"]);
}

#[test]
fn the_end_repeats_errors_and_prose_up_to_a_mebibyte_each() {
    const MAX: usize = 1 << 20;
    let frame = "ERROR: stray closing tag [[/]] ignored".len();
    for (prose_len, error_len, keeps_prose, keeps_errors) in [
        (MAX, MAX, true, true),
        (MAX + 1, MAX, false, true),
        (MAX, MAX + 1, true, false),
        (MAX + 1, MAX + 1, false, false),
    ] {
        let prose = "x".repeat(prose_len);
        let text = format!(" {prose}[[/{}]]\n", "y".repeat(error_len - frame));
        let events = words(STREAM, &text).succeeded().lines();
        let (end, events) = events.split_last().expect("an end");
        let shown = events.iter().filter_map(|event| event["text"].as_str()).collect::<String>();
        assert_eq!(shown.trim(), prose);
        assert_eq!(end["prose"], if keeps_prose { json!(prose) } else { Value::Null });
        assert_eq!(end["errors"].as_array().map(Vec::len), keeps_errors.then_some(1));
        assert_eq!((&end["tags"], &end["finish"]), (&json!(0), &json!("complete")));
    }
}

/// The most memory that a process has used, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory(child: &std::process::Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    peak.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_reply() {
    const MIB: usize = 1 << 20;
    let blocks: [(&str, &[u8]); 6] = [
        ("json", b"prose and more prose\n"),
        ("text", b"prose and more prose\n"),
        ("json", b"[[NOTE/]] "),
        ("text", b"                              "),
        ("text", b"\n"),
        ("json", b"\t\n "),
    ];
    for (format, block) in blocks {
        let mut stream = Dribble::new(&format!("{STREAM} --format {format}"));
        let mut output = stream.events;
        thread::scope(|scope| {
            // Nothing else keeps it from writing.
            scope.spawn(|| std::io::copy(&mut output, &mut std::io::sink()).expect("it writes"));
            let mut input = stream.input.take().expect("it is open");
            let mebibyte = block.repeat(MIB / block.len());
            for _ in 0..32 {
                input.write_all(&mebibyte).expect("it reads");
            }
            let peak = peak_memory(&stream.child);
            assert!(peak < 24 * MIB, "{peak} bytes for {}", String::from_utf8_lossy(block));
            drop(input);
        });
        assert_eq!(stream.child.wait().expect("it ends").code(), Some(0));
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    words(&format!("{STREAM} no/such/file"), "").refused(&["no/such/file"]);
    words(&format!("{STREAM} --replay 0"), "").refused(&["--replay"]);
    words(&format!("{STREAM} --choice 1"), "").refused(&["--from"]);
    words("stream --role boss --mode work", "").refused(&["boss", "tester"]);
}

#[test]
fn a_dribbling_pipe_shows_its_events_at_once() {
    let mut stream = Dribble::new(&format!("{STREAM} --pending"));
    stream.write(b"Hello \xC3");
    assert_eq!(stream.event()["text"], "Hello ");
    stream.write(b"\xA9[");
    assert_eq!(stream.event()["text"], "é");
    stream.write(b"[RUN/]] [[WRITE_FILE]]x");
    assert_eq!(stream.event()["name"], "RUN");
    assert_eq!(stream.event()["text"], " ");
    assert_eq!(stream.event()["body_bytes"], 1);
    stream.write(b"[[NOTE]]");
    assert_eq!(stream.event()["body_bytes"], 9);
    stream.input = None;
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stream.events, &mut rest).expect("it ends");
    assert!(rest.contains("unclosed") && rest.contains("unknown-tag") && rest.contains("\"complete\""), "{rest}");
    assert_eq!(stream.child.wait().expect("it ends").code(), Some(0));
}

/// The exit codes are those of shells: 128 plus the number of the signal.
#[cfg(unix)]
#[test]
fn a_signal_ends_it_after_the_decided_events() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        for args in [STREAM.to_owned(), format!("{STREAM} --replay 1"), format!("{STREAM} --finish truncated")] {
            let mut stream = Dribble::new(&args);
            stream.write(b" Hi. [[RUN/]] [[WRITE_FILE]]held [[NOTE]]");
            let mut prose = String::new();
            let tag = loop {
                match stream.event() {
                    event if event["event"] == "prose" => prose.push_str(event["text"].as_str().expect("a string")),
                    event => break event,
                }
            };
            assert_eq!((prose.as_str(), &tag["name"]), (" Hi. ", &json!("RUN")));
            assert_eq!(stream.event()["text"], " ");
            // It waits for input that never arrives.
            thread::sleep(Duration::from_millis(50));
            crate::support::signal(&stream.child, signal);
            let end = json!({"event": "end", "tags": 1, "errors": [], "prose": "Hi.", "finish": "interrupted"});
            assert_eq!(stream.event(), end, "{signal} {args}");
            let run = finish(stream.child, b"");
            assert_eq!((run.code, run.err.as_str()), (Some(code), ""), "{signal} {args}");
        }
    }
}

/// The reader of the output may have exited if the signal goes to the whole terminal.
#[cfg(unix)]
#[test]
fn a_signal_is_the_reason_even_if_the_end_cannot_be_written() {
    let mut stream = Dribble::new(STREAM);
    stream.write(b"[[RUN/]]");
    assert_eq!(stream.event()["name"], "RUN");
    let Dribble { child, input, events } = stream;
    drop(events);
    crate::support::signal(&child, "HUP");
    let run = finish(child, b"");
    assert_eq!((run.code, run.err.as_str()), (Some(129), ""));
    drop(input);
}

/// A supervisor that sends SIGTERM ends the program that writes the input, too.
#[cfg(unix)]
#[test]
fn a_signal_with_the_end_of_the_input_is_not_the_end_of_the_reply() {
    for _ in 0..10 {
        let mut stream = Dribble::new(STREAM);
        stream.write(b"[[RUN/]][[WRITE_FILE]]held");
        assert_eq!(stream.event()["event"], "tag");
        crate::support::signal(&stream.child, "TERM");
        stream.input = None;
        assert_eq!(stream.event()["finish"], "interrupted");
        assert_eq!(stream.child.wait().expect("it ends").code(), Some(143));
    }
}

/// Ctrl-C often also ends the program that writes the input.
#[cfg(unix)]
#[test]
fn interrupted_with_its_input_it_does_not_take_that_for_the_end() {
    for _ in 0..20 {
        let mut stream = Dribble::new(STREAM);
        stream.write(b"[[RUN/]][[WRITE_FILE]]held");
        assert_eq!(stream.event()["event"], "tag");
        crate::support::interrupt(&stream.child);
        stream.input = None;
        assert_eq!(stream.event()["finish"], "interrupted");
        assert_eq!(stream.child.wait().expect("it ends").code(), Some(130));
    }
}

#[test]
fn a_closed_pipe_is_the_end() {
    let mut stream = Dribble::new(STREAM);
    stream.write(b"[[RUN/]]");
    assert_eq!(stream.event()["name"], "RUN");
    let Dribble { child, input, events } = stream;
    let mut input = input.expect("it is open");
    drop(events);
    // Written to a pipe without a reader; writing fails once the process has ended.
    while input.write_all(b"[[RUN/]]").is_ok() {
        thread::sleep(Duration::from_millis(1));
    }
    drop(input);
    let run = finish(child, b"");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}
