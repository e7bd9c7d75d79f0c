//! The index of attributes that reading a token leaves in a tag.

use core::ops::Range;

use super::strict::{ResolvedAttrs, StrictAttrs};
use crate::span::Span;

/// Where the attributes of a tag are, in bytes from its start.
// Every field is a full word: narrow stores followed by a wide load would defeat store-to-load forwarding.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum AttrIndex<'a> {
    /// The ranges of a few distinct attributes, which nearly all tags have. [`AttrRange::NONE`] follows the last one.
    Ranges([AttrRange; INDEXED]),
    /// The text of many, distant or repeated attributes, which are read again on demand.
    Text { span: Span, repeats: Repeats },
    /// Those of a tag in the strict dialect, which are read again on demand.
    Strict(StrictAttrs<'a>),
    /// Those of a copied tag in the strict dialect.
    Resolved(&'a ResolvedAttrs),
}

impl AttrIndex<'_> {
    pub(crate) const EMPTY: AttrIndex<'static> = AttrIndex::Ranges([AttrRange::NONE; INDEXED]);
}

/// Whether a key may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Repeats {
    /// All keys are distinct.
    None,
    /// A key is repeated, and there are few enough attributes to compare each with each.
    AmongFew,
    /// There are more attributes than that, and a key may be repeated.
    AmongMany,
}

/// The key and value ranges of one attribute, relative to the tag. Packed into 8 bytes to keep `Tag` within 96.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(8))]
pub(crate) struct AttrRange {
    key: u16,
    key_end: u16,
    value: u16,
    value_end: u16,
}

impl AttrRange {
    pub(super) const NONE: AttrRange = AttrRange { key: 0, key_end: 0, value: 0, value_end: 0 };

    /// Returns `None` if the attribute is too far from the start of the tag.
    #[inline]
    pub(super) fn new(key: &Range<usize>, value: &Range<usize>) -> Option<Self> {
        let value_end = u16::try_from(value.end).ok()?;
        // The other offsets are lower.
        let narrow = |offset: usize| offset as u16;
        Some(AttrRange { key: narrow(key.start), key_end: narrow(key.end), value: narrow(value.start), value_end })
    }

    #[inline]
    pub(super) fn key(self) -> Range<usize> {
        self.key.into()..self.key_end.into()
    }

    #[inline]
    pub(super) fn resolve(self, text: &str) -> (&str, &str) {
        (&text[self.key()], &text[self.value.into()..self.value_end.into()])
    }
}

/// The number of attributes an index has ranges for: as many as fit into the 96 bytes of a `Tag`.
pub(super) const INDEXED: usize = 4;
