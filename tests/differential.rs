//! The library and the naive twin agree on 200,000 generated replies, event by event, for every way to parse them. The
//! number of a failed case reproduces it.

mod support;

#[path = "support/library.rs"]
mod library;

use bumpalo::Bump;
use library::{policy_of, protocol_buf};
use support::generator::{self, Case, Rng};
use support::twin::{TwinEvent, TwinProtocol, errors, prose};
use tagwire::{Event, Policy, Tag};

#[test]
fn workforce_replies() {
    let protocol = TwinProtocol::workforce();
    let buf = protocol_buf(&protocol);
    let mut arena = Bump::new();
    for number in 0..120_000 {
        let case = generator::workforce_case(&protocol, number);
        assert_agree(number, &policy_of(&buf, &case.twin), &case, &mut arena);
    }
}

#[test]
fn the_preset_is_the_protocol_of_the_twin() {
    let protocol = TwinProtocol::workforce();
    let mut arena = Bump::new();
    for number in 120_000..130_000 {
        let case = generator::workforce_case(&protocol, number);
        let policy = tagwire::workforce::PROTOCOL.policy(&case.twin.role, &case.twin.mode);
        assert_agree(number, &policy.expect("known"), &case, &mut arena);
    }
}

#[test]
fn replies_under_arbitrary_protocols() {
    let mut arena = Bump::new();
    for number in 200_000..250_000 {
        let mut case = generator::arbitrary_case(number);
        if number % 4 == 0 {
            let limit = generator::small_limit(&mut Rng::new(number));
            case.twin = case.twin.with_max_tag_bytes(Some(limit));
        }
        let buf = protocol_buf(&case.twin.protocol);
        assert_agree(number, &policy_of(&buf, &case.twin), &case, &mut arena);
    }
}

#[test]
fn replies_with_a_limit_on_the_bytes_of_a_tag() {
    let protocol = TwinProtocol::workforce();
    let buf = protocol_buf(&protocol);
    let mut arena = Bump::new();
    let mut too_long = 0;
    for number in 300_000..330_000 {
        let mut case = generator::workforce_case(&protocol, number);
        let limit = generator::small_limit(&mut Rng::new(number));
        case.twin = case.twin.with_max_tag_bytes(Some(limit));
        assert_agree(number, &policy_of(&buf, &case.twin), &case, &mut arena);
        let is_too_long = |event: &TwinEvent| matches!(event, TwinEvent::Diagnostic { code: "too-long", .. });
        too_long += case.twin.events(&case.text).iter().filter(|event| is_too_long(event)).count();
    }
    // Otherwise no limit was reached, and the test shows nothing.
    assert!(too_long > 1_000, "{too_long}");
}

/// One case, parsed in all three ways.
#[track_caller]
fn assert_agree(number: u64, policy: &Policy<'_>, case: &Case, arena: &mut Bump) {
    let text = &*case.text;
    let expected = case.twin.events(text);
    let events: Vec<Event<'_>> = policy.events(text).collect();
    let as_twin: Vec<TwinEvent> = events.iter().map(library::event).collect();
    assert_eq!(as_twin, expected, "events of case {number}: {text:?}");
    assert_tiles(number, text, &events);

    let reply = policy.parse(text);
    let tags: Vec<Tag<'_>> = events
        .iter()
        .filter_map(|event| match event {
            Event::Tag(tag) => Some(*tag),
            _ => None,
        })
        .collect();
    let diagnostics: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Diagnostic(diagnostic) => Some(*diagnostic),
            _ => None,
        })
        .collect();
    assert_eq!(reply.tags(), tags, "tags of case {number}: {text:?}");
    assert_eq!(reply.diagnostics(), diagnostics, "diagnostics of case {number}: {text:?}");
    let lines: Vec<String> = reply.errors().map(|line| line.to_string()).collect();
    assert_eq!(lines, errors(&expected), "errors of case {number}: {text:?}");
    assert_eq!(reply.prose(), prose(text, &expected), "prose of case {number}: {text:?}");

    arena.reset();
    let in_arena = policy.parse_in(text, arena);
    assert_eq!(in_arena.tags(), reply.tags(), "arena, case {number}: {text:?}");
    assert_eq!(in_arena.diagnostics(), reply.diagnostics(), "arena, case {number}: {text:?}");
    assert!(in_arena.errors().eq(reply.errors()), "arena, case {number}: {text:?}");
    assert_eq!(in_arena.prose(), reply.prose(), "arena, case {number}: {text:?}");
}

/// Prose, tags and dropped text cover each byte once, in order, with the text of the reply.
#[track_caller]
fn assert_tiles(number: u64, text: &str, events: &[Event<'_>]) {
    let mut at = 0;
    for event in events {
        let span = event.span();
        match event {
            Event::Diagnostic(_) => continue,
            Event::Prose { text: piece, .. } => assert_eq!(*piece, &text[span.range()]),
            Event::Tag(tag) => assert_eq!(tag.raw(), &text[span.range()]),
            _ => {}
        }
        assert_eq!(span.start, at, "tiles of case {number}: {text:?}");
        at = span.end;
    }
    assert_eq!(at, text.len(), "tiles of case {number}: {text:?}");
}
