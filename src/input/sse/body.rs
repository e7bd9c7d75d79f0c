//! What the body is: an event stream, or what servers send in its place.

use alloc::string::String;

use super::error::{Error, Kind, MAX_SHOWN};

/// The start of a body: tells a page and compressed bytes from an event stream, and is shown where nothing was understood.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    /// The first two bytes.
    head: [u8; 2],
    head_len: usize,
    /// The first characters that are not white space.
    start: String,
    start_chars: usize,
}

impl Body {
    /// Looks at the next bytes.
    pub(super) fn check_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        for &byte in bytes.iter().take(self.head.len() - self.head_len) {
            self.head[self.head_len] = byte;
            self.head_len += 1;
        }
        let magic = MAGICS.iter().find(|(magic, _)| self.head_len == 2 && *magic == self.head);
        magic.map_or(Ok(()), |(_, what)| Err(Kind::NotText(what).into()))
    }

    /// Looks at the next text, and returns what is to be read as events: nothing of a page, nor a first byte-order mark.
    pub(super) fn text<'t>(&mut self, piece: &'t str) -> &'t str {
        let piece = if self.start.is_empty() {
            piece.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace())
        } else {
            piece
        };
        let missing = MAX_SHOWN - self.start_chars;
        for character in piece.chars().take(missing) {
            self.start.push(character);
            self.start_chars += 1;
        }
        if self.is_page() { "" } else { piece }
    }

    /// Whether it is HTML or XML: no line of an event stream begins so.
    pub(super) fn is_page(&self) -> bool {
        self.start.starts_with('<')
    }

    pub(super) fn not_an_event_stream(&self) -> Error {
        Kind::NotAnEventStream { start: self.start.trim_end().into() }.into()
    }
}

/// How bytes begin that are no text. The second byte is none of UTF-8, and the first alone is text: so the error is the same wherever the
/// bytes are cut.
const MAGICS: [([u8; 2], &str); 4] = [
    ([0x1F, 0x8B], "bytes compressed with gzip: run curl with `--compressed`, or do not ask for compression"),
    ([0x78, 0x9C], "bytes compressed with deflate: run curl with `--compressed`, or do not ask for compression"),
    ([0x78, 0xDA], "bytes compressed with deflate: run curl with `--compressed`, or do not ask for compression"),
    ([0x28, 0xB5], "bytes compressed with zstd: run curl with `--compressed`, or do not ask for compression"),
];
