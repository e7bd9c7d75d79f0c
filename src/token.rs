//! What is inside a token.

use crate::attrs::{self, Known};
use crate::event::{Parts, Span};
use crate::space;
use crate::window::Window;

/// A token and its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) attrs: Span,
    pub(crate) known: Known,
}

impl Token {
    pub(crate) const NONE: Token =
        Token { span: Span::NONE, name: Span::NONE, attrs: Span::NONE, known: Known::NOTHING };

    /// Its parts as those of a tag with this body.
    pub(crate) fn parts(&self, body: Span) -> Parts {
        let from_start = |span: Span| Span::new(span.start - self.span.start, span.end - self.span.start);
        Parts { attrs: from_start(self.attrs), body: from_start(body), known: self.known }
    }
}

/// What a complete token is, before anything is known of its name.
pub(crate) enum Content {
    /// A close, with the inner text, stripped.
    Close { inner: Span },
    /// A tag, whose attributes are all the text behind its name.
    Tag { token: Token, closes_itself: bool },
}

/// Reads a token, which is all between `[[` and `]]` and these.
#[inline(always)]
pub(crate) fn read(window: Window<'_>, span: Span) -> Content {
    let inner = Span::new(span.start + 2, span.end - 2);
    let trimmed = space::trim_start(window.text(inner));
    let from = inner.end - trimmed.len();
    let trimmed = space::trim_end(trimmed);
    if trimmed.as_bytes().first() == Some(&b'/') {
        return Content::Close { inner: Span::new(from, from + trimmed.len()) };
    }
    let (content, closes_itself) = match trimmed.as_bytes().last() {
        Some(b'/') => (space::trim_end(&trimmed[..trimmed.len() - 1]), true),
        _ => (trimmed, false),
    };
    let name = Span::new(from, from + name_len(content.as_bytes()));
    let attrs = Span::new(name.end, from + content.len());
    Content::Tag { token: Token { span, name, attrs, known: Known::NOTHING }, closes_itself }
}

impl Token {
    /// Reads the attributes. What follows the last of them, stripped, is no longer theirs; possibly nothing.
    pub(crate) fn read_attrs(&mut self, window: Window<'_>) -> Span {
        let survey = attrs::survey(window.text(self.attrs));
        let behind = Span::new(self.attrs.start + survey.end, self.attrs.end);
        self.known = survey.known;
        self.attrs.end = behind.start;
        if behind.is_empty() {
            return behind;
        }
        let leftover = space::trim_start(window.text(behind));
        let start = behind.end - leftover.len();
        Span::new(start, start + space::trim_end(leftover).len())
    }
}

/// The length of the name at the start of a token's content; possibly 0.
#[inline]
fn name_len(content: &[u8]) -> usize {
    if !content.first().is_some_and(|&byte| space::starts_word(byte)) {
        return 0;
    }
    let len = content.iter().position(|&byte| !space::is_word(byte)).unwrap_or(content.len());
    steps!(len);
    len
}
