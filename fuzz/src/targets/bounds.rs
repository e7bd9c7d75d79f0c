//! Bounds on reading: work in counted steps, memory by a counting allocator.

use bumpalo::Bump;
use tagwire::{Event, Finish, Parser, Policy};

use crate::support::strict_twin::StrictTwin;

/// The work and memory used.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Bytes read, list entries compared, bytes moved.
    pub steps: u64,
    /// The peak of allocated bytes.
    pub peak: u64,
}

/// Runs a function and counts.
pub fn cost(work: impl FnOnce()) -> Cost {
    tagwire::work::take();
    let memory = allocation_counter::measure(work);
    Cost { steps: tagwire::work::take(), peak: memory.bytes_max }
}

/// The most steps for a reply: a constant per byte, and the logarithm of the number of closes if they meet open tags.
///
/// `tags` is the number of tags of one length in the protocol: a name may be compared with all of them, to its last byte.
pub fn most_steps(text: &str, per_byte: u64, tags: u64) -> u64 {
    let (bytes, closes) = (text.len() as u64, text.matches("[[/").count() as u64);
    64 + per_byte * bytes + 3 * bytes * u64::from((closes + 1).ilog2()) + tags * bytes
}

/// Reading a whole reply takes work and memory linear in its bytes.
#[track_caller]
pub fn assert_whole(policy: &Policy<'_>, text: &str, tags: u64) {
    let parse = cost(|| drop(policy.parse(text)));
    assert!(parse.steps <= most_steps(text, WHOLE, tags), "{parse:?} for {} bytes: {text:?}", text.len());
    let most = 4096 + PARSED * text.len() as u64;
    assert!(parse.peak <= most, "{parse:?} for {} bytes: {text:?}", text.len());
    let events = cost(|| policy.events(text).for_each(drop));
    assert!(events.steps <= most_steps(text, WHOLE, tags), "{events:?} for {} bytes: {text:?}", text.len());
    // Only text that waits for its end is kept.
    assert!(events.peak <= 4096 + HELD * text.len() as u64, "{events:?} for {} bytes: {text:?}", text.len());
}

/// Reading in chunks takes work linear in bytes and chunks, and memory linear in the text that must be held.
///
/// `cuts` are the ends of all chunks except the last.
#[track_caller]
pub fn assert_stream(policy: &Policy<'_>, text: &str, cuts: &[usize], tags: u64) {
    let (mut held, mut longest) = (0, 0);
    let stream = cost(|| {
        let mut parser = Parser::new(policy.clone());
        let (mut from, mut given) = (0, 0);
        for &to in cuts.iter().chain([&text.len()]) {
            longest = longest.max(to - from);
            for event in parser.feed(&text[from..to]) {
                given = given_to(&event, given);
            }
            held = held.max(to - given);
            from = to;
        }
        parser.finish().for_each(drop);
    });
    let most = most_steps(text, STREAMED, tags) + CHUNK * (cuts.len() as u64 + 1);
    assert!(stream.steps <= most, "{stream:?} for {} bytes at {cuts:?}: {text:?}", text.len());
    let most = 4096 + HELD * held as u64 + 4 * longest as u64;
    assert!(stream.peak <= most, "{stream:?} where {held} must be held of {text:?} at {cuts:?}");
}

/// Reading a reply in the strict dialect costs a constant a byte in work. Memory is the tests' in `tests/memory.rs`.
#[track_caller]
pub fn assert_strict_whole(policy: &Policy<'_>, twin: &StrictTwin<'_>, text: &str) {
    let options = super::strict::options(twin);
    let events = cost(|| policy.events_with(text, options).for_each(drop));
    let most = most_strict_steps(twin, text);
    assert!(events.steps <= most, "{events:?} for {} bytes, at most {most}: {text:?}", text.len());
}

/// Reading it in chunks costs a constant a byte and chunk.
#[track_caller]
pub fn assert_strict_stream(policy: &Policy<'_>, twin: &StrictTwin<'_>, text: &str, cuts: &[usize]) {
    let stream = cost(|| {
        let mut parser = Parser::new(policy.clone());
        if let Some(region) = &twin.begins_inside {
            parser.begin_inside(region);
        }
        let mut from = 0;
        for &to in cuts.iter().chain([&text.len()]) {
            let to = to.max(from);
            parser.feed(&text[from..to]).for_each(drop);
            from = to;
        }
        parser.finish_with(options_of(twin)).for_each(drop);
    });
    let most = most_strict_steps(twin, text) + STREAMED * text.len() as u64 + STRICT_CHUNK * (cuts.len() as u64 + 1);
    assert!(stream.steps <= most, "{stream:?} for {} bytes at {cuts:?}, at most {most}: {text:?}", text.len());
}

fn options_of(twin: &StrictTwin<'_>) -> Finish {
    crate::strict_library::finish(twin.is_truncated)
}

/// What a reply in the strict dialect may cost at most, in steps: so many a byte; a logarithm more where closes of many names are
/// sorted, once a complete reply ends without the close of an unknown tag; and each key is compared with those before it.
fn most_strict_steps(twin: &StrictTwin<'_>, text: &str) -> u64 {
    let (bytes, closes) = (text.len() as u64, text.matches("[[").count() as u64);
    let keys = text.matches('=').count().min(64) as u64;
    let regions = twin.protocol.regions.len() as u64;
    64 + (STRICT + regions) * bytes + 3 * bytes * u64::from((closes + 1).ilog2()) + keys * keys * closes
}

/// Reading into a warm arena allocates nothing else.
#[track_caller]
pub fn assert_arena(policy: &Policy<'_>, text: &str) {
    let mut arena = Bump::new();
    for _ in 0..2 {
        policy.parse_in(text, &arena);
        arena.reset();
    }
    let memory = allocation_counter::measure(|| drop(policy.parse_in(text, &arena)));
    assert_eq!(memory.count_total, 0, "{memory:?} for {text:?}");
}

/// The end of the events after this one.
pub fn given_to(event: &Event<'_>, given: usize) -> usize {
    match event {
        Event::Diagnostic(_) => given,
        event => event.span().end,
    }
}

/// Steps per byte.
const WHOLE: u64 = 5;
const STREAMED: u64 = 7;
/// Steps per byte in the strict dialect.
const STRICT: u64 = 10;
/// Steps per chunk.
const CHUNK: u64 = 8;
const STRICT_CHUNK: u64 = 40;
/// Bytes of memory per byte: of a collected reply, and of the text that a stream must hold.
const PARSED: u64 = 96;
const HELD: u64 = 28;
