//! The machine as something to be pulled: one thing found at a time.

use smallvec::SmallVec;

use crate::event::Finish;
use crate::found::{Found, Sink};
use crate::policy::Policy;
use crate::scan::Scan;
use crate::store::Heap;
use crate::window::Window;

/// The machine with what it has put out and nobody has taken yet.
pub(crate) struct Pull {
    pub(crate) scan: Scan<Heap>,
    queue: Queue,
    /// The last step could not decide more with the text it had.
    is_spent: bool,
}

/// What one step put out, which is four things at the most: prose, an attribute's line, a budget's line, a tile.
#[derive(Default)]
struct Queue {
    found: SmallVec<[Found; 4]>,
    /// Those before this one are taken.
    next: usize,
}

impl Sink for Queue {
    #[inline]
    fn put(&mut self, found: Found) {
        self.found.push(found);
    }
}

impl Pull {
    pub(crate) fn new() -> Self {
        Pull { scan: Scan::new(Heap), queue: Queue::default(), is_spent: false }
    }

    pub(crate) fn reset(&mut self) {
        self.scan.reset();
        self.queue.found.clear();
        self.queue.next = 0;
        self.is_spent = false;
    }

    /// The next thing found in the text in sight; none when it takes more text to find one.
    #[inline]
    pub(crate) fn next(&mut self, policy: &Policy<'_>, window: Window<'_>, end: Option<Finish>) -> Option<Found> {
        loop {
            if let Some(&found) = self.queue.found.get(self.queue.next) {
                self.queue.next += 1;
                return Some(found);
            }
            self.queue.found.clear();
            self.queue.next = 0;
            if self.is_spent {
                return None;
            }
            self.is_spent = !self.scan.step(policy, window, end, &mut self.queue);
        }
    }

    /// There is more text, or it has ended.
    #[inline]
    pub(crate) fn resume(&mut self) {
        self.is_spent = false;
    }

    /// Makes this the next thing that is found; all others are taken.
    pub(crate) fn put_back(&mut self, found: Found) {
        self.queue.found.clear();
        self.queue.next = 0;
        self.queue.put(found);
    }

    /// Whether all that was put out is taken.
    pub(crate) fn is_taken(&self) -> bool {
        self.queue.next == self.queue.found.len()
    }
}
