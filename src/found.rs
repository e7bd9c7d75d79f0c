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

/// Takes what is found, in order.
pub(crate) trait Sink {
    fn put(&mut self, found: Found);
}
