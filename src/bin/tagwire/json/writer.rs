//! Objects, lists and strings as compact JSON.

use std::fmt::{self, Write as _};
use std::ops::Range;

use serde::Serialize;

/// An object that is being written.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Object<'o> {
    pub(crate) fn begin(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Object { out, is_empty: true }
    }

    /// Writes a key, in which nothing has to be escaped. Its value is to be appended to what this gives.
    pub(crate) fn key(&mut self, key: &str) -> &mut Vec<u8> {
        self.out.extend_from_slice(if self.is_empty { b"\"" } else { b",\"" });
        self.is_empty = false;
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub(crate) fn string(&mut self, key: &str, text: &str) {
        push_string(self.key(key), [text]);
    }

    pub(crate) fn strings<'t>(&mut self, key: &str, texts: impl IntoIterator<Item = &'t String>) {
        list(self.key(key), texts, |out, text| push_string(out, [text.as_str()]));
    }

    pub(crate) fn value(&mut self, key: &str, value: &impl Serialize) {
        push(self.key(key), value);
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }

    pub(crate) fn end_line(self) {
        self.out.extend_from_slice(b"}\n");
    }
}

/// Appends `value`.
fn push(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("a Vec takes all, and all keys are strings");
}

/// Appends a list of what `put` appends for each item.
pub(super) fn list<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, mut put: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        put(out, item);
    }
    out.push(b']');
}

/// Appends a string, all of `parts`.
pub(super) fn push_string<'t>(out: &mut Vec<u8>, parts: impl IntoIterator<Item = &'t str>) {
    out.push(b'"');
    parts.into_iter().for_each(|part| push_escaped(out, part));
    out.push(b'"');
}

/// Appends what `text` prints as a string.
pub(super) fn push_printed(out: &mut Vec<u8>, text: &impl fmt::Display) {
    struct Escaping<'o>(&'o mut Vec<u8>);

    impl fmt::Write for Escaping<'_> {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            push_escaped(self.0, part);
            Ok(())
        }
    }

    out.push(b'"');
    write!(Escaping(out), "{text}").expect("a Vec takes all");
    out.push(b'"');
}

/// Appends the string `text`, of which `part` is a slice that has been written, escaped, at `written`.
pub(super) fn push_string_with(out: &mut Vec<u8>, text: &str, part: &str, written: Range<usize>) {
    let at = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    match text.get(at..).and_then(|rest| rest.strip_prefix(part)) {
        Some(rest) if !part.is_empty() => {
            out.push(b'"');
            push_escaped(out, &text[..at]);
            out.extend_from_within(written);
            push_escaped(out, rest);
            out.push(b'"');
        }
        _ => push_string(out, [text]),
    }
}

/// Appends `text` as it stands in a string.
fn push_escaped(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.reserve(text.len());
    let mut rest = text.as_bytes();
    while let Some(at) = find_escaped(rest) {
        out.extend_from_slice(&rest[..at]);
        let short = match rest[at] {
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0C => b'f',
            byte @ (b'"' | b'\\') => byte,
            byte => {
                out.extend_from_slice(b"\\u00");
                out.extend([byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]));
                rest = &rest[at + 1..];
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// The first byte that can't stand in a string: a control, a quote or a backslash.
fn find_escaped(text: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    /// The high bit of each byte below `limit`, which is at most 0x80. Behind the first one, others may be set too.
    const fn below(bytes: u64, limit: u64) -> u64 {
        bytes.wrapping_sub(ONES * limit) & !bytes & HIGH
    }
    let (words, tail) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let bytes = u64::from_le_bytes(*word);
        let found = below(bytes, 0x20) | below(bytes ^ (ONES * 0x22), 1) | below(bytes ^ (ONES * 0x5C), 1);
        if found != 0 {
            return Some(i * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let found = tail.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'))?;
    Some(words.len() * 8 + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> String {
        let mut out = Vec::new();
        push_string(&mut out, [text]);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_as_serde_writes_them() {
        let chars = (0..0x180).filter_map(char::from_u32).chain(['漢', '\u{2028}', '😀', '\u{7f}', '\u{10FFFF}']);
        for c in chars {
            for before in 0..20 {
                for after in [0, 1, 7, 8, 9] {
                    let text = format!("{}{c}{}", "x".repeat(before), "é".repeat(after));
                    assert_eq!(string(&text), serde_json::to_string(&text).unwrap());
                }
            }
        }
        let pairs =
            (0..0x80u8).flat_map(|a| (0..0x80u8).map(move |b| format!("ab{}{}xyzuvw", char::from(a), char::from(b))));
        pairs.for_each(|text| assert_eq!(string(&text), serde_json::to_string(&text).unwrap()));
    }

    #[test]
    fn a_part_is_copied() {
        let text = "a\n\"b\\\"c\n";
        for start in 0..text.len() {
            for end in start..=text.len() {
                let part = &text[start..end];
                let mut out = b"!".to_vec();
                push_string(&mut out, [part]);
                let written = 2..out.len() - 1;
                let from = out.len();
                push_string_with(&mut out, text, part, written);
                assert_eq!(out[from..], *string(text).as_bytes());
            }
        }
        // One that is not a part of it is not taken for one.
        let mut out = Vec::new();
        push_string_with(&mut out, text, &String::from("b"), 0..0);
        assert_eq!(out, string(text).as_bytes());
    }

    #[test]
    fn what_prints() {
        let mut out = Vec::new();
        push_printed(&mut out, &format_args!("{}\n{:?}", 1, "x"));
        assert_eq!(out, br#""1\n\"x\"""#);
    }
}
