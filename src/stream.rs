//! The stream: a reply read while it arrives.
//!
//! ```text
//!    the reply   ........ given ........|... held, undecided ...|.. not yet here ..
//!                         ▲             ▲                       ▲
//!    the carry    [dropped at the next feed][     kept         ]
//!                 base                  taken, scan.needed_from  + the next chunk
//! ```
//!
//! While nothing is held, a chunk is read where it is, and only what it leaves undecided is copied, when the iterator is
//! dropped. While something is held, the chunk is appended to it first. So the text that an iterator reads never changes
//! while it lives.

use alloc::string::String;
use core::fmt;

use crate::attrs::Attrs;
use crate::diagnostic::{Code, Name};
use crate::event::{Event, Span};
use crate::policy::Policy;
use crate::pull::Pull;
use crate::resolve::resolve;
use crate::scan::{Open, OpenKind};
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

/// How far the reading of a stream is.
struct Progress {
    pull: Pull,
    /// Where the carry begins in the reply.
    base: usize,
    /// Where the last tile that was taken ends.
    taken: usize,
    /// The reply has ended.
    is_ended: bool,
    /// An [`Events`] is out.
    is_lent: bool,
}

impl<'p> Parser<'p> {
    /// A parser for one reply under `policy`.
    pub fn new(policy: Policy<'p>) -> Self {
        let progress = Progress { pull: Pull::new(), base: 0, taken: 0, is_ended: false, is_lent: false };
        Parser { policy, carry: String::new(), progress }
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
    /// If the last iterator was leaked, by `mem::forget` or the like: the end of its chunk is lost.
    #[track_caller]
    pub fn feed<'a>(&'a mut self, chunk: &'a str) -> Events<'a> {
        self.make_ready();
        let Parser { policy, carry, progress } = self;
        let (text, tail) = if progress.is_ended {
            ("", None)
        } else if carry.is_empty() {
            (chunk, Some(carry))
        } else {
            steps!(chunk.len());
            carry.push_str(chunk);
            (carry.as_str(), None)
        };
        let end = if progress.is_ended { End::Past } else { End::Ahead };
        progress.is_lent = true;
        Events { window: Window::new(text, progress.base), policy, progress, end, tail }
    }

    /// Ends the reply: what still waits is resolved, and given.
    ///
    /// An accepted tag without its close is reported as unclosed, and the text behind its token is read as if it stood alone; so
    /// is the text behind an unknown or refused one. Linear in what is held (*n* log *n* in the number of closes in it).
    /// Called again, it gives what the last iterator did not.
    ///
    /// # Panics
    ///
    /// As [`Parser::feed`].
    #[track_caller]
    pub fn finish(&mut self) -> Events<'_> {
        self.make_ready();
        let Parser { policy, carry, progress } = self;
        progress.is_ended = true;
        progress.is_lent = true;
        Events { window: Window::new(carry, progress.base), policy, progress, end: End::Here, tail: None }
    }

    /// Whether [`Parser::finish`] was called, so that no more text is taken.
    pub fn is_finished(&self) -> bool {
        self.progress.is_ended
    }

    /// Goes on to the next reply, under the same policy, and keeps the memory. Whatever was held is gone.
    pub fn reset(&mut self) {
        self.carry.clear();
        let Progress { pull, base, taken, is_ended, is_lent } = &mut self.progress;
        pull.reset();
        (*base, *taken, *is_ended, *is_lent) = (0, 0, false, false);
    }

    /// What is open now, after the events so far were taken; none when all text so far is given.
    ///
    /// It is provisional: what comes may still make it something else.
    pub fn pending(&self) -> Option<Pending<'_>> {
        let Progress { pull, base, .. } = &self.progress;
        let window = Window::new(&self.carry, *base);
        let policy = &self.policy;
        let rest = |start| window.text(Span::new(start, window.end()));
        if let Some(start) = pull.scan.token_start(window) {
            return Some(Pending::Token { text: rest(start), start });
        }
        let open = pull.scan.waiting()?;
        let Open { kind, token, is_too_long, .. } = *open;
        let start = token.span.start;
        let name = match kind {
            OpenKind::Accepted(id) | OpenKind::Refused(id) => Name(policy.protocol().name(id)),
            OpenKind::Unknown if is_too_long => Name(pull.scan.long_name()),
            OpenKind::Unknown => Name(window.text(token.name)),
        };
        Some(match kind {
            _ if is_too_long => Pending::TooLong { name, start },
            OpenKind::Accepted(id) => Pending::Open(OpenTag {
                name: policy.protocol().name(id),
                attrs: Attrs::new(window.text(token.attrs), token.repeats),
                body: window.text(Span::new(token.span.end, pull.scan.held_from(open, window))),
                start,
                is_over_budget: pull.scan.is_used_up(policy, id),
            }),
            OpenKind::Refused(_) => Pending::Held { name, code: Code::NotAllowed, text: rest(token.span.end), start },
            OpenKind::Unknown => Pending::Held { name, code: Code::UnknownTag, text: rest(token.span.end), start },
        })
    }

    /// Drops the part of the carry that is no longer needed, if it is at least half: so each byte is moved once at the most.
    ///
    /// Not after the end, where what was noted of the text points into all of it.
    #[track_caller]
    fn make_ready(&mut self) {
        assert!(!self.progress.is_lent, "an `Events` of this parser was leaked, and the end of its chunk with it");
        if self.progress.is_ended {
            return;
        }
        let unneeded = self.progress.needed_from() - self.progress.base;
        if unneeded == self.carry.len() {
            self.carry.clear();
        } else if unneeded >= self.carry.len() - unneeded {
            steps!(self.carry.len() - unneeded);
            self.carry.drain(..unneeded);
        } else {
            return;
        }
        self.progress.base += unneeded;
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

impl Progress {
    /// The first byte whose text is still needed.
    fn needed_from(&self) -> usize {
        if self.pull.is_taken() { self.pull.scan.needed_from() } else { self.taken }
    }
}

/// What a chunk, or the end of the reply, decided: an iterator of [`Event`]s.
///
/// Events may outlive the iterator; they borrow the chunk and the parser.
#[must_use = "what is not taken comes first from the next `feed` or `finish`"]
pub struct Events<'a> {
    policy: &'a Policy<'a>,
    progress: &'a mut Progress,
    window: Window<'a>,
    end: End,
    /// Where to keep what the chunk leaves undecided, if the chunk is read where it is.
    tail: Option<&'a mut String>,
}

/// Where the end of the reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Behind the text in sight, by how much is not known.
    Ahead,
    /// At its end.
    Here,
    /// Before it: nothing more is read.
    Past,
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("end", &self.end).finish_non_exhaustive()
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        if self.end == End::Past {
            return None;
        }
        let found = self.progress.pull.next(self.policy, self.window, self.end == End::Here)?;
        let event = resolve(found, self.policy, self.window);
        if !matches!(event, Event::Diagnostic(_)) {
            self.progress.taken = event.span().end;
        }
        Some(event)
    }
}

impl core::iter::FusedIterator for Events<'_> {}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        self.progress.is_lent = false;
        if let Some(carry) = &mut self.tail {
            let kept = self.progress.needed_from();
            steps!(self.window.end() - kept);
            carry.push_str(self.window.text(Span::new(kept, self.window.end())));
            self.progress.base = kept;
        }
    }
}

/// What is open in the middle of a reply. Provisional, and of another type than a [`Tag`](crate::Tag), so that nobody carries it
/// out by mistake.
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
