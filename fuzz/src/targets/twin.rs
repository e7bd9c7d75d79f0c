//! The parser compared with the naive twin: tags, attributes, errors, prose and spans; at some prefixes also the decided events
//! and the pending text.

use tagwire::{Parser, Policy};

use super::bounds;
use super::input::{CUT, Input, Workforce, floor, scripts};
use super::seeds::{self, Seed};
use crate::library::{self, Follower, pairs};
use crate::support::twin::{Twin, TwinEvent, errors, prose};

/// The twin is slow, and no rule needs longer inputs.
const LONGEST: usize = 3000;
const LONGEST_PREFIX: usize = 500;
const PREFIXES: usize = 4;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (twin, policy) = Workforce::shared().pair(input.pair(), input.limit());
    for script in scripts(input.rest()).iter().take(2) {
        let text = &*String::from_utf8_lossy(&script.bytes);
        let text = &text[..floor(text, LONGEST)];
        let expected = twin.events(text);
        assert_whole(&policy, text, &expected);
        bounds::assert_whole(&policy, text, 1);
        let cuts: Vec<usize> = script.cuts.iter().map(|&(at, _)| floor(text, at)).collect();
        assert_prefixes(&twin, &policy, text, &cuts, &expected);
    }
}

/// Every short vector, with a cut.
pub fn seeds() -> Vec<Seed> {
    seeds::of_vectors(2, |vector, rng| {
        let mut data = seeds::header(vector, rng);
        data.extend_from_slice(vector.text.as_bytes());
        data.insert(2 + rng.below(data.len() - 1), CUT);
        data
    })
}

/// The whole reply, as events and as lists.
#[track_caller]
pub fn assert_whole(policy: &Policy<'_>, text: &str, expected: &[TwinEvent]) {
    let events: Vec<TwinEvent> = policy.events(text).map(|event| library::event(&event)).collect();
    assert_eq!(events, expected, "{text:?}");
    let reply = policy.parse(text);
    let mut tags = reply.tags().iter();
    for event in expected {
        if let TwinEvent::Tag { name, attrs, body, raw, span } = event {
            let tag = tags.next().expect("as many tags as the twin has");
            assert_eq!(
                (tag.name(), tag.body(), tag.raw(), tag.span().range()),
                (&**name, &**body, &**raw, span.clone())
            );
            assert_eq!(pairs(*tag), *attrs, "{text:?}");
        }
    }
    assert!(tags.next().is_none(), "{text:?}");
    assert!(reply.errors().map(|line| line.to_string()).eq(errors(expected)), "{text:?}");
    assert_eq!(reply.prose(), prose(text, expected), "{text:?}");
}

/// A stream, compared with the twin at some of its cuts.
#[track_caller]
pub fn assert_prefixes(twin: &Twin, policy: &Policy<'_>, text: &str, cuts: &[usize], expected: &[TwinEvent]) {
    let mut parser = Parser::new(policy.clone());
    let mut follower = Follower::new(text, expected, cuts);
    let mut from = 0;
    for (number, &to) in cuts.iter().enumerate() {
        parser.feed(&text[from..to]).for_each(|event| follower.take(event));
        from = to;
        let prefix = &text[..to];
        if to <= LONGEST_PREFIX && number < PREFIXES {
            assert_eq!(follower.taken(), twin.decided(prefix), "given after {prefix:?}");
            let pending = parser.pending().map(|pending| library::pending(&pending));
            assert_eq!(pending, twin.pending(prefix), "pending after {prefix:?}");
        }
    }
    parser.feed(&text[from..]).for_each(|event| follower.take(event));
    parser.finish().for_each(|event| follower.take(event));
    follower.end();
}
