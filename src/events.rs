//! What a chunk decided, as an iterator; and what it leaves behind when it is dropped.

use alloc::string::String;
use core::fmt;

use crate::event::{Event, Finish, Span};
use crate::found::Found;
use crate::policy::Policy;
use crate::pull::Pull;
use crate::resolve::resolve;
use crate::scan::Rest;
use crate::window::Window;

/// What a chunk, or the end of the reply, decided: an iterator of [`Event`]s.
///
/// Events may outlive the iterator; they borrow the chunk and the parser. What is not taken comes first from the next
/// [`Parser::feed`](crate::Parser::feed) or [`Parser::finish`](crate::Parser::finish).
#[must_use = "events that are not taken wait for the next `feed` or `finish`"]
pub struct Events<'a>(Source<'a>);

/// Where the events come from.
enum Source<'a> {
    /// There are none, or no more.
    Nothing,
    /// A chunk that is all prose, and not taken.
    Prose {
        window: Window<'a>,
        progress: &'a mut Progress,
        carry: &'a mut String,
    },
    Machine(Machine<'a>),
}

struct Machine<'a> {
    policy: &'a Policy<'a>,
    progress: &'a mut Progress,
    window: Window<'a>,
    /// Where to keep what the chunk leaves undecided, if the chunk is read where it is.
    tail: Option<&'a mut String>,
}

impl<'a> Events<'a> {
    pub(crate) const NONE: Self = Events(Source::Nothing);

    #[inline]
    pub(crate) fn of_prose(window: Window<'a>, progress: &'a mut Progress, carry: &'a mut String) -> Self {
        Events(Source::Prose { window, progress, carry })
    }

    pub(crate) fn of_machine(
        policy: &'a Policy<'a>,
        progress: &'a mut Progress,
        text: &'a str,
        tail: Option<&'a mut String>,
    ) -> Self {
        progress.is_lent = true;
        progress.pull.resume();
        let window = Window::new(text, progress.base);
        Events(Source::Machine(Machine { policy, progress, window, tail }))
    }
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        match &mut self.0 {
            Source::Nothing => None,
            Source::Prose { window, progress, .. } => {
                let window = *window;
                progress.taken = window.end();
                progress.is_lent = false;
                self.0 = Source::Nothing;
                Some(Event::Prose { text: window.whole(), span: window.span() })
            }
            Source::Machine(machine) => machine.next(),
        }
    }
}

impl core::iter::FusedIterator for Events<'_> {}

impl Drop for Events<'_> {
    #[inline]
    fn drop(&mut self) {
        match &mut self.0 {
            Source::Nothing => {}
            Source::Prose { window, progress, carry } => progress.put_back(*window, carry),
            Source::Machine(machine) => machine.leave(),
        }
    }
}

impl<'a> Machine<'a> {
    fn next(&mut self) -> Option<Event<'a>> {
        let found = self.progress.pull.next(self.policy, self.window, self.progress.finish)?;
        let event = resolve(found, self.policy, self.window);
        if !matches!(event, Event::Diagnostic(_)) {
            self.progress.taken = event.span().end;
        }
        Some(event)
    }

    /// Keeps what is undecided or not taken, and sees what the next chunks need.
    fn leave(&mut self) {
        let Machine { policy, progress, window, tail } = self;
        progress.is_lent = false;
        let kept = progress.needed_from();
        if let Some(carry) = tail {
            steps!(window.end() - kept);
            carry.push_str(window.text(Span::new(kept, window.end())));
            progress.base = kept;
        }
        let is_idle = progress.pull.is_taken() && progress.pull.scan.at() == window.end();
        if progress.finish.is_none() && is_idle {
            // In a carry that is mostly unneeded, the next chunk is to make room first.
            let has_room = kept - progress.base <= window.end() - kept;
            let max_carry = |until: usize| if has_room { until - progress.base } else { 0 };
            progress.quiet = match progress.pull.scan.rest(policy) {
                Rest::Prose => Quiet::Prose,
                Rest::Body { until } => Quiet::Body { max_carry: max_carry(until) },
                Rest::Token { until } => Quiet::Token { max_carry: max_carry(until) },
                Rest::Undecided => Quiet::No,
            };
        }
    }
}

/// How far the reading of a stream is.
pub(crate) struct Progress {
    pub(crate) pull: Pull,
    /// Where the carry begins in the reply.
    pub(crate) base: usize,
    /// Where the last tile that was taken ends.
    pub(crate) taken: usize,
    /// How the reply has ended, once it has.
    pub(crate) finish: Option<Finish>,
    /// An [`Events`] is out.
    pub(crate) is_lent: bool,
    /// What chunks need no step of the machine.
    pub(crate) quiet: Quiet,
}

/// When a chunk without brackets can be taken in a handful of instructions: its text is what the text before it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quiet {
    /// Never: it takes a step.
    No,
    /// It is prose, if no `[` is in it.
    Prose,
    /// It is held, if no `[` is in it, and the carry does not grow beyond this.
    Body { max_carry: usize },
    /// It is held, if no bracket is in it, and the carry does not grow beyond this.
    Token { max_carry: usize },
}

impl Progress {
    pub(crate) fn new() -> Self {
        Progress { pull: Pull::new(), base: 0, taken: 0, finish: None, is_lent: false, quiet: Quiet::No }
    }

    pub(crate) fn reset(&mut self) {
        let Progress { pull, base, taken, finish, is_lent, quiet } = self;
        pull.reset();
        (*base, *taken, *finish, *is_lent, *quiet) = (0, 0, None, false, Quiet::No);
    }

    #[inline]
    #[track_caller]
    pub(crate) fn assert_whole(&self) {
        assert!(!self.is_lent, "an `Events` of this parser was leaked, and the end of its chunk with it");
    }

    /// The first byte whose text is still needed.
    pub(crate) fn needed_from(&self) -> usize {
        // What is too long is dropped before it is given, so its start may be gone.
        if self.pull.is_taken() { self.pull.scan.needed_from() } else { self.taken.max(self.base) }
    }

    /// A chunk of prose that nobody took: it waits as if the machine had just found it.
    #[cold]
    fn put_back(&mut self, window: Window<'_>, carry: &mut String) {
        steps!(window.whole().len());
        carry.push_str(window.whole());
        self.base = window.span().start;
        self.pull.put_back(Found::Prose(window.span()));
        self.is_lent = false;
        self.quiet = Quiet::No;
    }
}
