//! A range of bytes in a reply.

use core::fmt;
use core::ops::Range;

/// A range of byte offsets, half open. Public spans count from the start of the reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The empty span at offset 0, for fields that are not in use.
    pub(crate) const NONE: Span = Span::new(0, 0);

    /// Creates the span from `start` up to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// Translates a span relative to `start` into reply offsets.
    #[inline]
    pub(crate) const fn offset_by(self, start: usize) -> Self {
        Span::new(start + self.start, start + self.end)
    }

    /// The length in bytes; 0 if the span ends before it starts.
    pub const fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span covers no byte.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The span as a range, to slice the reply with.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
