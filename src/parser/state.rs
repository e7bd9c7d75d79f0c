//! How far the reading of a stream has come. The only file that writes `base`, `origin` and `finish`.

use alloc::string::String;

use super::append;
use crate::event::{Event, Finish};
use crate::protocol::Policy;
use crate::scan::{EventQueue, FastPath, Input, RawEvent, Scanner, Sink as _, Step, Window};
use crate::span::Span;

/// The machine of a stream, what it has found, and where the text stands in the reply.
///
/// Invariants, in offsets of the reply:
/// - `base <= needed_from() <= scanner.pos() <= base + carry.len()` while no [`Events`](super::Events) is alive and `skipped` is 0: the
///   carry covers all text that is still needed, and begins at `base`. While a fast path holds,
///   `scanner.pos() + skipped == base + carry.len()`.
/// - `origin` is the offset of the text being read: `base` if that is the carry, the offset of the chunk if it is read in place.
/// - `finish` is set once, and from then on the text does not grow.
pub(super) struct StreamState {
    scanner: Scanner,
    queue: EventQueue,
    /// The number of bytes that the fast path has passed since the last step, which the scanner learns before the next one.
    skipped: usize,
    /// The scanner can decide nothing more without more text.
    needs_input: bool,
    base: usize,
    origin: usize,
    finish: Option<Finish>,
    outstanding: Outstanding,
    /// How the next chunk is classified if it has no delimiter.
    fast_path: FastPath,
    /// The fast path for when an iterator that has more than a chunk of prose to yield is drained.
    next_fast_path: FastPath,
}

/// What the [`Events`](super::Events) that is alive has to yield.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outstanding {
    /// No iterator is alive.
    Nothing,
    /// The chunk, which is all prose.
    Prose,
    /// What the scanner finds in the text.
    Text,
}

/// What a chunk decided, and where its text is.
pub(super) enum Decided {
    /// No event.
    Nothing,
    /// The first `len` bytes of the chunk are prose, and the only event.
    Prose { len: usize },
    /// The chunk was read where it is.
    InChunk,
    /// The chunk was appended to the carry and read there.
    InCarry,
}

impl StreamState {
    pub(super) fn new(policy: &Policy<'_>) -> Self {
        StreamState {
            scanner: Scanner::new(policy),
            queue: EventQueue::new(),
            skipped: 0,
            needs_input: false,
            base: 0,
            origin: 0,
            finish: None,
            outstanding: Outstanding::Nothing,
            fast_path: FastPath::NONE,
            next_fast_path: FastPath::NONE,
        }
    }

    /// Starts the next reply and keeps the memory.
    pub(super) fn reset(&mut self) {
        self.scanner.reset();
        self.queue.clear();
        self.skipped = 0;
        self.needs_input = false;
        (self.base, self.origin, self.finish) = (0, 0, None);
        self.outstanding = Outstanding::Nothing;
        (self.fast_path, self.next_fast_path) = (FastPath::NONE, FastPath::NONE);
    }

    /// Makes the reply begin inside the region at this position of the protocol's.
    ///
    /// # Panics
    ///
    /// If some of the reply was read.
    #[track_caller]
    pub(super) fn begin_inside(&mut self, region: usize) {
        let is_new = self.scanner.pos() + self.skipped == 0 && self.queue.is_empty() && self.finish.is_none();
        assert!(is_new, "a reply begins before its first chunk");
        self.scanner.begin_inside(region);
    }

    pub(super) fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    #[inline(always)]
    pub(super) fn fast_path(&self) -> &FastPath {
        &self.fast_path
    }

    #[inline(always)]
    pub(super) fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    #[inline(always)]
    pub(super) fn outstanding(&self) -> Outstanding {
        self.outstanding
    }

    /// Whether all that was found has been taken.
    #[inline(always)]
    pub(super) fn is_drained(&self) -> bool {
        self.queue.is_empty()
    }

    #[inline(always)]
    pub(super) fn needs_input(&self) -> bool {
        self.needs_input
    }

    /// Whether nothing is left to yield without more text.
    #[inline(always)]
    pub(super) fn is_done(&self) -> bool {
        self.needs_input && self.queue.is_empty()
    }

    /// The text being read, `text`, with its offset.
    #[inline(always)]
    pub(super) fn window<'a>(&self, text: &'a str) -> Window<'a> {
        Window::new(text, self.origin)
    }

    /// The carry with its offset.
    pub(super) fn held<'a>(&self, carry: &'a str) -> Window<'a> {
        Window::new(carry, self.base)
    }

    #[inline(always)]
    #[track_caller]
    pub(super) fn assert_not_leaked(&self) {
        let is_leaked = self.outstanding != Outstanding::Nothing;
        assert!(!is_leaked, "an `Events` of this parser was leaked, and with it the events it had not yielded");
    }

    /// Prepares for more text or for the end: drops the unneeded prefix of the carry if it is at least half of it, so that each byte is
    /// moved at most once.
    #[inline(always)]
    #[track_caller]
    pub(super) fn compact(&mut self, carry: &mut String) {
        self.catch_up();
        self.needs_input = false;
        self.compact_to(carry, self.needed_from());
    }

    /// [`StreamState::compact`] while the queue is empty, which a fast path for a body implies.
    #[inline(always)]
    #[track_caller]
    pub(super) fn compact_body(&mut self, carry: &mut String) {
        debug_assert!(self.queue.is_empty() && self.finish.is_none(), "the fast path is of now");
        self.catch_up();
        self.compact_to(carry, self.scanner.needed_from());
    }

    #[inline(always)]
    #[track_caller]
    fn compact_to(&mut self, carry: &mut String, needed_from: usize) {
        self.assert_not_leaked();
        let unneeded = needed_from - self.base;
        if unneeded == carry.len() {
            carry.clear();
            self.base += unneeded;
        } else if unneeded >= carry.len() - unneeded {
            count_work!(carry.len() - unneeded);
            carry.drain(..unneeded);
            self.base += unneeded;
        }
        self.origin = self.base;
    }

    /// Ends the reply. The first call decides how. From then on nothing is dropped of the carry, since what the machine has recorded
    /// refers to all of the text.
    #[track_caller]
    pub(super) fn end(&mut self, finish: Finish, carry: &mut String) {
        if self.finish.is_none() {
            self.compact(carry);
        }
        self.assert_not_leaked();
        self.needs_input = false;
        self.origin = self.base;
        self.finish.get_or_insert(finish);
        self.fast_path = FastPath::NONE;
    }

    /// Reads the text from the origin on until the queue is full or all of it is read. Then copies what is undecided to `tail`, if the
    /// text is a chunk read in place. Returns the fast path for when the queue has been drained.
    #[inline(always)]
    fn read(&mut self, input: &Input<'_, '_, '_>, text: &str, tail: Option<&mut String>, usual: Step) -> FastPath {
        if usual == Step::Body || self.queue.is_empty() {
            self.needs_input = self.scanner.run(input, &mut self.queue, usual);
        }
        if !self.needs_input {
            return FastPath::NONE;
        }
        if let Some(tail) = tail {
            self.stash(text, self.scanner.needed_from(), tail);
        }
        self.fast_path_after(input.policy, input.window.end())
    }

    /// Reads a chunk, `text`, with what was held before it. Returns whether there is something to yield.
    #[inline(always)]
    pub(super) fn read_chunk(
        &mut self,
        policy: &Policy<'_>,
        text: &str,
        tail: Option<&mut String>,
        usual: Step,
    ) -> bool {
        let input = Input { policy, window: self.window(text), end: None };
        let fast_path = self.read(&input, text, tail, usual);
        if self.queue.is_empty() {
            self.fast_path = fast_path;
            return false;
        }
        self.fast_path = FastPath::NONE;
        self.next_fast_path = fast_path;
        true
    }

    /// Reads on in a text that is lent to an iterator, and was not read to its end.
    pub(super) fn read_on(&mut self, policy: &Policy<'_>, text: &str, tail: Option<&mut String>) {
        let input = Input { policy, window: self.window(text), end: self.finish };
        let fast_path = self.read(&input, text, tail, Step::Any);
        self.next_fast_path = if self.finish.is_none() { fast_path } else { FastPath::NONE };
    }

    /// Copies the text from `start` on to the carry.
    #[inline(always)]
    fn stash(&mut self, text: &str, start: usize, carry: &mut String) {
        let window = self.window(text);
        count_work!(window.end() - start);
        carry.clear();
        carry.push_str(window.text(Span::new(start, window.end())));
        self.base = start;
    }

    /// Copies what the queue and the scanner still need of a chunk that was read in place.
    pub(super) fn stash_undecided(&mut self, chunk: &str, carry: &mut String) {
        self.stash(chunk, self.needed_from(), carry);
    }

    /// Takes the oldest event.
    #[inline(always)]
    pub(super) fn take<'a>(&mut self, policy: &'a Policy<'_>, text: &'a str) -> Option<Event<'a>> {
        let window = self.window(text);
        self.queue.take(policy, policy.protocol(), &window)
    }

    /// Marks the text being read as lent to an iterator.
    #[inline(always)]
    pub(super) fn lend(&mut self, outstanding: Outstanding) {
        self.outstanding = outstanding;
    }

    /// Ends the lending after everything was taken.
    #[inline(always)]
    pub(super) fn release(&mut self) {
        self.outstanding = Outstanding::Nothing;
        self.fast_path = self.next_fast_path;
    }

    /// Ends the lending of prose after it was taken.
    #[inline(always)]
    pub(super) fn release_prose(&mut self) {
        self.outstanding = Outstanding::Nothing;
        // After a chunk that was all prose, the fast path is what it was.
        if !self.fast_path.is_in_prose() {
            self.fast_path = self.next_fast_path;
        }
    }

    /// Ends the lending of an iterator that was dropped early.
    pub(super) fn abandon(&mut self) -> Outstanding {
        core::mem::replace(&mut self.outstanding, Outstanding::Nothing)
    }

    /// Passes a chunk that the fast path holds.
    #[inline(always)]
    pub(super) fn skip_held(&mut self, len: usize) {
        self.skipped += len;
    }

    /// Passes a chunk that the fast path classifies as prose, after a carry of `carry_len` bytes that is not needed any more. The text after
    /// the chunk becomes the base.
    #[inline(always)]
    pub(super) fn skip_prose(&mut self, carry_len: usize, len: usize) {
        self.skipped += len;
        self.base += carry_len + len;
    }

    /// Tells the scanner what the fast path has passed.
    #[inline(always)]
    fn catch_up(&mut self) {
        if self.skipped > 0 {
            self.scanner.skip(core::mem::take(&mut self.skipped));
        }
    }

    /// Whether the fast path has passed text since the last step.
    pub(super) fn has_skipped(&self) -> bool {
        self.skipped > 0
    }

    /// Passes a chunk of the strict dialect in which nothing happens: it is all prose, or all part of what is held.
    #[inline(always)]
    pub(super) fn pass_quiet(&mut self, carry: &mut String, chunk: &str) -> Option<Decided> {
        match self.scanner {
            Scanner::Seed(_) => None,
            Scanner::Strict(_) => self.pass_quiet_strict(carry, chunk),
        }
    }

    #[inline(never)]
    fn pass_quiet_strict(&mut self, carry: &mut String, chunk: &str) -> Option<Decided> {
        let Scanner::Strict(machine) = &mut self.scanner else { return None };
        let end = self.base + carry.len();
        let quiet = machine.quiet();
        if !self.queue.is_empty() || machine.pos() != end || !quiet.admits(chunk.as_bytes(), end + chunk.len()) {
            return None;
        }
        if !quiet.is_prose {
            append(carry, chunk);
            machine.skip(chunk.len());
            self.needs_input = true;
            return Some(Decided::Nothing);
        }
        if !carry.is_empty() || chunk.is_empty() {
            return None;
        }
        machine.skip(chunk.len());
        self.base = machine.pos();
        self.needs_input = true;
        Some(Decided::Prose { len: chunk.len() })
    }

    /// Passes `prose` bytes of prose, and `token` bytes in which a token opens, which are the carry.
    #[inline(always)]
    pub(super) fn skip_opening(&mut self, policy: &Policy<'_>, carry_len: usize, prose: usize, token: usize) {
        self.skip_prose(carry_len, prose);
        self.catch_up();
        self.scanner.skip_opening(token);
        self.next_fast_path = self.fast_path_after(policy, self.scanner.pos());
        self.fast_path = if prose == 0 { self.next_fast_path } else { FastPath::NONE };
    }

    /// The span of prose that ends at the base.
    #[inline(always)]
    pub(super) fn prose_span(&self, text: &str) -> Span {
        Span::new(self.base - text.len(), self.base)
    }

    /// Puts prose that ends at the base and was not taken back in front of the carry, as if the scanner had just found it.
    pub(super) fn put_back_prose(&mut self, text: &str, carry: &mut String) {
        count_work!(text.len() + carry.len());
        carry.insert_str(0, text);
        let span = self.prose_span(text);
        self.base = span.start;
        self.fast_path = FastPath::NONE;
        self.queue.emit(RawEvent::Prose(span));
    }

    /// The offset of the first byte whose text is still needed.
    #[inline(always)]
    fn needed_from(&self) -> usize {
        let from = self.scanner.needed_from();
        if self.queue.is_empty() { from } else { self.queue.text_from(from) }
    }

    /// The fast path for the chunk after `end`.
    #[inline(always)]
    fn fast_path_after(&self, policy: &Policy<'_>, end: usize) -> FastPath {
        let fast_path = self.scanner.fast_path(policy);
        if self.scanner.pos() != end {
            return fast_path.undecided();
        }
        if !fast_path.can_hold() {
            return fast_path;
        }
        let needed = self.scanner.needed_from();
        // In a carry that is mostly unneeded, the next chunk makes room first.
        let has_room = needed - self.base <= (end - needed).max(COMPACT_MIN);
        if has_room { fast_path.in_carry(self.base) } else { fast_path.without_holding() }
    }
}

/// Unneeded bytes up to this number are not worth a step to drop them.
const COMPACT_MIN: usize = 256;
