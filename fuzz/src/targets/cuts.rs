//! Any text cut anywhere, as text and as bytes, with events not taken, and replies abandoned or cut off: the events are those
//! of the whole reply and tile it, and the pending text begins where they end.

use tagwire::{Event, FeedbackLimits, Finish, Parser, Pending, Policy, Reply, Utf8Decoder};

use super::bounds;
use super::input::{CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, Input, RESET, Script, Workforce, floor, scripts};
use super::seeds::{self, Seed};
use crate::library::{self, Follower};
use crate::support::generator::Rng;
use crate::support::twin::TwinEvent;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let choice = input.byte();
    let pair = Input::new(&[choice]).pair();
    let finish = if choice / 10 % 4 == 3 { Finish::Truncated } else { Finish::Complete };
    let policy = Workforce::preset(pair, input.limit());
    let scripts = scripts(input.rest());
    let mut parser = Parser::new(policy.clone());
    let mut decoder = Utf8Decoder::lossy();
    for script in &scripts {
        let text = &*String::from_utf8_lossy(&script.bytes);
        let expected = whole(&policy, text, finish);
        assert_tiles(text, &expected);
        let cuts: Vec<usize> = script.cuts.iter().map(|&(at, _)| floor(text, at)).collect();
        bounds::assert_stream(&policy, text, &cuts, 1);
        assert_text(&mut parser, script, text, &cuts, &expected, finish);
        // Bytes through the same parser, and through a new one.
        parser.reset();
        assert_bytes(&mut parser, &mut decoder, script, text, &expected, finish);
        if finish == Finish::Complete {
            library::assert_pieces(&policy, text, &cuts, &expected);
        }
        parser.reset();
        decoder.reset();
    }
    if let [script] = &*scripts {
        let text = &*String::from_utf8_lossy(&script.bytes);
        bounds::assert_whole(&policy, text, 1);
        bounds::assert_arena(&policy, text);
        assert_same_reply(&policy, text, finish);
    }
}

/// The events of the whole reply. Truncation never adds a tag.
#[track_caller]
fn whole(policy: &Policy<'_>, text: &str, finish: Finish) -> Vec<TwinEvent> {
    let events = policy.events_with(text, finish).map(|event| library::event(&event)).collect();
    if finish == Finish::Truncated {
        let mut parser = Parser::new(policy.clone());
        parser.feed(text).for_each(drop);
        let tags = parser.finish_with(finish).filter(|event| matches!(event, Event::Tag(_))).count();
        assert_eq!(tags, 0, "in what was cut off: {text:?}");
    }
    events
}

/// Every short vector, with a few cuts.
pub fn seeds() -> Vec<Seed> {
    let marks = [CUT, CUT, CUT, CUT_TAKE_NONE, CUT_TAKE_ONE, RESET];
    seeds::of_vectors(2, |vector, rng| {
        let mut data = seeds::header(vector, rng);
        data[0] += 10 * rng.below(4) as u8;
        data.extend_from_slice(&with_marks(vector.text.as_bytes(), rng, &marks));
        data
    })
}

/// Inserts some of the marks.
pub fn with_marks(text: &[u8], rng: &mut Rng, marks: &[u8]) -> Vec<u8> {
    let mut data = text.to_vec();
    for _ in 0..rng.below(6) {
        data.insert(rng.below(data.len() + 1), *rng.pick(marks));
    }
    data
}

/// Feeds text, and leaves some events of some chunks.
#[track_caller]
fn assert_text(
    parser: &mut Parser<'_>,
    script: &Script,
    text: &str,
    cuts: &[usize],
    expected: &[TwinEvent],
    finish: Finish,
) {
    let mut follower = Follower::new(text, expected, cuts);
    let (mut from, mut given) = (0, 0);
    let mut before = Open::default();
    for (&to, &(_, taken)) in cuts.iter().zip(&script.cuts) {
        let to = to.max(from);
        for event in parser.feed(&text[from..to]).take(taken) {
            given = bounds::given_to(&event, given);
            follower.take(event);
        }
        if taken == usize::MAX {
            assert_met(parser, &text[..to], given);
            before = assert_grows(parser, before);
        }
        from = to;
    }
    if script.is_given_up {
        return;
    }
    for event in parser.feed(&text[from..]) {
        follower.take(event);
    }
    // After an early drop and a second call, the first ending holds.
    parser.finish_with(finish).take(script.cuts.len() % 3).for_each(|event| follower.take(event));
    parser.finish().for_each(|event| follower.take(event));
    assert!(parser.is_finished() && parser.pending().is_none());
    assert_eq!(parser.feed("[[x]]").count() + parser.finish().count(), 0);
    follower.end();
}

/// Feeds bytes, cut within characters.
#[track_caller]
fn assert_bytes(
    parser: &mut Parser<'_>,
    decoder: &mut Utf8Decoder,
    script: &Script,
    text: &str,
    expected: &[TwinEvent],
    finish: Finish,
) {
    let mut follower = Follower::new(text, expected, &[]);
    let mut from = 0;
    for &(to, taken) in &script.cuts {
        for piece in decoder.decode(&script.bytes[from..to]).take(taken) {
            parser.feed(piece.expect("a lossy decoder")).for_each(|event| follower.take(event));
        }
        from = to;
    }
    if script.is_given_up {
        return;
    }
    for piece in decoder.finish() {
        parser.feed(piece.expect("a lossy decoder")).for_each(|event| follower.take(event));
    }
    parser.finish_with(finish).for_each(|event| follower.take(event));
    follower.end();
}

/// The pending text begins where the events end; without any, the events reach the end.
#[track_caller]
fn assert_met(parser: &Parser<'_>, text: &str, given: usize) {
    let start = match parser.pending() {
        None => text.len(),
        Some(Pending::Token { text: held, start }) => {
            assert_eq!(held, &text[start..], "{text:?}");
            start
        }
        Some(Pending::Open(open)) => open.start(),
        Some(Pending::Held { text: held, start, .. }) => {
            assert!(text[start..].ends_with(held), "{held:?} of {text:?}");
            start
        }
        Some(Pending::Dropped { start, .. }) => start,
        Some(other) => panic!("no test for {other:?}"),
    };
    assert_eq!(given, start, "given of {text:?}");
}

/// The open tag of an earlier chunk: its start and its body so far.
#[derive(Default)]
struct Open(Option<(usize, String)>);

/// The body of an open tag only grows, and never holds a part of its close.
#[track_caller]
fn assert_grows(parser: &Parser<'_>, before: Open) -> Open {
    let Some(Pending::Open(open)) = parser.pending() else {
        return Open(None);
    };
    if let Open(Some((start, body))) = before
        && start == open.start()
    {
        assert!(open.body().starts_with(&body), "{body:?} became {:?}", open.body());
    }
    Open(Some((open.start(), open.body().to_owned())))
}

/// Prose, tags and dropped text cover each byte once, and no two pieces of prose are adjacent.
#[track_caller]
pub fn assert_tiles(text: &str, events: &[TwinEvent]) {
    let (mut at, mut was_prose) = (0, false);
    for event in events {
        let (span, is_prose) = match event {
            TwinEvent::Prose(span) => (span, true),
            TwinEvent::Dropped(span) => (span, false),
            TwinEvent::Tag { span, raw, .. } => {
                assert_eq!(raw, &text[span.clone()]);
                (span, false)
            }
            TwinEvent::Diagnostic { .. } => continue,
        };
        assert!(span.start == at && span.end > at, "{span:?} behind {at} in {text:?}");
        assert!(!(was_prose && is_prose), "prose in two pieces at {at} in {text:?}");
        (at, was_prose) = (span.end, is_prose);
    }
    assert_eq!(at, text.len(), "{text:?}");
}

/// All ways to parse a whole reply agree.
#[track_caller]
fn assert_same_reply(policy: &Policy<'_>, text: &str, finish: Finish) {
    let reply = policy.parse_with(text, finish);
    let arena = bumpalo::Bump::new();
    assert_eq!(policy.parse_in_with(text, &arena, finish), reply);
    let tags: Vec<_> = policy
        .events_with(text, finish)
        .filter_map(|event| match event {
            Event::Tag(tag) => Some(tag),
            _ => None,
        })
        .collect();
    assert_eq!(reply.tags(), tags);
    let diagnostics: Vec<_> = policy
        .events_with(text, finish)
        .filter_map(|event| match event {
            Event::Diagnostic(diagnostic) => Some(diagnostic),
            _ => None,
        })
        .collect();
    assert_eq!(reply.diagnostics(), diagnostics);
    for (lines, chars) in [(0, 10), (1, 30), (3, 61), (100, 1000)] {
        assert_feedback(&reply, lines, chars);
    }
}

/// Feedback is bounded, has no control characters, and is empty only if there are no mistakes.
#[track_caller]
fn assert_feedback(reply: &Reply<'_>, lines: usize, chars: usize) {
    let feedback = reply.feedback(FeedbackLimits::default().with_max_lines(lines).with_max_line_chars(chars));
    assert!(feedback.lines().count() <= lines, "{feedback:?}");
    assert!(feedback.split('\n').all(|line| line.chars().count() <= chars), "{feedback:?}");
    assert!(!feedback.chars().any(|c| c != '\n' && c.is_control()), "{feedback:?}");
    assert_eq!(feedback.is_empty(), reply.diagnostics().is_empty() || lines == 0, "{feedback:?}");
}
