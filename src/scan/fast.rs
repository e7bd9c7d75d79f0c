//! The fast path: which chunks of a stream need no step of the machine.
//!
//! Most chunks are a few bytes without a delimiter. After each step the machine says, as a [`FastPath`], how such a chunk is classified:
//! all prose, or all part of what is held. The parser tests the chunk here, and on a match calls the machine's `skip` instead of a step.
//! What a delimiter is depends on the state, and is the dialect's to say; the tests of bytes are all in this file.

use crate::bytes::{HALF, WORD, find_bracket};
use crate::protocol::Limits;

/// How the next chunk is classified if it contains no delimiter. Applies only while all text before the chunk has been scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastPath {
    /// A chunk without delimiters is held if the text then ends before this offset.
    end: usize,
    text: Text,
}

/// What the text after a chunk's start is, until a delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// Only a step of the machine can say.
    Unknown,
    /// Prose, until something opens.
    Prose,
    /// Part of a token, until a bracket.
    Token,
    /// Part of a body, until something opens.
    Body,
}

impl FastPath {
    /// Every chunk takes a step.
    pub(crate) const NONE: FastPath = FastPath { end: 0, text: Text::Unknown };

    /// Text is prose until something opens.
    pub(crate) const PROSE: FastPath = FastPath { end: 0, text: Text::Prose };

    /// Every chunk takes a step, which is usually one in a body.
    pub(crate) const IN_BODY: FastPath = FastPath { end: 0, text: Text::Body };

    /// Text is held until something opens, or until a tag that began at `start` reaches its limit.
    #[inline]
    pub(crate) fn body(start: usize, pos: usize, limits: &Limits) -> Self {
        FastPath { end: until(start, pos, limits), text: Text::Body }
    }

    /// Text is held until the next bracket, or until a token that began at `start` can no longer end within its limit.
    #[inline]
    pub(crate) fn token(start: usize, pos: usize, limits: &Limits) -> Self {
        FastPath { end: until(start, pos, limits), text: Text::Token }
    }

    /// Converts offsets in the reply into lengths of a carry that begins at `base`.
    #[inline]
    pub(crate) fn in_carry(self, base: usize) -> Self {
        FastPath { end: self.end.saturating_sub(base), ..self }
    }

    /// Never holds a chunk; prose is still passed.
    #[inline]
    pub(crate) fn without_holding(self) -> Self {
        FastPath { end: 0, ..self }
    }

    /// Whether a chunk can be held.
    #[inline]
    pub(crate) fn can_hold(&self) -> bool {
        self.end != 0
    }

    /// Every chunk takes the step that it would take now, since the end of the text before it is undecided.
    #[inline]
    pub(crate) fn undecided(self) -> Self {
        if self.text == Text::Body { FastPath::IN_BODY } else { FastPath::NONE }
    }

    /// Whether `chunk` is held whole and decides nothing. `len` is the length of the carry with the chunk.
    #[inline(always)]
    pub(crate) fn holds(&self, chunk: &[u8], len: usize) -> bool {
        len < self.end && if self.text == Text::Body { opens_nothing(chunk) } else { has_no_bracket(chunk) }
    }

    /// Whether `chunk` is all prose.
    #[inline(always)]
    pub(crate) fn is_prose(&self, chunk: &[u8]) -> bool {
        self.is_in_prose() && opens_nothing(chunk)
    }

    /// Whether all text so far is emitted and nothing is open.
    #[inline(always)]
    pub(crate) fn is_in_prose(&self) -> bool {
        self.text == Text::Prose
    }

    /// The step that a chunk usually takes if the fast path does not apply.
    #[inline(always)]
    pub(crate) fn usual_step(&self) -> Step {
        if self.text == Text::Body { Step::Body } else { Step::Any }
    }

    /// The offset in `chunk` at which a token opens, if the text before it is prose and nothing else happens in the chunk.
    #[inline]
    pub(crate) fn only_opening(&self, chunk: &[u8], limits: &Limits) -> Option<usize> {
        if !self.is_in_prose() {
            return None;
        }
        let start = find_bracket(chunk)?;
        let after = chunk[start..].strip_prefix(b"[[")?;
        let can_end = chunk.len() - start + CLOSING <= limits.tag_end(0);
        (can_end && find_bracket(after).is_none()).then_some(start)
    }
}

/// The steps of a machine that a caller of [`Scanner::run`](super::Scanner::run) expects. They are compiled into the caller, the others
/// are called: a step in a body needs a small stack frame, and most do nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Any,
    Body,
}

/// The text may end before this offset without the limit of a tag that began at `start` being reached. A token needs room for its
/// `]]`; looking at a body two bytes early does no harm.
#[inline]
fn until(start: usize, pos: usize, limits: &Limits) -> usize {
    limits.tag_end(start).saturating_sub(CLOSING).max(pos).saturating_add(1)
}

/// Whether no `[[` begins in `chunk`: it has none, and does not end in `[`. May be false for a long chunk in which none begins.
#[inline(always)]
fn opens_nothing(chunk: &[u8]) -> bool {
    has_no(chunk, |byte| byte == b'[', |chunk| memchr::memchr(b'[', chunk).is_none())
        || (chunk.len() <= 2 * WORD && has_no_pair(chunk))
}

/// Decides exactly for a short chunk with a `[`. Out of line: few chunks have one.
#[inline(never)]
fn has_no_pair(chunk: &[u8]) -> bool {
    chunk.last() != Some(&b'[') && !chunk.windows(2).any(|pair| pair == b"[[")
}

/// Whether `chunk` contains neither `[` nor `]`.
#[inline(always)]
fn has_no_bracket(chunk: &[u8]) -> bool {
    has_no(chunk, |byte| matches!(byte, b'[' | b']'), |chunk| memchr::memchr2(b'[', b']', chunk).is_none())
}

/// Whether `chunk`, which is typically four bytes, has no hit.
#[inline(always)]
fn has_no(chunk: &[u8], is_hit: impl Fn(u8) -> bool, has_no_far: impl Fn(&[u8]) -> bool) -> bool {
    count_work!(chunk.len());
    // Four to eight bytes are the first four and the last four, which may overlap; likewise 8 to 16.
    if let (Some(first), Some(last)) = (chunk.first_chunk::<WORD>(), chunk.last_chunk::<WORD>()) {
        if chunk.len() <= 2 * WORD { has_no_in_both(first, last, is_hit) } else { has_no_far(chunk) }
    } else if let (Some(first), Some(last)) = (chunk.first_chunk::<HALF>(), chunk.last_chunk::<HALF>()) {
        has_no_in_both(first, last, is_hit)
    } else {
        !chunk.iter().any(|&byte| is_hit(byte))
    }
}

/// Compiles to one vector comparison.
#[inline(always)]
fn has_no_in_both<const N: usize>(first: &[u8; N], last: &[u8; N], is_hit: impl Fn(u8) -> bool) -> bool {
    !first.iter().chain(last).fold(false, |any, &byte| any | is_hit(byte))
}

/// The length of `]]`.
const CLOSING: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Bytes that differ from a bracket in one bit among them, which a mark may be wrong about.
    const AROUND: [u8; 7] = [b'a', b'[' ^ 1, b'[' ^ 2, b'[' ^ 0x80, 0, 0x80, 0xFF];

    #[test]
    fn a_bracket_is_seen_wherever_it_is() {
        for len in 0..150 {
            for around in AROUND {
                let mut chunk = vec![around; len];
                assert!(has_no_bracket(&chunk), "{len} of {around}");
                for at in 0..len {
                    for bracket in [b'[', b']'] {
                        chunk[at] = bracket;
                        assert!(!has_no_bracket(&chunk), "{at} of {len} in {around}");
                    }
                    chunk[at] = around;
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
                assert_eq!(
                    FastPath::PROSE.only_opening(&chunk, &Limits::default()),
                    opening.filter(|_| brackets == 2),
                    "{}",
                    chunk.escape_ascii()
                );
            }
        }
    }

    #[test]
    fn a_chunk_in_which_something_opens_is_never_taken_for_another() {
        for around in AROUND {
            for len in 0..40 {
                let mut chunk = vec![around; len];
                assert!(opens_nothing(&chunk), "{len} of {around}");
                for at in 0..len {
                    chunk[at] = b'[';
                    let is_last = at + 1 == len;
                    // In a short chunk it is certain.
                    if is_last || len <= 2 * WORD {
                        assert_eq!(opens_nothing(&chunk), !is_last, "{at} of {len} in {around}");
                    }
                    if !is_last {
                        chunk[at + 1] = b'[';
                        assert!(!opens_nothing(&chunk), "two at {at} of {len} in {around}");
                        chunk[at + 1] = around;
                    }
                    chunk[at] = around;
                }
            }
        }
    }
}
