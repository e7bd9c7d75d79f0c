//! Seeds made from the vectors. Deterministic, so that a test can compare the committed files with them.

use super::input::{NO_LIMIT, pair_byte};
use crate::support::generator::Rng;
use crate::support::{Vector, named};

/// A file of a seed corpus.
pub struct Seed {
    pub name: String,
    pub data: Vec<u8>,
}

/// Longer seeds only slow the fuzzer down.
const LONGEST: usize = 500;

/// Every nth named vector, each encoded as an input.
pub fn of_vectors(one_of: usize, make: impl Fn(&Vector, &mut Rng) -> Vec<u8>) -> Vec<Seed> {
    of_chosen(|_| true, one_of, make)
}

/// Seeds from the vectors that `choose` accepts.
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

/// The two bytes that select the vector's role and mode, and sometimes a limit.
pub fn header(vector: &Vector, rng: &mut Rng) -> Vec<u8> {
    let limit = if rng.percent(20) { NO_LIMIT + rng.between(4, 80) } else { 0 };
    vec![pair_byte(&vector.role, &vector.mode), limit as u8]
}
