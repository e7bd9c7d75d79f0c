//! `tagwire protocol` with files, and `--protocol`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tagwire::{ProtocolBuf, workforce};
use tempfile::TempDir;

use crate::support::{run, words};

/// In the seed's dialect, with roles and without modes.
const SEED: &str = r#"
name = "notes"
dialect = "seed"
tags = [{ name = "NOTE", body = "text", budget = "notes" }, { name = "PING", about = "Answers." }]
budgets = [{ name = "notes", max = 1 }]
grants = [{ role = "writer", tags = ["NOTE", "PING"] }, { role = "guest", tags = ["PING"] }]
"#;

/// Without roles and modes.
const OPEN: &str = "name = \"open\"\ndialect = \"seed\"\nopen = true\ntags = [{ name = \"PING\" }]\n";

#[test]
fn check_tells_each_file() {
    let files = Files::new(&[("a.toml", SEED), ("b.toml", "name = 1\ncolour = 2\n"), ("c.json", "{}")]);
    let good = run(&["protocol", "check", &files.path("a.toml")], "").succeeded();
    assert_eq!(good.out, format!("{}: valid, with 2 tags\n", files.path("a.toml")));
    let bad = run(&["protocol", "check", &files.path("b.toml"), &files.path("a.toml"), &files.path("c.json")], "");
    assert_eq!((bad.code, bad.err.as_str()), (Some(1), ""));
    let lines: Vec<_> = bad.out.lines().collect();
    assert_eq!(lines[0], format!("{}:1:1: \"tags\" is missing", files.path("b.toml")));
    assert_eq!(lines[1], format!("{}:1:8: name: expected a string, found an integer", files.path("b.toml")));
    assert!(lines[2].starts_with(&format!("{}:2:1: colour: unknown key", files.path("b.toml"))), "{}", lines[2]);
    assert_eq!(lines[3], format!("{}: valid, with 2 tags", files.path("a.toml")));
    assert_eq!(lines.len(), 6);
}

#[test]
fn check_cannot_read_what_is_not_there() {
    let run = run(&["protocol", "check", "absent.toml"], "");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.starts_with("absent.toml: cannot be read: "), "{}", run.out);
    words("protocol check", "").refused(&["FILES"]);
}

#[test]
fn no_text_of_a_file_acts_on_a_terminal() {
    let text = "name = \"\\u001b[31mred\"\nopen = true\nabout = \"\\u001b[31mred\"\n\"\\u001b[31m\" = 1\n[[tags]]\nname = \"\\u001b[31m\"\n";
    let good = text
        .replace("\"\\u001b[31m\" = 1\n", "")
        .replace("name = \"\\u001b[31m\"\n", "name = \"A\"\nabout = \"\\u001b[31m\"\n");
    let files = Files::new(&[("bad.toml", text), ("good.toml", &good)]);
    for (command, name) in [("check", "bad.toml"), ("show", "bad.toml"), ("show", "good.toml"), ("test", "good.toml")] {
        let run = run(&["protocol", command, &files.path(name)], "");
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{run:?}");
    }
}

#[test]
fn show_is_a_table() {
    let files = Files::new(&[("a.toml", SEED)]);
    let shown = run(&["protocol", "show", &files.path("a.toml")], "").succeeded().out;
    let table = "notes
Seed dialect.

ROLE    MODE  MAY USE
writer  any   NOTE PING
guest   any   PING

NOTE  body: text; at most 1 notes a reply
PING  Answers
";
    assert_eq!(shown, table);
    let guest = run(&["protocol", "show", &files.path("a.toml"), "--role", "guest"], "").succeeded().out;
    assert_eq!(guest, "guest may use:\nPING  Answers\n");
    run(&["protocol", "show", &files.path("a.toml"), "--role", "boss"], "").refused(&["boss", "writer", "guest"]);
    run(&["protocol", "show", &files.path("a.toml"), "--mode", "work"], "").refused(&["--role", "writer", "guest"]);
}

#[test]
fn show_tells_every_part_of_a_strict_protocol() {
    let desk = data("desk.toml");
    let shown = run(&["protocol", "show", &desk], "").succeeded().out;
    for line in [
        "desk: A help desk whose agents read and change files, run commands and file tickets.",
        "Strict dialect. Unknown tags are reported, and code is prose.",
        "Nothing is read from <think> to </think> (think).",
        "writer     any   MAIL TICKET ACTION:data.v2",
        "EDIT_FILE       Changes lines of a file; body: edits; at most 3 files a reply",
        "  mode          create or replace; \"create\" if absent; What to do if the file is there already",
        "  query         string; required; the argument",
        "  weight        number from 0 to 1.5",
        "LABEL           Labels the ticket at hand; any other attribute, with a warning",
        "MAIL            Writes a mail; body: sections SUBJECT TEXT [LINK]",
        "  to            string; required; also recipient",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line:?} in\n{shown}");
    }
    let json = run(&["protocol", "show", &desk, "--json"], "").succeeded().out;
    assert_eq!(ProtocolBuf::from_json(&json).expect("valid"), ProtocolBuf::read(&desk).expect("valid"));
}

#[test]
fn init_is_a_protocol_with_three_tags() {
    let text = words("protocol init", "").succeeded().out;
    let protocol = ProtocolBuf::from_toml(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(protocol.as_protocol().tags().len(), 3);
    assert_eq!(protocol.as_protocol().examples().len(), 2);
    assert!(text.lines().all(|line| line.chars().count() <= 120));
}

#[test]
fn every_example_protocol_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/protocols");
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    assert!(files.len() >= 8, "{files:?}");
    for file in &files {
        let file = file.display().to_string();
        run(&["protocol", "check", &file], "").succeeded();
        let protocol = ProtocolBuf::read(&file).expect("valid");
        let count = protocol.as_protocol().examples().len();
        assert!(count >= 3, "{file} has {count} examples");
        assert_eq!(
            run(&["protocol", "test", &file], "").succeeded().out,
            format!("{count} passed, 0 failed\n"),
            "{file}"
        );
    }
}

#[test]
fn test_reads_the_examples() {
    let examples = "
[[examples]]
reply = \"[[PING/]][[NOTE]]a[[/NOTE]]\"
role = \"guest\"
tags = [\"PING\"]
diagnostics = [\"not-allowed\"]

[[examples]]
reply = \"[[NOTE]]cut\"
finish = \"truncated\"
role = \"writer\"
tags = []
diagnostics = [\"unclosed\"]
";
    let files = Files::new(&[
        ("good.toml", &format!("{SEED}{examples}")),
        (
            "bad.toml",
            &format!("{SEED}{examples}")
                .replace("tags = []", "tags = [\"NOTE\"]")
                .replace("\"guest\"\ntags", "\"boss\"\ntags"),
        ),
        ("none.toml", OPEN),
    ]);
    assert_eq!(run(&["protocol", "test", &files.path("good.toml")], "").succeeded().out, "2 passed, 0 failed\n");
    assert_eq!(run(&["protocol", "test", &files.path("none.toml")], "").succeeded().out, "0 passed, 0 failed\n");
    let bad = run(&["protocol", "test", &files.path("bad.toml")], "");
    assert_eq!(bad.code, Some(1));
    let report = "examples[0]: [[PING/]][[NOTE]]a[[/NOTE]]
  unknown role \"boss\" (known: writer, guest)
examples[1]: [[NOTE]]cut
  - tags: NOTE
  + tags: none
";
    assert!(bad.out.starts_with(report) && bad.out.ends_with("\n0 passed, 2 failed\n"), "{}", bad.out);
}

#[test]
fn the_schema_has_the_keys_of_the_format() {
    let schema: Value = serde_json::from_str(&words("protocol schema", "").succeeded().out).expect("JSON");
    for name in ["actions", "desk", "tiny", "wiki", "workforce-strict"] {
        let protocol =
            serde_json::to_value(ProtocolBuf::read(data(&format!("{name}.toml"))).expect("valid")).expect("JSON");
        assert_described(&schema, &schema, &protocol, name);
    }
    assert_described(&schema, &schema, &serde_json::to_value(workforce::PROTOCOL).expect("JSON"), "workforce");
    // The library and the schema agree on the keys of a table.
    for (json, definition) in [
        (r#"{"x": 1}"#, None),
        (r#"{"tags": [{"x": 1}]}"#, Some("Tag")),
        (r#"{"tags": [{"attributes": [{"x": 1}]}]}"#, Some("Attribute")),
        (r#"{"tags": [{"sections": [{"x": 1}]}]}"#, Some("Section")),
        (r#"{"regions": [{"x": 1}]}"#, Some("Region")),
        (r#"{"limits": {"x": 1}}"#, Some("Limits")),
        (r#"{"budgets": [{"x": 1}]}"#, Some("Budget")),
        (r#"{"grants": [{"x": 1}]}"#, Some("Grant")),
        (r#"{"examples": [{"x": 1}]}"#, Some("Example")),
    ] {
        let error = ProtocolBuf::from_json(json).expect_err("an unknown key").to_string();
        let keys = error.lines().find_map(|line| line.split_once("unknown key; the keys here are ")).expect("keys").1;
        let mut keys: Vec<_> = keys.split(", ").collect();
        keys.sort_unstable();
        let table = definition.map_or(&schema, |name| &schema["$defs"][name]);
        let mut described: Vec<_> =
            table["properties"].as_object().expect("a table").keys().map(String::as_str).collect();
        described.sort_unstable();
        assert_eq!(described, keys, "{json}");
    }
}

#[test]
fn parse_reads_in_the_protocol_of_a_file() {
    let files = Files::new(&[("a.toml", SEED), ("open.toml", OPEN)]);
    let parse = |args: &[&str], text: &str| {
        let path = files.path("a.toml");
        run(&[&["parse", "--protocol", &path], args].concat(), text)
    };
    let reply = parse(&["--role", "writer"], "[[PING/]][[RUN/]]").succeeded().lines().remove(0);
    assert_eq!(
        (reply["tags"][0]["name"].as_str(), reply["diagnostics"][0]["code"].as_str()),
        (Some("PING"), Some("unknown-tag"))
    );
    parse(&[], "").refused(&["--role is needed: one of writer, guest"]);
    parse(&["--role", "boss"], "").refused(&["unknown role \"boss\" (known: writer, guest)"]);
    parse(&["--role", "writer", "--mode", "any"], "").succeeded();
    let open = run(&["parse", "--protocol", &files.path("open.toml")], "[[PING/]]").succeeded().lines().remove(0);
    assert_eq!(open["tags"].as_array().map(Vec::len), Some(1));
    let both = ["parse", "--protocol", &files.path("open.toml"), "--dialect", "strict"];
    run(&both, "").refused(&["--protocol", "--dialect"]);
}

#[test]
fn a_file_that_is_no_protocol_ends_every_command_with_its_faults() {
    let files = Files::new(&[("bad.toml", "name = 1\ntags = 2\n")]);
    let path = files.path("bad.toml");
    for command in ["parse", "batch", "stream"] {
        let run = run(&[command, "--protocol", &path], "");
        run.refused(&[
            &format!("{path}:1:8: name: expected a string"),
            &format!("\n{path}:2:8: tags: expected a list"),
        ]);
        assert_eq!(run.out, "");
    }
    run(&["parse", "--protocol", "absent.toml"], "").refused(&["absent.toml: cannot be read"]);
}

#[test]
fn batch_reads_in_the_protocol_of_a_file() {
    let files = Files::new(&[("a.toml", SEED), ("open.toml", OPEN)]);
    let input = "{\"text\": \"[[PING/]]\", \"role\": \"guest\"}\n{\"text\": \"[[PING/]]\"}\n{\"text\": \"\", \"role\": \"boss\"}\n";
    let run_with =
        |name: &str, args: &[&str]| run(&[&["batch", "--protocol", &files.path(name)], args].concat(), input);
    let lines = run_with("a.toml", &[]).lines();
    assert_eq!(lines[0]["tags"][0]["name"], "PING");
    assert_eq!(lines[1]["fault"], "no \"role\", and no --role for lines without it");
    assert_eq!(lines[2]["fault"], "unknown role \"boss\" (known: writer, guest)");
    assert_eq!(run_with("a.toml", &["--role", "writer"]).lines()[1]["tags"][0]["name"], "PING");
    run_with("a.toml", &["--role", "boss"]).refused(&["boss", "guest"]);
    let open = run_with("open.toml", &[]).succeeded().lines();
    assert!(open.iter().take(2).all(|line| line["tags"][0]["name"] == "PING"), "{open:?}");
}

#[test]
fn stream_reads_in_the_protocol_of_a_file() {
    let files = Files::new(&[("open.toml", OPEN)]);
    let events = run(&["stream", "--protocol", &files.path("open.toml")], "[[PING/]]").succeeded().lines();
    assert_eq!((events[0]["event"].as_str(), events[0]["name"].as_str()), (Some("tag"), Some("PING")));
}

/// Whether the schema knows each key of `value`, and each word where it lists them.
#[track_caller]
fn assert_described(root: &Value, schema: &Value, value: &Value, place: &str) {
    let schemas = alternatives(root, schema);
    if schemas.contains(&&Value::Bool(true)) {
        return;
    }
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let place = format!("{place}.{key}");
                let known = schemas.iter().find_map(|schema| {
                    let open =
                        schema.get("additionalProperties").filter(|it| it.is_object() || **it == Value::Bool(true));
                    schema["properties"].get(key).or(open)
                });
                assert_described(root, known.unwrap_or_else(|| panic!("{place} is not described")), value, &place);
            }
        }
        Value::Array(values) => {
            let items = schemas.iter().find_map(|schema| schema.get("items"));
            for value in values {
                assert_described(root, items.unwrap_or(&Value::Bool(true)), value, place);
            }
        }
        Value::String(word) => {
            let words: Vec<_> = schemas
                .iter()
                .flat_map(|schema| schema["enum"].as_array().into_iter().flatten().chain([&schema["const"]]))
                .filter_map(Value::as_str)
                .collect();
            assert!(words.is_empty() || words.contains(&word.as_str()), "{place}: {word} is none of {words:?}");
        }
        _ => {}
    }
}

/// A schema, or those that it refers to.
fn alternatives<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    if let Some(name) = schema["$ref"].as_str() {
        return alternatives(root, &root["$defs"][name.trim_start_matches("#/$defs/")]);
    }
    match schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
        Some(schemas) => schemas.iter().flat_map(|schema| alternatives(root, schema)).collect(),
        None => vec![schema],
    }
}

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/protocols").join(name).display().to_string()
}

struct Files(TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("written");
        }
        Files(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}
