//! Replies as serde writes them.

use serde_json::{Value, json};
use tagwire::serialize::{LazyReply, ReplyParts as _};
use tagwire::workforce::{Mode, Role};
use tagwire::workforce::{PROTOCOL, policy};
use tagwire::{Finish, Limits, LineIndex, Policy};

const FINISHES: [Finish; 2] = [Finish::Complete, Finish::Truncated];

#[track_caller]
fn assert_same(policy: &Policy<'static>, text: &str) {
    for finish in FINISHES {
        let (reply, lazy) = (policy.parse_with(text, finish), LazyReply::new(policy, text, finish));
        let written = serde_json::to_string(&reply).expect("it is written");
        assert_eq!(serde_json::to_string(&lazy).expect("it is written"), written, "{text:?}");
        assert_eq!(lazy.diagnostic_count(), reply.diagnostics().len());
        assert_eq!(lazy.prose_parts().collect::<String>(), reply.prose(), "{text:?}");
    }
}

#[test]
fn a_lazy_reply_is_written_as_a_collected_one() {
    let vectors = [include_str!("data/named.jsonl"), include_str!("data/random.jsonl")];
    let mut count = 0;
    for vector in vectors.iter().flat_map(|file| file.lines()) {
        let vector = serde_json::from_str::<Value>(vector).expect("JSON");
        let [role, mode, text] = ["role", "mode", "text"].map(|key| vector[key].as_str().expect("a string"));
        let policy = PROTOCOL.policy(role, mode).expect("it is known");
        assert_same(&policy, text);
        assert_same(&policy.with_limits(Limits::default().with_max_tag_bytes(Some(40))), text);
        count += 1;
    }
    assert!(count > 1_500);
}

#[test]
fn prose_is_stripped_at_both_ends_alone() {
    let policy = policy(Role::Developer, Mode::Work);
    for text in [
        "",
        " ",
        "\u{1c}\u{3000}\n",
        " [[RUN/]] ",
        " [[RUN/]] a",
        "a [[RUN/]] ",
        " \n[[RUN/]] [[RUN/]]\u{1f} a [[RUN/]] \t [[RUN/]] b\u{85}[[RUN/]] [[RUN/]]\u{a0}",
        "[[RUN/]]a[[RUN/]][[RUN/]]b[[RUN/]]",
        "a [[WRITE_FILE]] b",
        " [[WRITE_FILE]] ",
    ] {
        assert_same(&policy, text);
    }
}

#[test]
fn a_located_diagnostic_has_its_line_and_column() {
    let text = "é\n é [[NOTE]]";
    let reply = policy(Role::Developer, Mode::Work).parse(text);
    let diagnostic = reply.diagnostics()[0];
    let located = diagnostic.located(LineIndex::new(text).locate(diagnostic.span().start));
    let expected = json!({"code": "unknown-tag", "tag": "NOTE", "span": [7, 15], "line": 2, "column": 4,
        "message": "ERROR: unknown tag [[NOTE]] ignored"});
    assert_eq!(serde_json::to_string(&located).expect("it is written"), expected.to_string());
    assert_eq!(serde_json::to_value(&reply).expect("it is written")["diagnostics"], json!([expected]));
}
