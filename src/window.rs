//! A window into a reply: text with its offset.

use crate::span::Span;

/// The part of a reply that is in memory. All offsets, in and out, count from the start of the reply, so that none changes when
/// the carry drops a prefix.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a> {
    text: &'a str,
    /// Offset of `text` in the reply.
    base: usize,
}

impl<'a> Window<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str, base: usize) -> Self {
        Window { text, base }
    }

    /// The offset after the last byte.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// The bytes from `pos` to the end of the window.
    #[inline]
    pub(crate) fn from(&self, pos: usize) -> &'a [u8] {
        &self.text.as_bytes()[pos - self.base..]
    }

    #[inline]
    pub(crate) fn byte(&self, pos: usize) -> Option<u8> {
        self.text.as_bytes().get(pos - self.base).copied()
    }

    #[inline]
    pub(crate) fn bytes(&self, span: Span) -> &'a [u8] {
        &self.text.as_bytes()[span.start - self.base..span.end - self.base]
    }

    /// The text of `span`, which must begin and end at character boundaries.
    #[inline]
    pub(crate) fn text(&self, span: Span) -> &'a str {
        &self.text[span.start - self.base..span.end - self.base]
    }
}
