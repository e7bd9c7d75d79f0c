//! The machine: what is prose, what is a tag, what is dropped, and what is to be said about it.
//!
//! It owns offsets and nobody's bytes: each [`Scan::step`] is given the text in sight, and puts out what it decided as ranges.
//! The same steps read a whole reply and a stream; `end`, whether the text in sight is the last and how it ended, is the only
//! difference.
//!
//! ```text
//!           ┌──────────────── broken, prose ────────────────┐
//!           ▼                                               │
//!         Prose ──── [[ ────► Token ──── ]] ────► stray, self-closing, no body: given at once
//!           ▲                                               │
//!           │                                     a body; unknown; refused
//!           ├──── its close, or the end (behind the token) ─┤
//!           │                                               ▼
//!           └───────────────────────────────────────────── Open
//! ```
//!
//! What makes it exact on any cutting: every state can stop at any character, and `at` is where it goes on. What makes it
//! linear: `at` never goes back, but for the end of a reply with a tag that is still open. There the rules want the text
//! behind its token read again, and the notes of [`Ahead`] have every `[[` and every close of it.
//!
//! To add a state: give it its place in [`State`], say in [`Scan::step`] what it does with more text and at the end, and in
//! [`Scan::needed_from`] what text it needs. What [`State::Open`] does is in `open.rs`. A new thing to be found is a
//! [`Found`], which `resolve.rs` turns into an event.

mod open;
pub(crate) mod strict;

use crate::attrs::{self, Known};
use crate::close::{Ahead, find_opening, undecided_from};
use crate::event::Span;
use crate::found::{Found, Sink};
use crate::near;
use crate::protocol::{MAX_BUDGETS, Policy, TagId};
use crate::space;
use crate::store::{List as _, Store};
use crate::token::{self, Content};
use crate::window::{Sight, Window};

use open::Token;
pub(crate) use open::{Open, OpenKind};

/// Where the reading of a reply stands.
pub(crate) struct Scan<S: Store> {
    state: State,
    /// The token that waits, in [`State::Open`].
    open: Open,
    /// What is before this is covered by what was put out.
    given: usize,
    /// What is before this needs no second look in this state.
    at: usize,
    ahead: Ahead<S>,
    /// How much of each budget is used.
    used: [u32; MAX_BUDGETS],
    /// The name of an unknown tag that is too long, whose text is no longer there.
    long_name: S::List<u8>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Outside of tags.
    Prose,
    /// Behind a `[[` at `start`.
    Token { start: usize },
    /// Behind a token that waits for its close.
    Open,
    /// The reply has ended, and all of it is given.
    Finished,
}

/// What text is in which nothing begins or ends, where all text before it has been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Prose, until a `[[`.
    Prose,
    /// Held, until a `[[`, and until the reply is longer than this.
    Body { until: usize },
    /// Held, until a `[` or a `]`, and until the reply is longer than this.
    Token { until: usize },
    /// It takes a step to say.
    Undecided,
}

impl<S: Store> Scan<S> {
    pub(crate) fn new(store: S) -> Self {
        Scan {
            state: State::Prose,
            open: Open::NONE,
            given: 0,
            at: 0,
            ahead: Ahead::new(store),
            used: [0; MAX_BUDGETS],
            long_name: store.list(),
        }
    }

    /// Goes on to the next reply, and keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.state = State::Prose;
        self.given = 0;
        self.at = 0;
        self.ahead.clear();
        self.used = [0; MAX_BUDGETS];
        self.long_name.clear();
    }

    /// Decides one thing more and puts it out. False when nothing more can be decided without more text.
    // Inlined, with all that a token needs: what it puts out is then written to its place, and none of its parts is passed on.
    #[inline(always)]
    pub(crate) fn step(&mut self, sight: &Sight<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        match self.state {
            State::Prose => self.prose(sight, sink),
            State::Token { start } => self.token(sight, start, sink),
            State::Open => self.wait(sight, sink),
            State::Finished => false,
        }
    }

    /// Where what may still become a token begins: a `[[`, or a `[` at the end of the text.
    pub(crate) fn token_start(&self, window: &Window<'_>) -> Option<usize> {
        match self.state {
            State::Token { start } => Some(start),
            State::Prose if window.end() == self.at + 1 && window.byte(self.at) == Some(b'[') => Some(self.at),
            _ => None,
        }
    }

    /// The token that waits for its close.
    pub(crate) fn waiting(&self) -> Option<&Open> {
        match self.state {
            State::Open => Some(&self.open),
            _ => None,
        }
    }

    /// Where the longest end of the text begins that may be the start of the close of `open`.
    pub(crate) fn held_from(&self, open: &Open, window: &Window<'_>) -> usize {
        open.search.held_from(window, self.at)
    }

    /// The name of the unknown tag that is too long.
    pub(crate) fn long_name(&self) -> &str {
        core::str::from_utf8(&self.long_name).unwrap_or_default()
    }

    /// Whether the next tag of this kind will be over its budget.
    pub(crate) fn is_used_up(&self, policy: &Policy<'_>, id: TagId) -> bool {
        policy.budget_of(id).is_some_and(|budget| self.used[budget] >= policy.protocol().budget_max(budget))
    }

    /// What is before this needs no second look.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What text is now in which nothing begins or ends.
    pub(crate) fn rest(&self, policy: &Policy<'_>) -> Rest {
        // A token needs its `]]` before the limit; to look at a body two bytes early does no harm.
        let until = |start: usize| policy.limits().tag_end(start).saturating_sub(2).max(self.at);
        match self.state {
            State::Prose => Rest::Prose,
            State::Token { start } => Rest::Token { until: until(start) },
            State::Open if self.open.search.is_between() && !self.open.is_too_long => {
                Rest::Body { until: until(self.open.token.span.start) }
            }
            State::Open | State::Finished => Rest::Undecided,
        }
    }

    /// Passes text that [`Scan::rest`] says is prose. Where it ends.
    #[inline]
    pub(crate) fn pass_prose(&mut self, len: usize) -> usize {
        self.at += len;
        self.given = self.at;
        self.at
    }

    /// Passes text behind prose that has a `[[` at its start and no other bracket.
    #[inline]
    pub(crate) fn pass_opening(&mut self, len: usize) {
        self.state = State::Token { start: self.at };
        self.at += len;
    }

    /// Passes text that [`Scan::rest`] says is held.
    #[inline]
    pub(crate) fn pass_held(&mut self, len: usize) {
        self.at += len;
    }

    /// The first byte whose text is still needed, once all that was put out is taken.
    pub(crate) fn needed_from(&self) -> usize {
        match self.state {
            State::Open if self.open.is_too_long => self.at,
            _ => self.given,
        }
    }

    #[inline(always)]
    fn prose(&mut self, sight: &Sight<'_, '_, '_>, sink: &mut impl Sink) -> bool {
        let Sight { policy, ref window, end } = *sight;
        let opening = if self.ahead.is_whole() {
            self.ahead.opening(self.at)
        } else {
            find_opening(policy.opening(), window, self.at)
        };
        match opening {
            Some(start) => {
                self.state = State::Token { start };
                self.at = start + 2;
                true
            }
            None if end.is_some() => {
                self.give_prose(window.end(), sink);
                self.state = State::Finished;
                false
            }
            None => {
                let undecided = undecided_from(window, self.at);
                let may_begin_token = undecided + SHORTEST_TOKEN <= policy.limits().tag_end(undecided);
                self.at = if may_begin_token { undecided } else { window.end() };
                self.give_prose(self.at, sink);
                false
            }
        }
    }

    #[inline(always)]
    fn token(&mut self, sight: &Sight<'_, '_, '_>, start: usize, sink: &mut impl Sink) -> bool {
        let Sight { policy, ref window, end } = *sight;
        let limit = policy.limits().tag_end(start);
        let bracket = near::find_bracket(window.from(self.at)).map(|at| self.at + at);
        self.at = bracket.unwrap_or(window.end());
        let next = bracket.and_then(|at| window.byte(at + 1));
        match bracket.and_then(|at| window.byte(at)) {
            Some(b']') if next == Some(b']') && self.at + 2 <= limit => {
                let span = Span::new(start, self.at + 2);
                self.give_prose(start, sink);
                self.token_ended(sight, span, sink);
                // Behind the end of the text there is nothing to look for.
                self.at < window.end() || end.is_some()
            }
            // The text ends within what may become a token: its `]]` is still to come, or the second half of it.
            None if end.is_none() && window.end() + 2 <= limit => {
                self.give_prose(start, sink);
                false
            }
            Some(b']') if next.is_none() && end.is_none() && window.end() < limit => {
                self.give_prose(start, sink);
                false
            }
            // No token. A `[` may begin the next, and at once behind `[[` the next has one of these two.
            _ => {
                self.state = State::Prose;
                if bracket == Some(start + 2) && window.byte(start + 2) == Some(b'[') {
                    self.at = start + 1;
                }
                true
            }
        }
    }

    /// The rules of a complete token, in the order of the protocol's checks.
    #[inline(always)]
    fn token_ended(&mut self, sight: &Sight<'_, '_, '_>, span: Span, sink: &mut impl Sink) {
        let Sight { policy, ref window, .. } = *sight;
        self.at = span.end;
        self.state = State::Prose;
        let text = window.text(span);
        let (name, end, closes_itself) = match token::read(text) {
            Content::Tag { name, end, closes_itself } => (name, end, closes_itself),
            Content::Close { inner } => {
                sink.put(Found::StrayClose { token: span, inner: inner.behind(span.start) });
                return self.drop_tile(span, sink);
            }
        };
        let mut token = Token { span, name: name.behind(span.start), known: Known::NOTHING };
        let kind = match policy.find(&text.as_bytes()[name.range()]) {
            None => {
                sink.put(Found::UnknownTag { token: span, name: token.name });
                OpenKind::Unknown
            }
            Some(id) if !policy.is_granted(id) => {
                sink.put(Found::NotAllowed { token: span, id });
                OpenKind::Refused(id)
            }
            Some(id) => {
                let behind = attrs::survey(text, Span::new(name.end, end), &mut token.known);
                let leftover = space::trimmed(text, Span::new(behind, end));
                if !leftover.is_empty() {
                    sink.put(Found::MalformedAttribute { id, fragment: leftover.behind(span.start) });
                }
                if closes_itself || !policy.has_body(id) {
                    return self.accept(policy, id, &token, Span::new(span.end, span.end), span.end, sink);
                }
                OpenKind::Accepted(id)
            }
        };
        if closes_itself {
            return self.drop_tile(span, sink);
        }
        if !self.ahead.is_whole() {
            self.open = Open::new(kind, token);
            self.state = State::Open;
            return;
        }
        // All closes are known, so it need not wait for its own. Nor can it be too long, since a token before it was not.
        match self.ahead.close(window, kind.name(sight, token.name), span.end) {
            Some(close) => self.closed(policy, &Open::new(kind, token), close, sink),
            None => self.unclosed(kind, span, sink),
        }
    }

    /// A complete tag that is let through, if its budget allows.
    #[inline(always)]
    fn accept(&mut self, policy: &Policy<'_>, id: TagId, token: &Token, body: Span, end: usize, sink: &mut impl Sink) {
        let span = Span::new(token.span.start, end);
        if let Some(budget) = policy.budget_of(id) {
            if self.is_used_up(policy, id) {
                sink.put(Found::OverBudget { token: token.span, id, budget });
                return self.drop_tile(span, sink);
            }
            self.used[budget] += 1;
        }
        self.given = end;
        sink.put(Found::Tag { id, span, body, known: token.known });
    }

    fn drop_tile(&mut self, span: Span, sink: &mut impl Sink) {
        self.given = span.end;
        sink.put(Found::Dropped(span));
    }

    fn give_prose(&mut self, end: usize, sink: &mut impl Sink) {
        if self.given < end {
            let span = Span::new(self.given, end);
            self.given = end;
            sink.put(Found::Prose(span));
        }
    }
}

/// The length of `[[]]` in bytes.
const SHORTEST_TOKEN: usize = 4;
