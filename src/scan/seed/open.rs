//! The open state: a token that waits for its close, and what becomes of it.

use super::close::CloseSearch;
use super::token::Token;
use super::{Machine, State};
use crate::diagnostic::Rule;
use crate::event::Finish;
use crate::protocol::{Policy, TagId};
use crate::scan::raw_event::{RawDiagnostic, RawEvent, Sink, Subject};
use crate::scan::{Input, Window};
use crate::span::Span;
use crate::storage::{List as _, Storage};

/// A token that waits for its close.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) kind: OpenKind,
    pub(crate) token: Token,
    pub(super) search: CloseSearch,
    /// The tag is over its limit: its text is dropped as it comes.
    pub(crate) is_too_long: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenKind {
    Accepted(TagId),
    Refused(TagId),
    Unknown,
}

impl OpenKind {
    /// The name that the close must have. That of an unknown tag is `written` in the reply.
    #[inline(always)]
    pub(super) fn name<'s, 'a: 's>(self, input: &Input<'s, 'a, '_>, written: Span) -> &'s [u8] {
        match self {
            OpenKind::Accepted(id) | OpenKind::Refused(id) => input.policy.protocol().name_of(id).as_bytes(),
            OpenKind::Unknown => input.window.bytes(written),
        }
    }
}

impl Open {
    pub(super) const NONE: Open = Open::new(OpenKind::Unknown, Token::NONE);

    pub(super) const fn new(kind: OpenKind, token: Token) -> Self {
        Open { kind, token, search: CloseSearch::NONE, is_too_long: false }
    }
}

impl<S: Storage> Machine<S> {
    /// Searches the window for the close.
    pub(super) fn open(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let Input { policy, ref window, end } = *input;
        let open = &mut self.open;
        let name = match open.kind {
            OpenKind::Unknown if open.is_too_long => &self.long_name,
            kind => kind.name(input, open.token.name),
        };
        let lookahead = (!open.is_too_long).then_some(&mut self.lookahead);
        let close = open.search.run(policy.opening(), window, &mut self.pos, name, lookahead);
        let reach = close.map_or(window.end(), |close| close.end);
        if reach > policy.limits().tag_end(self.open.token.span.start) && !self.open.is_too_long {
            self.mark_too_long(policy, window, sink);
        }
        match (close, end) {
            (Some(close), _) => {
                let open = self.open;
                self.lookahead.clear();
                self.close(policy, &open, close, sink);
            }
            (None, None) => return false,
            (None, Some(finish)) => self.end_open(window, finish, sink),
        }
        self.long_name.clear();
        self.state = State::Prose;
        true
    }

    /// Starts dropping the text as it comes. Copies what is still needed of it.
    fn mark_too_long(&mut self, policy: &Policy<'_>, window: &Window<'_>, sink: &mut impl Sink) {
        let Token { span, name, .. } = self.open.token;
        self.open.is_too_long = true;
        self.lookahead.clear();
        if self.open.kind == OpenKind::Unknown {
            count_work!(name.len());
            window.text(name).bytes().for_each(|byte| self.long_name.push(byte));
        }
        // Only a limit makes a tag too long.
        let max = policy.limits().max_tag_bytes.unwrap_or(usize::MAX);
        let diagnostic = RawDiagnostic { max, ..RawDiagnostic::new(Rule::TooLong, span, Subject::Text(name)) };
        sink.emit(RawEvent::Diagnostic(diagnostic));
    }

    /// Handles a token that has met its close.
    pub(super) fn close(&mut self, policy: &Policy<'_>, open: &Open, close: Span, sink: &mut impl Sink) {
        self.pos = close.end;
        let token = &open.token;
        match open.kind {
            OpenKind::Accepted(id) if !open.is_too_long => {
                let body = Span::new(token.span.end, close.start);
                self.accept(policy, id, token, body, close.end, sink);
            }
            _ => self.emit_dropped(Span::new(token.span.start, close.end), sink),
        }
    }

    /// Handles the end of the reply before the close.
    fn end_open(&mut self, window: &Window<'_>, finish: Finish, sink: &mut impl Sink) {
        let Token { span: token, name, .. } = self.open.token;
        let rest = Span::new(token.start, window.end());
        match (finish, self.open.kind) {
            _ if self.open.is_too_long => self.drop_rest(rest, sink),
            (Finish::Complete, kind) => {
                self.lookahead.complete(window);
                self.unclosed(kind, token, sink);
            }
            // The text may be a body that was cut off, so none of it is read for tags.
            (Finish::Truncated, OpenKind::Accepted(id) | OpenKind::Refused(id)) => {
                sink.report(Rule::CutOff, token, Subject::Tag(id));
                self.drop_rest(rest, sink);
            }
            (Finish::Truncated, OpenKind::Unknown) => {
                if self.lookahead.has_marks() {
                    sink.report(Rule::CutOffUnread, token, Subject::Text(name));
                }
                self.emit_dropped(token, sink);
                self.pos = window.end();
            }
        }
    }

    /// Drops a token without a close. The text after it is read as if it stood alone.
    pub(super) fn unclosed(&mut self, kind: OpenKind, token: Span, sink: &mut impl Sink) {
        if let OpenKind::Accepted(id) = kind {
            sink.report(Rule::Unclosed, token, Subject::Tag(id));
        }
        self.pos = token.end;
        self.emit_dropped(token, sink);
    }

    fn drop_rest(&mut self, rest: Span, sink: &mut impl Sink) {
        self.pos = rest.end;
        self.emit_dropped(rest, sink);
    }
}
