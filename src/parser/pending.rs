//! What is open in the middle of a reply, for a client that shows it while it grows.

use crate::attrs::{AttrValue, Attrs};
use crate::diagnostic::{DiagnosticCode, Name};
use crate::protocol::Policy;
use crate::scan::seed::{Open, OpenKind};
use crate::scan::strict::RawPending;
use crate::scan::{Scanner, Window, seed, strict, strict_tag};
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
    /// A tag over [`Limits::max_tag_bytes`](crate::Limits::max_tag_bytes), or a refused one in the strict dialect, which is dropped up to
    /// its close as it comes.
    Dropped {
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

/// Reads what is open from the state of the scanner. `window` is the text held; `has_skipped` if the fast path has passed the end of it.
pub(super) fn of<'a>(
    scanner: &'a Scanner,
    window: &Window<'a>,
    has_skipped: bool,
    policy: &'a Policy<'_>,
) -> Option<Pending<'a>> {
    match scanner {
        Scanner::Seed(machine) => of_seed(machine, window, has_skipped, policy),
        Scanner::Strict(machine) => of_strict(machine, window, policy),
    }
}

fn of_strict<'a>(
    machine: &'a strict::Machine<HeapStorage>,
    window: &Window<'a>,
    policy: &'a Policy<'_>,
) -> Option<Pending<'a>> {
    let rest = |start| window.text(Span::new(start, window.end()));
    Some(match machine.pending(policy, window)? {
        RawPending::Token { start } => Pending::Token { text: rest(start), start },
        RawPending::Open { tag, is_over_budget } => {
            let tag = strict_tag(&tag, policy.protocol(), window);
            let start = tag.span().start;
            Pending::Open(OpenTag { name: tag.name(), attrs: tag.attrs(), body: tag.body(), start, is_over_budget })
        }
        RawPending::Held { name, start, from } => {
            Pending::Held { name: Name::exact(name), code: DiagnosticCode::UnknownTag, text: rest(from), start }
        }
        RawPending::Dropped { name, start } => Pending::Dropped { name: Name::exact(name), start },
    })
}

fn of_seed<'a>(
    machine: &'a seed::Machine<HeapStorage>,
    window: &Window<'a>,
    has_skipped: bool,
    policy: &'a Policy<'_>,
) -> Option<Pending<'a>> {
    let rest = |start| window.text(Span::new(start, window.end()));
    if let Some(start) = machine.token_start(window) {
        return Some(Pending::Token { text: rest(start), start });
    }
    let open = machine.open_token()?;
    let Open { kind, token, is_too_long, .. } = *open;
    let start = token.span.start;
    let name = match kind {
        OpenKind::Accepted(id) | OpenKind::Refused(id) => Name::upper(policy.protocol().name_of(id)),
        OpenKind::Unknown if is_too_long => Name::upper(machine.long_name()),
        OpenKind::Unknown => Name::upper(window.text(token.name)),
    };
    // A chunk that the fast path passes holds no part of a close.
    let body_end = || if has_skipped { window.end() } else { machine.body_end(open, window) };
    Some(match kind {
        _ if is_too_long => Pending::Dropped { name, start },
        OpenKind::Accepted(id) => Pending::Open(OpenTag {
            name: policy.protocol().name_of(id),
            attrs: Attrs::new(window.text(token.span), token.attrs),
            body: window.text(Span::new(token.span.end, body_end())),
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
