//! The naive twin of the strict dialect, which the library is compared with elsewhere, gives the answers of the vectors.

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;
use support::strict_generator::{strict_case, strict_protocols};
use support::strict_vectors::{PROTOCOLS, strict_protocol, strict_vectors};

#[test]
fn strict_twin_gives_the_answers_of_the_vectors() {
    let protocols = PROTOCOLS.map(|name| (name, strict_protocol(name)));
    let mut different = 0;
    for vector in strict_vectors() {
        let (_, protocol) = protocols.iter().find(|(name, _)| *name == vector.protocol).expect("a protocol");
        let answer = vector.twin(protocol).read(&vector.text).to_json();
        if answer != vector.expected {
            different += 1;
            println!("{} ({}): {:?}\n  {answer}\n  {}", vector.id, vector.shows, vector.text, vector.expected);
        }
    }
    assert_eq!(different, 0);
}

/// With `TAGWIRE_STRICT_CASES=FOLDER` (and how many in `TAGWIRE_STRICT_COUNT`), the replies and answers are also written there, in
/// a file for each protocol, for `.ci/reference`.
#[test]
fn strict_twin_tiles_generated_replies() {
    let protocols = strict_protocols();
    let folder = std::env::var_os("TAGWIRE_STRICT_CASES").map(PathBuf::from);
    let count = std::env::var("TAGWIRE_STRICT_COUNT").ok().map_or(3_000, |count| count.parse().expect("a number"));
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    let mut tags = 0;
    for seed in 0..count {
        let case = strict_case(&protocols, seed);
        let reading = case.twin().read(&case.text);
        let mut at = 0;
        for tile in &reading.tiles {
            let span = tile.span();
            assert!(span.start == at && span.end > at && case.text.is_char_boundary(at), "{span:?} of {:?}", case.text);
            at = span.end;
        }
        assert_eq!(at, case.text.len(), "{:?}", case.text);
        tags += reading.tags().count();
        if folder.is_some() {
            let finish = if case.is_truncated { "truncated" } else { "complete" };
            let mut line = json!({ "id": seed, "text": case.text, "finish": finish, "expected": reading.to_json() });
            let optional = [("role", &case.role), ("mode", &case.mode), ("begins_inside", &case.begins_inside)];
            optional.iter().for_each(|(key, value)| {
                if let Some(value) = value {
                    line[*key] = value.as_str().into();
                }
            });
            *files.entry(&case.protocol.name).or_default() += &format!("{line}\n");
        }
    }
    assert!(tags as u64 > count / 4, "{tags} tags in {count} replies");
    if let Some(folder) = folder {
        for protocol in &protocols {
            let file = |kind: &str| folder.join(format!("{}.{kind}", protocol.name));
            std::fs::write(file("jsonl"), &files[&*protocol.name]).expect("a file of cases");
            std::fs::write(file("json"), protocol.source.to_string()).expect("a protocol file");
        }
    }
}
