//! The strict dialect on the command line: protocol files, tiles, regions, and facts in diagnostics.

use serde_json::{Value, json};

use crate::support::{finish, run, tagwire, words};

/// A protocol file of the vectors.
const DESK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/protocols/desk.json");

/// Runs a command in the protocol of the desk, as a developer at work.
fn desk(command: &str, input: &str) -> Vec<Value> {
    words(&format!("{command} --protocol {DESK} --role developer --mode work"), input).succeeded().lines()
}

#[test]
fn parse_adds_what_the_dialect_states() {
    let text = "[[READ_FILE: a.py]] [[WRITE_FIEL path=\"b\"/]]";
    let reply = &desk("parse", text)[0];
    let tag = json!({"name": "READ_FILE", "attrs": {"path": "a.py"}, "argument": "a.py", "body": "", "content": "",
        "raw": "[[READ_FILE: a.py]]", "span": [0, 19], "view": null});
    assert_eq!(reply["tags"], json!([tag]));
    let message = &reply["errors"][0];
    let diagnostic = json!({"code": "unknown-tag", "severity": "error", "tag": "WRITE_FIEL", "span": [20, 44],
        "nearest": ["WRITE_FILE"], "line": 1, "column": 21, "message": message});
    assert_eq!(reply["diagnostics"], json!([diagnostic]));
    assert_eq!(reply.get("tiles"), None);
}

#[test]
fn an_enum_tells_the_values_it_may_have() {
    let reply = &desk("parse", "[[WRITE_FILE path=\"a\" mode=\"x\"]]b[[/WRITE_FILE]]")[0];
    let diagnostic = &reply["diagnostics"][0];
    assert_eq!(
        (&diagnostic["code"], &diagnostic["reason"], &diagnostic["attribute"], &diagnostic["expected"]),
        (&json!("invalid-attribute"), &json!("enum"), &json!("mode"), &json!(["create", "replace"]))
    );
}

#[test]
fn tiles_cover_the_reply() {
    let text = "Hi [[RUN cmd=\"a\"/]]<think>[[RUN cmd=\"b\"/]]</think>[[/RUN]]";
    let tag = json!({"kind": "tag", "span": [3, 19], "name": "RUN", "attrs": {"cmd": "a"}, "body": "", "content": ""});
    let tiles = json!([
        {"kind": "prose", "span": [0, 3]},
        tag,
        {"kind": "region", "span": [19, 50], "name": "think"},
        {"kind": "dropped", "span": [50, 58]},
    ]);
    assert_eq!(desk("parse --tiles", text)[0]["tiles"], tiles);
    assert_eq!(desk("batch --tiles", &json!({"text": text}).to_string())[0]["tiles"], tiles);
}

#[test]
fn tiles_of_the_seed_have_its_keys() {
    let reply = words("parse --tiles --role developer --mode work", "[[RUN cmd='a'/]]!").succeeded().lines().remove(0);
    let tag = json!({"kind": "tag", "span": [0, 16], "name": "RUN", "attrs": {"cmd": "a"}, "body": ""});
    assert_eq!(reply["tiles"], json!([tag, {"kind": "prose", "span": [16, 17]}]));
}

#[test]
fn a_reply_may_begin_inside_a_region() {
    let text = "shall I [[RUN cmd=\"a\"/]]?</think>No.";
    for command in ["parse --begins-inside think", "batch"] {
        let input = if command == "batch" {
            json!({"text": text, "begins_inside": "think"}).to_string()
        } else {
            text.to_owned()
        };
        let reply = &desk(command, &input)[0];
        assert_eq!((&reply["tags"], &reply["prose"]), (&json!([]), &json!("No.")), "{command}");
    }
    let events = desk("stream --begins-inside think --replay 3", text);
    let region: String = events
        .iter()
        .filter(|event| event["event"] == "region")
        .map(|event| event["text"].as_str().expect("text"))
        .collect();
    assert_eq!(region, "shall I [[RUN cmd=\"a\"/]]?</think>");
    assert!(events.iter().filter(|event| event["event"] == "region").all(|event| event["name"] == "think"));
    assert_eq!(events.last().expect("an end")["prose"], "No.");
}

#[test]
fn a_region_that_the_protocol_does_not_have_is_refused() {
    for command in ["parse", "stream"] {
        let command = format!("{command} --protocol {DESK} --role developer --mode work --begins-inside mind");
        words(&command, "x").refused(&["unknown region \"mind\"", "think"]);
    }
    let line = r#"{"text": "x", "role": "developer", "mode": "work", "begins_inside": "mind"}"#;
    let run = words(&format!("batch --protocol {DESK}"), line);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.lines(), [json!({"line": 1, "fault": "unknown region \"mind\" (known: think, plan)"})]);
}

#[test]
fn a_stream_says_the_same_as_a_whole_reply() {
    let text = "A\n[[WRITE_FILE path=\"a\"]]\nb\n[[/WRITE_FILE]]\n```\n[[RUN cmd=\"a\"/]]\n```\n[[RUN]] <think>x";
    let reply = &desk("parse", text)[0];
    for bytes in ["1", "7", "1000"] {
        let events = desk(&format!("stream --replay {bytes}"), text);
        let of = |kind: &str| -> Vec<&Value> { events.iter().filter(|event| event["event"] == kind).collect() };
        let messages: Vec<&Value> = of("error").iter().map(|event| &event["message"]).collect();
        assert_eq!(Value::from_iter(messages.into_iter().cloned()), reply["errors"], "{bytes}");
        assert_eq!(of("tag")[0]["content"], "b\n");
        assert_eq!(events.last().expect("an end")["errors"], reply["errors"]);
        let place = |diagnostic: &Value| ["span", "line", "column"].map(|key| diagnostic[key].clone());
        let places: Vec<_> = reply["diagnostics"].as_array().expect("an array").iter().map(place).collect();
        assert_eq!(of("error").into_iter().map(place).collect::<Vec<_>>(), places);
    }
}

#[test]
fn a_stream_shows_an_open_body_without_what_may_be_its_close() {
    let events = desk("stream --pending --replay 1", "[[WRITE_FILE path=\"a\"]]x[[/RUN]]y[[/WRITE_FILE]]");
    let pending: Vec<&Value> = events.iter().filter(|event| event["event"] == "pending").collect();
    assert_eq!(pending[0], &json!({"event": "pending", "name": "WRITE_FILE", "attrs": {"path": "a"}, "body_bytes": 1}));
    assert_eq!(pending.last().expect("a body")["body_bytes"], "x[[/RUN]]y".len());
}

#[test]
fn warnings_are_no_errors() {
    let args =
        |format: &str| format!("parse --strict --format {format} --protocol {DESK} --role developer --mode work");
    let text = "`[[RUN cmd=\"a\"/]]`";
    let run = words(&args("json"), text).succeeded();
    assert_eq!(run.lines()[0]["diagnostics"][0]["severity"], "warning");
    let shown = words(&args("text"), text).succeeded().out;
    assert!(
        shown.contains("no errors, 1 warning") && shown.contains("warning[tag-in-code]: [[RUN]] was not run"),
        "{shown}"
    );
    assert_eq!(words(&args("json"), "[[RUN]]").code, Some(1));
}

#[test]
fn text_shows_regions_and_how_to_write_a_tag() {
    let command = format!("parse --format text --protocol {DESK} --role developer --mode work");
    let shown = words(&command, "<think>a</think>\n[[RUN]]").succeeded().out;
    assert!(shown.contains("regions\n     1:1  think, 16 bytes\n"), "{shown}");
    assert!(
        shown.contains(
            "error[missing-attribute]: [[RUN]] was not run: its attribute cmd is missing; write [[RUN cmd=\"...\"/]]"
        ),
        "{shown}"
    );
}

#[test]
fn the_live_view_shows_regions_and_warnings() {
    let command = format!("stream --format text --replay 2 --protocol {DESK} --role developer --mode work");
    let shown = words(&command, "A <think>b [[RUN]]</think>\n`[[RUN cmd=\"a\"/]]`\n[[RUN]]").succeeded().out;
    assert!(shown.contains("\n  think, 24 bytes\n"), "{shown}");
    assert!(
        shown.contains("! 2:2 warning[tag-in-code]: [[RUN]]") && shown.contains("✗ 3:1 error[missing-attribute]"),
        "{shown}"
    );
    assert!(shown.ends_with("complete: no tags, 1 error, 1 warning\n"), "{shown}");
}

#[test]
fn the_preset_has_both_dialects() {
    let text = "[[RUN cmd=\"pytest\" junk]]";
    let tags = |dialect: &str| {
        let run = words(&format!("parse --dialect {dialect} --role developer --mode work"), text).succeeded();
        run.lines()[0]["tags"].as_array().expect("an array").len()
    };
    assert_eq!((tags("seed"), tags("strict")), (1, 0));
    let command = format!("parse --dialect strict --protocol {DESK}");
    words(&command, text).refused(&["--dialect", "--protocol"]);
}

#[test]
fn a_protocol_without_roles_needs_none() {
    let wiki = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/protocols/tiny.json");
    assert_eq!(words(&format!("parse --protocol {wiki}"), "x").succeeded().lines()[0]["prose"], "x");
    let child = tagwire(["parse", "--protocol", DESK]).spawn().expect("it starts");
    finish(child, b"x").refused(&["--role is needed", "developer"]);
    run(&["parse", "--protocol", DESK, "--role", "nobody", "--mode", "work"], "x").refused(&["nobody", "developer"]);
}
