//! `tagwire parse`.

use serde_json::json;

#[cfg(target_os = "linux")]
use crate::support::in_shell;
use crate::support::{Run, finish, run, tagwire, words};

const PARSE: &str = "parse --role developer --mode work";
const REPLY: &str = "On it.\n[[READ_FILE path=\"a.py\"/]]\n[[NOTE]]\nDone [[WRITE_FILE path='b' x]]é\n[[/WRITE_FILE]]";

fn text(input: &str) -> String {
    words(&format!("{PARSE} --format text"), input).succeeded().out
}

#[test]
fn json_is_one_object_on_a_pipe() {
    let run = words(PARSE, REPLY).succeeded();
    let [reply] = &run.lines()[..] else { panic!("{run:?}") };
    assert_eq!(reply["tags"][1]["body"], "é\n");
    let expected = json!({"tags": [
        {"name": "READ_FILE", "attrs": {"path": "a.py"}, "body": "", "raw": "[[READ_FILE path=\"a.py\"/]]",
         "span": [7, 33], "view": null},
        {"name": "WRITE_FILE", "attrs": {"path": "b"}, "body": "é\n", "raw": "[[WRITE_FILE path='b' x]]é\n[[/WRITE_FILE]]",
         "span": [48, 91], "view": null},
    ], "errors": [
        "ERROR: unknown tag [[NOTE]] ignored",
        "ERROR: malformed attribute fragment 'x' (expected key=\"value\")",
    ], "diagnostics": [
        {"code": "unknown-tag", "tag": "NOTE", "span": [34, 42], "line": 3, "column": 1,
         "message": "ERROR: unknown tag [[NOTE]] ignored"},
        {"code": "malformed-attribute", "tag": "WRITE_FILE", "span": [70, 71], "line": 4, "column": 28,
         "message": "ERROR: malformed attribute fragment 'x' (expected key=\"value\")"},
    ], "prose": "On it.\n\n\nDone"});
    assert_eq!(run.out, format!("{expected}\n"), "keys in their order too");
}

#[test]
fn nothing_is_taken_off_the_text() {
    let reply = words(PARSE, "\u{feff}[[RUN/]]\r\n").succeeded().lines().remove(0);
    assert_eq!((&reply["tags"][0]["span"], &reply["prose"]), (&json!([3, 11]), &json!("\u{feff}")));
}

#[test]
fn a_stray_close_has_no_tag() {
    let reply = words(PARSE, "[[/RUN]]").succeeded().lines().remove(0);
    assert_eq!(reply["diagnostics"][0]["tag"], json!(null));
}

#[test]
fn strict_tells_errors_by_its_exit_code() {
    let strict = format!("{PARSE} --strict");
    assert_eq!(words(&strict, "[[RUN/]]").code, Some(0));
    let run = words(&strict, "[[NOTE]]");
    assert_eq!((run.code, run.lines().len(), run.err.as_str()), (Some(1), 1, ""));
    assert_eq!(words(PARSE, "[[NOTE]]").code, Some(0));
}

#[test]
fn a_cut_off_body_holds_no_tags() {
    let cut_off = "[[WRITE_FILE path=\"notes.md\"]]Never run this:\n[[RUN cmd=\"rm -rf /\"/]]";
    let parse = |args: &str| words(&format!("{PARSE}{args}"), cut_off).succeeded().lines().remove(0);
    for args in ["", " --finish complete"] {
        assert_eq!(parse(args)["tags"][0]["name"], "RUN");
    }
    let reply = parse(" --finish truncated");
    assert_eq!((&reply["tags"], &reply["diagnostics"][0]["code"]), (&json!([]), &json!("unclosed")));
    let shown = words(&format!("{PARSE} --finish truncated --format text"), cut_off).succeeded().out;
    assert!(shown.starts_with("no tags\n"), "{shown}");
    assert_eq!(words(&format!("{PARSE} --finish truncated --strict"), cut_off).code, Some(1));
    words(&format!("{PARSE} --finish length"), "").refused(&["length", "complete", "truncated"]);
}

#[test]
fn a_limit_is_kept() {
    let run = words(&format!("{PARSE} --max-tag-bytes 20"), "[[WRITE_FILE]]123456789[[/WRITE_FILE]]ok").succeeded();
    let reply = &run.lines()[0];
    assert_eq!(reply["diagnostics"][0]["code"], "too-long");
    assert_eq!(reply["prose"], "ok");
}

#[test]
fn text_shows_tags_prose_and_places() {
    let shown = text(REPLY);
    let expected = "\
2 tags
     2:1  READ_FILE path=\"a.py\"
     4:6  WRITE_FILE path=\"b\"  1 line, 3 bytes

prose
  On it.
  
  
  Done

2 errors
error[unknown-tag]: unknown tag [[NOTE]] ignored
 --> standard input:3:1
  |
3 | [[NOTE]]
  | ^^^^^^^^

error[malformed-attribute]: malformed attribute fragment 'x' (expected key=\"value\")
 --> standard input:4:28
  |
4 | Done [[WRITE_FILE path='b' x]]é
  |                            ^
";
    assert_eq!(shown, expected);
    assert_eq!(text(""), "no tags\n\nno errors\n");
}

#[test]
fn nothing_hostile_reaches_the_terminal() {
    let hostile = "\u{1b}[2J\u{9b}31m\u{7}\u{8}\r\u{7f}\u{0}\u{85}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{200b}\u{feff}\u{e0041}";
    let reply = format!(
        "{hostile}\n{hostile}[[NOTE]]{hostile}\n[[/{hostile}\n{hostile}]]\n[[RUN cmd='{hostile}' {hostile}x\n{hostile}]]\
         [[WRITE_FILE path=\"\n\"]]{hostile}[[/WRITE_FILE]]"
    );
    let shown = text(&reply);
    let is_raw = |c: &char| (c.is_control() && *c != '\n') || (!c.is_ascii() && *c != '…');
    assert_eq!(shown.chars().find(is_raw), None, "{shown:?}");
    assert!(
        shown.contains(r"\u{1b}[2J\u{9b}31m\u{7}\u{8}\r\u{7f}\u{0}\u{85}\u{202a}\u{202e}\u{2066}\u{2069}"),
        "{shown}"
    );
    assert!(shown.contains(r#"path="\n""#), "{shown}");
    // With colours, the only escapes are those of colours.
    let colored = words(&format!("{PARSE} --format text --color always"), &reply).succeeded().out;
    assert!(colored.split('\u{1b}').skip(1).all(|rest| {
        let rest = rest.strip_prefix('[').expect("CSI").trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        rest.starts_with('m')
    }));
}

/// In prose, attributes, messages and excerpts.
#[test]
fn invisible_characters_show_in_the_report() {
    for c in "\u{34f}\u{17b4}\u{180e}\u{2065}\u{fff0}\u{1bca0}\u{e0fff}\u{200c}\u{fe0f}".chars() {
        let shown = text(&format!("- {c}- [[RUN cmd='- {c}-'/]] [[/- {c}-]] [[RUN - {c}-]]"));
        assert!(!shown.contains(c), "{shown:?}");
        let escaped = format!("- \\u{{{:x}}}-", u32::from(c));
        // In the prose, the attribute, two messages, and at least the marked parts of two excerpts.
        assert!(shown.matches(&escaped).count() >= 6, "{shown}");
    }
    let words = "نمی\u{200c}خواهم ❤\u{fe0f}";
    assert!(text(words).contains(words));
}

#[test]
fn quotes_are_short() {
    let long = "x".repeat(100_000);
    let shown = text(&format!("[[RUN cmd='{long}' {long}]]"));
    assert!(shown.len() < 1_000, "{}", shown.len());
}

/// It is printed in parts, without visible seams.
#[test]
fn a_long_report_is_one() {
    let reply = "[[RUN/]] [[NOTE]]\n\nx\n".repeat(3_000);
    let shown = text(&reply);
    assert!(shown.len() > 300_000 && shown.starts_with("3000 tags\n     1:1  RUN\n     4:1  RUN\n"));
    assert!(
        shown.contains("  8998:1  RUN\n\nprose\n  x\n") && shown.contains("  x\n\n3000 errors\nerror[unknown-tag]: ")
    );
    assert_eq!(shown.matches("error[unknown-tag]: unknown tag [[NOTE]] ignored\n").count(), 3_000);
    assert_eq!(shown.matches("  | ").count(), 3_000, "each under a line of its own");
    assert!(!shown.contains("\n\n\n") && shown.ends_with(" ^^^^^^^^\n"), "{:?}", shown.split_at(shown.len() - 100).1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_hostile_reply_takes_a_small_multiple_of_its_memory() {
    let reply = "[[NOTE]]".repeat(400_000);
    for format in ["json", "text"] {
        let command = in_shell("ulimit -v 80000", &format!("{PARSE} --format {format} | wc -c")).spawn();
        let run = finish(command.expect("it starts"), reply.as_bytes());
        let bytes = run.out.trim().parse::<usize>().expect("a number");
        assert!(run.err.is_empty() && bytes > 60_000_000, "{format}: {run:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_memory_for_a_reply_it_says_so() {
    let reply = "x".repeat(60_000_000);
    let run = finish(in_shell("ulimit -v 60000", PARSE).spawn().expect("it starts"), reply.as_bytes());
    run.refused(&["tagwire: cannot read standard input: out of memory"]);
}

#[test]
fn prose_keeps_tabs_and_loses_carriage_returns() {
    assert_eq!(text("a\tb\r\nc"), "no tags\n\nprose\n  a\tb\n  c\n\nno errors\n");
}

#[test]
fn colour_is_as_asked_for() {
    let escapes = |args: &str, variables: &[(&str, &str)]| {
        let mut command = tagwire(format!("{PARSE} --format text {args}").trim_end().split(' '));
        let run = finish(command.envs(variables.iter().copied()).spawn().expect("it starts"), REPLY.as_bytes());
        run.succeeded().out.contains('\u{1b}')
    };
    assert!(!escapes("", &[]));
    assert!(escapes("--color always", &[]));
    assert!(escapes("--color always", &[("NO_COLOR", "1")]));
    assert!(escapes("", &[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!escapes("--color never", &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn json_has_no_colour() {
    assert!(!words(&format!("{PARSE} --color always"), REPLY).succeeded().out.contains('\u{1b}'));
}

#[test]
fn what_cannot_be_read_is_refused() {
    words(&format!("{PARSE} no/such/file"), "").refused(&["tagwire: ", "no/such/file", "No such file"]);
    words(&format!("{PARSE} src"), "").refused(&["tagwire: ", "src", "directory"]);
    words(PARSE, b"12\xFF").refused(&["standard input", "invalid UTF-8 at byte 2"]);
    words(PARSE, b"12\xE2\x82").refused(&["invalid UTF-8 at byte 2"]);
    words("parse --role boss --mode work", "").refused(&[
        "boss",
        "manager",
        "planner",
        "developer",
        "reviewer",
        "tester",
    ]);
    words("parse --role tester --mode play", "").refused(&["play", "triage", "final", "error", "chat", "work"]);
    words("parse --mode work", "").refused(&["--role"]);
    words("parse --role tester", "").refused(&["--mode"]);
}

#[test]
fn what_is_said_of_arguments_is_safe() {
    let is_safe = |run: Run| run.err.chars().all(|c| c == '\n' || !c.is_control());
    assert!(is_safe(run(&["parse", "--role", "tester", "--mode", "work", "no\u{1b}[31m\nfile"], "")));
    assert!(is_safe(run(&["parse", "--role", "\u{7}\u{1b}[31m", "--mode", "work"], "")));
    assert!(is_safe(run(&["\u{9b}31m"], "")));
}

/// The README shows the output of its first command.
#[test]
fn the_readme_shows_what_is_printed() {
    let readme = include_str!("../../README.md");
    let shown =
        readme.split("```text\n").nth(1).and_then(|rest| rest.split("\n```").next()).expect("a block of output");
    let file = "examples/developer-reply.txt";
    let policy = ["--protocol", "examples/protocols/coder.toml", "--role", "developer", "--mode", "work"];
    let output = ["--format", "text", "--color", "never"];
    let mut command = tagwire([&["parse"], &policy[..], &output[..], &[file]].concat());
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), shown);
    assert_eq!(output.status.code(), Some(0));
}
