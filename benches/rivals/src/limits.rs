//! The limits: the least work of any reader of such replies.

use memchr::memmem::Finder;

/// Finds every `[[` of the text. The finder is prepared, since making one costs more than a short search.
pub fn memmem(finder: &Finder<'_>, text: &str) -> usize {
    finder.find_iter(text.as_bytes()).count()
}

/// Copies the text.
pub fn memcpy(text: &str, copy: &mut Vec<u8>) -> usize {
    copy.clear();
    copy.extend_from_slice(text.as_bytes());
    copy.len()
}

/// Keeps each chunk.
pub fn append<'t>(chunks: impl Iterator<Item = &'t str>, carry: &mut String) -> usize {
    carry.clear();
    chunks.for_each(|chunk| carry.push_str(chunk));
    carry.len()
}

/// Keeps each chunk, and returns the number of chunks with a bracket.
pub fn append_and_memchr<'t>(chunks: impl Iterator<Item = &'t str>, carry: &mut String) -> usize {
    carry.clear();
    let mut count = 0;
    for chunk in chunks {
        carry.push_str(chunk);
        count += usize::from(memchr::memchr(b'[', chunk.as_bytes()).is_some());
    }
    count
}
