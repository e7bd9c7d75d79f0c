//! How an input of the strict dialect begins: which protocol, who reads, and how the reply begins and ends.

use std::sync::OnceLock;

use tagwire::{Event, Finish, ParseOptions, Policy};

use super::input::Input;
use super::seeds::Seed;
use crate::strict_library::{Library, finish, seen};
use crate::support::generator::Rng;
use crate::support::strict_follow::Seen;
use crate::support::strict_generator::strict_protocols;
use crate::support::strict_twin::protocol::StrictProtocol;
use crate::support::strict_twin::{Reading, StrictTwin, Tile};
use crate::support::strict_vectors::{StrictVector, strict_vectors};

/// The protocols of the generator, for the library and for the twin.
pub struct Strict {
    protocols: Vec<StrictProtocol>,
    libraries: Vec<Library>,
}

impl Strict {
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Strict> = OnceLock::new();
        SHARED.get_or_init(|| {
            let protocols = strict_protocols();
            let libraries = protocols.iter().map(Library::new).collect();
            Strict { protocols, libraries }
        })
    }

    /// Takes three bytes of choices.
    pub fn reader(&self, input: &mut Input<'_>) -> (&Library, StrictTwin<'_>) {
        let number = input.below(self.protocols.len());
        let protocol = &self.protocols[number];
        let (granted, choices) = (input.byte(), input.byte());
        let (role, mode) = speaker(protocol, granted.into());
        let region = protocol.regions.first().filter(|_| choices & 2 != 0).map(|region| &*region.name);
        let twin = protocol.twin(role, mode).truncated(choices & 1 != 0).beginning_inside(region);
        (&self.libraries[number], twin)
    }
}

/// A role and a mode that grants name.
pub fn speaker(protocol: &StrictProtocol, number: usize) -> (Option<&str>, Option<&str>) {
    let roles: Vec<&str> = protocol.grants.iter().filter_map(|grant| grant.role.as_deref()).collect();
    let modes: Vec<&str> = protocol.grants.iter().filter_map(|grant| grant.mode.as_deref()).collect();
    let one = |names: &[&'_ str], number: usize| (!names.is_empty()).then(|| number % names.len());
    (one(&roles, number).map(|at| roles[at]), one(&modes, number / 16).map(|at| modes[at]))
}

/// How the twin's reply ends and begins.
pub fn options<'t>(twin: &'t StrictTwin<'_>) -> ParseOptions<'t> {
    let finish: Finish = finish(twin.is_truncated);
    ParseOptions::from(finish).with_begins_inside(twin.begins_inside.as_deref())
}

/// What the library says of a whole reply. What each diagnostic speaks of is left open.
pub fn whole(policy: &Policy<'_>, twin: &StrictTwin<'_>, text: &str) -> Reading {
    let mut reading = Reading::default();
    for event in policy.events_with(text, options(twin)) {
        // Its end may come in another piece than in a stream.
        let is_last = matches!(event, Event::Region { is_last: true, .. });
        match (seen(&event), reading.tiles.last_mut()) {
            (Seen::Said(said), _) => reading.diagnostics.push(said),
            (Seen::Tile(Tile::Prose(span)), Some(Tile::Prose(last))) => last.end = span.end,
            (Seen::Tile(Tile::Dropped(span)), Some(Tile::Dropped(last))) => last.end = span.end,
            (Seen::Tile(tile), _) => reading.tiles.push(tile),
        }
        assert!(!is_last || matches!(reading.tiles.last(), Some(Tile::Region { .. })));
    }
    reading.about = vec![usize::MAX; reading.diagnostics.len()];
    reading
}

/// One of so many named vectors of the strict dialect, each as the input that is made of it.
pub fn seeds_of_vectors(one_of: usize, make: impl Fn(Vec<u8>, &StrictVector, &mut Rng) -> Vec<u8>) -> Vec<Seed> {
    let protocols = strict_protocols();
    let vectors = strict_vectors().into_iter().filter(|vector| !vector.shows.is_empty() && vector.text.len() <= 400);
    let some = vectors.enumerate().filter(|(number, _)| number % one_of == 0);
    some.map(|(number, vector)| {
        let is_own = |protocol: &StrictProtocol| {
            protocol.name == vector.protocol || vector.protocol == format!("{}-strict", protocol.name)
        };
        let protocol = protocols.iter().position(is_own).expect("a protocol of the generator");
        let asked = (vector.role.as_deref(), vector.mode.as_deref());
        let granted = (0..=255).find(|&number| speaker(&protocols[protocol], number) == asked).unwrap_or(0);
        let choices = u8::from(vector.finish == "truncated") + 2 * u8::from(vector.begins_inside.is_some());
        let header = vec![protocol as u8, granted as u8, choices];
        let data = make(header, &vector, &mut Rng::new(number as u64));
        Seed { name: vector.id.replace('/', "-"), data }
    })
    .collect()
}
