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
    const FEW: usize = 16;
    let few = &text[..text.len().min(FEW)];
    let mut at = 0;
    while let Some(found) = find(byte, &few[at..]) {
        at += found;
        match text.get(at + 1) {
            None => return Near::Nowhere,
            Some(&next) if next == byte => return Near::At(at),
            Some(_) => at += 1,
        }
    }
    if few.len() == text.len() { Near::Nowhere } else { Near::Behind(few.len()) }
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
    let mut at = 0;
    while let Some(word) = text[at..].first_chunk::<WORD>() {
        let hits = hits(u64::from_le_bytes(*word));
        if hits != 0 {
            return Near::At(at + hits.trailing_zeros() as usize / 8);
        }
        at += WORD;
        if at == NEAR {
            return Near::Behind(at);
        }
    }
    match text[at..].iter().position(|&byte| is_hit(byte)) {
        Some(found) => Near::At(at + found),
        None => Near::Nowhere,
    }
}

/// Whether `byte` is nowhere in `text`, which is a chunk: of some four bytes, mostly.
#[inline]
pub(crate) fn lacks(byte: u8, text: &[u8]) -> bool {
    lacks_all(
        text,
        |word| zeros(word ^ repeat(byte)),
        |other| other == byte,
        |text| memchr::memchr(byte, text).is_none(),
    )
}

/// Whether neither `[` nor `]` is in `text`, which is a chunk.
#[inline]
pub(crate) fn lacks_brackets(text: &[u8]) -> bool {
    let hits = |word| zeros(word ^ repeat(b'[')) | zeros(word ^ repeat(b']'));
    lacks_all(text, hits, |byte| matches!(byte, b'[' | b']'), |text| memchr::memchr2(b'[', b']', text).is_none())
}

#[inline(always)]
fn lacks_all(
    text: &[u8],
    hits: impl Fn(u64) -> u64,
    is_hit: impl Fn(u8) -> bool,
    lacks_far: impl Fn(&[u8]) -> bool,
) -> bool {
    steps!(text.len());
    // Four to eight bytes are the first four and the last four, and so on: they may overlap.
    match (text.first_chunk::<WORD>(), text.last_chunk::<WORD>()) {
        (Some(first), Some(last)) if text.len() <= 2 * WORD => {
            hits(u64::from_le_bytes(*first)) | hits(u64::from_le_bytes(*last)) == 0
        }
        (Some(_), _) => lacks_far(text),
        (None, _) => match (text.first_chunk::<HALF>(), text.last_chunk::<HALF>()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                hits(u64::from(last) << (8 * HALF) | u64::from(first)) == 0
            }
            _ => !text.iter().any(|&byte| is_hit(byte)),
        },
    }
}

const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; WORD])
}

/// A mark in the highest bit of each byte that is 0. Above the first, a byte of 1 may be marked too.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(repeat(0x01)) & !word & repeat(0x80)
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
                    assert_eq!(lacks(b'"', &text), at == len, "{at} of {len} in {around}");
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
}
