//! The checks that the library has to pass in the strict dialect, made with a parser that is the naive twin itself: they admit what
//! the page says, and find what is planted.

mod support;

use support::generator::Rng;
use support::places;
use support::strict_checks::{
    Subject, assert_all_that_is_refused_is_reported, assert_character_by_character, assert_dropped_early, assert_early,
    assert_nothing_inside_is_read, assert_stays_prose, assert_waits_within_limits, assert_whole_or_nothing,
};
use support::strict_follow::{Machine, TwinMachine};
use support::strict_generator::{strict_case, strict_protocols};
use support::strict_twin::StrictTwin;
use support::strict_twin::protocol::StrictProtocol;

/// The twin as a parser.
struct Twins<'p>(&'p StrictProtocol);

impl Subject for Twins<'_> {
    fn machine(&self, twin: &StrictTwin<'_>) -> Box<dyn Machine + '_> {
        let own = self.0.twin(twin.role.as_deref(), twin.mode.as_deref());
        Box::new(TwinMachine::new(own.truncated(twin.is_truncated).beginning_inside(twin.begins_inside.as_deref())))
    }
}

#[test]
fn decided_text_is_never_taken_back() {
    let protocols = strict_protocols();
    for seed in 0..40 {
        let case = strict_case(&protocols, seed);
        if case.text.len() > 120 {
            continue;
        }
        let (subject, twin, text) = (Twins(case.protocol), case.twin(), &*case.text);
        assert_character_by_character(&subject, &twin, text);
        let mut rng = Rng::new(seed);
        let prefixes: Vec<usize> = places(text).filter(|_| rng.percent(20)).collect();
        assert_early(&subject, &twin, text, &prefixes);
        assert_dropped_early(&subject, &twin, text, &prefixes, rng.below(2), &twin.read(text));
    }
}

#[test]
fn the_page_keeps_its_principles() {
    let protocols = strict_protocols();
    for seed in 0..40 {
        let case = strict_case(&protocols, 50_000 + seed);
        let (subject, protocol) = (Twins(case.protocol), case.protocol);
        assert_stays_prose(&subject, protocol, seed);
        if case.text.len() < 100 {
            assert_all_that_is_refused_is_reported(&subject, &case.twin(), &case.text);
            assert_waits_within_limits(&subject, &case.twin(), &case.text);
        }
        if seed < 6 {
            assert_whole_or_nothing(&subject, protocol, seed);
            assert_nothing_inside_is_read(&subject, protocol, seed);
        }
    }
}
