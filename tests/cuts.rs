//! However a reply is cut into chunks, the events are the same, and come as early as possible.
//!
//! Cuts in two, in three and between all characters, with empty chunks; `Events` dropped early. After each prefix, the events
//! are exactly those that no continuation can change (a parser that keeps everything until `finish` would pass the other
//! tests), and `pending` shows the rest.

mod support;

#[path = "support/library.rs"]
mod library;

use library::{Follower, assert_pieces, policy_of, protocol_buf};
use support::generator::{self, Case, Rng};
use support::twin::{Twin, TwinProtocol};
use support::{Vector, named, places, vectors};
use tagwire::{Limits, Parser, Pending, Policy, ProtocolBuf, Utf8Decoder};

/// Numbers of generated cases that no other test uses.
const TWO: u64 = 1_000_000;
const RANDOM: u64 = 2_000_000;
const DROPPED: u64 = 3_000_000;
const EARLY: u64 = 4_000_000;
const LIMITED: u64 = 5_000_000;

#[test]
fn every_vector_in_two() {
    let protocol = Workforce::new();
    for vector in vectors() {
        let (twin, policy) = protocol.for_vector(&vector);
        assert_every_cut_in_two(&twin, &policy, &vector.text);
    }
}

#[test]
fn generated_replies_in_two() {
    let protocol = Workforce::new();
    for number in TWO..TWO + 1_500 {
        let case = generator::workforce_case(&protocol.twin, number);
        let policy = policy_of(&protocol.buf, &case.twin);
        assert_every_cut_in_two(&case.twin, &policy, &case.text);
    }
    for number in TWO + 1_500..TWO + 2_000 {
        let case = generator::arbitrary_case(number);
        let buf = protocol_buf(&case.twin.protocol);
        assert_every_cut_in_two(&case.twin, &policy_of(&buf, &case.twin), &case.text);
    }
}

#[test]
fn generated_replies_at_random_places() {
    let protocol = Workforce::new();
    for number in RANDOM..RANDOM + 100_000 {
        let case = generator::workforce_case(&protocol.twin, number);
        assert_random_cuts(number, &protocol.buf, &case);
    }
}

#[test]
fn named_cases_in_three() {
    let protocol = Workforce::new();
    for (number, vector) in (0..).zip(named()) {
        let (twin, policy) = protocol.for_vector(&vector);
        let text = &*vector.text;
        let expected = twin.events(text);
        if text.len() > 400 {
            // Only some of the many pairs of cuts.
            let mut rng = Rng::new(number);
            for _ in 0..2_000 {
                let mut cuts = [rng.place(text), rng.place(text)];
                cuts.sort_unstable();
                assert_pieces(&policy, text, &cuts, &expected);
            }
            continue;
        }
        for first in places(text) {
            // Starts at `first`: the middle piece may be empty.
            for second in places(text).filter(|&second| second >= first) {
                assert_pieces(&policy, text, &[first, second], &expected);
            }
        }
    }
}

#[test]
fn character_by_character() {
    let protocol = Workforce::new();
    for vector in vectors() {
        let (twin, policy) = protocol.for_vector(&vector);
        let text = &*vector.text;
        let expected = twin.events(text);
        let cuts: Vec<usize> = places(text).collect();
        assert_pieces(&policy, text, &cuts, &expected);
        // With an empty chunk between any two.
        let cuts: Vec<usize> = places(text).flat_map(|place| [place, place]).collect();
        assert_pieces(&policy, text, &cuts, &expected);
    }
}

#[test]
fn one_parser_for_many_replies() {
    let protocol = Workforce::new();
    let vectors = vectors();
    let (_, policy) = protocol.for_pair("developer", "work");
    let mut parser = Parser::new(policy);
    for vector in vectors.iter().filter(|v| v.role == "developer" && v.mode == "work") {
        let (twin, _) = protocol.for_vector(vector);
        let expected = twin.events(&vector.text);
        // An abandoned reply leaves no trace.
        let half = Rng::new(0).place(&vector.text);
        parser.feed(&vector.text[..half]).for_each(drop);
        parser.reset();
        let mut follower = Follower::new(&vector.text, &expected, &[]);
        parser.feed(&vector.text).for_each(|event| follower.take(event));
        parser.finish().for_each(|event| follower.take(event));
        follower.end();
        parser.reset();
        assert!(!parser.is_finished());
    }
}

#[test]
fn byte_by_byte_through_the_decoder() {
    let protocol = Workforce::new();
    let generated = (TWO..TWO + 300).map(|number| generator::workforce_case(&protocol.twin, number));
    let generated = generated.map(|case| (case.twin, case.text));
    let vectors = vectors().into_iter().map(|vector| (protocol.for_vector(&vector).0, vector.text));
    for (twin, text) in vectors.chain(generated) {
        let expected = twin.events(&text);
        let mut follower = Follower::new(&text, &expected, &[]);
        let mut parser = Parser::new(policy_of(&protocol.buf, &twin));
        let mut decoder = Utf8Decoder::strict();
        for byte in text.as_bytes().chunks(1) {
            for piece in decoder.decode(byte) {
                parser.feed(piece.expect("it is UTF-8")).for_each(|event| follower.take(event));
            }
        }
        assert_eq!(decoder.finish().count(), 0);
        parser.finish().for_each(|event| follower.take(event));
        follower.end();
    }
}

/// `Events` dropped after each number of events: the rest comes first next time.
#[test]
fn events_dropped_early() {
    let protocol = Workforce::new();
    for vector in vectors() {
        let (twin, policy) = protocol.for_vector(&vector);
        let events = twin.events(&vector.text).len();
        for taken in 0..=events.min(4) {
            assert_dropped_early(&twin, &policy, &vector.text, &[vector.text.len()], taken);
        }
        let cuts: Vec<usize> = places(&vector.text).step_by(3).collect();
        for taken in 0..=1 {
            assert_dropped_early(&twin, &policy, &vector.text, &cuts, taken);
        }
    }
    for number in DROPPED..DROPPED + 10_000 {
        let case = generator::workforce_case(&protocol.twin, number);
        let mut rng = Rng::new(number);
        let cuts = random_cuts(&mut rng, &case.text);
        let taken = rng.below(3);
        let policy = policy_of(&protocol.buf, &case.twin);
        assert_dropped_early(&case.twin, &policy, &case.text, &cuts, taken);
    }
}

/// The index that `finish` builds must not outlive the text if `finish` is called again.
#[test]
fn finish_dropped_early_behind_a_close() {
    let protocol = Workforce::new();
    let (twin, policy) = protocol.for_pair("developer", "work");
    let text = "[[ASK_USER]][[/NOTE]][[ASK_USER]]";
    for taken in 0..4 {
        assert_dropped_early(&twin, &policy, text, &[], taken);
    }
}

/// A `[` at the current position is an open token only if it is the last byte.
#[test]
fn nothing_is_pending_of_what_was_not_taken() {
    let protocol = Workforce::new();
    let (_, policy) = protocol.for_pair("developer", "work");
    let mut parser = Parser::new(policy);
    assert!(parser.feed("[[RUN cmd='a'/]][[RUN cmd='b'/]]").next().is_some());
    assert_eq!(parser.pending(), None);
    assert_eq!(parser.finish().count(), 1);
}

/// A tag is not shown as open while its end waits in the queue, nor is one after it.
#[test]
fn nothing_is_pending_while_events_wait() {
    let protocol = Workforce::new();
    let (_, policy) = protocol.for_pair("developer", "work");
    let mut parser = Parser::new(policy);
    let open = |parser: &Parser<'_>| match parser.pending() {
        Some(Pending::Open(tag)) => Some(format!("{} {}", tag.name(), tag.body())),
        other => {
            assert_eq!(other, None);
            None
        }
    };
    assert_eq!(parser.feed("[[ASK_USER]]a").count(), 0);
    assert_eq!(open(&parser).as_deref(), Some("ASK_USER a"));
    drop(parser.feed("[[/ASK_USER]]x[[WRITE_FILE path='b']]c"));
    assert_eq!(open(&parser), None);
    assert_eq!(parser.feed("").take(1).count(), 1);
    assert_eq!(open(&parser), None);
    assert_eq!(parser.feed("").count(), 1);
    assert_eq!(open(&parser).as_deref(), Some("WRITE_FILE c"));
}

/// Nothing is shown as open after an early drop in any state: before a token, in a possible close, with a full queue, at the
/// end.
#[test]
fn nothing_is_pending_until_all_is_read() {
    let protocol = Workforce::new();
    let (_, policy) = protocol.for_pair("developer", "work");
    let many = "[[RUN/]]".repeat(4) + "[[NOTE]]c[[/NOTE]]d";
    let cases: [(&[(&str, usize)], bool); 5] = [
        (&[("x[[RU", 0), ("N/]]y", 1)], false),
        (&[("x[[ASK_USER]]c[[/ZZ", 0), ("]]d[[/ASK_USER]]tail", 1)], false),
        (&[(&many, 5)], false),
        (&[("[[ASK_USER]]abc", 0)], true),
        (&[("[", 0)], true),
    ];
    for (fed, is_finished) in cases {
        let mut parser = Parser::new(policy.clone());
        for &(chunk, taken) in fed {
            assert_eq!(parser.feed(chunk).take(taken).count(), taken);
        }
        if is_finished {
            drop(parser.finish());
        }
        assert_eq!(parser.pending(), None, "{fed:?}");
        assert!(parser.finish().count() > 0, "{fed:?}");
    }
}

/// The text of an unknown tag over the limit is gone, but its name is kept.
#[test]
fn a_tag_that_is_too_long_keeps_its_name() {
    let protocol = Workforce::new();
    let (_, policy) = protocol.for_pair("developer", "work");
    for (token, name) in [("[[note x='y']]", "NOTE"), ("[[ASSIGN]]", "ASSIGN"), ("[[Ask_User]]", "ASK_USER")] {
        let limits = Limits::default().with_max_tag_bytes(Some(40));
        let mut parser = Parser::new(policy.clone().with_limits(limits));
        parser.feed(token).for_each(drop);
        for chunk in ["\n".repeat(50), "more".to_owned()] {
            parser.feed(&chunk).for_each(drop);
            match parser.pending() {
                Some(Pending::Dropped { name: pending, start: 0 }) => assert_eq!(pending.to_string(), name),
                other => panic!("{token}: {other:?}"),
            }
        }
    }
}

#[test]
fn given_at_once_named_cases() {
    let protocol = Workforce::new();
    for vector in named() {
        let (twin, policy) = protocol.for_vector(&vector);
        assert_given_at_once(&twin, &policy, &vector.text);
    }
}

#[test]
fn given_at_once_generated_replies() {
    let protocol = Workforce::new();
    for number in EARLY..EARLY + 400 {
        let case = generator::workforce_case(&protocol.twin, number);
        let policy = policy_of(&protocol.buf, &case.twin);
        assert_given_at_once(&case.twin, &policy, &case.text);
    }
    for number in EARLY + 400..EARLY + 500 {
        let case = generator::arbitrary_case(number);
        let buf = protocol_buf(&case.twin.protocol);
        assert_given_at_once(&case.twin, &policy_of(&buf, &case.twin), &case.text);
    }
}

/// All of the above with a limit that is often reached.
#[test]
fn with_a_limit_on_the_bytes_of_a_tag() {
    let protocol = Workforce::new();
    let limited = |number| {
        let mut case = generator::workforce_case(&protocol.twin, number);
        let limit = generator::small_limit(&mut Rng::new(number));
        case.twin = case.twin.with_max_tag_bytes(Some(limit));
        case
    };
    for number in LIMITED..LIMITED + 300 {
        let case = limited(number);
        let policy = policy_of(&protocol.buf, &case.twin);
        assert_every_cut_in_two(&case.twin, &policy, &case.text);
        assert_given_at_once(&case.twin, &policy, &case.text);
        let cuts = random_cuts(&mut Rng::new(number), &case.text);
        assert_dropped_early(&case.twin, &policy, &case.text, &cuts, 1);
    }
    for number in LIMITED + 300..LIMITED + 20_000 {
        assert_random_cuts(number, &protocol.buf, &limited(number));
    }
}

/// A tag that reaches its limit at each of its bytes.
#[test]
fn with_every_limit_on_the_bytes_of_a_tag() {
    let protocol = Workforce::new();
    for text in [
        "a[[RUN]]b",
        "abcdef[[RUN]]b",
        "[[RUN x='y'/]]",
        "[[ASK_USER]]x[[/ASK_USER]]y",
        "[[NOTE]]x[[/ note ]]y",
        "[[RUN]x[[RUN]]",
    ] {
        for limit in 0..=text.len() + 1 {
            let (twin, _) = protocol.for_pair("developer", "work");
            let twin = twin.with_max_tag_bytes(Some(limit));
            let policy = policy_of(&protocol.buf, &twin);
            assert_given_at_once(&twin, &policy, text);
            assert_every_cut_in_two(&twin, &policy, text);
            let expected = twin.events(text);
            for to in places(text) {
                let decided = twin.decided(&text[..to]);
                // At once, and in two.
                for cut in places(&text[..to]) {
                    let mut parser = Parser::new(policy.clone());
                    let mut follower = Follower::new(text, &expected, &[]);
                    parser.feed(&text[..cut]).for_each(|event| follower.take(event));
                    parser.feed(&text[cut..to]).for_each(|event| follower.take(event));
                    assert_eq!(follower.taken(), decided, "{cut}, then up to {to} bytes of {text}, limit {limit}");
                }
            }
        }
    }
}

/// The protocol for both.
struct Workforce {
    twin: TwinProtocol,
    buf: ProtocolBuf,
}

impl Workforce {
    fn new() -> Self {
        let twin = TwinProtocol::workforce();
        let buf = protocol_buf(&twin);
        Self { twin, buf }
    }

    fn for_pair(&self, role: &str, mode: &str) -> (Twin, Policy<'_>) {
        let twin = self.twin.twin(role, mode);
        let policy = policy_of(&self.buf, &twin);
        (twin, policy)
    }

    fn for_vector(&self, vector: &Vector) -> (Twin, Policy<'_>) {
        self.for_pair(&vector.role, &vector.mode)
    }
}

#[track_caller]
fn assert_every_cut_in_two(twin: &Twin, policy: &Policy<'_>, text: &str) {
    let expected = twin.events(text);
    for place in places(text) {
        assert_pieces(policy, text, &[place], &expected);
    }
}

#[track_caller]
fn assert_random_cuts(number: u64, protocol: &ProtocolBuf, case: &Case) {
    let expected = case.twin.events(&case.text);
    let cuts = random_cuts(&mut Rng::new(number), &case.text);
    assert_pieces(&policy_of(protocol, &case.twin), &case.text, &cuts, &expected);
}

/// Offsets in order, some of them repeated.
fn random_cuts(rng: &mut Rng, text: &str) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..rng.below(8)).map(|_| rng.place(text)).collect();
    if let Some(&cut) = cuts.first()
        && rng.percent(20)
    {
        cuts.push(cut);
    }
    cuts.sort_unstable();
    cuts
}

/// Takes this number of events of each feed and drops the rest, then takes all events of `finish`.
#[track_caller]
fn assert_dropped_early(twin: &Twin, policy: &Policy<'_>, text: &str, cuts: &[usize], taken: usize) {
    let expected = twin.events(text);
    let mut parser = Parser::new(policy.clone());
    let mut follower = Follower::new(text, &expected, cuts);
    let mut from = 0;
    for &to in cuts.iter().chain([&text.len()]) {
        let events = parser.feed(&text[from..to]);
        events.take(taken).for_each(|event| follower.take(event));
        let prefix = &text[..to];
        let pending = parser.pending().map(|pending| library::pending(&pending));
        let is_all_given = follower.taken() == twin.decided(prefix);
        let expected = if is_all_given { twin.pending(prefix) } else { None };
        assert_eq!(pending, expected, "pending after {taken} events of {prefix:?}");
        from = to;
    }
    // `finish` may be dropped early too: the next call continues.
    parser.finish().take(taken).for_each(|event| follower.take(event));
    assert!(parser.pending().is_none());
    while let Some(event) = parser.finish().next() {
        follower.take(event);
    }
    assert!(parser.finish().next().is_none());
    follower.end();
}

/// After each prefix, the events are those decided, and the pending text is that of the twin.
#[track_caller]
fn assert_given_at_once(twin: &Twin, policy: &Policy<'_>, text: &str) {
    let expected = twin.events(text);
    let limit = twin.max_tag_bytes;
    let mut parser = Parser::new(policy.clone());
    let mut follower = Follower::new(text, &expected, &[]);
    let mut from = 0;
    for to in places(text) {
        parser.feed(&text[from..to]).for_each(|event| follower.take(event));
        let prefix = &text[..to];
        assert_eq!(follower.taken(), twin.decided(prefix), "given after {prefix:?}, limit {limit:?}");
        let pending = parser.pending().map(|pending| library::pending(&pending));
        assert_eq!(pending, twin.pending(prefix), "pending after {prefix:?}, limit {limit:?}");
        from = to;
    }
    parser.finish().for_each(|event| follower.take(event));
    follower.end();
    assert!(parser.pending().is_none());
}
