//! The stream: a reply read while it arrives.
//!
//! ```text
//!    the reply   ........ given ........|... held, undecided ...|.. not yet here ..
//!                         ▲             ▲                       ▲
//!    the carry    [dropped at the next feed][     kept         ]
//!                 base                needed_from              + the next chunk
//! ```
//!
//! While nothing is held, a chunk is read where it is, and only what it leaves undecided, or nobody takes, is copied. While
//! something is held, the chunk is appended to it first. So the text that an iterator reads never changes while it lives.
//!
//! A chunk goes the shortest of these ways that it can: nothing begins or ends in it ([`Parser::feed`] itself); all that
//! happens is that a token begins (`begin_token`); it may hold the close of the tag that is open (`wait`); all else
//! (`read`). What it decides waits in the machine's queue, and an [`Events`] is made where there is something to take.

use alloc::string::String;
use core::fmt;

use crate::event::Finish;
use crate::events::{Events, Progress, Quiet};
use crate::near;
use crate::policy::Policy;
use crate::scan::Scan;
use crate::store::Heap;
use crate::window::Window;

/// Reads one reply chunk by chunk.
///
/// However a text is cut into chunks, the events are the same, once adjacent prose is joined, and the same that
/// [`Policy::events`] gives of the whole. Each is given as soon as no text that may still come can change it.
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
///             commands.push(tag.attr("cmd").map(str::to_owned));
///         }
///     }
/// }
/// assert_eq!(parser.finish().count(), 0);
/// assert_eq!(commands, [Some("pytest".to_owned())]);
/// ```
pub struct Parser<'p> {
    policy: Policy<'p>,
    carry: String,
    progress: Progress,
}

impl<'p> Parser<'p> {
    /// A parser for one reply under `policy`.
    pub fn new(policy: Policy<'p>) -> Self {
        Parser { policy, carry: String::new(), progress: Progress::new() }
    }

    /// The policy that it reads under.
    pub fn policy(&self) -> &Policy<'p> {
        &self.policy
    }

    /// Takes the next chunk, and gives what is decided with it.
    ///
    /// All of the chunk is consumed, also where the iterator is dropped early: what it did not give comes first from the next
    /// `feed` or `finish`. After [`Parser::finish`], nothing is consumed and nothing given.
    ///
    /// Costs a constant a byte, amortised, whatever the length of the chunks. What is undecided is held in memory.
    ///
    /// # Panics
    ///
    /// If the last iterator was leaked, by `mem::forget` or the like: what it had not given may be lost.
    #[track_caller]
    #[inline]
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let Quiet { body_below, token_below, is_prose } = self.progress.quiet;
        let (bytes, carry_len) = (chunk.as_bytes(), self.carry.len() + chunk.len());
        if (carry_len < body_below && near::lacks_opening(bytes))
            || (carry_len < token_below && near::lacks_brackets(bytes))
        {
            self.feed_held(chunk)
        } else if is_prose && near::lacks_opening(bytes) {
            self.feed_prose(chunk)
        } else {
            self.feed_any(chunk)
        }
    }

    /// Takes a chunk that is all prose, like the text before it.
    #[inline]
    #[track_caller]
    fn feed_prose<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        self.progress.assert_whole();
        self.carry.clear();
        self.progress.pass_prose(chunk.len());
        let Parser { policy, carry, progress } = self;
        if chunk.is_empty() { Events::none() } else { Events::of_prose(chunk, policy, progress, carry) }
    }

    /// Takes a chunk that is held whole, like the text before it, and decides nothing.
    #[inline]
    fn feed_held(&mut self, chunk: &str) -> Events<'_> {
        append(&mut self.carry, chunk);
        self.progress.pull.scan.pass_held(chunk.len());
        Events::none()
    }

    // Inlined, since to move an `Events` costs as much as to append a chunk.
    #[inline(always)]
    #[track_caller]
    fn feed_any<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        let decided = self.decide(chunk);
        let Parser { policy, carry, progress } = self;
        match decided {
            Decided::Nothing => Events::none(),
            Decided::Prose { len } => Events::of_prose(&chunk[..len], policy, progress, carry),
            Decided::InChunk => Events::of(chunk, policy, progress, Some(carry)),
            Decided::InCarry => Events::of(carry, policy, progress, None),
        }
    }

    /// Takes a chunk in which something may begin or end.
    // Two ways, since the second has the whole machine in it, and a frame to match.
    #[track_caller]
    #[inline(never)]
    fn decide(&mut self, chunk: &str) -> Decided {
        if self.progress.pull.scan.waiting().is_some() && !self.carry.is_empty() {
            self.wait(chunk)
        } else {
            self.read(chunk)
        }
    }

    /// Takes a chunk while a tag is open. Most give nothing.
    #[track_caller]
    #[inline(never)]
    fn wait(&mut self, chunk: &str) -> Decided {
        self.make_ready();
        let Parser { policy, carry, progress } = self;
        if progress.finish.is_some() {
            return Decided::Nothing;
        }
        append(carry, chunk);
        if progress.wait(policy, carry) { Decided::InCarry } else { Decided::Nothing }
    }

    /// Takes a chunk of whatever kind.
    #[track_caller]
    #[inline(never)]
    fn read(&mut self, chunk: &str) -> Decided {
        if self.progress.quiet.is_prose
            && let Some(len) = self.begin_token(chunk)
        {
            return if len == 0 { Decided::Nothing } else { Decided::Prose { len } };
        }
        self.make_ready();
        let Parser { policy, carry, progress } = self;
        if progress.finish.is_some() {
            return Decided::Nothing;
        }
        let (text, tail) = if carry.is_empty() {
            (chunk, Some(carry))
        } else {
            append(carry, chunk);
            (carry.as_str(), None)
        };
        let decided = if tail.is_some() { Decided::InChunk } else { Decided::InCarry };
        progress.read(policy, text, tail);
        if progress.pull.is_done() {
            progress.conclude();
            return Decided::Nothing;
        }
        decided
    }

    /// Takes a chunk of prose in which a token begins, if that is all that happens in it: how much of it is prose.
    #[track_caller]
    #[inline]
    fn begin_token(&mut self, chunk: &str) -> Option<usize> {
        let Parser { policy, carry, progress } = self;
        let start = progress.opening(policy, chunk)?;
        progress.assert_whole();
        let token = &chunk[start..];
        carry.clear();
        append(carry, token);
        progress.pass_opening(policy, start, token.len());
        Some(start)
    }

    /// Ends the reply: what still waits is resolved, and given.
    ///
    /// An accepted tag without its close is reported as unclosed, and the text behind its token is read as if it stood alone;
    /// so is the text behind an unknown or refused one. Linear in what is held (*n* log *n* in the number of closes in it).
    /// Called again, it gives what the last iterator did not.
    ///
    /// For a reply that was cut off, see [`Parser::finish_with`].
    ///
    /// # Panics
    ///
    /// As [`Parser::feed`].
    #[track_caller]
    pub fn finish(&mut self) -> Events<'_> {
        self.finish_with(Finish::Complete)
    }

    /// Ends the reply, and says how it ended. The first call decides.
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
    /// As [`Parser::feed`].
    #[track_caller]
    pub fn finish_with(&mut self, finish: Finish) -> Events<'_> {
        self.make_ready();
        let Parser { policy, carry, progress } = self;
        progress.finish.get_or_insert(finish);
        Events::of(carry, policy, progress, None)
    }

    /// Whether [`Parser::finish`] was called, so that no more text is taken.
    pub fn is_finished(&self) -> bool {
        self.progress.finish.is_some()
    }

    /// Goes on to the next reply, under the same policy, and keeps the memory. Whatever was held is gone.
    pub fn reset(&mut self) {
        self.carry.clear();
        self.progress.reset();
    }

    pub(crate) fn scan(&self) -> &Scan<Heap> {
        &self.progress.pull.scan
    }

    /// Whether an [`Events`] was leaked: while one is out in the open, nobody else can ask.
    pub(crate) fn is_leaked(&self) -> bool {
        self.progress.is_lent()
    }

    /// Whether all text so far was read, and all its events were taken.
    #[cfg(any(feature = "std", feature = "futures"))]
    pub(crate) fn is_all_given(&self) -> bool {
        !self.is_leaked() && !self.is_any_left()
    }

    /// Whether events were found that nobody has taken.
    pub(crate) fn is_any_left(&self) -> bool {
        !self.progress.pull.is_taken()
    }

    /// The text that is held.
    pub(crate) fn held(&self) -> Window<'_> {
        Window::new(&self.carry, self.progress.base)
    }

    /// Wakes the machine, and drops the part of the carry that is no longer needed, if it is at least half: so each byte is
    /// moved once at the most.
    ///
    /// Not after the end, where what was noted of the text points into all of it.
    #[track_caller]
    #[inline(always)]
    fn make_ready(&mut self) {
        let Parser { carry, progress, .. } = self;
        progress.assert_whole();
        progress.resume();
        let unneeded = if progress.finish.is_none() { progress.pull.needed_from() - progress.base } else { 0 };
        if unneeded == carry.len() {
            carry.clear();
            progress.base += unneeded;
        } else if unneeded >= carry.len() - unneeded {
            steps!(carry.len() - unneeded);
            carry.drain(..unneeded);
            progress.base += unneeded;
        }
        progress.origin = progress.base;
    }
}

/// What a chunk has decided, and where it is to be read.
enum Decided {
    /// Nothing is to be given.
    Nothing,
    /// So many bytes of it are prose, and all that is to be given.
    Prose { len: usize },
    /// It is read where it is.
    InChunk,
    /// It is read in the carry, behind what was held.
    InCarry,
}

/// Appends a chunk, which mostly is a token of a model, of a few bytes. Of so few, where it is known how many, a copy is a move;
/// else it is a call, which costs as much as all the rest that is done for a chunk.
#[inline(always)]
fn append(carry: &mut String, chunk: &str) {
    steps!(chunk.len());
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

impl fmt::Debug for Parser<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser")
            .field("policy", &self.policy)
            .field("pending", &self.pending())
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}
