//! The strict dialect: the library against the vectors, and against the naive twin on generated replies.

#[path = "support/strict_library.rs"]
mod strict_library;
mod support;

use bumpalo::Bump;
use strict_library::{Library, finish, seen};
use support::generator::Rng;
use support::places;
use support::strict_checks::{
    assert_all_that_is_refused_is_reported, assert_character_by_character, assert_dropped_early, assert_early,
    assert_every_cut_in_two, assert_nothing_inside_is_read, assert_pieces, assert_stays_prose,
    assert_waits_within_limits, assert_whole_or_nothing,
};
use support::strict_follow::Follower;
use support::strict_generator::{StrictCase, strict_case, strict_protocols};
use support::strict_twin::StrictTwin;
use support::strict_twin::protocol::StrictProtocol;
use support::strict_vectors::{PROTOCOLS, StrictVector, strict_protocol, strict_vectors};
use tagwire::{Event, ParseOptions};

/// Calls `check` with each vector.
fn over_vectors(check: impl Fn(&Library, &StrictTwin<'_>, &StrictVector)) {
    let protocols = PROTOCOLS.map(|name| (name, strict_protocol(name)));
    let libraries = protocols.each_ref().map(|(_, protocol)| Library::new(protocol));
    for vector in strict_vectors() {
        let i = protocols.iter().position(|(name, _)| *name == vector.protocol).expect("a protocol");
        let twin = vector.twin(&protocols[i].1);
        check(&libraries[i], &twin, &vector);
    }
}

/// Calls `check` with so many generated replies.
fn over_replies(count: u64, check: impl Fn(&Library, &StrictProtocol, &StrictCase<'_>, u64)) {
    let protocols = strict_protocols();
    let libraries: Vec<Library> = protocols.iter().map(Library::new).collect();
    for seed in 0..count {
        let case = strict_case(&protocols, seed);
        let i = protocols.iter().position(|protocol| std::ptr::eq(protocol, case.protocol)).expect("one of them");
        check(&libraries[i], case.protocol, &case, seed);
    }
}

/// The whole reply, by each of the ways to read one.
fn assert_whole(library: &Library, twin: &StrictTwin<'_>, text: &str) {
    let policy = library.policy(twin);
    let expected = twin.read(text);
    let options = ParseOptions::from(finish(twin.is_truncated)).with_begins_inside(twin.begins_inside.as_deref());
    let mut follower = Follower::new(text, &expected, &[]);
    let (mut tags, mut diagnostics, mut prose) = (Vec::new(), Vec::new(), String::new());
    for event in policy.events_with(text, options) {
        follower.take(seen(&event));
        match event {
            Event::Tag(tag) => tags.push(tag),
            Event::Diagnostic(diagnostic) => diagnostics.push(diagnostic),
            Event::Prose { text, .. } => prose.push_str(text),
            _ => {}
        }
    }
    follower.end();
    let arena = Bump::new();
    for reply in [policy.parse_with(text, options), policy.parse_in_with(text, &arena, options)] {
        assert_eq!((reply.tags(), reply.diagnostics()), (&*tags, &*diagnostics), "{text:?}");
        assert_eq!(reply.prose(), prose.trim_matches(tagwire::is_space), "{text:?}");
    }
}

#[test]
fn vectors_whole() {
    over_vectors(|library, twin, vector| {
        assert_eq!(twin.read(&vector.text).to_json(), vector.expected, "{}", vector.id);
        assert_whole(library, twin, &vector.text);
    });
}

#[test]
fn vectors_cut_in_two_at_each_place() {
    over_vectors(|library, twin, vector| {
        if vector.text.len() < 2_000 {
            assert_every_cut_in_two(library, twin, &vector.text);
        }
    });
}

#[test]
fn vectors_character_by_character() {
    over_vectors(|library, twin, vector| assert_character_by_character(library, twin, &vector.text));
}

#[test]
fn vectors_with_iterators_that_are_dropped_early() {
    over_vectors(|library, twin, vector| {
        let expected = twin.read(&vector.text);
        let cuts: Vec<usize> = places(&vector.text).collect();
        for most in [0, 1] {
            assert_dropped_early(library, twin, &vector.text, &cuts, most, &expected);
            assert_dropped_early(
                library,
                twin,
                &vector.text,
                &[vector.text.len() / 2].map(|at| floor(&vector.text, at)),
                most,
                &expected,
            );
        }
    });
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).expect("0 is one")
}

#[test]
fn generated_replies_whole_and_in_pieces() {
    over_replies(1_500, |library, _, case, seed| {
        let (twin, text) = (case.twin(), &*case.text);
        assert_whole(library, &twin, text);
        let expected = twin.read(text);
        let mut rng = Rng::new(seed);
        for percent in [3, 30, 100] {
            let cuts: Vec<usize> = places(text).filter(|_| rng.percent(percent)).collect();
            assert_pieces(library, &twin, text, &cuts, &expected);
            assert_dropped_early(library, &twin, text, &cuts, rng.below(2), &expected);
        }
    });
}

#[test]
fn text_is_given_as_soon_as_nothing_can_change_it() {
    over_replies(100, |library, _, case, _| {
        if case.text.len() <= 150 {
            let prefixes: Vec<usize> = places(&case.text).collect();
            assert_early(library, &case.twin(), &case.text, &prefixes);
        }
    });
}

/// P1.
#[test]
fn nothing_is_a_tag_unless_it_was_written_whole() {
    over_replies(60, |library, protocol, _, seed| assert_whole_or_nothing(library, protocol, seed));
}

/// P2.
#[test]
fn what_is_no_tag_stays_prose() {
    over_replies(150, |library, protocol, _, seed| assert_stays_prose(library, protocol, seed));
}

/// P3.
#[test]
fn nothing_inside_is_read() {
    over_replies(100, |library, protocol, _, seed| assert_nothing_inside_is_read(library, protocol, seed));
}

/// P4.
#[test]
fn what_is_refused_is_reported() {
    over_replies(150, |library, _, case, _| {
        if case.text.len() < 100 {
            assert_all_that_is_refused_is_reported(library, &case.twin(), &case.text);
        }
    });
}

/// P5.
#[test]
fn text_waits_within_limits() {
    over_replies(150, |library, _, case, _| {
        if case.text.len() < 100 {
            assert_waits_within_limits(library, &case.twin(), &case.text);
        }
    });
}
