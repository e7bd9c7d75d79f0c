//! Tokens: what is between `[[` and `]]`. All spans in [`TokenKind`] count from the start of the token.

use crate::attrs::AttrIndex;
use crate::ident::{ident_len, starts_ident};
use crate::span::Span;
use crate::whitespace::trimmed;

/// A complete token of a tag, in offsets of the reply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) name: Span,
    /// The index of its attributes; empty for tags that are not read.
    pub(crate) attrs: AttrIndex<'static>,
}

impl Token {
    pub(super) const NONE: Token = Token { span: Span::NONE, name: Span::NONE, attrs: AttrIndex::EMPTY };
}

/// What a complete token is, before its name is looked up.
pub(super) enum TokenKind {
    /// A close, with the inner text, stripped.
    Close { inner: Span },
    /// A tag: its name, which may be empty, and the end of the attribute text after it.
    Tag { name: Span, end: usize, closes_itself: bool },
}

/// Reads a token, given with its brackets.
#[inline(always)]
pub(super) fn read(token: &str) -> TokenKind {
    let inner = trimmed(token, Span::new(2, token.len() - 2));
    let content = &token.as_bytes()[inner.range()];
    let name_len = match content.first() {
        Some(b'/') => return TokenKind::Close { inner },
        Some(&byte) if starts_ident(byte) => ident_len(content),
        _ => 0,
    };
    let name = Span::new(inner.start, inner.start + name_len);
    match content.last() {
        Some(b'/') => {
            let end = trimmed(token, Span::new(inner.start, inner.end - 1)).end;
            TokenKind::Tag { name, end, closes_itself: true }
        }
        _ => TokenKind::Tag { name, end: inner.end, closes_itself: false },
    }
}
