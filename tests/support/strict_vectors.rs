//! The vectors of the strict dialect, and the protocols that they are read by.

use serde::Deserialize;
use serde_json::Value;

use super::strict_twin::StrictTwin;
use super::strict_twin::protocol::StrictProtocol;

/// A reply with the answer of the reference to it.
#[derive(Clone, Debug, Deserialize)]
pub struct StrictVector {
    pub id: String,
    /// What a named case shows.
    #[serde(default)]
    pub shows: String,
    pub protocol: String,
    #[serde(default)]
    pub role: Option<String>,
    #[serde(default)]
    pub mode: Option<String>,
    pub finish: String,
    #[serde(default)]
    pub begins_inside: Option<String>,
    pub text: String,
    #[serde(default)]
    pub expected: Value,
}

impl StrictVector {
    /// The twin that reads it.
    pub fn twin<'p>(&self, protocol: &'p StrictProtocol) -> StrictTwin<'p> {
        protocol
            .twin(self.role.as_deref(), self.mode.as_deref())
            .truncated(self.finish == "truncated")
            .beginning_inside(self.begins_inside.as_deref())
    }
}

/// Both files, 1,947 in all.
pub fn strict_vectors() -> Vec<StrictVector> {
    let files = [include_str!("../data/strict-named.jsonl"), include_str!("../data/strict-random.jsonl")];
    // Not `lines()`: only `\n` ends a line of JSON Lines.
    let lines = files.into_iter().flat_map(|file| file.split('\n')).filter(|line| !line.is_empty());
    let all: Vec<StrictVector> = lines.map(|line| serde_json::from_str(line).expect("a vector is JSON")).collect();
    assert_eq!(all.len(), 1947);
    all
}

/// The protocols of the vectors, by name.
pub fn strict_protocol(name: &str) -> StrictProtocol {
    let file = match name {
        "actions" => include_str!("../data/protocols/actions.json"),
        "desk" => include_str!("../data/protocols/desk.json"),
        "tiny" => include_str!("../data/protocols/tiny.json"),
        "wiki" => include_str!("../data/protocols/wiki.json"),
        "workforce-strict" => include_str!("../data/protocols/workforce-strict.json"),
        _ => panic!("no protocol is called {name}"),
    };
    StrictProtocol::from_json(file)
}

pub const PROTOCOLS: [&str; 5] = ["desk", "actions", "wiki", "tiny", "workforce-strict"];
