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
//! [`Scan::needed_from`] what text it needs. A new thing to be found is a [`Found`], which `resolve.rs` turns into an event.

use crate::attrs::{self, Repeats};
use crate::close::{Ahead, Search, find_opening, undecided_from};
use crate::event::{Parts, Span};
use crate::near;
use crate::policy::Policy;
use crate::protocol::{MAX_TAGS, TagId};
use crate::space;
use crate::store::{List as _, Store};
use crate::window::Window;

/// Where the reading of a reply stands.
pub(crate) struct Scan<S: Store> {
    state: State,
    /// What is before this is covered by what was put out.
    given: usize,
    /// What is before this needs no second look in this state.
    at: usize,
    ahead: Ahead<S>,
    /// How much of each budget is used.
    used: [u32; MAX_TAGS],
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
    Open(Open),
    /// The reply has ended, and all of it is given.
    Finished,
}

/// A token that waits for its close.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) kind: OpenKind,
    pub(crate) token: Token,
    search: Search,
    /// It is over the longest tag's length: its text is dropped as it comes.
    pub(crate) is_too_long: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenKind {
    Accepted(TagId),
    Refused(TagId),
    Unknown,
}

/// A token and its parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) name: Span,
    pub(crate) attrs: Span,
    pub(crate) repeats: Repeats,
}

impl Token {
    /// Its parts as those of a tag with this body.
    pub(crate) fn parts(&self, body: Span) -> Parts {
        let from_start = |span: Span| Span::new(span.start - self.span.start, span.end - self.span.start);
        Parts { attrs: from_start(self.attrs), body: from_start(body), repeats: self.repeats }
    }
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Finish {
    /// As the model ended it.
    #[default]
    Complete,
    /// It was cut off: by its server (`finish_reason` `length`, `stop_reason` `max_tokens`), or by a broken connection.
    ///
    /// Then no tag behind one that still waits for its close is read, since it may stand in a body that was cut off: behind a
    /// tag of the protocol the text is dropped, and behind an unknown one it is prose.
    Truncated,
}

/// What a step found, in offsets of the reply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Prose(Span),
    Tag { id: TagId, span: Span, parts: Parts },
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

/// What text without brackets is, where all text before it has been looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Prose, until a `[`.
    Prose,
    /// Held, until a `[`.
    Body,
    /// Held, until a `[` or a `]`.
    Token,
}

/// Takes what is found, in order.
pub(crate) trait Sink {
    fn put(&mut self, found: Found);
}

impl<S: Store> Scan<S> {
    pub(crate) fn new(store: S) -> Self {
        Scan {
            state: State::Prose,
            given: 0,
            at: 0,
            ahead: Ahead::new(store),
            used: [0; MAX_TAGS],
            long_name: store.list(),
        }
    }

    /// Goes on to the next reply, and keeps the memory.
    pub(crate) fn reset(&mut self) {
        self.state = State::Prose;
        self.given = 0;
        self.at = 0;
        self.ahead.clear();
        self.used = [0; MAX_TAGS];
        self.long_name.clear();
    }

    /// Decides one thing more and puts it out. False when nothing more can be decided without more text.
    #[inline]
    pub(crate) fn step(
        &mut self,
        policy: &Policy<'_>,
        window: Window<'_>,
        end: Option<Finish>,
        sink: &mut impl Sink,
    ) -> bool {
        match self.state {
            State::Prose => self.prose(policy, window, end, sink),
            State::Token { start } => self.token(policy, window, end, start, sink),
            State::Open(_) => self.open(policy, window, end, sink),
            State::Finished => false,
        }
    }

    /// Where what may still become a token begins: a `[[`, or a `[` at the end of the text.
    pub(crate) fn token_start(&self, window: Window<'_>) -> Option<usize> {
        match self.state {
            State::Token { start } => Some(start),
            State::Prose if window.end() == self.at + 1 && window.byte(self.at) == Some(b'[') => Some(self.at),
            _ => None,
        }
    }

    /// The token that waits for its close.
    pub(crate) fn waiting(&self) -> Option<&Open> {
        match &self.state {
            State::Open(open) => Some(open),
            _ => None,
        }
    }

    /// Where the longest end of the text begins that may be the start of the close of `open`.
    pub(crate) fn held_from(&self, open: &Open, window: Window<'_>) -> usize {
        open.search.held_from(window, self.at)
    }

    /// The name of the unknown tag that is too long.
    pub(crate) fn long_name(&self) -> &str {
        core::str::from_utf8(&self.long_name).unwrap_or_default()
    }

    /// Whether the next tag of this kind will be over its budget.
    pub(crate) fn is_used_up(&self, policy: &Policy<'_>, id: TagId) -> bool {
        let protocol = policy.protocol();
        protocol.budget_of(id).is_some_and(|budget| self.used[budget] >= protocol.budget_max(budget))
    }

    /// What is before this needs no second look.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What text without brackets is now, and how far it may go on without a step.
    pub(crate) fn rest(&self, policy: &Policy<'_>) -> (Option<Rest>, usize) {
        let until = |start| policy.limits().tag_end(start).saturating_sub(2);
        match &self.state {
            State::Prose => (Some(Rest::Prose), usize::MAX),
            State::Token { start } => (Some(Rest::Token), until(*start)),
            State::Open(open) if open.search.is_between() && !open.is_too_long => {
                (Some(Rest::Body), until(open.token.span.start))
            }
            State::Open(_) | State::Finished => (None, 0),
        }
    }

    /// Passes text that is what [`Scan::rest`] says.
    #[inline]
    pub(crate) fn pass(&mut self, to: usize) {
        self.at = to;
        if let State::Prose = self.state {
            self.given = to;
        }
    }

    /// The first byte whose text is still needed, once all that was put out is taken.
    pub(crate) fn needed_from(&self) -> usize {
        match &self.state {
            State::Open(open) if open.is_too_long => self.at,
            _ => self.given,
        }
    }

    fn prose(&mut self, policy: &Policy<'_>, window: Window<'_>, end: Option<Finish>, sink: &mut impl Sink) -> bool {
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

    fn token(
        &mut self,
        policy: &Policy<'_>,
        window: Window<'_>,
        end: Option<Finish>,
        start: usize,
        sink: &mut impl Sink,
    ) -> bool {
        let limit = policy.limits().tag_end(start);
        let bracket = near::find_bracket(window.from(self.at)).map(|at| self.at + at);
        self.at = bracket.unwrap_or(window.end());
        let next = bracket.and_then(|at| window.byte(at + 1));
        match bracket.and_then(|at| window.byte(at)) {
            Some(b']') if next == Some(b']') && self.at + 2 <= limit => {
                let inner = Span::new(start + 2, self.at);
                self.give_prose(start, sink);
                self.state = State::Prose;
                self.token_ended(policy, window, inner, sink);
                true
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
    fn token_ended(&mut self, policy: &Policy<'_>, window: Window<'_>, inner: Span, sink: &mut impl Sink) {
        let token = Span::new(inner.start - 2, inner.end + 2);
        self.at = token.end;
        let text = window.text(inner);
        let trimmed = space::trim_start(text);
        let from = inner.end - trimmed.len();
        let trimmed = space::trim_end(trimmed);
        if trimmed.starts_with('/') {
            sink.put(Found::StrayClose { token, inner: Span::new(from, from + trimmed.len()) });
            return self.drop_tile(token, sink);
        }
        let (content, closes_itself) = match trimmed.strip_suffix('/') {
            Some(content) => (space::trim_end(content), true),
            None => (trimmed, false),
        };
        let name = name_at_start(content.as_bytes());
        let known = policy.protocol().find(name);
        let name = Span::new(from, from + name.len());
        let mut token =
            Token { span: token, name, attrs: Span::new(name.end, from + content.len()), repeats: Repeats::No };
        let kind = match known {
            None => {
                sink.put(Found::UnknownTag { token: token.span, name });
                OpenKind::Unknown
            }
            Some(id) if !policy.is_granted(id) => {
                sink.put(Found::NotAllowed { token: token.span, id });
                OpenKind::Refused(id)
            }
            Some(id) => {
                self.read_attrs(window, id, &mut token, sink);
                if closes_itself || !policy.protocol().has_body(id) {
                    let body = Span::new(token.span.end, token.span.end);
                    return self.accept(policy, id, token, body, token.span.end, sink);
                }
                OpenKind::Accepted(id)
            }
        };
        if closes_itself {
            return self.drop_tile(token.span, sink);
        }
        self.state = State::Open(Open { kind, token, search: Search::default(), is_too_long: false });
    }

    fn read_attrs(&mut self, window: Window<'_>, id: TagId, token: &mut Token, sink: &mut impl Sink) {
        let survey = attrs::survey(window.text(token.attrs));
        token.repeats = survey.repeats;
        let leftover = window.text(Span::new(token.attrs.start + survey.end, token.attrs.end));
        let fragment = space::trim_start(leftover);
        let start = token.attrs.end - fragment.len();
        let fragment = Span::new(start, start + space::trim_end(fragment).len());
        token.attrs.end = token.attrs.start + survey.end;
        if !fragment.is_empty() {
            sink.put(Found::MalformedAttribute { id, fragment });
        }
    }

    fn open(&mut self, policy: &Policy<'_>, window: Window<'_>, end: Option<Finish>, sink: &mut impl Sink) -> bool {
        let State::Open(open) = &mut self.state else {
            return false;
        };
        let token = open.token;
        let name = match open.kind {
            OpenKind::Accepted(id) | OpenKind::Refused(id) => policy.protocol().name(id).as_bytes(),
            OpenKind::Unknown if open.is_too_long => &self.long_name,
            OpenKind::Unknown => window.text(token.name).as_bytes(),
        };
        let close = if self.ahead.is_whole() {
            self.ahead.close(window, name, self.at)
        } else {
            let ahead = (!open.is_too_long).then_some(&mut self.ahead);
            open.search.run(policy.opening(), window, &mut self.at, name, ahead)
        };
        let limit = policy.limits().tag_end(token.span.start);
        if close.map_or(window.end(), |close| close.end) > limit && !open.is_too_long {
            open.is_too_long = true;
            sink.put(Found::TooLong { token: token.span, name: token.name });
            self.ahead.clear();
            if open.kind == OpenKind::Unknown {
                steps!(token.name.len());
                window.text(token.name).bytes().for_each(|byte| self.long_name.push(byte));
            }
        }
        let open = *open;
        match close {
            Some(close) => {
                self.at = close.end;
                if !self.ahead.is_whole() {
                    self.ahead.clear();
                }
                let whole = Span::new(token.span.start, close.end);
                match open.kind {
                    OpenKind::Accepted(id) if !open.is_too_long => {
                        let body = Span::new(token.span.end, close.start);
                        self.accept(policy, id, token, body, close.end, sink);
                    }
                    _ => self.drop_tile(whole, sink),
                }
            }
            None if end.is_none() => return false,
            None if open.is_too_long => {
                self.at = window.end();
                self.drop_tile(Span::new(token.span.start, window.end()), sink);
            }
            None if end == Some(Finish::Truncated) => {
                self.cut_off(window, &open, sink);
            }
            None => {
                if !self.ahead.is_whole() {
                    self.ahead.complete(window);
                }
                if let OpenKind::Accepted(id) = open.kind {
                    sink.put(Found::Unclosed { token: token.span, id });
                }
                self.at = token.span.end;
                self.drop_tile(token.span, sink);
            }
        }
        self.long_name.clear();
        self.state = State::Prose;
        true
    }

    /// A reply that was cut off within a tag: none of the text behind its token is read for tags, since it may be its body.
    fn cut_off(&mut self, window: Window<'_>, open: &Open, sink: &mut impl Sink) {
        let token = open.token.span;
        self.at = window.end();
        match open.kind {
            OpenKind::Accepted(id) | OpenKind::Refused(id) => {
                sink.put(Found::CutOff { token, id });
                self.drop_tile(Span::new(token.start, window.end()), sink);
            }
            OpenKind::Unknown => {
                if self.ahead.has_marks() {
                    sink.put(Found::CutOffUnread { token, name: open.token.name });
                }
                self.drop_tile(token, sink);
            }
        }
    }

    /// A complete tag that is let through, if its budget allows.
    fn accept(&mut self, policy: &Policy<'_>, id: TagId, token: Token, body: Span, end: usize, sink: &mut impl Sink) {
        let span = Span::new(token.span.start, end);
        if let Some(budget) = policy.protocol().budget_of(id) {
            if self.is_used_up(policy, id) {
                sink.put(Found::OverBudget { token: token.span, id, budget });
                return self.drop_tile(span, sink);
            }
            self.used[budget] += 1;
        }
        self.given = end;
        sink.put(Found::Tag { id, span, parts: token.parts(body) });
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

/// The name at the start of a token's content; possibly none.
#[inline]
fn name_at_start(content: &[u8]) -> &[u8] {
    if !content.first().is_some_and(|&byte| space::starts_word(byte)) {
        return b"";
    }
    let len = content.iter().position(|&byte| !space::is_word(byte)).unwrap_or(content.len());
    steps!(len);
    &content[..len]
}
