//! What is open in the middle of a reply, for whoever shows it while it grows.

use crate::attrs::Attrs;
use crate::diagnostic::{Code, Name};
use crate::event::Span;
use crate::scan::{Open, OpenKind};
use crate::stream::Parser;

impl Parser<'_> {
    /// What is open now, after the events so far were taken; none when all text so far is given.
    ///
    /// It is provisional: what comes may still make it something else. None while events wait that an iterator left when it
    /// was dropped early, so that it never runs ahead of them; and none after one was leaked, since what it had not given may be
    /// lost. Constant time.
    pub fn pending(&self) -> Option<Pending<'_>> {
        if self.is_leaked() || self.is_any_left() {
            return None;
        }
        let (scan, window, policy) = (self.scan(), self.held(), self.held_policy());
        let rest = |start| window.text(Span::new(start, window.end()));
        if let Some(start) = scan.token_start(&window) {
            return Some(Pending::Token { text: rest(start), start });
        }
        let open = scan.waiting()?;
        let Open { kind, token, is_too_long, .. } = *open;
        let start = token.span.start;
        let name = match kind {
            OpenKind::Accepted(id) | OpenKind::Refused(id) => Name(policy.protocol().name_of(id)),
            OpenKind::Unknown if is_too_long => Name(scan.long_name()),
            OpenKind::Unknown => Name(window.text(token.name)),
        };
        Some(match kind {
            _ if is_too_long => Pending::TooLong { name, start },
            OpenKind::Accepted(id) => Pending::Open(OpenTag {
                name: policy.protocol().name_of(id),
                attrs: Attrs::new(window.text(token.span), token.known),
                body: window.text(Span::new(token.span.end, scan.held_from(open, &window))),
                start,
                is_over_budget: scan.is_used_up(policy, id),
            }),
            OpenKind::Refused(_) => Pending::Held { name, code: Code::NotAllowed, text: rest(token.span.end), start },
            OpenKind::Unknown => Pending::Held { name, code: Code::UnknownTag, text: rest(token.span.end), start },
        })
    }
}

/// What is open in the middle of a reply. Provisional, and of another type than a [`Tag`](crate::Tag), so that nobody carries
/// it out by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pending<'a> {
    /// A token that has not ended: the longest end of the text that may still become one.
    Token {
        /// It so far, from its `[`.
        text: &'a str,
        /// Where it begins, in bytes from the start of the reply.
        start: usize,
    },
    /// A tag that is let through, and waits for its close.
    Open(OpenTag<'a>),
    /// An unknown or refused tag that waits for its close. If that comes, all of it is dropped, else only its token.
    Held {
        /// Its name.
        name: Name<'a>,
        /// [`Code::UnknownTag`] or [`Code::NotAllowed`].
        code: Code,
        /// The text behind its token so far.
        text: &'a str,
        /// Where its token begins, in bytes from the start of the reply.
        start: usize,
    },
    /// A tag over [`Limits::max_tag_bytes`](crate::Limits::max_tag_bytes), which is dropped up to its close.
    TooLong {
        /// Its name.
        name: Name<'a>,
        /// Where its token begins, in bytes from the start of the reply.
        start: usize,
    },
}

/// A tag that waits for its close.
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

    /// Its attributes, which are final.
    pub fn attrs(&self) -> Attrs<'a> {
        self.attrs
    }

    /// The value of one attribute, as written; the last one where it is repeated.
    pub fn attr(&self, key: &str) -> Option<&'a str> {
        self.attrs.get(key)
    }

    /// Its body so far, without the longest end that may begin its close: from feed to feed it only grows.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// Where its token begins, in bytes from the start of the reply.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Whether its budget is used up, so that it will be dropped when it closes.
    pub fn is_over_budget(&self) -> bool {
        self.is_over_budget
    }
}
