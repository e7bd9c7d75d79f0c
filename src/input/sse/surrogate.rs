//! Halves of surrogate pairs, which JSON can write and text cannot hold.
//!
//! Servers that count in UTF-16 may cut a character between two events: `"\ud83d"` in one, `"\ude80"` in the next. [`escape`]
//! makes such JSON readable, with each lone half written as a sequence of characters, and [`Halves`] joins them again.

use alloc::string::String;

use memchr::memchr;

/// The offset of the first lone half of a surrogate pair in JSON, at or after `from`: a `\uD800` to `\uDFFF` without its other
/// half. It is always 6 bytes long. `None` if there is none.
///
/// `from` is an offset in bytes, and must not be inside an escape. What is not JSON is read as if its backslashes were escapes. Linear
/// in the bytes up to the half.
///
/// ```
/// use tagwire::sse::lone_surrogate;
///
/// assert_eq!(lone_surrogate(r#""\ud83d\ude80 \ud83d""#, 0), Some(14));
/// assert_eq!(lone_surrogate(r#""\\ud83d""#, 0), None);
/// ```
pub fn lone_surrogate(json: &str, from: usize) -> Option<usize> {
    let bytes = json.as_bytes();
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
        digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
    };
    let mut at = from;
    loop {
        at += memchr(b'\\', bytes.get(at..)?)?;
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => return Some(at),
            Some(_) => at += 6,
            None => at += 2,
        }
    }
}

/// The JSON with each lone half as [`MARK`] and its four hexadecimal digits, and each `MARK` before as one with its own digits, so
/// that every text comes back as it was. `None` if there is no lone half in it.
pub(super) fn escape(json: &str) -> Option<String> {
    let mut half = lone_surrogate(json, 0)?;
    let mut escaped = String::with_capacity(json.len() + 64);
    let mut from = 0;
    loop {
        push_marked(&json[from..half], &mut escaped);
        escaped.push(MARK);
        escaped.push_str(&json[half + 2..half + 6]);
        from = half + 6;
        match lone_surrogate(json, from) {
            Some(next) => half = next,
            None => break,
        }
    }
    push_marked(&json[from..], &mut escaped);
    Some(escaped)
}

/// Appends `json` with each `MARK` in it, escaped or not, as one with its digits.
fn push_marked(json: &str, escaped: &mut String) {
    let mut rest = json;
    while let Some(at) = rest.find(['\\', MARK]) {
        let (before, from) = rest.split_at(at);
        escaped.push_str(before);
        let is_escape = from.get(..6).is_some_and(|escape| escape.eq_ignore_ascii_case(ESCAPED_MARK));
        let length = match from.chars().next() {
            Some('\\') if is_escape => 6,
            // A backslash and what it escapes, which may be a backslash.
            Some('\\') => 1 + from[1..].chars().next().map_or(0, char::len_utf8),
            _ => MARK.len_utf8(),
        };
        if is_escape || from.starts_with(MARK) {
            escaped.push(MARK);
            escaped.push_str(MARK_DIGITS);
        } else {
            escaped.push_str(&from[..length]);
        }
        rest = &from[length..];
    }
    escaped.push_str(rest);
}

/// A noncharacter, which no text needs.
const MARK: char = '\u{FDD0}';
const MARK_DIGITS: &str = "fdd0";
const ESCAPED_MARK: &str = r"\ufdd0";

/// Joins the halves of a character that two texts in a row have, and makes U+FFFD of the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Halves {
    /// A high half at the end of the text so far.
    high: Option<u16>,
}

impl Halves {
    /// Appends a text without lone halves.
    pub(super) fn push(&mut self, text: &str, out: &mut String) {
        if !text.is_empty() {
            self.flush(out);
            out.push_str(text);
        }
    }

    /// Appends a text out of JSON that [`escape`] made readable.
    pub(super) fn push_escaped(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some(at) = rest.find(MARK) {
            self.push(&rest[..at], out);
            rest = &rest[at + MARK.len_utf8()..];
            // `escape` writes four digits after each; a text that was cut off, as for a message, may have fewer.
            let digits = rest.get(..4).unwrap_or_default();
            rest = &rest[digits.len()..];
            match u16::from_str_radix(digits, 16) {
                Ok(unit @ 0xD800..=0xDBFF) => {
                    self.flush(out);
                    self.high = Some(unit);
                }
                Ok(unit @ 0xDC00..=0xDFFF) => self.push_low(unit, out),
                _ => self.push("\u{FDD0}", out),
            }
        }
        self.push(rest, out);
    }

    fn push_low(&mut self, low: u16, out: &mut String) {
        let units = self.high.take().into_iter().chain([low]);
        char::decode_utf16(units).for_each(|unit| out.push(unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }

    /// Appends U+FFFD for a high half whose other half can no longer come.
    pub(super) fn flush(&mut self, out: &mut String) {
        if self.high.take().is_some() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned as _;

    use super::*;

    #[track_caller]
    fn joins(pieces: &[&str], expected: &str) {
        let mut halves = Halves::default();
        let mut out = String::new();
        for json in pieces {
            match escape(json) {
                Some(escaped) => {
                    halves.push_escaped(&serde_json::from_str::<String>(&escaped).expect(json), &mut out);
                }
                None => halves.push(&serde_json::from_str::<String>(json).expect(json), &mut out),
            }
        }
        halves.flush(&mut out);
        assert_eq!(out, expected, "{pieces:?}");
    }

    #[test]
    fn halves_in_a_row_are_joined() {
        joins(&[r#""a\ud83d""#, r#""\ude80b""#], "a🚀b");
        joins(&[r#""\uD83D""#, r#""""#, r#""\uDE80""#], "🚀");
        joins(&[r#""\ude80\ud83d""#, r#""\ude80\ud83d""#, r#""\ude80""#], "\u{FFFD}🚀🚀");
    }

    #[test]
    fn other_halves_are_replaced() {
        joins(&[r#""\ud83d""#], "\u{FFFD}");
        joins(&[r#""\ud83d""#, r#""x""#, r#""\ude80""#], "\u{FFFD}x\u{FFFD}");
        joins(&[r#""\ud83d\ud83d\ude80\ude80""#], "\u{FFFD}🚀\u{FFFD}");
        joins(&[r#""\ude80\ud83d""#], "\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn what_looks_like_a_half_is_text() {
        joins(&[r#""\\ud83d \ud83d""#], "\\ud83d \u{FFFD}");
        joins(
            &["\"\u{FDD0}d83d \\ud83d \\ufdd0 \\uFDD0 \\\\ufdd0\""],
            "\u{FDD0}d83d \u{FFFD} \u{FDD0} \u{FDD0} \\ufdd0",
        );
        joins(&["\"\u{FDD0}d83d\""], "\u{FDD0}d83d");
    }

    #[test]
    fn a_lone_half_is_found() {
        for (json, at) in [
            ("", None),
            (r"\ud83d\ude80", None),
            (r"\ud83d\ude8", Some(0)),
            (r"\ude80\ud83d", Some(0)),
            (r"\\\ud83d", Some(2)),
            (r"\\ud83d", None),
            (r"\ud83", None),
            (r"é\n\udfff", Some(4)),
            (r"\", None),
        ] {
            assert_eq!(lone_surrogate(json, 0), at, "{json}");
        }
        let json = r"\ud800 \ud800".to_owned();
        assert_eq!(
            (lone_surrogate(&json, 6), lone_surrogate(&json, 13), lone_surrogate(&json, 99)),
            (Some(7), None, None)
        );
    }
}
