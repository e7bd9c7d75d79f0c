//! What a chunk decided, as an iterator; and what it leaves behind when it is dropped.

use alloc::string::String;
use core::fmt;

use crate::event::{Event, Finish, Span};
use crate::found::Found;
use crate::near;
use crate::protocol::Policy;
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
    /// The carry, if the text is the chunk, read where it is: where to keep what it leaves behind.
    tail: Option<&'a mut String>,
}

impl<'a> Events<'a> {
    #[inline]
    pub(crate) fn none() -> Self {
        Events(None)
    }

    /// What the machine finds in a text that begins at the origin of `progress`.
    #[inline]
    pub(crate) fn of(
        text: &'a str,
        policy: &'a Policy<'a>,
        progress: &'a mut Progress,
        tail: Option<&'a mut String>,
    ) -> Self {
        progress.lent = Lending::Text;
        Events(Some(Lent { text, policy, progress, tail }))
    }

    /// The one of a text that is all prose, up to the base of `progress`. What is behind that is in `carry`.
    #[inline]
    pub(crate) fn of_prose(
        text: &'a str,
        policy: &'a Policy<'a>,
        progress: &'a mut Progress,
        carry: &'a mut String,
    ) -> Self {
        progress.lent = Lending::Prose;
        Events(Some(Lent { text, policy, progress, tail: Some(carry) }))
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
        if lent.progress.lent == Lending::Prose {
            let Lent { text, ref mut progress, .. } = *lent;
            let span = progress.before_base(text);
            progress.conclude();
            self.0 = None;
            return Some(Event::Prose { text, span });
        }
        if lent.progress.pull.is_taken() {
            // Most texts are all read by now: to be asked for another costs no call.
            if lent.progress.pull.is_spent() {
                return None;
            }
            lent.read_on();
        }
        lent.take()
    }
}

impl core::iter::FusedIterator for Events<'_> {}

impl Drop for Events<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(lent) = &mut self.0 {
            if lent.progress.lent == Lending::Text && lent.progress.pull.is_done() {
                lent.progress.conclude();
            } else {
                lent.leave();
            }
        }
    }
}

impl<'a> Lent<'a> {
    // Not inlined, nor what follows: it is asked for in a loop over chunks of which most need none of it.
    #[inline(never)]
    fn take(&mut self) -> Option<Event<'a>> {
        let window = Window::new(self.text, self.progress.origin);
        self.progress.pull.take(self.policy, self.policy.protocol(), &window)
    }

    /// Reads on in a text of which not all is read: more was found than may wait, or something waited already.
    #[inline(never)]
    fn read_on(&mut self) {
        let Lent { text, policy, progress, tail } = self;
        progress.read(policy, text, tail.as_deref_mut());
    }

    /// Keeps what is not taken, and what is behind that.
    #[inline(never)]
    fn leave(&mut self) {
        if self.progress.lent == Lending::Text && self.progress.pull.is_taken() {
            // So that where nothing waits, all that was fed is read.
            self.read_on();
        }
        let Lent { text, progress, tail, .. } = self;
        let lent = core::mem::replace(&mut progress.lent, Lending::Nothing);
        match tail {
            _ if progress.pull.is_done() && lent == Lending::Text => progress.conclude(),
            None => {}
            Some(carry) if lent == Lending::Prose => {
                // It waits as if the machine had just found it.
                steps!(text.len() + carry.len());
                carry.insert_str(0, text);
                let span = progress.before_base(text);
                progress.base = span.start;
                progress.quiet = Quiet::NEVER;
                progress.pull.put(Found::Prose(span));
            }
            Some(carry) => {
                let window = Window::new(text, progress.origin);
                progress.keep(&window, progress.pull.needed_from(), carry);
            }
        }
    }
}

/// How far the reading of a stream is.
pub(crate) struct Progress {
    pub(crate) pull: Pull,
    /// Where the carry begins in the reply.
    pub(crate) base: usize,
    /// Where the text begins that is read: the carry, or the chunk.
    pub(crate) origin: usize,
    /// How the reply has ended, once it has.
    pub(crate) finish: Option<Finish>,
    /// What the [`Events`] has that is out.
    lent: Lending,
    /// What chunks need no step of the machine.
    pub(crate) quiet: Quiet,
    /// What chunks will need none, once all that waits is taken.
    next_quiet: Quiet,
}

/// What an [`Events`] that is out has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lending {
    /// None is out.
    Nothing,
    /// What the machine finds.
    Text,
    /// Prose that the machine has passed.
    Prose,
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
        Progress {
            pull: Pull::new(),
            base: 0,
            origin: 0,
            finish: None,
            lent: Lending::Nothing,
            quiet: Quiet::NEVER,
            next_quiet: Quiet::NEVER,
        }
    }

    pub(crate) fn reset(&mut self) {
        let Progress { pull, base, origin, finish, lent, quiet, next_quiet } = self;
        pull.reset();
        (*base, *origin, *finish, *lent) = (0, 0, None, Lending::Nothing);
        (*quiet, *next_quiet) = (Quiet::NEVER, Quiet::NEVER);
    }

    #[inline]
    #[track_caller]
    pub(crate) fn assert_whole(&self) {
        assert!(!self.is_lent(), "an `Events` of this parser was leaked, and with it what it had not given");
    }

    #[inline]
    pub(crate) fn is_lent(&self) -> bool {
        self.lent != Lending::Nothing
    }

    /// There may be more text, or it has ended.
    #[inline]
    pub(crate) fn resume(&mut self) {
        self.pull.resume();
        (self.quiet, self.next_quiet) = (Quiet::NEVER, Quiet::NEVER);
    }

    /// All that was found is taken, and nothing is out.
    #[inline]
    pub(crate) fn conclude(&mut self) {
        self.lent = Lending::Nothing;
        self.quiet = self.next_quiet;
    }

    /// Passes prose, where [`Quiet`] says so, and makes what is behind it the base.
    #[inline]
    pub(crate) fn pass_prose(&mut self, len: usize) {
        self.base = self.pull.scan.pass_prose(len);
    }

    /// Passes what [`Progress::opening`] has found: prose, and the start of a token, which is the carry.
    #[inline]
    pub(crate) fn pass_opening(&mut self, policy: &Policy<'_>, prose: usize, token: usize) {
        self.pass_prose(prose);
        self.pull.scan.pass_opening(token);
        self.settle(policy, self.pull.scan.at());
        self.quiet = if prose == 0 { self.next_quiet } else { Quiet::NEVER };
    }

    /// Where in a chunk a token begins, if that is all that happens in it.
    #[inline]
    pub(crate) fn opening(&self, policy: &Policy<'_>, chunk: &str) -> Option<usize> {
        let start = near::only_opening(chunk.as_bytes())?;
        let at = self.pull.scan.at();
        (at + chunk.len() + 2 <= policy.limits().tag_end(at + start)).then_some(start)
    }

    /// Reads the text from the origin on, until enough waits or all of it is read. Then what is undecided is kept in `tail`,
    /// where there is one.
    #[inline(always)]
    pub(crate) fn read(&mut self, policy: &Policy<'_>, text: &str, tail: Option<&mut String>) {
        let window = Window::new(text, self.origin);
        self.pull.run(&Sight { policy, window, end: self.finish });
        if self.pull.is_spent() {
            if let Some(tail) = tail {
                self.keep(&window, self.pull.scan.needed_from(), tail);
            }
            self.settle(policy, window.end());
        }
    }

    /// The same where a tag is open whose close is looked for. Whether anything waits then.
    #[inline(always)]
    pub(crate) fn wait(&mut self, policy: &Policy<'_>, carry: &str) -> bool {
        let window = Window::new(carry, self.origin);
        let is_any = self.pull.wait(&Sight { policy, window, end: None });
        if !is_any {
            self.settle(policy, window.end());
            self.conclude();
        }
        is_any
    }

    /// Makes the text from `start` on the carry.
    #[inline]
    fn keep(&mut self, window: &Window<'_>, start: usize, carry: &mut String) {
        steps!(window.end() - start);
        carry.clear();
        carry.push_str(window.text(Span::new(start, window.end())));
        self.base = start;
    }

    /// The place of a text that ends at the base.
    #[inline]
    fn before_base(&self, text: &str) -> Span {
        Span::new(self.base - text.len(), self.base)
    }

    /// Sees what the next chunks need, if all the text so far is passed, and once all that was found in it is taken.
    #[inline]
    fn settle(&mut self, policy: &Policy<'_>, end: usize) {
        if self.finish.is_some() || self.pull.scan.at() != end {
            return;
        }
        let kept = self.pull.scan.needed_from();
        // In a carry that is mostly unneeded, the next chunk is to make room first.
        let has_room = kept - self.base <= (self.pull.scan.at() - kept).max(LITTLE);
        let below = |until: usize| if has_room { (until - self.base).saturating_add(1) } else { 0 };
        self.next_quiet = match self.pull.scan.rest(policy) {
            Rest::Prose => Quiet { is_prose: true, ..Quiet::NEVER },
            Rest::Body { until } => Quiet { body_below: below(until), ..Quiet::NEVER },
            Rest::Token { until } => Quiet { token_below: below(until), ..Quiet::NEVER },
            Rest::Undecided => Quiet::NEVER,
        };
    }
}

/// So many bytes are not worth a step to make room.
const LITTLE: usize = 256;
