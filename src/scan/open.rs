//! A token that waits for its close: how it is found, and what becomes of one that does not come.

use crate::attrs::Known;
use crate::close::Search;
use crate::event::{Finish, Span};
use crate::found::{Found, Sink};
use crate::protocol::{Policy, TagId};
use crate::store::{List as _, Store};
use crate::window::{Sight, Window};

use super::{Scan, State};

/// A token that waits for its close.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) kind: OpenKind,
    pub(crate) token: Token,
    pub(super) search: Search,
    /// It is over the longest tag's length: its text is dropped as it comes.
    pub(crate) is_too_long: bool,
}

/// A complete token of a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) name: Span,
    /// Of its attributes, where they are read.
    pub(crate) known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenKind {
    Accepted(TagId),
    Refused(TagId),
    Unknown,
}

impl OpenKind {
    /// The name that its close must have; an unknown one as it is `written`.
    #[inline(always)]
    pub(super) fn name<'s, 'a: 's>(self, sight: &Sight<'s, 'a, '_>, written: Span) -> &'s [u8] {
        match self {
            OpenKind::Accepted(id) | OpenKind::Refused(id) => sight.policy.protocol().name_of(id).as_bytes(),
            OpenKind::Unknown => sight.window.bytes(written),
        }
    }
}

impl Open {
    pub(super) const NONE: Open =
        Open::new(OpenKind::Unknown, Token { span: Span::NONE, name: Span::NONE, known: Known::NOTHING });

    pub(super) const fn new(kind: OpenKind, token: Token) -> Self {
        Open { kind, token, search: Search::NONE, is_too_long: false }
    }
}

impl<S: Store> Scan<S> {
    /// Looks for the close in the text in sight.
    pub(crate) fn wait(&mut self, sight: &Sight<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let Sight { policy, ref window, end } = *sight;
        let open = &mut self.open;
        let name = match open.kind {
            OpenKind::Unknown if open.is_too_long => &self.long_name,
            kind => kind.name(sight, open.token.name),
        };
        let ahead = (!open.is_too_long).then_some(&mut self.ahead);
        let close = open.search.run(policy.opening(), window, &mut self.at, name, ahead);
        let reach = close.map_or(window.end(), |close| close.end);
        if reach > policy.limits().tag_end(self.open.token.span.start) && !self.open.is_too_long {
            self.turn_too_long(window, sink);
        }
        match (close, end) {
            (Some(close), _) => {
                let open = self.open;
                self.ahead.clear();
                self.closed(policy, &open, close, sink);
            }
            (None, None) => return false,
            (None, Some(finish)) => self.ended(window, finish, sink),
        }
        self.long_name.clear();
        self.state = State::Prose;
        true
    }

    /// From here on the text is dropped as it comes, so all that is still needed of it is kept elsewhere.
    fn turn_too_long(&mut self, window: &Window<'_>, sink: &mut impl Sink) {
        let Token { span: token, name, .. } = self.open.token;
        self.open.is_too_long = true;
        self.ahead.clear();
        if self.open.kind == OpenKind::Unknown {
            steps!(name.len());
            window.text(name).bytes().for_each(|byte| self.long_name.push(byte));
        }
        sink.put(Found::TooLong { token, name });
    }

    /// A token that has met its close.
    pub(super) fn closed(&mut self, policy: &Policy<'_>, open: &Open, close: Span, sink: &mut impl Sink) {
        self.at = close.end;
        let token = &open.token;
        match open.kind {
            OpenKind::Accepted(id) if !open.is_too_long => {
                let body = Span::new(token.span.end, close.start);
                self.accept(policy, id, token, body, close.end, sink);
            }
            _ => self.drop_tile(Span::new(token.span.start, close.end), sink),
        }
    }

    /// The reply has ended, and the close has not come.
    fn ended(&mut self, window: &Window<'_>, finish: Finish, sink: &mut impl Sink) {
        let token = self.open.token.span;
        let rest = Span::new(token.start, window.end());
        match (finish, self.open.kind) {
            _ if self.open.is_too_long => self.drop_rest(rest, sink),
            (Finish::Complete, kind) => {
                self.ahead.complete(window);
                self.unclosed(kind, token, sink);
            }
            // Where the reply was cut off the text may be a body that was, so none of it is read for tags.
            (Finish::Truncated, OpenKind::Accepted(id) | OpenKind::Refused(id)) => {
                sink.put(Found::CutOff { token, id });
                self.drop_rest(rest, sink);
            }
            (Finish::Truncated, OpenKind::Unknown) => {
                if self.ahead.has_marks() {
                    sink.put(Found::CutOffUnread { token, name: self.open.token.name });
                }
                self.drop_tile(token, sink);
                self.at = window.end();
            }
        }
    }

    /// The text behind the token is read as if it stood alone.
    pub(super) fn unclosed(&mut self, kind: OpenKind, token: Span, sink: &mut impl Sink) {
        if let OpenKind::Accepted(id) = kind {
            sink.put(Found::Unclosed { token, id });
        }
        self.at = token.end;
        self.drop_tile(token, sink);
    }

    fn drop_rest(&mut self, rest: Span, sink: &mut impl Sink) {
        self.at = rest.end;
        self.drop_tile(rest, sink);
    }
}
