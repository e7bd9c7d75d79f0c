//! `tagwire batch`: invalid lines.

use std::fs;

use serde_json::{Value, json};

use crate::support::words;

const ROLES: &str = r#""role": "developer", "mode": "work""#;

/// The fault of one line.
#[track_caller]
fn fault(line: impl AsRef<[u8]>) -> Value {
    let mut input = line.as_ref().to_vec();
    input.push(b'\n');
    let run = words("batch", input);
    let [fault] = &run.lines()[..] else { panic!("{run:?}") };
    assert!(fault.get("fault").is_some(), "{run:?}");
    assert_eq!((run.code, &fault["line"]), (Some(1), &json!(1)));
    let said =
        format!("tagwire: 1 of 1 lines could not be read; the first is line 1: {}\n", fault["fault"].as_str().unwrap());
    assert_eq!(run.err, said);
    fault.clone()
}

#[track_caller]
fn says(line: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(fault(line)["fault"], expected);
}

#[test]
fn what_is_no_json() {
    says("", "line is blank");
    says(" \t\r", "line is blank");
    says("nonsense", "not JSON: expected ident at column 2");
    says("{\"text\": \"a\"", "not JSON: EOF while parsing an object at column 12");
    says(format!("{{{ROLES}, \"text\": \"\"}} x"), "not JSON: trailing characters at column 51");
    says("[]", "expected a JSON object");
    says("\"text\"", "expected a JSON object");
    says("7", "expected a JSON object");
    says("1e999", "expected a JSON object");
    says("[7", "not JSON: EOF while parsing a list at column 2");
    says("\"text", "not JSON: EOF while parsing a string at column 5");
    says(
        format!("{{{ROLES}, \"text\": \"a\tb\"}}"),
        "not JSON: control character (\\u0000-\\u001F) found while parsing a string at column 49",
    );
    says(format!("{{{ROLES}, \"text\": NaN}}"), "not JSON: expected value at column 47");
    says(b"{\"text\": \"\xFF\"}", "invalid UTF-8 at byte 10");
    says(b"{\"x\": \"\xED\xA0\xBD\"}", "invalid UTF-8 at byte 7");
}

#[test]
fn what_lacks_something() {
    says(format!("{{{ROLES}}}"), "no \"text\"");
    says(r#"{"text": "", "mode": "work"}"#, "no \"role\", and no --role for lines without it");
    says(r#"{"text": "", "role": "tester"}"#, "no \"mode\", and no --mode for lines without it");
    for (value, what) in [
        ("null", "null"),
        ("1", "a number"),
        ("-1.5", "a number"),
        ("[1]", "an array"),
        ("{\"a\": []}", "an object"),
        ("true", "a boolean"),
    ] {
        says(format!("{{{ROLES}, \"text\": {value}}}"), &format!("\"text\" is {what}, not a string"));
        says(
            format!(r#"{{"text": "", "mode": "work", "role": {value}}}"#),
            &format!("\"role\" is {what}, not a string"),
        );
        says(
            format!(r#"{{"text": "", "mode": {value}, "role": "tester"}}"#),
            &format!("\"mode\" is {what}, not a string"),
        );
    }
}

#[test]
fn unknown_roles_and_modes() {
    let unknown = r#"unknown role "boss" (known: manager, planner, developer, reviewer, tester)"#;
    says(r#"{"text": "", "role": "boss", "mode": "work"}"#, unknown);
    let unknown = r#"unknown mode "Work" (known: triage, final, error, chat, work)"#;
    says(r#"{"text": "", "role": "tester", "mode": "Work"}"#, unknown);
}

#[test]
fn what_a_fault_quotes_is_short() {
    let long = "é\\n".repeat(100_000);
    for line in [
        format!(r#"{{"text": "", "role": "{long}", "mode": "work"}}"#),
        format!(r#"{{"text": "", "role": "tester", "mode": "{long}"}}"#),
        format!(r#"{{"text": "", {ROLES}, "finish": "{long}"}}"#),
        format!(r#"{{"text": "", {ROLES}, "{long}"}}"#),
        format!(r#""{long}""#),
    ] {
        let fault = fault(&line);
        assert!(fault.to_string().len() < 500, "{fault}");
    }
    let name = "x".repeat(60);
    for (role, quoted) in [(name.clone(), name.clone()), (format!("{name}x"), format!("{name}…"))] {
        let expected = format!("unknown role \"{quoted}\" (known: manager, planner, developer, reviewer, tester)");
        says(format!(r#"{{"text": "", "role": "{role}", "mode": "work"}}"#), &expected);
    }
}

#[test]
fn lone_surrogates() {
    let lone = |escape: &str, at: usize| format!("lone surrogate {escape} at byte {at}");
    says(format!(r#"{{"text": "a\uD83D", {ROLES}}}"#), &lone("\\uD83D", 11));
    says(format!(r#"{{"text": "\ude00\ud83d", {ROLES}}}"#), &lone("\\ude00", 10));
    says(format!(r#"{{"text": "\ud83d\ud83d\ude00", {ROLES}}}"#), &lone("\\ud83d", 10));
    says(format!(r#"{{"text": "\ud83d\n", {ROLES}}}"#), &lone("\\ud83d", 10));
    // Also in values that are not read.
    says(format!(r#"{{"text": "", {ROLES}, "other": ["\\\udc00"]}}"#), &lone("\\udc00", 63));
    let fault = fault(format!(r#"{{"text": "", {ROLES}, "id": "\udfff"}}"#));
    assert_eq!(fault.get("id"), None, "it would be wrong there too");
}

#[test]
fn an_id_is_kept_where_it_can_be_read() {
    assert_eq!(fault(r#"{"id": 1.50, "text": ""}"#)["id"].to_string(), "1.5");
    assert_eq!(fault(r#"{"text": "\ud83d", "i\u0064": "x"}"#)["id"], "x");
    assert_eq!(fault(r#"{"id": 7, "text": "a"#).get("id"), None);
    assert_eq!(fault("[]").get("id"), None);
    let written = words("batch", r#"{"id": 12345678901234567890123, "text": 1}"#).out;
    assert!(written.starts_with("{\"line\":1,\"id\":12345678901234567890123,\"fault\":"), "{written}");
}

#[test]
fn a_fault_takes_the_place_of_its_line() {
    let good = format!("{{\"text\": \"ok\", {ROLES}}}");
    let run = words("batch", format!("\u{feff}{good}\r\n\r\n{good}\nbad\n{good}"));
    assert_eq!(run.code, Some(1));
    let lines = run.lines();
    assert_eq!(lines.len(), 5);
    assert_eq!([&lines[1]["line"], &lines[3]["line"]], [2, 4]);
    assert!([0, 2, 4].iter().all(|&i| lines[i]["prose"] == "ok"));
    assert!(lines.iter().all(|line| line.get("file").is_none()));
    assert_eq!(run.err, "tagwire: 2 of 5 lines could not be read; the first is line 2: line is blank\n");
}

#[test]
fn lines_are_counted_within_their_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name).to_str().expect("it is text").to_owned());
    fs::write(&a, "\n\n").expect("it is written");
    fs::write(&b, "bad").expect("it is written");
    let run = words(&format!("batch {a} {b}"), "");
    let places =
        run.lines().into_iter().map(|fault| (fault["line"].clone(), fault["file"].clone())).collect::<Vec<_>>();
    assert_eq!(places, [(json!(1), json!(a)), (json!(2), json!(a)), (json!(1), json!(b))]);
    assert_eq!(run.err, format!("tagwire: 3 of 3 lines could not be read; the first is {a}, line 1: line is blank\n"));
    assert_eq!(run.code, Some(1));
}

#[test]
fn what_a_summary_quotes_is_safe() {
    let run = words("batch", "{\"role\": \"\\u001b[31m\\u009b\", \"text\": \"\", \"mode\": \"work\"}");
    assert!(run.err.trim_end().chars().all(|c| !c.is_control()), "{:?}", run.err);
}

#[test]
fn an_unknown_finish() {
    let line = |fields: &str| format!(r#"{{"text": "", {ROLES}, {fields}}}"#);
    let or = "neither \"complete\" nor \"truncated\"; --finish-key names a key with a provider's reasons";
    for value in ["stop", "length", "Complete", "", "because"] {
        says(line(&format!(r#""finish": "{value}""#)), &format!("\"finish\" is \"{value}\", {or}"));
    }
    says(line(r#""finish": "a\u001b\nb""#), &format!("\"finish\" is \"a\\u{{1b}}\\nb\", {or}"));
    for (value, what) in [("1", "a number"), ("[]", "an array"), ("{}", "an object"), ("true", "a boolean")] {
        says(line(&format!(r#""finish": {value}"#)), &format!("\"finish\" is {what}, not a string"));
    }
    let run = words("batch --finish-key why", line(r#""why": "because""#));
    let expected = "\"why\" is \"because\", which is neither \"complete\", \"truncated\" nor a provider's known reason";
    assert_eq!((run.code, &run.lines()[0]["fault"]), (Some(1), &json!(expected)));
    let long = fault(line(&format!(r#""finish": "{}""#, "x".repeat(100_000))));
    assert!(long.to_string().len() < 400, "{long}");
}

/// Values that are not read may be nested as deep as they like; those that are read have a type.
#[test]
fn deep_values() {
    for depth in [127, 128, 129, 100_000] {
        let values = [("[", "]"), ("{\"a\":", "}"), ("[{\"id\":", "}]")]
            .map(|(open, close)| format!("{}1{}", open.repeat(depth), close.repeat(depth)));
        for value in &values {
            for key in ["other", "id"] {
                words("batch", format!(r#"{{"{key}": {value}, "text": "", {ROLES}}}"#)).succeeded();
                words("batch", format!(r#"{{"text": "", {ROLES}, "{key}": {value}}}"#)).succeeded();
            }
            let fault = fault(format!(r#"{{"text": {value}, "id": 7, {ROLES}}}"#));
            assert_eq!(fault["id"], 7);
            assert!(fault["fault"].as_str().unwrap().starts_with("\"text\" is an "), "{fault}");
            says(value, if value.starts_with('{') { "no \"text\"" } else { "expected a JSON object" });
        }
    }
}
