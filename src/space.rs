//! The protocol's white space and case folding, which are Python's and not Rust's.
//!
//! White space is `str.isspace`, the set that `\s` matches in Python's `re`. It is `char::is_whitespace` and the four
//! information separators U+001C to U+001F. Case folding is what `re.IGNORECASE` does to the letters of a name.

/// Whether Python counts `c` as white space.
#[inline]
pub(crate) const fn is_space(c: char) -> bool {
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

/// `text` without white space at its start.
#[inline]
pub(crate) fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// `text` without white space at its end.
#[inline]
pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// `text` without white space at both ends: Python's `str.strip`.
#[inline]
pub(crate) fn trim(text: &str) -> &str {
    trim_end(trim_start(text))
}
