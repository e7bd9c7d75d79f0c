//! White space as Python's `str.isspace` defines it, which the seed's dialect uses: `char::is_whitespace` and the four information
//! separators U+001C to U+001F.

use alloc::borrow::Cow;

use crate::span::Span;

/// Whether `c` is white space in the seed's dialect, which is Python's: that of `char::is_whitespace`, and U+001C to U+001F.
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

/// The length in bytes of the white-space character at `pos`; 0 if there is none, or no more text. Agrees with [`is_space`].
#[inline]
pub(crate) fn space_len(text: &[u8], pos: usize) -> usize {
    match text.get(pos).map_or(0, |&byte| CLASS[byte as usize] & (IS_SPACE | MAY_BE_SPACE)) {
        0 => 0,
        IS_SPACE => 1,
        _ => wide_space_len(&text[pos..]),
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

/// The first offset at or after `pos` that is not white space.
#[inline]
pub(crate) fn skip_space(text: &[u8], pos: usize) -> usize {
    match text.get(pos) {
        None | Some(b'!'..=b'~') => pos,
        Some(_) => skip_some(text, pos),
    }
}

#[inline(never)]
fn skip_some(text: &[u8], mut pos: usize) -> usize {
    loop {
        let space = space_len(text, pos);
        if space == 0 {
            return pos;
        }
        count_work!(space);
        pos += space;
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
            count_work!(text.len() - trimmed.len());
            trimmed
        }
    }
}

/// `text` without white space at both ends: Python's `str.strip`.
#[inline]
pub(crate) fn trim(text: &str) -> &str {
    trim_end(trim_start(text))
}

/// `text` without white space at both ends. Copies only if it is owned and has some.
pub(crate) fn trim_cow(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) if trim(&text).len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(trim(&text).into()),
    }
}

/// `span` of `text` without white space at both ends. If all of it is white space, the result is empty and at its end.
#[inline(always)]
pub(crate) fn trimmed(text: &str, span: Span) -> Span {
    match &text.as_bytes()[span.range()] {
        // Nearly all tokens have none.
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

const IS_SPACE: u8 = 1;
/// The byte begins a character of white space, or another one.
const MAY_BE_SPACE: u8 = 2;

/// A table, since every byte of a token is classified: half the instructions of the comparisons.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        if c.is_ascii() && is_space(c as char) {
            class[byte] = IS_SPACE;
        } else if matches!(c, 0xC2 | 0xE1..=0xE3) {
            class[byte] = MAY_BE_SPACE;
        }
        byte += 1;
    }
    class
};

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
}
