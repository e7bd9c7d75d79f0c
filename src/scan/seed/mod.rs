//! The seed's dialect: the rules of the Python module, to the byte.
//!
//! ```text
//!           ┌──────────── broken: prose ────────────────────┐
//!           ▼                                               │
//!         Prose ──── [[ ────► Token ──── ]] ────► stray, self-closing, no body: emitted at once
//!           ▲                                               │
//!           │                                     a body; unknown; refused
//!           ├── its close; or the end (after the token) ────┤
//!           │                                               ▼
//!           └───────────────────────────────────────────── Open
//! ```
//!
//! Invariants:
//! - `emitted <= pos <= end of the window`: events cover everything before `emitted`, and nothing before `pos` is examined again in the
//!   same state.
//! - Every state can stop at any character and resumes at `pos`, so the events do not depend on how the text was cut.
//! - `pos` decreases only at the end of a reply with a tag still open, whose text the rules want read again. The [`Lookahead`] then has
//!   every `[[` and every close in it, so that no text is searched twice and time stays linear.
//!
//! To add a state: a variant of [`State`], its step (what it does with more text, and at the end) in [`Machine::run`], the text it needs in
//! [`Machine::needed_from`], and its fast path.

mod close;
mod fold;
mod lookahead;
mod open;
mod opening;
mod token;

use self::lookahead::Lookahead;
use self::opening::{SHORTEST_TOKEN, find_opening, undecided_from};
use self::token::{Token, TokenKind};
use super::raw_event::{RawDiagnostic, Subject};
use super::{FastPath, Input, RawEvent, Sink, Step, Window};
use crate::attrs::{self, AttrIndex};
use crate::bytes;
use crate::diagnostic::Rule;
use crate::protocol::{MAX_BUDGETS, Policy, TagId};
use crate::span::Span;
use crate::storage::{List as _, Storage};
use crate::whitespace::trimmed;

pub(crate) use self::open::{Open, OpenKind};

/// The state of reading one reply.
pub(crate) struct Machine<S: Storage> {
    state: State,
    /// The token that waits, in [`State::Open`].
    open: Open,
    /// Offset up to which events have been emitted.
    emitted: usize,
    /// Offset up to which the text has been examined in this state.
    pos: usize,
    lookahead: Lookahead<S>,
    /// The number of tags counted in each budget.
    used: [u32; MAX_BUDGETS],
    /// The name of an unknown tag that is too long, whose text has been dropped.
    long_name: S::List<u8>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Outside of tags.
    Prose,
    /// After a `[[` at `start`.
    Token { start: usize },
    /// After a token that waits for its close.
    Open,
    /// The reply has ended, and everything is emitted.
    Finished,
}

impl<S: Storage> Machine<S> {
    pub(crate) fn new(storage: S) -> Self {
        Machine {
            state: State::Prose,
            open: Open::NONE,
            emitted: 0,
            pos: 0,
            lookahead: Lookahead::new(storage),
            used: [0; MAX_BUDGETS],
            long_name: storage.list(),
        }
    }

    /// Starts the next reply and keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.state = State::Prose;
        self.emitted = 0;
        self.pos = 0;
        self.lookahead.clear();
        self.used = [0; MAX_BUDGETS];
        self.long_name.clear();
    }

    /// Decides and emits until the sink is full or nothing more can be decided without more text. Returns whether the latter.
    #[inline(always)]
    pub(crate) fn run(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink, usual: Step) -> bool {
        if usual == Step::Body {
            return (matches!(self.state, State::Open) && !self.open(input, sink)) || self.run_any(input, sink);
        }
        loop {
            let can_decide = match self.state {
                State::Open => self.open(input, sink),
                _ => self.read_tokens(input, sink),
            };
            if !can_decide || sink.is_full() {
                return !can_decide;
            }
        }
    }

    /// [`Machine::run`] out of line.
    #[inline(never)]
    fn run_any(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        self.run(input, sink, Step::Any)
    }

    /// Makes steps outside of open tags. Returns false if nothing more can be decided without more text.
    // Inlined with its parts, so that the fields of an event are written in place.
    #[inline(always)]
    fn read_tokens(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        loop {
            let can_decide = match self.state {
                State::Prose => self.prose(input, sink),
                State::Token { start } => self.token(input, start, sink),
                State::Open => return true,
                State::Finished => false,
            };
            if !can_decide || sink.is_full() {
                return can_decide;
            }
        }
    }

    #[inline]
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// The offset of the first byte still needed once all that was emitted is taken.
    #[inline(always)]
    pub(crate) fn needed_from(&self) -> usize {
        match self.state {
            State::Open if self.open.is_too_long => self.pos,
            _ => self.emitted,
        }
    }

    #[inline(always)]
    pub(crate) fn fast_path(&self, policy: &Policy<'_>) -> FastPath {
        // One comparison for each, the most frequent first: a jump table would cost more.
        if let State::Open = self.state {
            return if self.open.search.is_between_candidates() && !self.open.is_too_long {
                FastPath::body(self.open.token.span.start, self.pos, &policy.limits())
            } else {
                FastPath::IN_BODY
            };
        }
        match self.state {
            State::Token { start } => FastPath::token(start, self.pos, &policy.limits()),
            State::Prose => FastPath::PROSE,
            State::Open | State::Finished => FastPath::NONE,
        }
    }

    /// Passes text that the fast path admits.
    #[inline(always)]
    pub(crate) fn skip(&mut self, len: usize) {
        self.pos += len;
        if let State::Prose = self.state {
            self.emitted = self.pos;
        }
    }

    /// Passes text with a `[[` at its start and no other bracket.
    #[inline]
    pub(crate) fn skip_opening(&mut self, len: usize) {
        self.state = State::Token { start: self.pos };
        self.pos += len;
    }

    /// The offset at which a token may begin: that of a `[[`, or of a `[` at the end of the window.
    pub(crate) fn token_start(&self, window: &Window<'_>) -> Option<usize> {
        match self.state {
            State::Token { start } => Some(start),
            State::Prose if window.end() == self.pos + 1 && window.byte(self.pos) == Some(b'[') => Some(self.pos),
            _ => None,
        }
    }

    /// The token that waits for its close.
    pub(crate) fn open_token(&self) -> Option<&Open> {
        match self.state {
            State::Open => Some(&self.open),
            _ => None,
        }
    }

    /// The end of the body of `open` so far: the offset of the longest suffix of the window that may begin its close.
    pub(crate) fn body_end(&self, open: &Open, window: &Window<'_>) -> usize {
        open.search.suffix_start(window, self.pos)
    }

    /// The name of the unknown tag that is too long.
    pub(crate) fn long_name(&self) -> &str {
        core::str::from_utf8(&self.long_name).unwrap_or_default()
    }

    /// Whether the next tag `id` exceeds its budget.
    pub(crate) fn is_used_up(&self, policy: &Policy<'_>, id: TagId) -> bool {
        policy.budget_of(id).is_some_and(|budget| self.used[budget] >= policy.protocol().budget_max(budget))
    }

    #[inline(always)]
    fn prose(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let Input { policy, ref window, end } = *input;
        let opening = if self.lookahead.is_complete() {
            self.lookahead.opening(self.pos)
        } else {
            find_opening(policy.opening(), window, self.pos)
        };
        match opening {
            Some(start) => {
                self.state = State::Token { start };
                self.pos = start + 2;
                true
            }
            None if end.is_some() => {
                self.emit_prose(window.end(), sink);
                self.state = State::Finished;
                false
            }
            None => {
                let undecided = undecided_from(window, self.pos);
                let may_begin_token = undecided + SHORTEST_TOKEN <= policy.limits().tag_end(undecided);
                self.pos = if may_begin_token { undecided } else { window.end() };
                self.emit_prose(self.pos, sink);
                false
            }
        }
    }

    #[inline(always)]
    fn token(&mut self, input: &Input<'_, '_, '_>, start: usize, sink: &mut impl Sink) -> bool {
        let Input { policy, ref window, end } = *input;
        let limit = policy.limits().tag_end(start);
        let bracket = bytes::find_bracket(window.from(self.pos)).map(|offset| self.pos + offset);
        self.pos = bracket.unwrap_or(window.end());
        let next = bracket.and_then(|pos| window.byte(pos + 1));
        match bracket.and_then(|pos| window.byte(pos)) {
            Some(b']') if next == Some(b']') && self.pos + 2 <= limit => {
                let span = Span::new(start, self.pos + 2);
                self.emit_prose(start, sink);
                self.token_ended(input, span, sink);
                // At the end of the window there is nothing to search.
                self.pos < window.end() || end.is_some()
            }
            // The window ends inside what may become a token: its `]]`, or the second half of it, may still come.
            None if end.is_none() && window.end() + 2 <= limit => {
                self.emit_prose(start, sink);
                false
            }
            Some(b']') if next.is_none() && end.is_none() && window.end() < limit => {
                self.emit_prose(start, sink);
                false
            }
            // Not a token. A `[` may begin the next one; directly after `[[`, the next one begins a byte later than this one.
            _ => {
                self.state = State::Prose;
                if bracket == Some(start + 2) && window.byte(start + 2) == Some(b'[') {
                    self.pos = start + 1;
                }
                true
            }
        }
    }

    /// Applies the rules to a complete token, in the order of the protocol's checks.
    #[inline(always)]
    fn token_ended(&mut self, input: &Input<'_, '_, '_>, span: Span, sink: &mut impl Sink) {
        let Input { policy, ref window, .. } = *input;
        self.pos = span.end;
        self.state = State::Prose;
        let text = window.text(span);
        let (name, end, closes_itself) = match token::read(text) {
            TokenKind::Tag { name, end, closes_itself } => (name, end, closes_itself),
            TokenKind::Close { inner } => {
                sink.report(Rule::StrayClose, span, Subject::Text(inner.offset_by(span.start)));
                return self.emit_dropped(span, sink);
            }
        };
        let mut token = Token { span, name: name.offset_by(span.start), attrs: AttrIndex::EMPTY };
        let kind = match policy.find(&text.as_bytes()[name.range()]) {
            None => {
                sink.report(Rule::UnknownTag, span, Subject::Text(token.name));
                OpenKind::Unknown
            }
            Some(id) if !policy.is_granted(id) => {
                sink.report(Rule::NotAllowed, span, Subject::Tag(id));
                OpenKind::Refused(id)
            }
            Some(id) => {
                let attrs_end = attrs::seed::index_attrs(text, Span::new(name.end, end), &mut token.attrs);
                let leftover = trimmed(text, Span::new(attrs_end, end));
                if !leftover.is_empty() {
                    let fragment = leftover.offset_by(span.start);
                    sink.report(Rule::MalformedAttribute, fragment, Subject::TextIn(id, fragment));
                }
                if closes_itself || !policy.has_body(id) {
                    return self.accept(policy, id, &token, Span::new(span.end, span.end), span.end, sink);
                }
                OpenKind::Accepted(id)
            }
        };
        if closes_itself {
            return self.emit_dropped(span, sink);
        }
        if !self.lookahead.is_complete() {
            self.open = Open::new(kind, token);
            self.state = State::Open;
            return;
        }
        // All closes are known, so the tag need not wait for its own. Nor can it be too long, since a token before it was not.
        match self.lookahead.close(window, kind.name(input, token.name), span.end) {
            Some(close) => self.close(policy, &Open::new(kind, token), close, sink),
            None => self.unclosed(kind, span, sink),
        }
    }

    /// Emits a complete tag that is granted, if its budget allows.
    #[inline(always)]
    fn accept(&mut self, policy: &Policy<'_>, id: TagId, token: &Token, body: Span, end: usize, sink: &mut impl Sink) {
        let span = Span::new(token.span.start, end);
        if let Some(budget) = policy.budget_of(id) {
            if self.is_used_up(policy, id) {
                let max = policy.protocol().budget_max(budget) as usize;
                let diagnostic = RawDiagnostic::new(Rule::OverBudget, token.span, Subject::Tag(id));
                sink.emit(RawEvent::Diagnostic(RawDiagnostic { max, ..diagnostic }));
                return self.emit_dropped(span, sink);
            }
            self.used[budget] += 1;
        }
        self.emitted = end;
        sink.emit(RawEvent::Tag { id, span, body, attrs: token.attrs });
    }

    fn emit_dropped(&mut self, span: Span, sink: &mut impl Sink) {
        self.emitted = span.end;
        sink.emit(RawEvent::Dropped(span));
    }

    fn emit_prose(&mut self, end: usize, sink: &mut impl Sink) {
        if self.emitted < end {
            let span = Span::new(self.emitted, end);
            self.emitted = end;
            sink.emit(RawEvent::Prose(span));
        }
    }
}
