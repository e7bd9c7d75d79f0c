//! The adversarial shapes of the strict dialect cost the same number of steps a byte whatever their length, whole and in chunks of one
//! byte. `benches/instructions.rs` counts instructions over the same shapes.
#![cfg(feature = "steps")]

#[path = "../benches/corpus/mod.rs"]
mod corpus;

use bumpalo::Bump;
use corpus::{Cuts, KIB, count, strict};
use tagwire::{Parser, work};

/// Steps a byte, at most.
const MOST: f64 = 14.0;

#[test]
fn shapes_cost_a_constant_a_byte() {
    let mut faults = Vec::new();
    for shape in &strict::SHAPES {
        // Many times the longest token, so that what waits at the end counts for little.
        let texts = [shape.text(320 * KIB), shape.text(1280 * KIB)];
        let whole = texts.each_ref().map(|text| {
            let policy = strict::policy();
            work::take();
            count::batch(&policy, text, &Bump::new());
            work::take() as f64 / text.len() as f64
        });
        let chunks = texts.each_ref().map(|text| {
            let (mut parser, cuts) = (Parser::new(strict::policy()), Cuts::every(1, text));
            work::take();
            count::stream(&mut parser, cuts.of(text));
            work::take() as f64 / text.len() as f64
        });
        // Closes of many names are sorted, and names are looked up.
        let growth = if shape.has_many_names { 1.15 } else { 1.06 };
        for (how, [once, more]) in [("whole", whole), ("in chunks of 1", chunks)] {
            if more > growth * once || more > MOST {
                faults.push(format!("{}, {how}: {once:.2}, then {more:.2} steps a byte", shape.name));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// What is read of the corpora is what they hold: the rules of the dialect cost no tag.
#[test]
fn corpora_are_read_whole() {
    for name in ["prose", "plain", "code", "dense", "links and fences"] {
        let reply = match name {
            "links and fences" => strict::links_and_fences(64 * KIB),
            _ => corpus::corpus(name, 64 * KIB),
        };
        let count = count::batch(&strict::policy_of(&reply), &reply.text, &Bump::new());
        assert_eq!(count.tags, reply.count.tags, "{name}");
        assert_eq!(count.body_bytes, reply.count.body_bytes, "{name}");
    }
}
