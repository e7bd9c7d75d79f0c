//! Finding a byte that is near.
//!
//! Inside a token the next bracket or quote is some ten bytes away. There the call of a vector search costs more than a few
//! bytes at a time in a register, and a byte at a time costs four times the instructions; only far behind does the search pay.

/// The first `byte` in `text`.
#[inline(always)]
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
#[inline(always)]
pub(crate) fn find_bracket(text: &[u8]) -> Option<usize> {
    let found = match near(text, brackets, |byte| matches!(byte, b'[' | b']')) {
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
        // A word, and the one that begins a byte later.
        let both = text[at..].first_chunk().zip(text.get(at + 1..).and_then(|text| text.first_chunk()));
        let Some((one, two)) = both.map(|(one, two)| (word(one) ^ repeat(byte), word(two) ^ repeat(byte))) else {
            let found = text[at..].windows(2).position(|pair| pair == [byte; 2]);
            break found.map_or(Near::Nowhere, |found| Near::At(at + found));
        };
        // In most there is none at all.
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
    let mut at = 0;
    while let Some(pair) = text[at..].first_chunk::<{ 2 * WORD }>() {
        // One comparison of a vector: half the instructions of two words.
        if pair.iter().fold(false, |any, &byte| any | is_hit(byte)) {
            return Near::At(at + first_of_two(pair, hits));
        }
        at += 2 * WORD;
        if at == NEAR {
            return Near::Behind(at);
        }
    }
    let rest = &text[at..];
    let hits_in = |bytes: Option<&[u8; WORD]>| bytes.map(|bytes| hits(word(bytes)));
    let found = match (hits_in(rest.first_chunk()), hits_in(text.last_chunk())) {
        (Some(hits), _) if hits != 0 => Some(at + first(hits)),
        // With bytes before the rest, among which there is none.
        (_, Some(hits)) => (hits != 0).then(|| text.len() - WORD + first(hits)),
        (_, None) => rest.iter().position(|&byte| is_hit(byte)),
    };
    found.map_or(Near::Nowhere, Near::At)
}

#[inline(always)]
fn word(bytes: &[u8; WORD]) -> u64 {
    u64::from_le_bytes(*bytes)
}

/// The place of the first byte that is hit, of two words with one at least.
#[inline(always)]
fn first_of_two(pair: &[u8; 2 * WORD], hits: impl Fn(u64) -> u64) -> usize {
    let pair = u128::from_le_bytes(*pair);
    match hits(pair as u64) {
        0 => WORD + first(hits((pair >> (8 * WORD)) as u64)),
        hits => first(hits),
    }
}

/// The place of the first byte that is marked.
#[inline(always)]
fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Whether a chunk has no `[[` and does not end in a `[`: so none begins in it. Where it cannot tell at once, it says no.
#[inline(always)]
pub(crate) fn lacks_opening(chunk: &[u8]) -> bool {
    lacks(chunk, |byte| byte == b'[', |chunk| memchr::memchr(b'[', chunk).is_none())
        || (chunk.len() <= 2 * WORD && lacks_pair(chunk))
}

/// The same, exactly, of a short chunk with a `[`: seldom asked, so its code is kept out of the way.
#[inline(never)]
fn lacks_pair(chunk: &[u8]) -> bool {
    chunk.last() != Some(&b'[') && !chunk.windows(2).any(|pair| pair == b"[[")
}

/// Where a `[[` begins in a chunk that has no other bracket.
#[inline]
pub(crate) fn only_opening(chunk: &[u8]) -> Option<usize> {
    let start = find_bracket(chunk)?;
    let behind = chunk[start..].strip_prefix(b"[[")?;
    find_bracket(behind).is_none().then_some(start)
}

/// Whether neither `[` nor `]` is in a chunk.
#[inline]
pub(crate) fn lacks_brackets(chunk: &[u8]) -> bool {
    lacks(chunk, |byte| matches!(byte, b'[' | b']'), |chunk| memchr::memchr2(b'[', b']', chunk).is_none())
}

/// Whether nothing is hit in a chunk, which is some four bytes, mostly.
#[inline(always)]
fn lacks(chunk: &[u8], is_hit: impl Fn(u8) -> bool, lacks_far: impl Fn(&[u8]) -> bool) -> bool {
    steps!(chunk.len());
    // Four to eight bytes are the first four and the last four, and so on: they may overlap.
    if let (Some(first), Some(last)) = (chunk.first_chunk::<WORD>(), chunk.last_chunk::<WORD>()) {
        if chunk.len() <= 2 * WORD { lacks_both(first, last, is_hit) } else { lacks_far(chunk) }
    } else if let (Some(first), Some(last)) = (chunk.first_chunk::<HALF>(), chunk.last_chunk::<HALF>()) {
        lacks_both(first, last, is_hit)
    } else {
        !chunk.iter().any(|&byte| is_hit(byte))
    }
}

/// One comparison of a vector.
#[inline(always)]
fn lacks_both<const N: usize>(first: &[u8; N], last: &[u8; N], is_hit: impl Fn(u8) -> bool) -> bool {
    !first.iter().chain(last).fold(false, |any, &byte| any | is_hit(byte))
}

const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; WORD])
}

/// A mark in the highest bit of each byte that is 0. Above the first, a byte of 1 may be marked too.
const fn zeros(word: u64) -> u64 {
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
    fn the_only_opening_is_found_where_there_is_no_other_bracket() {
        for len in 0..7_u32 {
            for number in 0..3_usize.pow(len) {
                let chunk: alloc::vec::Vec<u8> =
                    (0..len).map(|i| [b'a', b'[', b']'][number / 3_usize.pow(i) % 3]).collect();
                let brackets = chunk.iter().filter(|&&byte| byte != b'a').count();
                let opening = chunk.windows(2).position(|pair| pair == b"[[");
                assert_eq!(only_opening(&chunk), opening.filter(|_| brackets == 2), "{}", chunk.escape_ascii());
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
                    // In a short chunk it is certain.
                    if is_last || len <= 2 * WORD {
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
