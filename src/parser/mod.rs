//! The parser of streams: a reply read while it arrives.
//!
//! ```text
//!    the reply   ...... emitted .......|.... undecided ....|.... not here yet ....
//!                     ▲                ▲                   ▲
//!    the carry        [ dropped at the [       kept        ] + the next chunk
//!                     [ next step      ]
//!                    base          needed_from            pos
//! ```
//!
//! While nothing is held, a chunk is read where it is, and only what stays undecided, or is not taken, is copied to the carry. While
//! something is held, the chunk is appended to it first. So the text that an iterator reads never changes while the iterator is alive.
//!
//! A chunk takes the first of these ways that applies: the fast path ([`Parser::feed`]); a token opens in prose, and nothing else happens
//! (`open_token`); a step of the scanner (`read`). What it decides waits in the queue, and an [`Events`] is made if there is something to
//! take. `state.rs` has the offsets and their invariants.

mod events;
mod pending;
mod state;

use alloc::string::String;
use core::fmt;

use self::state::{Decided, Outstanding, StreamState};
use crate::event::Finish;
use crate::parse_options::position_of;
use crate::protocol::{Policy, PolicyBuf};
use crate::scan::Step;

pub use self::events::Events;
pub use self::pending::{OpenTag, Pending};

/// Reads one reply chunk by chunk.
///
/// However a text is cut into chunks, the events are the same once adjacent prose is joined, and the same as
/// [`Policy::events`] yields for the whole text. Each is yielded as soon as no further text can change it.
///
/// ```
/// use tagwire::workforce::{self, Mode, Role};
/// use tagwire::{Event, Parser};
///
/// let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
/// let mut commands = Vec::new();
/// for chunk in ["Testing. [[RU", "N cmd=\"py", "test\"/]", "] Done."] {
///     for event in parser.feed(chunk) {
///         if let Event::Tag(tag) = event {
///             commands.push(tag.attr("cmd").map(|value| value.to_string()));
///         }
///     }
/// }
/// assert_eq!(parser.finish().count(), 0);
/// assert_eq!(commands, [Some("pytest".to_owned())]);
/// ```
pub struct Parser<'p> {
    policy: Policy<'p>,
    carry: String,
    state: StreamState,
}

impl<'p> Parser<'p> {
    /// Creates a parser for one reply under `policy`.
    pub fn new(policy: Policy<'p>) -> Self {
        let state = StreamState::new(&policy);
        Parser { policy, carry: String::new(), state }
    }

    /// Makes the reply begin inside the region of the protocol called `region`: its host, or its prompt, has written the opening marker.
    ///
    /// ```
    /// use tagwire::{Event, Parser, Protocol, ProtocolSpec, RegionSpec, TagSpec};
    ///
    /// const PROTOCOL: Protocol<'static> = Protocol::checked(
    ///     &ProtocolSpec::strict("shell", &[TagSpec::new("RUN")])
    ///         .regions(&[RegionSpec::new("think", "<think>", "</think>")])
    ///         .open(),
    /// );
    /// let mut parser = Parser::new(PROTOCOL.unrestricted());
    /// parser.begin_inside("think");
    /// let is_tag = |event: Event<'_>| matches!(event, Event::Tag(_));
    /// assert!(!parser.feed("Shall I [[RUN/]]?").any(is_tag));
    /// assert!(parser.feed("</think>[[RUN/]]").any(is_tag));
    /// ```
    ///
    /// # Panics
    ///
    /// If the protocol has no such region, or if some of the reply was fed.
    #[track_caller]
    pub fn begin_inside(&mut self, region: &str) {
        self.state.begin_inside(position_of(region, self.policy.protocol()));
    }

    /// The policy of this parser. Constant time, no allocation.
    pub fn policy(&self) -> Policy<'_> {
        self.policy.lend()
    }

    /// Takes the next chunk and returns the events it decides.
    ///
    /// The whole chunk is consumed even if the iterator is dropped early: what was not taken comes first from the next `feed` or
    /// `finish`. After [`Parser::finish`], nothing is consumed and nothing yielded.
    ///
    /// Costs amortised constant time a byte, whatever the length of the chunks. What is undecided is held in memory.
    ///
    /// # Panics
    ///
    /// If the last iterator was leaked, by `mem::forget` or the like: events it had not yielded may be lost.
    // The front of it is small, and inlined at each call: a call would cost as much as what most chunks need.
    #[track_caller]
    #[inline(always)]
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let len = self.carry.len() + chunk.len();
        if self.state.fast_path().holds(chunk.as_bytes(), len) {
            self.hold(chunk)
        } else if self.state.fast_path().is_prose(chunk.as_bytes()) {
            self.pass_prose(chunk)
        } else {
            self.step(chunk)
        }
    }

    /// Takes a chunk that is part of what is held and decides nothing.
    #[inline(always)]
    fn hold(&mut self, chunk: &str) -> Events<'_> {
        append(&mut self.carry, chunk);
        self.state.skip_held(chunk.len());
        Events::none()
    }

    /// Takes a chunk that is all prose.
    #[inline(always)]
    #[track_caller]
    fn pass_prose<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        self.state.assert_not_leaked();
        self.state.skip_prose(self.carry.len(), chunk.len());
        self.carry.clear();
        let Parser { policy, carry, state } = self;
        if chunk.is_empty() { Events::none() } else { Events::of_prose(chunk, policy, state, carry) }
    }

    // Inlined, since moving an `Events` costs as much as appending a chunk.
    #[inline(always)]
    #[track_caller]
    fn step<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let decided = self.read(chunk);
        let Parser { policy, carry, state } = self;
        match decided {
            Decided::Nothing => Events::none(),
            Decided::Prose { len } => Events::of_prose(&chunk[..len], policy, state, carry),
            Decided::InChunk => Events::of_text(chunk, policy, state, Some(carry)),
            Decided::InCarry => Events::of_text(carry, policy, state, None),
        }
    }

    /// Takes a chunk in which something may begin or end.
    // Two functions, since the second has all of the machine in it, and a stack frame to match.
    #[track_caller]
    #[inline(never)]
    fn read(&mut self, chunk: &str) -> Decided {
        match self.state.fast_path().usual_step() {
            Step::Body if !self.carry.is_empty() => self.read_body(chunk),
            _ => self.read_any(chunk),
        }
    }

    /// Takes a chunk that usually only adds to a body.
    #[track_caller]
    #[inline(never)]
    fn read_body(&mut self, chunk: &str) -> Decided {
        let Parser { policy, carry, state } = self;
        state.compact_body(carry);
        append(carry, chunk);
        if state.read_chunk(policy, carry, None, Step::Body) { Decided::InCarry } else { Decided::Nothing }
    }

    /// Takes a chunk of any kind.
    #[track_caller]
    #[inline(never)]
    fn read_any(&mut self, chunk: &str) -> Decided {
        if let Some(len) = self.open_token(chunk) {
            return if len == 0 { Decided::Nothing } else { Decided::Prose { len } };
        }
        let Parser { policy, carry, state } = self;
        if state.is_finished() {
            state.assert_not_leaked();
            return Decided::Nothing;
        }
        state.compact(carry);
        if let Some(decided) = state.pass_quiet(carry, chunk) {
            return decided;
        }
        let (decided, text, tail) = if carry.is_empty() {
            (Decided::InChunk, chunk, Some(carry))
        } else {
            match chunk.len() {
                // A bracket of its own.
                1 => carry.push_str(&chunk[..1]),
                _ => append_called(carry, chunk),
            }
            (Decided::InCarry, carry.as_str(), None)
        };
        if state.read_chunk(policy, text, tail, Step::Any) { decided } else { Decided::Nothing }
    }

    /// Takes a chunk of prose in which a token opens, if nothing else happens in it. Returns the number of bytes of prose.
    #[track_caller]
    #[inline]
    fn open_token(&mut self, chunk: &str) -> Option<usize> {
        let Parser { policy, carry, state } = self;
        let start = state.fast_path().only_opening(chunk.as_bytes(), &policy.limits())?;
        state.assert_not_leaked();
        let token = &chunk[start..];
        state.skip_opening(policy, carry.len(), start, token.len());
        carry.clear();
        append(carry, token);
        Some(start)
    }

    /// Ends the reply, resolves what still waits, and returns the events.
    ///
    /// A granted tag without its close is reported as unclosed, and the text after its token is read as if it stood alone; so is the text
    /// after an unknown or refused one. Linear in what is held (*n* log *n* in the number of closes in it). Called again, it returns
    /// what the last iterator did not yield.
    ///
    /// For a reply that was cut off, see [`Parser::finish_with`].
    ///
    /// # Panics
    ///
    /// If the last iterator was leaked, as [`Parser::feed`] does.
    #[track_caller]
    pub fn finish(&mut self) -> Events<'_> {
        self.finish_with(Finish::Complete)
    }

    /// Ends the reply and says how it ended. The first call decides.
    ///
    /// ```
    /// # use tagwire::workforce::{self, Mode, Role};
    /// use tagwire::{Finish, Parser};
    ///
    /// let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
    /// let cut_off = "[[WRITE_FILE path='notes.md']]Never run this:\n[[RUN cmd='rm -rf /'/]]";
    /// assert_eq!(parser.feed(cut_off).count(), 0);
    /// let events: Vec<String> = parser.finish_with(Finish::Truncated).map(|event| format!("{event:?}")).collect();
    /// assert!(!events.iter().any(|event| event.starts_with("Tag")));
    /// ```
    ///
    /// # Panics
    ///
    /// If the last iterator was leaked, as [`Parser::feed`] does.
    #[track_caller]
    pub fn finish_with(&mut self, finish: Finish) -> Events<'_> {
        let Parser { policy, carry, state } = self;
        state.end(finish, carry);
        Events::of_text(carry, policy, state, None)
    }

    /// Whether [`Parser::finish`] was called, so that no more text is taken.
    pub fn is_finished(&self) -> bool {
        self.state.is_finished()
    }

    /// Starts the next reply under the same policy and keeps the memory. Whatever was held is discarded.
    pub fn reset(&mut self) {
        self.carry.clear();
        self.state.reset();
    }

    /// Whether all text so far was read and all its events were taken.
    #[cfg(any(feature = "std", feature = "futures"))]
    pub(crate) fn is_all_taken(&self) -> bool {
        self.state.outstanding() == Outstanding::Nothing && self.state.is_drained()
    }

    /// What is open now, after the events so far were taken; `None` if all text so far has been emitted.
    ///
    /// The result is provisional: further text may still turn it into something else. It is `None` while events wait that a dropped
    /// iterator left, so that it never runs ahead of them, and after an iterator was leaked. Constant time.
    #[inline(always)]
    pub fn pending(&self) -> Option<Pending<'_>> {
        // A call would cost more than the answer that most chunks need.
        if self.state.fast_path().is_in_prose() { None } else { self.find_pending() }
    }

    #[inline(never)]
    fn find_pending(&self) -> Option<Pending<'_>> {
        if self.state.outstanding() != Outstanding::Nothing || !self.state.is_drained() {
            return None;
        }
        pending::of(self.state.scanner(), &self.state.held(&self.carry), self.state.has_skipped(), &self.policy)
    }
}

/// Creates a parser for one reply that owns its protocol.
impl<'p> From<Policy<'p>> for Parser<'p> {
    fn from(policy: Policy<'p>) -> Self {
        Parser::new(policy)
    }
}

impl From<PolicyBuf> for Parser<'static> {
    fn from(policy: PolicyBuf) -> Self {
        Parser::new(policy.into_shared())
    }
}

impl fmt::Debug for Parser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser")
            .field("policy", &self.policy)
            .field("pending", &self.pending())
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

/// Appends a chunk, which typically is a token of a model: a few bytes. With a constant length the copy is one store; otherwise it is
/// a `memcpy` call that costs as much as the rest of `feed`.
#[inline(always)]
fn append(carry: &mut String, chunk: &str) {
    count_work!(chunk.len());
    match chunk.len() {
        1 => carry.push_str(&chunk[..1]),
        2 => carry.push_str(&chunk[..2]),
        3 => carry.push_str(&chunk[..3]),
        4 => carry.push_str(&chunk[..4]),
        5 => carry.push_str(&chunk[..5]),
        6 => carry.push_str(&chunk[..6]),
        7 => carry.push_str(&chunk[..7]),
        8 => carry.push_str(&chunk[..8]),
        _ => carry.push_str(chunk),
    }
}

/// Appends a chunk from a function in which the optimiser would merge the constant lengths of [`append`] into one `memcpy`.
#[inline(never)]
fn append_called(carry: &mut String, chunk: &str) {
    append(carry, chunk);
}
