//! What is open in the middle of a reply, for a client that shows it while it grows.

use crate::attrs::{AttrValue, Attrs};
use crate::diagnostic::{DiagnosticCode, Name};
use crate::protocol::Policy;
use crate::scan::seed::{Open, OpenKind};
use crate::scan::{Scanner, Window};
use crate::span::Span;
use crate::storage::HeapStorage;

/// What is open in the middle of a reply. Provisional, and of another type than [`Tag`](crate::Tag), so that it is not carried out by
/// mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pending<'a> {
    /// A token that has not ended: the longest suffix of the text that may still become one.
    Token {
        /// Its text so far, from its `[`.
        text: &'a str,
        /// Its offset in the reply, in bytes.
        start: usize,
    },
    /// A granted tag that waits for its close.
    Open(OpenTag<'a>),
    /// An unknown or refused tag that waits for its close. If the close comes, all of it is dropped, otherwise only its token.
    Held {
        /// Its name.
        name: Name<'a>,
        /// [`DiagnosticCode::UnknownTag`] or [`DiagnosticCode::NotAllowed`].
        code: DiagnosticCode,
        /// The text after its token so far.
        text: &'a str,
        /// The offset of its token in the reply, in bytes.
        start: usize,
    },
    /// A tag over [`Limits::max_tag_bytes`](crate::Limits::max_tag_bytes), which is dropped up to its close.
    TooLong {
        /// Its name.
        name: Name<'a>,
        /// The offset of its token in the reply, in bytes.
        start: usize,
    },
}

/// A granted tag that waits for its close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenTag<'a> {
    name: &'a str,
    attrs: Attrs<'a>,
    body: &'a str,
    start: usize,
    is_over_budget: bool,
}

impl<'a> OpenTag<'a> {
    /// Its name as the protocol has it, in upper case.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Its attributes, which will not change.
    pub fn attrs(&self) -> Attrs<'a> {
        self.attrs
    }

    /// The value of one attribute; the last one if the key is repeated.
    pub fn attr(&self, key: &str) -> Option<AttrValue<'a>> {
        self.attrs.get(key)
    }

    /// Its body so far, without the longest suffix that may begin its close: it only grows from feed to feed.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// The offset of its token in the reply, in bytes.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Whether its budget is exhausted, so that it will be dropped when it closes.
    pub fn is_over_budget(&self) -> bool {
        self.is_over_budget
    }
}

/// Reads what is open from the state of the scanner. `window` is the text held.
pub(super) fn of<'a>(
    scanner: &'a Scanner<HeapStorage>,
    window: &Window<'a>,
    policy: &'a Policy<'_>,
) -> Option<Pending<'a>> {
    let Scanner::Seed(machine) = scanner;
    let rest = |start| window.text(Span::new(start, window.end()));
    if let Some(start) = machine.token_start(window) {
        return Some(Pending::Token { text: rest(start), start });
    }
    let open = machine.open_token()?;
    let Open { kind, token, is_too_long, .. } = *open;
    let start = token.span.start;
    let name = match kind {
        OpenKind::Accepted(id) | OpenKind::Refused(id) => Name(policy.protocol().name_of(id)),
        OpenKind::Unknown if is_too_long => Name(machine.long_name()),
        OpenKind::Unknown => Name(window.text(token.name)),
    };
    Some(match kind {
        _ if is_too_long => Pending::TooLong { name, start },
        OpenKind::Accepted(id) => Pending::Open(OpenTag {
            name: policy.protocol().name_of(id),
            attrs: Attrs::new(window.text(token.span), token.attrs),
            body: window.text(Span::new(token.span.end, machine.body_end(open, window))),
            start,
            is_over_budget: machine.is_used_up(policy, id),
        }),
        OpenKind::Refused(_) => {
            Pending::Held { name, code: DiagnosticCode::NotAllowed, text: rest(token.span.end), start }
        }
        OpenKind::Unknown => {
            Pending::Held { name, code: DiagnosticCode::UnknownTag, text: rest(token.span.end), start }
        }
    })
}
