//! The library and the naive twin say the same of every reply in the strict dialect, however it is cut, and as early as can be; and the
//! five principles hold: more replies, and others, than in `strict.rs`.

#[path = "support/strict_library.rs"]
mod strict_library;
mod support;

use std::collections::BTreeMap;

use strict_library::Library;
use support::strict_checks::Subject;
use support::strict_follow::Machine;
use support::strict_generator::strict_protocols;
use support::strict_suite as suite;
use support::strict_twin::StrictTwin;

/// The library in all protocols of the generator, by name.
struct Libraries(BTreeMap<String, Library>);

impl Libraries {
    fn new() -> Self {
        Self(strict_protocols().iter().map(|protocol| (protocol.name.clone(), Library::new(protocol))).collect())
    }
}

impl Subject for Libraries {
    fn machine(&self, twin: &StrictTwin<'_>) -> Box<dyn Machine + '_> {
        self.0[&twin.protocol.name].machine(twin)
    }
}

macro_rules! tests {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            suite::$name(&Libraries::new());
        }
    )*};
}

tests! {
    vectors_in_two
    vectors_character_by_character
    vectors_dropped_early
    vectors_given_at_once
    generated_replies_whole
    generated_replies_in_two
    generated_replies_at_random_places
    generated_replies_dropped_early
    generated_replies_given_at_once
    p1_nothing_is_given_unless_it_was_written_whole
    p2_what_is_no_tag_stays_prose
    p3_nothing_inside_is_read
    p4_whatever_is_refused_is_reported
    p5_text_only_goes_forward_within_the_limits
}
