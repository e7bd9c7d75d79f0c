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
fn bytes_that_are_no_text_end_it_behind_the_events_before() {
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

#[cfg(unix)]
#[test]
fn interrupted_it_says_what_is_decided() {
    let mut stream = Dribble::new(STREAM);
    stream.write(b" Hi. [[RUN/]] [[WRITE_FILE]]held [[NOTE]]");
    assert_eq!(stream.event()["event"], "prose");
    assert_eq!(stream.event()["event"], "tag");
    assert_eq!(stream.event()["event"], "prose");
    // It waits for input that does not come.
    thread::sleep(Duration::from_millis(50));
    crate::support::interrupt(&stream.child);
    let end = json!({"event": "end", "tags": 1, "errors": [], "prose": "Hi.", "finish": "interrupted"});
    assert_eq!(stream.event(), end);
    let run = finish(stream.child, b"");
    assert_eq!((run.code, run.err.as_str()), (Some(130), ""));
}

/// As when the same Ctrl-C ends the program that writes the input.
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
    // Written to a pipe that nobody reads; when it has ended, writing fails here too.
    while input.write_all(b"[[RUN/]]").is_ok() {
        thread::sleep(Duration::from_millis(1));
    }
    drop(input);
    let run = finish(child, b"");
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
}
