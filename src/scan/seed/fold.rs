//! Case folding of names in closes: what Python's `re.IGNORECASE` does to the letters of a name.

use core::cmp::Ordering;

use crate::ident::is_ident;

/// The name letter at `pos` in upper case, and its length in bytes.
///
/// Besides ASCII in any case these are the four characters that `re.IGNORECASE` matches with ASCII letters: U+017F with S, U+212A with K,
/// and U+0130 and U+0131 with I.
#[inline]
pub(super) fn fold(text: &[u8], pos: usize) -> Option<(u8, usize)> {
    match *text.get(pos)? {
        byte if is_ident(byte) => Some((byte.to_ascii_uppercase(), 1)),
        0xC4 | 0xC5 | 0xE2 => fold_wide(&text[pos..]),
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

/// Compares two names after folding. Linear in the shorter one.
pub(super) fn compare_folded(own: &[u8], name: &[u8]) -> Ordering {
    count_work!(1 + own.len().min(name.len()));
    if own == name {
        return Ordering::Equal;
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (fold(own, i), fold(name, j)) {
            (Some((a, a_len)), Some((b, b_len))) if a == b => {
                i += a_len;
                j += b_len;
            }
            (a, b) => return a.map(|(letter, _)| letter).cmp(&b.map(|(letter, _)| letter)),
        }
    }
}

/// The length in bytes of the name at the start of `text`, and the FNV-1a hash of its folded letters.
pub(super) fn hash_folded(text: &[u8]) -> (usize, u32) {
    let mut hash = 0x811C_9DC5_u32;
    let mut len = 0;
    while let Some((letter, letter_len)) = fold(text, len) {
        hash = (hash ^ u32::from(letter)).wrapping_mul(0x0100_0193);
        len += letter_len;
    }
    count_work!(len);
    (len, hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

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

    #[test]
    fn names_compare_as_they_fold() {
        let order = |a: &str, b: &str| compare_folded(a.as_bytes(), b.as_bytes());
        assert_eq!(order("aſK", "ASK"), Ordering::Equal);
        assert_eq!(order("ıİ", "II"), Ordering::Equal);
        assert_eq!(order("", ""), Ordering::Equal);
        assert_eq!(order("A", "AB"), Ordering::Less);
        assert_eq!(order("ſ", "R"), Ordering::Greater);
        assert_eq!(hash_folded("aſK rest".as_bytes()).1, hash_folded(b"ASK").1);
        assert_eq!(hash_folded("ſk]]".as_bytes()).0, "ſk".len());
    }
}
