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

/// What is found and waits: of one step four things at the most. They are prose, an attribute's line, the line of a budget or of
/// an unclosed tag, and a tile.
#[derive(Default)]
struct Queue {
    found: SmallVec<[Found; 4]>,
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

    fn waiting(&self) -> &[Found] {
        &self.found[self.found.len() - self.left..]
    }
}

impl Sink for Queue {
    // Where each thing is found its parts are at hand: inlined, they are written to their place and not moved there.
    #[inline(always)]
    fn put(&mut self, found: Found) {
        if self.left == 0 {
            self.found.clear();
        }
        self.found.push(found);
        self.left += 1;
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
    #[inline(always)]
    pub(crate) fn next<'a, 'p: 'a>(&mut self, sight: &Sight<'_, 'a, 'p>) -> Option<Event<'a>> {
        while self.is_taken() && !self.is_spent {
            self.is_spent = !self.scan.step(sight, &mut self.queue);
        }
        let found = self.queue.take()?;
        Some(resolve(found, sight))
    }

    /// The step of a tag that is open. Whether anything waits then.
    pub(crate) fn wait(&mut self, sight: &Sight<'_, '_, '_>) -> bool {
        self.is_spent = !self.scan.wait(sight, &mut self.queue);
        !self.is_taken()
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
        self.queue.put(found);
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
