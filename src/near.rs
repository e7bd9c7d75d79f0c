//! Finding a byte that is near.
//!
//! Inside a token the next bracket or quote is some ten bytes away. There the call of a vector search costs more than eight
//! bytes at a time in a register, and a byte at a time costs four times the instructions; only far behind does the search pay.

/// The first `byte` in `text`.
#[inline]
pub(crate) fn find(byte: u8, text: &[u8]) -> Option<usize> {
    let found = match near(text, |word| zeros(word ^ repeat(byte)), |other| other == byte) {
        Near::At(at) => Some(at),
        Near::Nowhere => None,
        Near::Behind(at) => memchr::memchr(byte, &text[at..]).map(|far| at + far),
    };
    steps!(found.unwrap_or(text.len()));
    found
}

/// The first `[` or `]` in `text`.
#[inline]
pub(crate) fn find_bracket(text: &[u8]) -> Option<usize> {
    let hits = |word| zeros(word ^ repeat(b'[')) | zeros(word ^ repeat(b']'));
    let found = match near(text, hits, |byte| matches!(byte, b'[' | b']')) {
        Near::At(at) => Some(at),
        Near::Nowhere => None,
        Near::Behind(at) => memchr::memchr2(b'[', b']', &text[at..]).map(|far| at + far),
    };
    steps!(found.unwrap_or(text.len()));
    found
}

/// The first two `byte`s in a row, among the first few of `text`.
#[inline]
pub(crate) fn find_pair(byte: u8, text: &[u8]) -> Near {
    const FEW: usize = 2 * WORD;
    let mut at = 0;
    let found = loop {
        if at == FEW {
            break Near::Behind(at);
        }
        let Some(both) = text[at..].first_chunk::<{ WORD + 1 }>() else {
            let found = text[at..].windows(2).position(|pair| pair == [byte; 2]);
            break found.map_or(Near::Nowhere, |found| Near::At(at + found));
        };
        // A word, and the one that begins a byte later. In most there is none at all.
        let [one, two] = [both.first_chunk(), both.last_chunk()];
        let [one, two] = [one, two].map(|word| u64::from_le_bytes(*word.expect("one of two words")) ^ repeat(byte));
        if zeros(one) != 0 {
            let pairs = exact_zeros(one) & exact_zeros(two);
            if pairs != 0 {
                break Near::At(at + first(pairs));
            }
        }
        at += WORD;
    };
    steps!(match found {
        Near::At(at) | Near::Behind(at) => at,
        Near::Nowhere => text.len(),
    });
    found
}

/// Where something is.
pub(crate) enum Near {
    At(usize),
    Nowhere,
    /// Not before this place, if anywhere.
    Behind(usize),
}

/// How many bytes are looked at here: most tokens end within them.
const NEAR: usize = 64;
const WORD: usize = size_of::<u64>();
const HALF: usize = WORD / 2;

#[inline(always)]
fn near(text: &[u8], hits: impl Fn(u64) -> u64, is_hit: impl Fn(u8) -> bool) -> Near {
    let near = &text[..text.len().min(NEAR)];
    let (words, rest) = near.as_chunks::<WORD>();
    for (i, word) in words.iter().enumerate() {
        let hits = hits(u64::from_le_bytes(*word));
        if hits != 0 {
            return Near::At(WORD * i + first(hits));
        }
    }
    if near.len() == NEAR {
        return Near::Behind(NEAR);
    }
    let found = match near.last_chunk::<WORD>() {
        // Again with bytes before the rest, among which there is none.
        Some(last) => match hits(u64::from_le_bytes(*last)) {
            0 => None,
            hits => Some(near.len() - WORD + first(hits)),
        },
        None => rest.iter().position(|&byte| is_hit(byte)),
    };
    found.map_or(Near::Nowhere, Near::At)
}

/// The place of the first byte that is marked.
#[inline(always)]
fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Whether a chunk has no `[[` and does not end in a `[`: so none begins in it. Where it cannot tell at once, it says no.
#[inline]
pub(crate) fn lacks_opening(chunk: &[u8]) -> bool {
    // A `[` with another behind it, or in the last place.
    let openings = |word| {
        let hits = zeros(word ^ repeat(b'['));
        hits & (hits >> 8 | LAST)
    };
    lacks(chunk, openings, |byte| byte == b'[', |chunk| memchr::memchr(b'[', chunk).is_none())
}

/// Whether neither `[` nor `]` is in a chunk.
#[inline]
pub(crate) fn lacks_brackets(chunk: &[u8]) -> bool {
    let hits = |word| zeros(word ^ repeat(b'[')) | zeros(word ^ repeat(b']'));
    lacks(chunk, hits, |byte| matches!(byte, b'[' | b']'), |chunk| memchr::memchr2(b'[', b']', chunk).is_none())
}

/// A chunk is some four bytes, mostly.
#[inline(always)]
fn lacks(
    chunk: &[u8],
    hits: impl Fn(u64) -> u64,
    is_hit: impl Fn(u8) -> bool,
    lacks_far: impl Fn(&[u8]) -> bool,
) -> bool {
    steps!(chunk.len());
    // Four to eight bytes are the first four and the last four, and so on: they may overlap.
    match (chunk.first_chunk::<WORD>(), chunk.last_chunk::<WORD>()) {
        (Some(first), Some(last)) if chunk.len() <= 2 * WORD => {
            hits(u64::from_le_bytes(*first)) | hits(u64::from_le_bytes(*last)) == 0
        }
        (Some(_), _) => lacks_far(chunk),
        (None, _) => match (chunk.first_chunk::<HALF>(), chunk.last_chunk::<HALF>()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                hits(u64::from(last) << (8 * HALF) | u64::from(first)) == 0
            }
            _ => !chunk.iter().any(|&byte| is_hit(byte)),
        },
    }
}

const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; WORD])
}

/// The mark of the last byte in the text, which is the highest.
const LAST: u64 = 0x80 << (8 * (WORD - 1));

/// A mark in the highest bit of each byte that is 0. Above the first, a byte of 1 may be marked too.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(repeat(0x01)) & !word & repeat(0x80)
}

/// A mark in the highest bit of each byte that is 0, and in no other.
const fn exact_zeros(word: u64) -> u64 {
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
                    assert_eq!(lacks_brackets(&text), at == len, "{at} of {len} in {around}");
                    if at < len {
                        text[at] = b'[';
                        assert_eq!(find_bracket(&text), expected, "{at} of {len} in {around}");
                        assert!(!lacks_brackets(&text), "{at} of {len} in {around}");
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
                    assert!(!matches!(find_pair(b'[', &text), Near::At(_)), "one at {at} of {len} in {around}");
                    for second in at + 1..len {
                        text[second] = b'[';
                        let expected = (second == at + 1).then_some(at);
                        let found = match find_pair(b'[', &text) {
                            Near::At(found) => Some(found),
                            Near::Nowhere => None,
                            Near::Behind(behind) => {
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

    #[test]
    fn a_chunk_in_which_something_opens_is_never_taken_for_another() {
        for around in AROUND {
            for len in 0..40 {
                let mut chunk = vec![around; len];
                assert!(lacks_opening(&chunk), "{len} of {around}");
                for at in 0..len {
                    chunk[at] = b'[';
                    let is_last = at + 1 == len;
                    // In four or eight bytes it is certain, but for the byte that looks like a bracket.
                    if is_last || (matches!(len, HALF | WORD) && around != b'[' ^ 1) {
                        assert_eq!(lacks_opening(&chunk), !is_last, "{at} of {len} in {around}");
                    }
                    if !is_last {
                        chunk[at + 1] = b'[';
                        assert!(!lacks_opening(&chunk), "two at {at} of {len} in {around}");
                        chunk[at + 1] = around;
                    }
                    chunk[at] = around;
                }
            }
        }
    }
}
