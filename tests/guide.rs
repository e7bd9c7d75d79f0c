//! The guides, held against the parser, and the lists of the example protocols.

use std::fs;
use std::path::Path;

use tagwire::workforce::{PROTOCOL, STRICT};
use tagwire::{Finish, Protocol, Reply, Tag};

const FROM_PYTHON: &str = include_str!("../src/guide/from_python.md");
const FROM_REGEX: &str = include_str!("../src/guide/from_regex.md");

#[test]
fn from_python_says_what_either_dialect_does() {
    let cases = cases(FROM_PYTHON);
    assert_eq!(cases.len(), FROM_PYTHON.matches("\n- seed: ").count(), "a case is not read");
    assert_eq!(cases.len(), FROM_PYTHON.matches("```text").count(), "a reply has no answer");
    for case in cases {
        assert_eq!(answer(PROTOCOL, &case), case.seed, "seed: {}", case.reply);
        assert_eq!(answer(STRICT, &case), case.strict, "strict: {}", case.reply);
    }
}

#[test]
fn from_regex_shows_the_whole_file() {
    let file = read("examples/protocols/caretaker.toml");
    assert!(FROM_REGEX.contains(&format!("```toml\n{file}```\n")));
}

#[test]
fn the_list_of_example_protocols_has_all_of_them() {
    let list = read("examples/protocols/README.md");
    for entry in fs::read_dir(root().join("examples/protocols")).expect("a folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("ASCII");
        assert!(name == "README.md" || list.contains(&format!("\n| [{name}]({name}) |")), "{name}");
    }
}

/// A reply of the page, and what it says that the dialects make of it.
struct Case<'t> {
    reply: &'t str,
    role: &'t str,
    mode: &'t str,
    finish: Finish,
    seed: &'t str,
    strict: &'t str,
}

/// The replies are in fences whose info strings are `text` and then, if they are not a developer's at work, a role and a mode, and `truncated`.
fn cases(page: &str) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find("```text") {
        let ticks = &rest[rest[..at].trim_end_matches('`').len()..at + 3];
        let (info, body) = rest[at + "```text".len()..].split_once('\n').expect("a line");
        let (reply, after) = body.split_once(&format!("\n{ticks}\n")).expect("a fence has an end");
        rest = after;
        let answers = after.strip_prefix("\n- seed: ").and_then(|it| it.split_once("\n- strict: "));
        let Some((seed, strict)) = answers else { continue };
        let mut words: Vec<_> = info.split(',').filter(|word| !word.is_empty()).collect();
        let finish = if words.contains(&"truncated") { Finish::Truncated } else { Finish::Complete };
        words.retain(|&word| word != "truncated");
        let (role, mode) = match words[..] {
            [] => ("developer", "work"),
            [role, mode] => (role, mode),
            _ => panic!("no role and mode: {info}"),
        };
        cases.push(Case { reply, role, mode, finish, seed, strict: strict.lines().next().unwrap_or_default() });
    }
    cases
}

/// The tags and the diagnostics of a reply, as the page writes them.
fn answer(protocol: Protocol<'_>, case: &Case<'_>) -> String {
    let policy = protocol.policy(case.role, case.mode).expect("a role and a mode");
    let reply = policy.parse_with(case.reply, case.finish);
    let tags = reply.tags().iter().map(tag);
    let tags = if reply.tags().is_empty() { "nothing".to_owned() } else { tags.collect::<Vec<_>>().join(", ") };
    [tags].into_iter().chain(codes(&reply)).collect::<Vec<_>>().join("; ")
}

fn tag(tag: &Tag<'_>) -> String {
    let mut text = format!("`{}", tag.name());
    for (name, value) in tag.attrs().iter() {
        text += &format!(" {name}={value}");
    }
    if !tag.body().is_empty() {
        text += &format!(" {:?}", tag.body());
    }
    text + "`"
}

/// The codes with commas between them, if there are any.
fn codes(reply: &Reply<'_>) -> Option<String> {
    let codes: Vec<_> =
        reply.diagnostics().iter().map(|diagnostic| format!("`{}`", diagnostic.code().as_str())).collect();
    (!codes.is_empty()).then(|| codes.join(", "))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}
