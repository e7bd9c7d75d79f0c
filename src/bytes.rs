//! Searches for a byte that is expected within some ten bytes.
//!
//! Inside a token the next bracket or quote is that close. Calling a vector search for it costs more than comparing a few bytes at a
//! time in a register (SWAR), and going byte by byte costs four times the instructions. Only a longer search pays for the call.

/// Returns the offset of the first `byte` in `text`.
#[inline(always)]
pub(crate) fn find(byte: u8, text: &[u8]) -> Option<usize> {
    let found = match short_search(text, |word| zero_bytes(word ^ repeat(byte)), |other| other == byte) {
        ShortSearch::Found(at) => Some(at),
        ShortSearch::Absent => None,
        ShortSearch::Continue(at) => memchr::memchr(byte, &text[at..]).map(|far| at + far),
    };
    count_work!(found.unwrap_or(text.len()));
    found
}

/// Returns the offset of the first `[` or `]` in `text`.
#[inline(always)]
pub(crate) fn find_bracket(text: &[u8]) -> Option<usize> {
    let found = match short_search(text, brackets, |byte| matches!(byte, b'[' | b']')) {
        ShortSearch::Found(at) => Some(at),
        ShortSearch::Absent => None,
        ShortSearch::Continue(at) => memchr::memchr2(b'[', b']', &text[at..]).map(|far| at + far),
    };
    count_work!(found.unwrap_or(text.len()));
    found
}

/// Searches the first few bytes of `text` for two `byte`s in a row.
#[inline]
pub(crate) fn find_pair(byte: u8, text: &[u8]) -> ShortSearch {
    const FEW: usize = 2 * WORD;
    let mut at = 0;
    let found = loop {
        if at == FEW {
            break ShortSearch::Continue(at);
        }
        // One word, and the word that begins a byte later.
        let both = text[at..].first_chunk().zip(text.get(at + 1..).and_then(|text| text.first_chunk()));
        let Some((one, two)) = both.map(|(one, two)| (word(one) ^ repeat(byte), word(two) ^ repeat(byte))) else {
            let found = text[at..].windows(2).position(|pair| pair == [byte; 2]);
            break found.map_or(ShortSearch::Absent, |found| ShortSearch::Found(at + found));
        };
        // Most words contain none at all.
        if zero_bytes(one) != 0 {
            let pairs = exact_zero_bytes(one) & exact_zero_bytes(two);
            if pairs != 0 {
                break ShortSearch::Found(at + first(pairs));
            }
        }
        at += WORD;
    };
    count_work!(match found {
        ShortSearch::Found(at) | ShortSearch::Continue(at) => at,
        ShortSearch::Absent => text.len(),
    });
    found
}

/// What a search of the first few bytes found.
pub(crate) enum ShortSearch {
    Found(usize),
    Absent,
    /// Not before this offset; the rest has not been searched.
    Continue(usize),
}

/// The number of bytes searched before calling memchr: most tokens end within them.
const NEAR: usize = 64;
pub(crate) const WORD: usize = size_of::<u64>();
pub(crate) const HALF: usize = WORD / 2;

#[inline(always)]
fn short_search(text: &[u8], hits: impl Fn(u64) -> u64, is_hit: impl Fn(u8) -> bool) -> ShortSearch {
    let mut at = 0;
    while let Some(pair) = text[at..].first_chunk::<{ 2 * WORD }>() {
        // Compiles to one vector comparison: half the instructions of two words.
        if pair.iter().fold(false, |any, &byte| any | is_hit(byte)) {
            return ShortSearch::Found(at + first_of_two(pair, hits));
        }
        at += 2 * WORD;
        if at == NEAR {
            return ShortSearch::Continue(at);
        }
    }
    let rest = &text[at..];
    let hits_in = |bytes: Option<&[u8; WORD]>| bytes.map(|bytes| hits(word(bytes)));
    let found = match (hits_in(rest.first_chunk()), hits_in(text.last_chunk())) {
        (Some(hits), _) if hits != 0 => Some(at + first(hits)),
        // Overlaps bytes before the rest, which are known to have none.
        (_, Some(hits)) => (hits != 0).then(|| text.len() - WORD + first(hits)),
        (_, None) => rest.iter().position(|&byte| is_hit(byte)),
    };
    found.map_or(ShortSearch::Absent, ShortSearch::Found)
}

#[inline(always)]
fn word(bytes: &[u8; WORD]) -> u64 {
    u64::from_le_bytes(*bytes)
}

/// Index of the first hit in `pair`, which has at least one.
#[inline(always)]
fn first_of_two(pair: &[u8; 2 * WORD], hits: impl Fn(u64) -> u64) -> usize {
    let pair = u128::from_le_bytes(*pair);
    match hits(pair as u64) {
        0 => WORD + first(hits((pair >> (8 * WORD)) as u64)),
        hits => first(hits),
    }
}

/// Index of the first marked byte.
#[inline(always)]
fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; WORD])
}

/// A mark in the highest bit of each byte that is 0. Above the first, a byte of 1 may be marked too.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(repeat(0x01)) & !word & repeat(0x80)
}

/// A mark in the highest bit of each byte that is `[` or `]`. Above the first, some other may be marked too.
#[inline(always)]
fn brackets(word: u64) -> u64 {
    let (opening, closing) = (word ^ repeat(b'['), word ^ repeat(b']'));
    // Neither changes the highest bit of a byte, which is therefore asked once.
    let ones = repeat(0x01);
    (opening.wrapping_sub(ones) | closing.wrapping_sub(ones)) & !word & repeat(0x80)
}

/// A mark in the highest bit of each byte that is 0, and in no other.
const fn exact_zero_bytes(word: u64) -> u64 {
    let low = repeat(0x7F);
    !(((word & low) + low) | word | low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_first_one_is_found_wherever_it_is_and_whatever_is_around_it() {
        for len in 0..150 {
            for at in 0..=len {
                for around in [b'a', b'Z', b'\\', b'^', b'[' ^ 1, b'"' ^ 1, 0, 0x80, 0xFF] {
                    let mut text = vec![around; len];
                    let expected = (at < len).then_some(at);
                    text[at..].fill(b'"');
                    assert_eq!(find(b'"', &text), expected, "{at} of {len} in {around}");
                    text[at..].fill(b']');
                    assert_eq!(find_bracket(&text), expected, "{at} of {len} in {around}");
                    if at < len {
                        text[at] = b'[';
                        assert_eq!(find_bracket(&text), expected, "{at} of {len} in {around}");
                    }
                }
            }
        }
    }

    /// Bytes that differ from a bracket in one bit among them, which a mark may be wrong about.
    const AROUND: [u8; 7] = [b'a', b'[' ^ 1, b'[' ^ 2, b'[' ^ 0x80, 0, 0x80, 0xFF];

    #[test]
    fn a_pair_is_found_wherever_it_is_and_no_other() {
        for around in AROUND {
            for len in 0..40 {
                for at in 0..len {
                    let mut text = vec![around; len];
                    text[at] = b'[';
                    assert!(
                        !matches!(find_pair(b'[', &text), ShortSearch::Found(_)),
                        "one at {at} of {len} in {around}"
                    );
                    for second in at + 1..len {
                        text[second] = b'[';
                        let expected = (second == at + 1).then_some(at);
                        let found = match find_pair(b'[', &text) {
                            ShortSearch::Found(found) => Some(found),
                            ShortSearch::Absent => None,
                            ShortSearch::Continue(behind) => {
                                assert!(expected.is_none_or(|at| at >= behind), "{at} of {len} in {around}");
                                expected
                            }
                        };
                        assert_eq!(found, expected, "{at} and {second} of {len} in {around}");
                        text[second] = around;
                    }
                }
            }
        }
    }
}
