//! The machine as something to be pulled: one event at a time.

use smallvec::SmallVec;

use crate::event::Event;
use crate::found::{Found, Sink};
use crate::resolve::resolve;
use crate::scan::Scan;
use crate::store::Heap;
use crate::window::Sight;

/// The machine with what it has put out and nobody has taken yet.
pub(crate) struct Pull {
    pub(crate) scan: Scan<Heap>,
    queue: Queue,
    /// The last step could not decide more with the text it had.
    is_spent: bool,
}

/// Where the next event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It is found, and waits.
    Waiting,
    /// From a step.
    Open,
    /// From more text.
    Spent,
}

/// What is found and waits: of one step three things at the most, since the first of four is given at once. They are prose, an
/// attribute's line, the line of a budget or of an unclosed tag, and a tile.
#[derive(Default)]
struct Queue {
    found: SmallVec<[Found; 3]>,
    /// How many are not taken yet: the last ones. Mostly none, which is asked often.
    left: usize,
}

impl Queue {
    #[inline]
    fn take(&mut self) -> Option<&Found> {
        let found = self.found.get(self.found.len() - self.left)?;
        self.left -= 1;
        Some(found)
    }

    #[inline(never)]
    fn push(&mut self, found: Found) {
        if self.left == 0 {
            self.found.clear();
        }
        self.found.push(found);
        self.left += 1;
    }

    fn waiting(&self) -> &[Found] {
        &self.found[self.found.len() - self.left..]
    }
}

impl Sink for Queue {
    fn put(&mut self, found: Found) {
        self.push(found);
    }
}

/// What a step puts out: the first thing is an event at once, and the others wait.
struct First<'s, 'a, 'p> {
    sight: &'s Sight<'s, 'a, 'p>,
    event: &'s mut Option<Event<'a>>,
    others: &'s mut Queue,
}

impl<'p: 'a, 'a> Sink for First<'_, 'a, 'p> {
    // Where each thing is found it is known what it is: inlined, all other arms go.
    #[inline(always)]
    fn put(&mut self, found: Found) {
        match self.event {
            None => *self.event = Some(resolve(&found, self.sight)),
            Some(_) => self.others.push(found),
        }
    }
}

impl Pull {
    pub(crate) fn new() -> Self {
        Pull { scan: Scan::new(Heap), queue: Queue::default(), is_spent: false }
    }

    pub(crate) fn reset(&mut self) {
        self.scan.reset();
        self.queue.left = 0;
        self.is_spent = false;
    }

    /// The next thing found in the text in sight; none when it takes more text to find one.
    pub(crate) fn next<'a, 'p: 'a>(&mut self, sight: &Sight<'_, 'a, 'p>) -> Option<Event<'a>> {
        match self.status() {
            Status::Waiting => self.take(sight),
            Status::Open => self.find(sight),
            Status::Spent => None,
        }
    }

    /// The first of those that wait.
    #[inline(always)]
    pub(crate) fn take<'a, 'p: 'a>(&mut self, sight: &Sight<'_, 'a, 'p>) -> Option<Event<'a>> {
        let found = self.queue.take()?;
        Some(resolve(found, sight))
    }

    /// Goes on until one is found, where none waits; none when it takes more text.
    #[inline(always)]
    pub(crate) fn find<'a, 'p: 'a>(&mut self, sight: &Sight<'_, 'a, 'p>) -> Option<Event<'a>> {
        let mut event = None;
        let mut sink = First { sight, event: &mut event, others: &mut self.queue };
        while sink.event.is_none() && !self.is_spent {
            self.is_spent = !self.scan.step(sight, &mut sink);
        }
        event
    }

    /// The step of a tag that is open, where none waits. Whether anything was found, which waits then.
    pub(crate) fn wait(&mut self, sight: &Sight<'_, '_, '_>) -> bool {
        self.is_spent = !self.scan.wait(sight, &mut self.queue);
        self.queue.left > 0
    }

    /// Where the next event comes from.
    #[inline]
    pub(crate) fn status(&self) -> Status {
        match (self.queue.left, self.is_spent) {
            (0, false) => Status::Open,
            (0, true) => Status::Spent,
            _ => Status::Waiting,
        }
    }

    /// There is more text, or it has ended.
    #[inline]
    pub(crate) fn resume(&mut self) {
        self.is_spent = false;
    }

    /// Makes this the next thing that is found; all others are taken.
    pub(crate) fn put_back(&mut self, found: Found) {
        self.queue.push(found);
    }

    /// The first byte whose text is still needed.
    #[inline]
    pub(crate) fn needed_from(&self) -> usize {
        let from = self.scan.needed_from();
        if self.is_taken() {
            from
        } else {
            self.queue.waiting().iter().filter_map(Found::text_from).fold(from, usize::min)
        }
    }

    /// Whether all that was put out is taken.
    #[inline]
    pub(crate) fn is_taken(&self) -> bool {
        self.queue.left == 0
    }
}
