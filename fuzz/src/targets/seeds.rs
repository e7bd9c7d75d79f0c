//! Seeds made from the vectors: the same ones every time, so that a test holds the committed files against them.

use super::input::{NO_LIMIT, pair_byte};
use crate::support::generator::Rng;
use crate::support::{Vector, named};

/// A file of a seed corpus.
pub struct Seed {
    pub name: String,
    pub data: Vec<u8>,
}

/// Longer ones only slow the fuzzer down.
const LONGEST: usize = 500;

/// One of so many named vectors, each as the input that is made of it.
pub fn of_vectors(one_of: usize, make: impl Fn(&Vector, &mut Rng) -> Vec<u8>) -> Vec<Seed> {
    of_chosen(|_| true, one_of, make)
}

/// The same of those vectors that are chosen.
pub fn of_chosen(
    choose: impl Fn(&Vector) -> bool,
    one_of: usize,
    make: impl Fn(&Vector, &mut Rng) -> Vec<u8>,
) -> Vec<Seed> {
    let vectors = named().into_iter().filter(|vector| vector.text.len() <= LONGEST && choose(vector));
    let some = vectors.enumerate().filter(|(number, _)| number % one_of == 0);
    some.map(|(number, vector)| {
        let name = vector.id.trim_matches('"').replace('/', "-");
        Seed { name, data: make(&vector, &mut Rng::new(number as u64)) }
    })
    .collect()
}

/// The two bytes that choose the vector's role and mode, and now and then a limit.
pub fn header(vector: &Vector, rng: &mut Rng) -> Vec<u8> {
    let limit = if rng.percent(20) { NO_LIMIT + rng.between(4, 80) } else { 0 };
    vec![pair_byte(&vector.role, &vector.mode), limit as u8]
}
