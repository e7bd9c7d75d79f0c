//! What a chunk decided, as an iterator; and what it leaves behind when it is dropped.

use alloc::string::String;
use core::fmt;

use crate::event::{Event, Finish, Span};
use crate::found::Found;
use crate::policy::Policy;
use crate::pull::Pull;
use crate::scan::Rest;
use crate::window::{Sight, Window};

/// What a chunk, or the end of the reply, decided: an iterator of [`Event`]s.
///
/// Events may outlive the iterator; they borrow the chunk and the parser. What is not taken comes first from the next
/// [`Parser::feed`](crate::Parser::feed) or [`Parser::finish`](crate::Parser::finish).
#[must_use = "events that are not taken wait for the next `feed` or `finish`"]
pub struct Events<'a>(Option<Lent<'a>>);

/// What an [`Events`] has of its parser while there is, or may be, more to give.
struct Lent<'a> {
    text: &'a str,
    policy: &'a Policy<'a>,
    progress: &'a mut Progress,
    /// Where to keep what the text leaves undecided, if it is the chunk, read where it is.
    tail: Option<&'a mut String>,
}

impl<'a> Events<'a> {
    #[inline]
    pub(crate) fn none() -> Self {
        Events(None)
    }

    /// Those of a text that begins at the base of `progress`: all of it prose where [`Quiet`] says so, else what the
    /// machine finds.
    #[inline]
    pub(crate) fn of(
        text: &'a str,
        policy: &'a Policy<'a>,
        progress: &'a mut Progress,
        tail: Option<&'a mut String>,
    ) -> Self {
        progress.is_lent = true;
        Events(Some(Lent { text, policy, progress, tail }))
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
        let lent = self.0.as_mut()?;
        if lent.progress.quiet.is_prose {
            let text = lent.text;
            let span = lent.progress.pass_prose(text);
            (lent.progress.base, lent.progress.taken) = (span.end, span.end);
            lent.progress.is_lent = false;
            self.0 = None;
            return Some(Event::Prose { text, span });
        }
        // Most chunks with events have one: to be asked for another costs no call.
        if lent.progress.pull.is_done() { None } else { lent.next() }
    }
}

impl core::iter::FusedIterator for Events<'_> {}

impl Drop for Events<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(lent) = &mut self.0 {
            lent.leave();
        }
    }
}

impl<'a> Lent<'a> {
    fn next(&mut self) -> Option<Event<'a>> {
        let Lent { text, policy, ref mut progress, .. } = *self;
        let sight = Sight { policy, window: Window::new(text, progress.base), end: progress.finish };
        let event = progress.pull.next(&sight);
        match &event {
            None | Some(Event::Diagnostic(_)) => {}
            Some(tile) => progress.taken = tile.span().end,
        }
        event
    }

    /// Keeps what is undecided or not taken, and sees what the next chunks need.
    fn leave(&mut self) {
        let Lent { text, policy, progress, tail } = self;
        progress.is_lent = false;
        if progress.quiet.is_prose {
            // A chunk of prose that nobody took: it waits as if the machine had just found it.
            progress.quiet = Quiet::NEVER;
            let span = progress.pass_prose(text);
            progress.pull.put_back(Found::Prose(span));
        }
        let window = Window::new(text, progress.base);
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
            let below = |until: usize| if has_room { (until - progress.base).saturating_add(1) } else { 0 };
            match progress.pull.scan.rest(policy) {
                Rest::Prose => progress.quiet.is_prose = true,
                Rest::Body { until } => progress.quiet.body_below = below(until),
                Rest::Token { until } => progress.quiet.token_below = below(until),
                Rest::Undecided => {}
            }
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

/// When a chunk in which nothing begins or ends can be taken in a handful of instructions: its text is what the text before it
/// was. One of the three at the most; all else takes a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quiet {
    /// It is held behind a token, if the carry stays shorter than this, in bytes, and no `[[` begins in it.
    pub(crate) body_below: usize,
    /// It is held as part of a token, if the carry stays shorter than this, in bytes, and it has no bracket.
    pub(crate) token_below: usize,
    /// It is prose, if no `[[` begins in it.
    pub(crate) is_prose: bool,
}

impl Quiet {
    pub(crate) const NEVER: Quiet = Quiet { body_below: 0, token_below: 0, is_prose: false };
}

impl Progress {
    pub(crate) fn new() -> Self {
        Progress { pull: Pull::new(), base: 0, taken: 0, finish: None, is_lent: false, quiet: Quiet::NEVER }
    }

    pub(crate) fn reset(&mut self) {
        let Progress { pull, base, taken, finish, is_lent, quiet } = self;
        pull.reset();
        (*base, *taken, *finish, *is_lent, *quiet) = (0, 0, None, false, Quiet::NEVER);
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

    /// Passes a text at the base that is prose. Its place.
    #[inline]
    fn pass_prose(&mut self, text: &str) -> Span {
        let span = Span::new(self.base, self.base + text.len());
        self.pull.scan.pass_prose(span.end);
        span
    }
}
