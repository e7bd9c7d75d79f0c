//! The characters of names and keys: `[A-Za-z_][A-Za-z0-9_]*`.

/// Whether `byte` can begin a name or a key.
#[inline]
pub(crate) const fn starts_ident(byte: u8) -> bool {
    CLASS[byte as usize] & STARTS != 0
}

/// Whether `byte` can continue a name or a key.
#[inline]
pub(crate) const fn is_ident(byte: u8) -> bool {
    CLASS[byte as usize] & CONTINUES != 0
}

/// The number of letters, digits and `_` at the start of `text`.
#[inline]
pub(crate) fn ident_len(text: &[u8]) -> usize {
    let len = text.iter().position(|&byte| !is_ident(byte)).unwrap_or(text.len());
    count_work!(len);
    len
}

const STARTS: u8 = 1;
const CONTINUES: u8 = 2;

/// A table, since every byte of a token is classified: half the instructions of the comparisons.
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        if c.is_ascii_alphabetic() || c == b'_' {
            class[byte] = STARTS | CONTINUES;
        } else if c.is_ascii_digit() {
            class[byte] = CONTINUES;
        }
        byte += 1;
    }
    class
};
