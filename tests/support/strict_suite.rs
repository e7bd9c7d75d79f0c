//! All that a parser of the strict dialect is held to, over the vectors and over generated replies.

use super::generator::Rng;
use super::places;
use super::strict_checks::{
    Subject, assert_all_that_is_refused_is_reported, assert_character_by_character, assert_dropped_early, assert_early,
    assert_every_cut_in_two, assert_nothing_inside_is_read, assert_pieces, assert_stays_prose,
    assert_waits_within_limits, assert_whole_or_nothing,
};
use super::strict_generator::{StrictCase, strict_case, strict_protocols};
use super::strict_twin::StrictTwin;
use super::strict_vectors::{PROTOCOLS, strict_protocol, strict_vectors};

/// Numbers of generated cases, apart from those of other tests.
const WHOLE: u64 = 10_000_000;
const TWO: u64 = 11_000_000;
const RANDOM: u64 = 12_000_000;
const DROPPED: u64 = 13_000_000;
const EARLY: u64 = 14_000_000;
const PRINCIPLES: u64 = 15_000_000;

pub fn vectors_in_two(subject: &dyn Subject) {
    each_vector(|twin, text| assert_every_cut_in_two(subject, twin, text));
}

pub fn vectors_character_by_character(subject: &dyn Subject) {
    each_vector(|twin, text| assert_character_by_character(subject, twin, text));
}

/// Events that are not taken come first with the next chunk, and at the end.
pub fn vectors_dropped_early(subject: &dyn Subject) {
    each_vector(|twin, text| {
        let expected = twin.read(text);
        let cuts: Vec<usize> = places(text).step_by(3).collect();
        for most in 0..=2 {
            assert_dropped_early(subject, twin, text, &[], most, &expected);
            assert_dropped_early(subject, twin, text, &cuts, most, &expected);
        }
    });
}

/// In the named cases, all that no continuation can change is given at once.
pub fn vectors_given_at_once(subject: &dyn Subject) {
    let mut seed = 0;
    each_vector(|twin, text| {
        seed += 1;
        if text.len() <= 160 && twin.begins_inside.is_none() {
            let mut rng = Rng::new(seed);
            let prefixes: Vec<usize> = places(text).filter(|_| rng.percent(4)).collect();
            assert_early(subject, twin, text, &prefixes);
        }
    });
}

pub fn generated_replies_whole(subject: &dyn Subject) {
    each_case(WHOLE, 10_000, |case, _| {
        let expected = case.twin().read(&case.text);
        assert_pieces(subject, &case.twin(), &case.text, &[], &expected);
    });
}

pub fn generated_replies_in_two(subject: &dyn Subject) {
    each_case(TWO, 1_000, |case, _| assert_every_cut_in_two(subject, &case.twin(), &case.text));
}

pub fn generated_replies_at_random_places(subject: &dyn Subject) {
    each_case(RANDOM, 10_000, |case, rng| {
        let expected = case.twin().read(&case.text);
        let chance = *rng.pick(&[2, 10, 40, 100]);
        let cuts: Vec<usize> = places(&case.text).filter(|_| rng.percent(chance)).collect();
        assert_pieces(subject, &case.twin(), &case.text, &cuts, &expected);
    });
}

pub fn generated_replies_dropped_early(subject: &dyn Subject) {
    each_case(DROPPED, 5_000, |case, rng| {
        let expected = case.twin().read(&case.text);
        let cuts: Vec<usize> = places(&case.text).filter(|_| rng.percent(15)).collect();
        assert_dropped_early(subject, &case.twin(), &case.text, &cuts, rng.below(3), &expected);
    });
}

pub fn generated_replies_given_at_once(subject: &dyn Subject) {
    each_case(EARLY, 400, |case, rng| {
        if case.text.len() <= 200 && case.begins_inside.is_none() {
            let prefixes: Vec<usize> = places(&case.text).filter(|_| rng.percent(8)).collect();
            assert_early(subject, &case.twin(), &case.text, &prefixes);
        }
    });
}

pub fn p1_nothing_is_given_unless_it_was_written_whole(subject: &dyn Subject) {
    each_principle(1_000, |protocol, seed| assert_whole_or_nothing(subject, protocol, seed));
}

pub fn p2_what_is_no_tag_stays_prose(subject: &dyn Subject) {
    each_principle(2_000, |protocol, seed| assert_stays_prose(subject, protocol, seed));
}

pub fn p3_nothing_inside_is_read(subject: &dyn Subject) {
    each_principle(5_000, |protocol, seed| assert_nothing_inside_is_read(subject, protocol, seed));
}

pub fn p4_whatever_is_refused_is_reported(subject: &dyn Subject) {
    each_case(PRINCIPLES, 5_000, |case, _| {
        assert_all_that_is_refused_is_reported(subject, &case.twin(), &case.text);
    });
}

pub fn p5_text_only_goes_forward_within_the_limits(subject: &dyn Subject) {
    each_case(PRINCIPLES + 100_000, 3_000, |case, _| {
        assert_waits_within_limits(subject, &case.twin(), &case.text);
    });
}

fn each_vector(mut check: impl FnMut(&StrictTwin<'_>, &str)) {
    let protocols = PROTOCOLS.map(|name| (name, strict_protocol(name)));
    for vector in strict_vectors() {
        let (_, protocol) = protocols.iter().find(|(name, _)| *name == vector.protocol).expect("a protocol");
        check(&vector.twin(protocol), &vector.text);
    }
}

fn each_case(from: u64, count: u64, mut check: impl FnMut(&StrictCase<'_>, &mut Rng)) {
    let protocols = strict_protocols();
    for seed in from..from + count {
        check(&strict_case(&protocols, seed), &mut Rng::new(seed ^ 0x5eed));
    }
}

fn each_principle(count: u64, mut check: impl FnMut(&super::strict_twin::protocol::StrictProtocol, u64)) {
    let protocols = strict_protocols();
    for seed in PRINCIPLES..PRINCIPLES + count {
        let number = Rng::new(seed).below(protocols.len());
        check(&protocols[number], seed);
    }
}
