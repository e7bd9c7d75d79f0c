//! What is found in a reply: tags, prose, what is dropped, and diagnostics.

use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Range;

use crate::attrs::{Attrs, Known};
use crate::diagnostic::{Diagnostic, OwnedDiagnostic};
use crate::space;

/// A place in a reply, in bytes from its start, half open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    pub(crate) const NONE: Span = Span::new(0, 0);

    /// From `start` up to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The place that is this, in bytes from `start`.
    #[inline]
    pub(crate) const fn behind(self, start: usize) -> Self {
        Span::new(start + self.start, start + self.end)
    }

    /// Its length in bytes; 0 where it ends before it starts.
    pub const fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether it covers no byte.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same as a range, to slice the reply with.
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// One thing found in a reply.
///
/// `Prose`, `Tag` and `Dropped` tile the reply: their spans, in order, cover each byte once. A diagnostic comes before the tile
/// that it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text outside of tags, not stripped. Never empty.
    Prose {
        /// The text.
        text: &'a str,
        /// Its place.
        span: Span,
    },
    /// A complete tag that the policy lets through.
    Tag(Tag<'a>),
    /// What is neither prose nor a tag: a stray close; an unknown or refused token, with its body and close where it has one;
    /// an unclosed tag's token; a tag over its budget or too long; and in a reply that was cut off, all from an unclosed tag
    /// of the protocol to the end.
    Dropped {
        /// Its place.
        span: Span,
    },
    /// A mistake of the model.
    Diagnostic(Diagnostic<'a>),
}

impl Event<'_> {
    /// The place of what was found. A diagnostic's place tiles nothing.
    pub fn span(&self) -> Span {
        match self {
            Event::Prose { span, .. } | Event::Dropped { span } => *span,
            Event::Tag(tag) => tag.span(),
            Event::Diagnostic(diagnostic) => diagnostic.span(),
        }
    }

    /// The same with copies of all text, to keep beyond the reply or the next chunk.
    pub fn into_owned(self) -> OwnedEvent {
        match self {
            Event::Prose { text, span } => OwnedEvent::Prose { text: text.into(), span },
            Event::Tag(tag) => OwnedEvent::Tag(tag.into_owned()),
            Event::Dropped { span } => OwnedEvent::Dropped { span },
            Event::Diagnostic(diagnostic) => OwnedEvent::Diagnostic(diagnostic.into_owned()),
        }
    }
}

/// How a reply ended.
///
/// There will be no third way, since whether text may be missing is all that the reading depends on: so a host may match both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Finish {
    /// As the model ended it.
    #[default]
    Complete,
    /// It was cut off: by its server (`finish_reason` `length`, `stop_reason` `max_tokens`), or by a broken connection.
    ///
    /// Then no tag behind one that still waits for its close is read, since it may stand in a body that was cut off: behind a
    /// tag of the protocol the text is dropped, and behind an unknown one it is prose.
    Truncated,
}

/// A tag: a token with its body, both as they are written.
///
/// Two tags are equal when the same text stands at the same place of their replies and was read in the same way.
#[derive(Clone, Copy)]
pub struct Tag<'a> {
    name: &'a str,
    raw: &'a str,
    start: usize,
    /// In bytes from the start of the tag.
    body: Span,
    known: Known,
}

impl<'a> Tag<'a> {
    /// `body` is in bytes from the start of the reply.
    #[inline]
    pub(crate) fn new(name: &'a str, raw: &'a str, start: usize, body: Span, known: Known) -> Self {
        Tag { name, raw, start, body: Span::new(body.start - start, body.end - start), known }
    }

    /// Its name as the protocol has it, in upper case.
    #[inline]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Its attributes.
    #[inline]
    pub fn attrs(&self) -> Attrs<'a> {
        Attrs::new(self.raw, self.known)
    }

    /// The value of one attribute, as written; the last one where it is repeated.
    pub fn attr(&self, key: &str) -> Option<&'a str> {
        self.attrs().get(key)
    }

    /// The value of one attribute, stripped of the protocol's white space; empty where it is absent.
    pub fn attr_trimmed(&self, key: &str) -> &'a str {
        space::trim(self.attr(key).unwrap_or_default())
    }

    /// Its body, literally: all between the token and the close. Empty where it has none.
    #[inline]
    pub fn body(&self) -> &'a str {
        &self.raw[self.body.range()]
    }

    /// All of it, from the token's start to the close's end.
    #[inline]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Its place in the reply.
    #[inline]
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len())
    }

    /// The same with a copy of its text.
    pub fn into_owned(self) -> OwnedTag {
        let Tag { name, raw, start, body, known } = self;
        OwnedTag { name: name.into(), raw: raw.into(), start, body, known }
    }
}

impl PartialEq for Tag<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.span(), self.body) == (other.name, other.span(), other.body)
            && self.known == other.known
            && self.raw == other.raw
    }
}

impl Eq for Tag<'_> {}

impl Hash for Tag<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.span(), self.raw).hash(state);
    }
}

impl fmt::Debug for Tag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tag")
            .field("name", &self.name())
            .field("attrs", &self.attrs())
            .field("body", &self.body())
            .field("span", &self.span())
            .finish()
    }
}

/// As it is written in the reply.
impl fmt::Display for Tag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw)
    }
}

/// An [`Event`] with copies of its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnedEvent {
    /// As [`Event::Prose`].
    Prose {
        /// The text.
        text: String,
        /// Its place.
        span: Span,
    },
    /// As [`Event::Tag`].
    Tag(OwnedTag),
    /// As [`Event::Dropped`].
    Dropped {
        /// Its place.
        span: Span,
    },
    /// As [`Event::Diagnostic`].
    Diagnostic(OwnedDiagnostic),
}

impl OwnedEvent {
    /// The place of what was found.
    pub fn span(&self) -> Span {
        match self {
            OwnedEvent::Prose { span, .. } | OwnedEvent::Dropped { span } => *span,
            OwnedEvent::Tag(tag) => tag.as_tag().span(),
            OwnedEvent::Diagnostic(diagnostic) => diagnostic.span(),
        }
    }
}

/// A [`Tag`] with a copy of its text. [`OwnedTag::as_tag`] reads it.
#[derive(Clone)]
pub struct OwnedTag {
    name: String,
    raw: String,
    start: usize,
    body: Span,
    known: Known,
}

impl OwnedTag {
    /// The tag, borrowed.
    pub fn as_tag(&self) -> Tag<'_> {
        Tag { name: &self.name, raw: &self.raw, start: self.start, body: self.body, known: self.known }
    }
}

impl PartialEq for OwnedTag {
    fn eq(&self, other: &Self) -> bool {
        self.as_tag() == other.as_tag()
    }
}

impl Eq for OwnedTag {}

impl Hash for OwnedTag {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_tag().hash(state);
    }
}

impl fmt::Debug for OwnedTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_tag().fmt(f)
    }
}

impl fmt::Display for OwnedTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_tag().fmt(f)
    }
}
