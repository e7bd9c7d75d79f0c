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

/// What is found and waits: of one step three things at the most, since the first of four is given at once. They are prose, an
/// attribute's line, the line of a budget or of an unclosed tag, and a tile.
#[derive(Default)]
struct Queue {
    found: SmallVec<[Found; 3]>,
    /// Those before this one are taken. When all are, none is left.
    next: usize,
}

impl Queue {
    #[inline]
    fn take(&mut self) -> Option<Found> {
        let found = self.found.get(self.next).copied()?;
        self.next += 1;
        if self.next == self.found.len() {
            self.clear();
        }
        Some(found)
    }

    fn clear(&mut self) {
        self.found.clear();
        self.next = 0;
    }
}

/// What a step puts out: the first thing is an event at once, and the others wait.
struct First<'s, 'a, 'p> {
    sight: &'s Sight<'s, 'a, 'p>,
    event: &'s mut Option<Event<'a>>,
    others: &'s mut SmallVec<[Found; 3]>,
}

impl<'p: 'a, 'a> Sink for First<'_, 'a, 'p> {
    // Where each thing is found it is known what it is: inlined, all other arms go.
    #[inline(always)]
    fn put(&mut self, found: Found) {
        match self.event {
            None => *self.event = Some(resolve(found, self.sight)),
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
        self.queue.clear();
        self.is_spent = false;
    }

    /// The next thing found in the text in sight; none when it takes more text to find one.
    #[inline]
    pub(crate) fn next<'a, 'p: 'a>(&mut self, sight: &Sight<'_, 'a, 'p>) -> Option<Event<'a>> {
        if let Some(found) = self.queue.take() {
            return Some(resolve(found, sight));
        }
        let mut event = None;
        let mut sink = First { sight, event: &mut event, others: &mut self.queue.found };
        while sink.event.is_none() && !self.is_spent {
            self.is_spent = !self.scan.step(sight, &mut sink);
        }
        event
    }

    /// Whether all that was put out is taken, and it takes more text to find more.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.is_spent && self.is_taken()
    }

    /// There is more text, or it has ended.
    #[inline]
    pub(crate) fn resume(&mut self) {
        self.is_spent = false;
    }

    /// Makes this the next thing that is found; all others are taken.
    pub(crate) fn put_back(&mut self, found: Found) {
        self.queue.found.push(found);
    }

    /// Whether all that was put out is taken.
    #[inline]
    pub(crate) fn is_taken(&self) -> bool {
        self.queue.found.is_empty()
    }
}
