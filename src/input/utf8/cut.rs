//! The character that the end of a chunk cuts.

use core::mem;
use core::str;

/// At most one character's bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Short {
    bytes: [u8; 4],
    len: u8,
}

impl Short {
    pub(super) const EMPTY: Self = Self { bytes: [0; 4], len: 0 };

    pub(super) fn new(bytes: &[u8]) -> Self {
        bytes.iter().fold(Self::EMPTY, |short, &b| short.with(b))
    }

    /// Joins the start of a character with the `bytes` after it, and takes it out once they complete or break it.
    ///
    /// Returns the character, or what there was of it, and how many of the bytes are used up.
    pub(super) fn join(&mut self, bytes: &[u8]) -> (Self, usize) {
        if self.is_empty() {
            return (Self::EMPTY, 0);
        }
        for (used, &byte) in bytes.iter().enumerate() {
            let longer = self.with(byte);
            match str::from_utf8(longer.as_bytes()) {
                Ok(_) => {
                    *self = Self::EMPTY;
                    return (longer, used + 1);
                }
                Err(error) if error.error_len().is_none() => *self = longer,
                // What was kept is invalid as a whole; `byte` is no part of it and may start a character.
                Err(_) => return (mem::take(self), used),
            }
        }
        (Self::EMPTY, bytes.len())
    }

    fn with(mut self, byte: u8) -> Self {
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
        self
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Splits off an incomplete character at the end, if later bytes can complete it: at most three bytes.
pub(super) fn split_cut(bytes: &[u8]) -> (&[u8], &[u8]) {
    // A byte that continues no character always starts anew, so what lies in front of it does not matter.
    let start = bytes.iter().rev().take(3).position(|b| b & 0xC0 != 0x80);
    if let Some(back) = start {
        let (rest, tail) = bytes.split_at(bytes.len() - 1 - back);
        if str::from_utf8(tail).is_err_and(|error| error.error_len().is_none()) {
            return (rest, tail);
        }
    }
    (bytes, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn joins(start: &[u8], bytes: &[u8], joined: &[u8], used: usize, left: &[u8]) {
        let mut cut = Short::new(start);
        let (given, at) = cut.join(bytes);
        assert_eq!((given.as_bytes(), at), (joined, used));
        assert_eq!(cut.as_bytes(), left);
    }

    #[test]
    fn join_by_start_and_chunk() {
        joins(b"", b"a", b"", 0, b"");
        joins(b"\xC3", b"", b"", 0, b"\xC3");
        joins(b"\xC3", b"\xA9\xA9", b"\xC3\xA9", 1, b"");
        joins(b"\xC3", b"a", b"\xC3", 0, b"");
        joins(b"\xE2", b"\x82", b"", 1, b"\xE2\x82");
        joins(b"\xE2", b"\x82\xACx", b"\xE2\x82\xAC", 2, b"");
        joins(b"\xE2", b"\x82\xE2", b"\xE2\x82", 1, b"");
        joins(b"\xE0", b"\x80", b"\xE0", 0, b"");
        joins(b"\xF0", b"\x9F\x98", b"", 2, b"\xF0\x9F\x98");
        joins(b"\xF0\x9F\x98", b"\x80\x80", b"\xF0\x9F\x98\x80", 1, b"");
        joins(b"\xF0\x9F\x98", b"\xFF", b"\xF0\x9F\x98", 0, b"");
    }

    #[test]
    fn only_what_can_be_completed_is_split_off() {
        for (bytes, kept) in [
            (&b""[..], 0),
            (b"a", 0),
            (b"a\xC2", 1),
            (b"\xC2\x80", 0),
            (b"a\xE0", 1),
            (b"a\xE0\xA0", 2),
            (b"a\xE0\x9F", 0), // overlong
            (b"a\xED\x9F", 2),
            (b"a\xED\xA0", 0), // a surrogate
            (b"a\xF0\x90\x80", 3),
            (b"a\xF0\x8F", 0), // overlong
            (b"a\xF4\x8F\xBF", 3),
            (b"a\xF4\x90", 0), // beyond U+10FFFF
            (b"a\xC1", 0),
            (b"a\xF5", 0),
            (b"\xE2\xE2", 1),
            (b"\x80\x80\x80", 0),
            (b"\xF1\x80\x80\x80", 0),
            (b"\xF1\x80\x80\x80\x80", 0),
        ] {
            let at = bytes.len() - kept;
            assert_eq!(split_cut(bytes), bytes.split_at(at), "{bytes:x?}");
        }
    }
}
