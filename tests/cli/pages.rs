//! `tagwire protocol`, `completions`, `man`, and the usage.

use serde_json::json;
use tagwire::ProtocolBuf;
use tagwire::workforce::PROTOCOL;

use crate::support::{finish, tagwire, words};

#[test]
fn the_matrix_is_a_table() {
    let shown = words("protocol", "").succeeded().out;
    assert!(shown.contains("manager    triage ASSIGN REJECT ASK_USER KNOWLEDGE\n"), "{shown}");
    assert!(
        shown.contains("tester     work   TEST_PASS TEST_FAIL READ_FILE WRITE_FILE EDIT_FILE LIST_DIR\n"),
        "{shown}"
    );
    assert!(shown.contains("\n                  SEARCH RUN\n"), "{shown}");
    assert!(shown.contains("At most 3, of:    HIRE UPDATE_EMPLOYEE FIRE\n"), "{shown}");
    assert!(shown.lines().all(|line| line.len() <= 80), "{shown}");
}

#[test]
fn the_matrix_as_data_is_a_protocol() {
    let run = words("protocol --json", "").succeeded();
    assert_eq!(run.lines().len(), 1);
    let read: ProtocolBuf = serde_json::from_str(&run.out).expect("it is a protocol");
    let read = read.as_protocol();
    assert!(read.tags().eq(PROTOCOL.tags()) && read.budgets().eq(PROTOCOL.budgets()));
    assert_eq!(read.grants().len(), PROTOCOL.grants().len());
}

#[test]
fn one_policy() {
    let shown = words("protocol --role manager --mode chat", "").succeeded().out;
    assert!(shown.starts_with("manager in mode chat may use:\n"), "{shown}");
    assert!(shown.contains("  CREATE_TASK      with a body  at most 3 new tasks a reply\n"), "{shown}");
    assert!(shown.contains("\n  PAUSE_TASK\n"), "{shown}");
    let nothing = words("protocol --role manager --mode work", "").succeeded().out;
    assert_eq!(nothing, "manager in mode work may use nothing.\n");
}

#[test]
fn one_policy_as_data() {
    let policy = words("protocol --role manager --mode final --json", "").succeeded().lines().remove(0);
    let tag = |name: &str, body: bool, budget: Option<&str>| json!({"name": name, "body": body, "budget": budget});
    let knowledge = tag("KNOWLEDGE", true, Some("knowledge items"));
    let expected = json!({"role": "manager", "mode": "final",
        "tags": [knowledge, tag("COMPLETE", false, None), tag("REVISE", false, None)],
        "budgets": [{"name": "knowledge items", "max": 3}]});
    assert_eq!(policy, expected);
}

#[test]
fn a_role_needs_a_mode() {
    words("protocol --role manager", "").refused(&["--mode"]);
    words("protocol --mode work", "").refused(&["--role"]);
    words("protocol --role boss --mode work", "").refused(&["boss", "manager"]);
}

#[test]
fn completions_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = words(&format!("completions {shell}"), "").succeeded().out;
        assert!(script.contains("max-tag-bytes"), "{shell}");
    }
    words("completions cmd", "").refused(&["bash", "zsh"]);
}

#[test]
fn man_pages() {
    let page = words("man", "").succeeded().out;
    assert!(page.contains(".TH tagwire 1") && page.contains("tagwire\\-batch(1)"), "{page}");
    let page = words("man batch", "").succeeded().out;
    assert!(page.contains(".TH tagwire-batch 1") && page.contains("text\\-key"), "{page}");
    words("man nothing", "").refused(&["nothing", "parse", "stream"]);
}

#[test]
fn usage() {
    assert!(words("--help", "").succeeded().out.contains("Exit codes: 0 done"));
    assert!(words("--version", "").succeeded().out.starts_with("tagwire "));
    words("nonsense", "").refused(&["nonsense"]);
    words("stream --help", "").succeeded();
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let reply = b"{\"text\": \"Hi\", \"role\": \"tester\", \"mode\": \"work\"}";
    for command in [
        "help",
        "--help",
        "-h",
        "--version",
        "-V",
        "help batch",
        "batch --help",
        "parse -h",
        "man",
        "man parse",
        "completions bash",
        "protocol",
        "protocol --json",
        "batch",
        "parse --role tester --mode work",
        "parse --role tester --mode work --format text",
        "stream --role tester --mode work",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
        let child = tagwire(command.split(' ')).stdout(full).spawn().expect("it starts");
        let run = finish(child, reply);
        assert_eq!(run.code, Some(2), "{command}: {run:?}");
        assert_eq!(
            run.err, "tagwire: cannot write to standard output: No space left on device (os error 28)\n",
            "{command}"
        );
    }
}

#[test]
fn a_closed_pipe_ends_help_quietly() {
    for command in ["help", "--help", "--version", "help stream", "man", "completions zsh"] {
        let mut command = tagwire(command.split(' '));
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let run = finish(command.stdout(writer).spawn().expect("it starts"), b"");
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{command:?}");
    }
}

#[test]
fn help_says_why_it_matters_how_a_reply_ended() {
    for command in ["help parse", "help batch"] {
        let help = words(command, "").succeeded().out;
        assert!(
            help.contains("[[WRITE_FILE path=\"notes.md\"]]Never run this:") && help.contains("[[RUN cmd="),
            "{help}"
        );
        assert!(help.contains("--finish <END>"), "{help}");
    }
}
