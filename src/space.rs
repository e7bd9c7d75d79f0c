//! The protocol's white space and case folding, which are Python's and not Rust's.
//!
//! White space is `str.isspace`, the set that `\s` matches in Python's `re`: `char::is_whitespace` and the four information
//! separators U+001C to U+001F. Case folding is what `re.IGNORECASE` does to the letters of a name.

use crate::event::Span;

/// Whether `c` is white space in the protocol, which is Python's: that of `char::is_whitespace`, and U+001C to U+001F.
#[inline]
pub const fn is_space(c: char) -> bool {
    matches!(
        c,
        '\u{9}'..='\u{D}'
            | '\u{1C}'..='\u{20}'
            | '\u{85}'
            | '\u{A0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202F}'
            | '\u{205F}'
            | '\u{3000}'
    )
}

/// The length in bytes of the white-space character at `at`; 0 where there is none, or no more text.
///
/// The same set as [`is_space`], on the bytes of whole UTF-8 characters.
#[inline]
pub(crate) fn space_len(text: &[u8], at: usize) -> usize {
    match text.get(at).map_or(0, |&byte| CLASS[byte as usize] & (IS_SPACE | MAY_BE_SPACE)) {
        0 => 0,
        IS_SPACE => 1,
        _ => wide_space_len(&text[at..]),
    }
}

#[cold]
fn wide_space_len(text: &[u8]) -> usize {
    match text {
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..] => 3,
        [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..] => 3,
        [0xE2, 0x81, 0x9F, ..] => 3,
        [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// The first place at or behind `at` that is not white space.
#[inline]
pub(crate) fn skip_space(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        None | Some(b'!'..=b'~') => at,
        Some(_) => skip_some(text, at),
    }
}

#[inline(never)]
fn skip_some(text: &[u8], mut at: usize) -> usize {
    loop {
        let space = space_len(text, at);
        if space == 0 {
            return at;
        }
        steps!(space);
        at += space;
    }
}

/// `text` without white space at its start.
#[inline]
pub(crate) fn trim_start(text: &str) -> &str {
    &text[skip_space(text.as_bytes(), 0)..]
}

/// `text` without white space at its end.
#[inline]
pub(crate) fn trim_end(text: &str) -> &str {
    match text.as_bytes().last() {
        None | Some(b'!'..=b'~') => text,
        _ => {
            let trimmed = text.trim_end_matches(is_space);
            steps!(text.len() - trimmed.len());
            trimmed
        }
    }
}

/// `text` without white space at both ends: Python's `str.strip`.
#[inline]
pub(crate) fn trim(text: &str) -> &str {
    trim_end(trim_start(text))
}

/// `span` of `text` without white space at its ends. Where all of it is, nothing is left, at its end.
#[inline(always)]
pub(crate) fn trimmed(text: &str, span: Span) -> Span {
    match &text.as_bytes()[span.range()] {
        // In nearly all tokens there is none.
        [] | [b'!'..=b'~', .., b'!'..=b'~'] => span,
        _ => trimmed_some(text, span),
    }
}

#[inline(never)]
fn trimmed_some(text: &str, span: Span) -> Span {
    let trimmed = trim_start(&text[span.range()]);
    let start = span.end - trimmed.len();
    Span::new(start, start + trim_end(trimmed).len())
}

/// Whether `byte` may begin a name or a key: `[A-Za-z_]`.
#[inline]
pub(crate) const fn starts_word(byte: u8) -> bool {
    CLASS[byte as usize] & STARTS_WORD != 0
}

/// Whether `byte` may go on in a name or a key: `[A-Za-z0-9_]`.
#[inline]
pub(crate) const fn is_word(byte: u8) -> bool {
    CLASS[byte as usize] & IS_WORD != 0
}

/// How many letters, digits and `_` there are at the start of `text`.
#[inline]
pub(crate) fn word_len(text: &[u8]) -> usize {
    let len = text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len());
    steps!(len);
    len
}

const STARTS_WORD: u8 = 1;
const IS_WORD: u8 = 2;
const IS_SPACE: u8 = 4;
/// It begins a character of white space, and others.
const MAY_BE_SPACE: u8 = 8;

/// What a byte may be. A table, since every byte of a token is asked: half the instructions of the comparisons.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        if c.is_ascii_alphabetic() || c == b'_' {
            class[byte] = STARTS_WORD | IS_WORD;
        } else if c.is_ascii_digit() {
            class[byte] = IS_WORD;
        } else if c.is_ascii() && is_space(c as char) {
            class[byte] = IS_SPACE;
        } else if matches!(c, 0xC2 | 0xE1..=0xE3) {
            class[byte] = MAY_BE_SPACE;
        }
        byte += 1;
    }
    class
};

/// The name letter at `at` as a close may write it, in upper case, and its length in bytes.
///
/// Beside ASCII in any case these are the four that `re.IGNORECASE` takes for ASCII letters: U+017F for S, U+212A for K, and
/// U+0130 and U+0131 for I.
#[inline]
pub(crate) fn fold(text: &[u8], at: usize) -> Option<(u8, usize)> {
    match *text.get(at)? {
        byte if is_word(byte) => Some((byte.to_ascii_uppercase(), 1)),
        0xC4 | 0xC5 | 0xE2 => fold_wide(&text[at..]),
        _ => None,
    }
}

#[cold]
fn fold_wide(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [0xC5, 0xBF, ..] => Some((b'S', 2)),
        [0xE2, 0x84, 0xAA, ..] => Some((b'K', 3)),
        [0xC4, 0xB0 | 0xB1, ..] => Some((b'I', 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn the_byte_form_knows_the_same_white_space_as_the_character_form() {
        for c in '\0'..=char::MAX {
            let text = String::from(c);
            let expected = if is_space(c) { c.len_utf8() } else { 0 };
            assert_eq!(space_len(text.as_bytes(), 0), expected, "U+{:04X}", c as u32);
            assert_eq!(trim(&text).is_empty(), is_space(c), "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn white_space_is_rusts_and_the_four_information_separators() {
        for c in '\0'..=char::MAX {
            let expected = c.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&c);
            assert_eq!(is_space(c), expected, "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn four_letters_fold_and_no_other_beyond_ascii() {
        for c in '\u{80}'..=char::MAX {
            let text = String::from(c);
            let expected = match c {
                '\u{17F}' => Some((b'S', 2)),
                '\u{212A}' => Some((b'K', 3)),
                '\u{130}' | '\u{131}' => Some((b'I', 2)),
                _ => None,
            };
            assert_eq!(fold(text.as_bytes(), 0), expected, "U+{:04X}", c as u32);
        }
        assert_eq!(fold(b"z", 0), Some((b'Z', 1)));
        assert_eq!(fold(b"-", 0), None);
        assert_eq!(fold(b"", 0), None);
    }
}
