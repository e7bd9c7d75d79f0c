//! What the machine finds, in offsets of the reply.

use crate::attrs::Known;
use crate::event::Span;
use crate::protocol::TagId;

/// One thing found. `resolve.rs` turns it into an event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Prose(Span),
    Tag { id: TagId, span: Span, body: Span, known: Known },
    Dropped(Span),
    StrayClose { token: Span, inner: Span },
    UnknownTag { token: Span, name: Span },
    NotAllowed { token: Span, id: TagId },
    MalformedAttribute { id: TagId, fragment: Span },
    Unclosed { token: Span, id: TagId },
    CutOff { token: Span, id: TagId },
    CutOffUnread { token: Span, name: Span },
    OverBudget { token: Span, id: TagId, budget: usize },
    TooLong { token: Span, name: Span },
}

impl Found {
    /// Where the text begins that it will need; none where it needs none.
    pub(crate) fn text_from(&self) -> Option<usize> {
        match self {
            Found::Dropped(_) => None,
            Found::Prose(span) | Found::Tag { span, .. } | Found::MalformedAttribute { fragment: span, .. } => {
                Some(span.start)
            }
            Found::StrayClose { token, .. }
            | Found::UnknownTag { token, .. }
            | Found::NotAllowed { token, .. }
            | Found::Unclosed { token, .. }
            | Found::CutOff { token, .. }
            | Found::CutOffUnread { token, .. }
            | Found::OverBudget { token, .. }
            | Found::TooLong { token, .. } => Some(token.start),
        }
    }
}

/// Takes what is found, in order.
pub(crate) trait Sink {
    fn put(&mut self, found: Found);
}
