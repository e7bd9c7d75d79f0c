//! Shared by test files: the vectors, the naive twin, and the generator of replies.

// Each test file is its own crate, and none uses all of this.
#![allow(dead_code, unreachable_pub)]

pub mod generator;
pub mod rng;
pub mod strict_checks;
pub mod strict_follow;
pub mod strict_generator;
pub mod strict_suite;
pub mod strict_twin;
pub mod strict_vectors;
pub mod twin;

use serde_json::Value;

/// A reply with the answer of the seed to it.
pub struct Vector {
    pub id: String,
    pub role: String,
    pub mode: String,
    pub text: String,
    pub tags: Vec<ExpectedTag>,
    pub errors: Vec<String>,
    pub prose: String,
}

pub struct ExpectedTag {
    pub name: String,
    pub attrs: twin::Pairs,
    pub body: String,
    pub raw: String,
    pub view: Value,
}

/// The named cases: one per rule.
pub fn named() -> Vec<Vector> {
    read(include_str!("../data/named.jsonl"))
}

/// The random cases.
pub fn random() -> Vec<Vector> {
    read(include_str!("../data/random.jsonl"))
}

/// Both, 1,655 in all.
pub fn vectors() -> Vec<Vector> {
    let mut all = named();
    all.extend(random());
    assert_eq!(all.len(), 1655);
    all
}

/// Every offset at which a text can be cut, both ends included.
pub fn places(text: &str) -> impl Iterator<Item = usize> + Clone + '_ {
    (0..=text.len()).filter(|&at| text.is_char_boundary(at))
}

fn read(lines: &str) -> Vec<Vector> {
    // Not `lines()`: it would also be right here, but only `\n` ends a line of JSON Lines.
    let lines = lines.split('\n').filter(|line| !line.is_empty());
    lines.map(|line| vector(&serde_json::from_str(line).expect("a vector is JSON"))).collect()
}

fn vector(case: &Value) -> Vector {
    let expected = &case["expected"];
    let list = |value: &Value| value.as_array().expect("a list").clone();
    Vector {
        id: case["id"].to_string(),
        role: string(&case["role"]),
        mode: string(&case["mode"]),
        text: string(&case["text"]),
        tags: list(&expected["tags"]).iter().map(tag).collect(),
        errors: list(&expected["errors"]).iter().map(string).collect(),
        prose: string(&expected["prose"]),
    }
}

fn tag(value: &Value) -> ExpectedTag {
    let attrs = value["attrs"].as_object().expect("attributes");
    ExpectedTag {
        name: string(&value["name"]),
        attrs: attrs.iter().map(|(key, value)| (key.clone(), string(value))).collect(),
        body: string(&value["body"]),
        raw: string(&value["raw"]),
        view: value["view"].clone(),
    }
}

fn string(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}
