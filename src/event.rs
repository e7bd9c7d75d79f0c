//! What is found in a reply: prose, tags, dropped text, and diagnostics.

use alloc::string::String;

use crate::diagnostic::{Diagnostic, OwnedDiagnostic};
use crate::span::Span;
use crate::tag::{OwnedTag, Tag};

/// One thing found in a reply.
///
/// `Prose`, `Tag`, `Dropped` and `Region` tile the reply: their spans, in order, cover each byte once. A diagnostic comes before the tile that it
/// concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text outside of tags, not stripped. Never empty.
    Prose {
        /// The text.
        text: &'a str,
        /// Its span in the reply.
        span: Span,
    },
    /// A complete tag that the policy grants.
    Tag(Tag<'a>),
    /// Text that is neither prose nor a tag: a stray close; an unknown or refused token, with its body and close if it has one; the
    /// token of an unclosed tag; a tag that is over its budget or too long; and in a reply that was cut off, everything from an
    /// unclosed tag of the protocol to the end.
    Dropped {
        /// Its span in the reply.
        span: Span,
    },
    /// A region of the protocol, such as a model's thinking, or the next part of one: text between two markers, in which nothing is read.
    /// Only in the strict dialect.
    Region {
        /// The name of the region.
        name: &'a str,
        /// The text, with the markers. Never empty.
        text: &'a str,
        /// Its span in the reply.
        span: Span,
        /// Whether the region ends here; otherwise the next tile is another part of it.
        is_last: bool,
    },
    /// A mistake of the model.
    Diagnostic(Diagnostic<'a>),
}

impl Event<'_> {
    /// The span of what was found. The span of a diagnostic is not a tile.
    pub fn span(&self) -> Span {
        match self {
            Event::Prose { span, .. } | Event::Dropped { span } | Event::Region { span, .. } => *span,
            Event::Tag(tag) => tag.span(),
            Event::Diagnostic(diagnostic) => diagnostic.span(),
        }
    }

    /// Copies all text, so that the event outlives the reply and the next chunk.
    pub fn into_owned(self) -> OwnedEvent {
        match self {
            Event::Prose { text, span } => OwnedEvent::Prose { text: text.into(), span },
            Event::Tag(tag) => OwnedEvent::Tag(tag.into_owned()),
            Event::Dropped { span } => OwnedEvent::Dropped { span },
            Event::Region { name, text, span, is_last } => {
                OwnedEvent::Region { name: name.into(), text: text.into(), span, is_last }
            }
            Event::Diagnostic(diagnostic) => OwnedEvent::Diagnostic(diagnostic.into_owned()),
        }
    }
}

/// How a reply ended.
///
/// Exhaustive on purpose: parsing depends only on whether text may be missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The model ended the reply.
    #[default]
    Complete,
    /// The reply was cut off by its server (`finish_reason` `length`, `stop_reason` `max_tokens`) or by a broken connection.
    ///
    /// Then no tag after one that still waits for its close is read, since it may be part of a body that was cut off: the text after a
    /// tag of the protocol is dropped, and after an unknown one it is prose.
    Truncated,
}

/// An [`Event`] with copies of its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnedEvent {
    /// An [`Event::Prose`].
    Prose {
        /// The text.
        text: String,
        /// Its span in the reply.
        span: Span,
    },
    /// An [`Event::Tag`].
    Tag(OwnedTag),
    /// An [`Event::Dropped`].
    Dropped {
        /// Its span in the reply.
        span: Span,
    },
    /// An [`Event::Region`].
    Region {
        /// The name of the region.
        name: String,
        /// The text, with the markers.
        text: String,
        /// Its span in the reply.
        span: Span,
        /// Whether the region ends here.
        is_last: bool,
    },
    /// An [`Event::Diagnostic`].
    Diagnostic(OwnedDiagnostic),
}

impl OwnedEvent {
    /// Borrows the event.
    pub fn as_event(&self) -> Event<'_> {
        match self {
            OwnedEvent::Prose { text, span } => Event::Prose { text, span: *span },
            OwnedEvent::Tag(tag) => Event::Tag(tag.as_tag()),
            OwnedEvent::Dropped { span } => Event::Dropped { span: *span },
            OwnedEvent::Region { name, text, span, is_last } => {
                Event::Region { name, text, span: *span, is_last: *is_last }
            }
            OwnedEvent::Diagnostic(diagnostic) => Event::Diagnostic(diagnostic.as_diagnostic()),
        }
    }

    /// The span of what was found.
    pub fn span(&self) -> Span {
        self.as_event().span()
    }
}

impl From<Event<'_>> for OwnedEvent {
    fn from(event: Event<'_>) -> Self {
        event.into_owned()
    }
}
