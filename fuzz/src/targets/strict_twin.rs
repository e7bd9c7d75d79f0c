//! The strict dialect against its naive twin: tiles, tags and diagnostics; at some prefixes also what is given.

use super::bounds;
use super::input::{CUT, Input, floor, scripts};
use super::seeds::Seed;
use super::strict::{Strict, seeds_of_vectors, whole};
use crate::support::strict_checks::{Subject, assert_early};
use crate::support::strict_twin::StrictTwin;

/// The twin is slow, and none of the rules needs more.
const LONGEST: usize = 2000;
const LONGEST_PREFIX: usize = 160;
const PREFIXES: usize = 2;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (library, twin) = Strict::shared().reader(&mut input);
    for script in scripts(input.rest()).iter().take(2) {
        let text = &*String::from_utf8_lossy(&script.bytes);
        let text = &text[..floor(text, LONGEST)];
        let cuts: Vec<usize> = script.cuts.iter().map(|&(at, _)| floor(text, at)).collect();
        assert_read(library, &library.policy(&twin), &twin, text, &cuts);
    }
}

/// The whole reply, and at some of its cuts what is given.
#[track_caller]
pub fn assert_read(
    subject: &dyn Subject,
    policy: &tagwire::Policy<'_>,
    twin: &StrictTwin<'_>,
    text: &str,
    cuts: &[usize],
) {
    let (read, expected) = (whole(policy, twin, text), twin.read(text));
    assert_eq!((&read.tiles, &read.diagnostics), (&expected.tiles, &expected.diagnostics), "{text:?}");
    bounds::assert_strict_whole(policy, twin, text);
    let prefixes: Vec<usize> = cuts.iter().copied().filter(|&cut| cut <= LONGEST_PREFIX).take(PREFIXES).collect();
    if twin.begins_inside.is_none() {
        assert_early(subject, twin, text, &prefixes);
    }
}

/// Some of the named vectors, with a cut.
pub fn seeds() -> Vec<Seed> {
    seeds_of_vectors(6, |mut data, vector, rng| {
        let header = data.len();
        data.extend_from_slice(vector.text.as_bytes());
        data.insert(header + rng.below(data.len() - header + 1), CUT);
        data
    })
}
