//! Arbitrary protocols of the strict dialect, and replies in them, against the twin; also those that are no protocols.

use serde_json::{Value, json};
use tagwire::ProtocolBuf;

use super::input::{Input, floor, scripts};
use super::seeds::Seed;
use super::strict::seeds_of_vectors;
use super::strict_twin::assert_read;
use crate::strict_library::Library;
use crate::support::generator::Rng;
use crate::support::strict_generator::strict_reply;
use crate::support::strict_twin::protocol::StrictProtocol;

const LONGEST: usize = 1500;

pub fn run(data: &[u8]) {
    let (header, text) = data.split_at(HEADER.min(data.len()));
    let Some(protocol) = protocol(header) else { return };
    let library = Library::new(&protocol);
    let twin = protocol.twin(None, None).truncated(header[HEADER - 1] & 1 != 0);
    for script in scripts(text).iter().take(2) {
        let text = &*String::from_utf8_lossy(&script.bytes);
        let text = &text[..floor(text, LONGEST)];
        let cuts: Vec<usize> = script.cuts.iter().map(|&(at, _)| floor(text, at)).collect();
        assert_read(&library, &library.policy(&twin), &twin, text, &cuts);
    }
}

/// So many bytes make a protocol.
pub const HEADER: usize = 64;

/// The protocol that these bytes make, if it is one. If not, the error says what is wrong.
fn protocol(header: &[u8]) -> Option<StrictProtocol> {
    if header.len() < HEADER {
        return None;
    }
    let source = draft(&mut Input::new(header));
    match ProtocolBuf::from_json(&source.to_string()) {
        Ok(_) => Some(StrictProtocol::from_value(source)),
        Err(error) => {
            assert!(error.to_string().len() > 10, "{error:?} of {source}");
            None
        }
    }
}

/// A protocol, or nearly one.
fn draft(input: &mut Input<'_>) -> Value {
    let count = 1 + input.below(4);
    let tags: Vec<Value> = (0..count).flat_map(|_| tags(input)).collect();
    let settings = input.byte();
    let mut protocol = json!({ "name": "draft", "open": true, "tags": tags });
    if settings & 1 != 0 {
        protocol["unknown"] = "prose".into();
    }
    if settings & 2 != 0 {
        protocol["code"] = "tags".into();
    }
    if settings & 4 != 0 {
        let markers = [("<t>", "</t>"), ("[PLAN]", "[/PLAN]"), ("{{", "}}"), ("%%", "%%")];
        let (open, close) = markers[input.below(markers.len())];
        protocol["regions"] = json!([{ "name": "region", "open": open, "close": close }]);
    }
    if settings & 8 != 0 {
        protocol["limits"] = json!({
            "tags": input.below(5), "token_bytes": 24 + input.below(60), "body_bytes": 1 + input.below(60),
            "diagnostics": 1 + input.below(9),
        });
    }
    protocol
}

/// One tag, or the variants of one word.
fn tags(input: &mut Input<'_>) -> Vec<Value> {
    let word = WORDS[input.below(WORDS.len())];
    let is_variants = input.below(3) == 0;
    let selectors: &[&str] = if is_variants { &["a", "Ab", "v.2"] } else { &[""] };
    let by_argument = input.below(2) == 0;
    let has_argument = input.below(2) == 0 && !(is_variants && by_argument);
    let one = |input: &mut Input<'_>, selector: &str| {
        let body = ["none", "text", "json", "edits", "sections"][input.below(5)];
        let mut attributes: Vec<Value> = (0..input.below(3)).map(|i| attribute(input, KEYS[i])).collect();
        let mut tag = json!({ "name": word, "body": body });
        if has_argument {
            attributes.push(attribute(input, "arg"));
            tag["argument"] = "arg".into();
        }
        if body == "sections" {
            let (required, repeat) = (input.below(2) == 0, input.below(2) == 0);
            tag["sections"] = json!([{ "name": "ONE", "required": required }, { "name": "two", "repeat": repeat }]);
        }
        tag["unknown_attributes"] = ["refuse", "warn", "keep"][input.below(3)].into();
        tag["attributes"] = attributes.into();
        if is_variants && by_argument {
            tag["select"] = json!({ "argument": selector });
        } else if is_variants {
            tag["select"] = json!({ "attribute": "kind", "value": selector });
        }
        tag
    };
    selectors.iter().map(|selector| one(input, selector)).collect()
}

fn attribute(input: &mut Input<'_>, name: &str) -> Value {
    let kind = ["string", "path", "integer", "number", "boolean", "enum"][input.below(6)];
    let mut attribute = json!({ "name": name, "type": kind, "required": input.below(3) == 0 });
    if kind == "enum" {
        attribute["values"] = json!(["one", "Two"]);
    } else if kind == "integer" {
        (attribute["min"], attribute["max"]) = (json!(-2), json!(input.below(20)));
    }
    if input.below(4) == 0 {
        attribute["aliases"] = json!([format!("{name}_too")]);
    }
    attribute
}

const WORDS: [&str; 8] = ["RUN", "NOTE", "Do", "edit", "_x", "A.b", "NOTES", "E"];
const KEYS: [&str; 3] = ["path", "x", "note"];

/// A protocol, and a reply in it with the bytes of marks in between.
pub fn random(rng: &mut Rng) -> Vec<u8> {
    let mut data: Vec<u8> = (0..HEADER).map(|_| rng.below(256) as u8).collect();
    if let Some(protocol) = protocol(&data) {
        let reply = strict_reply(&protocol, &protocol.granted(None, None), rng);
        data.extend(super::cuts::with_marks(reply.as_bytes(), rng, &[super::input::CUT]));
    }
    data
}

/// Some of the named vectors, each in a protocol that has nothing to do with it.
pub fn seeds() -> Vec<Seed> {
    seeds_of_vectors(8, |_, vector, rng| {
        let mut data: Vec<u8> = (0..HEADER).map(|_| rng.below(256) as u8).collect();
        data.extend_from_slice(vector.text.as_bytes());
        data
    })
}
