//! What is inside a token. All places are in bytes from its start.

use crate::event::Span;
use crate::space;

/// What a complete token is, before anything is known of its name.
pub(crate) enum Content {
    /// A close, with the inner text, stripped.
    Close { inner: Span },
    /// A tag: its name, possibly empty, and where the text behind that ends, which is all attributes.
    Tag { name: Span, end: usize, closes_itself: bool },
}

/// Reads a token, which is all between `[[` and `]]` and these.
#[inline(always)]
pub(crate) fn read(token: &str) -> Content {
    let inner = space::trimmed(token, Span::new(2, token.len() - 2));
    let content = &token.as_bytes()[inner.range()];
    let name_len = match content.first() {
        Some(b'/') => return Content::Close { inner },
        Some(&byte) if space::starts_word(byte) => space::word_len(content),
        _ => 0,
    };
    let name = Span::new(inner.start, inner.start + name_len);
    match content.last() {
        Some(b'/') => {
            let end = space::trimmed(token, Span::new(inner.start, inner.end - 1)).end;
            Content::Tag { name, end, closes_itself: true }
        }
        _ => Content::Tag { name, end: inner.end, closes_itself: false },
    }
}
