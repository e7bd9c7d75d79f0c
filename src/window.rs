//! The text in sight, and absolute offsets into it.

use crate::event::{Finish, Span};
use crate::protocol::Policy;

/// What the machine is given with each step. One thing, passed on by reference: to copy its parts from call to call costs as
/// much as to read a short token.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'s, 'a, 'p> {
    pub(crate) policy: &'s Policy<'p>,
    pub(crate) window: Window<'a>,
    /// How the reply has ended, where the window is the end of it.
    pub(crate) end: Option<Finish>,
}

/// The part of a reply that is at hand. All offsets, in and out, are in the reply: so none has to be moved when the carry drops
/// what it no longer needs.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a> {
    text: &'a str,
    /// Where `text` begins in the reply, in bytes.
    base: usize,
}

impl<'a> Window<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str, base: usize) -> Self {
        Window { text, base }
    }

    /// Where it ends in the reply.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// The text from `at` on.
    #[inline]
    pub(crate) fn from(&self, at: usize) -> &'a [u8] {
        &self.text.as_bytes()[at - self.base..]
    }

    #[inline]
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at - self.base).copied()
    }

    /// The bytes at `span`.
    #[inline]
    pub(crate) fn bytes(&self, span: Span) -> &'a [u8] {
        &self.text.as_bytes()[span.start - self.base..span.end - self.base]
    }

    /// The text at `span`, whose ends are ends of characters.
    #[inline]
    pub(crate) fn text(&self, span: Span) -> &'a str {
        &self.text[span.start - self.base..span.end - self.base]
    }
}
