//! The machine as something to be pulled: one event at a time.

use crate::event::{Event, Span};
use crate::found::{Found, Sink};
use crate::protocol::{Policy, Protocol};
use crate::resolve::resolve;
use crate::scan::Scan;
use crate::store::Heap;
use crate::window::{Sight, Window};

/// The machine with what it has put out and nobody has taken yet.
pub(crate) struct Pull {
    pub(crate) scan: Scan<Heap>,
    queue: Queue,
    /// The last step could not decide more with the text it had.
    is_spent: bool,
}

/// What is found and waits.
struct Queue {
    found: [Found; ENOUGH + MOST],
    /// Where the last one ends.
    end: usize,
    /// How many are not taken yet: the last ones. Mostly none, which is asked often.
    left: usize,
}

/// Where more than these wait, the machine makes no step: so what waits takes little room, whatever is in a chunk.
const ENOUGH: usize = 4;
/// What one step finds at the most: prose, an attribute's line, the line of a budget or of an unclosed tag, and a tile.
const MOST: usize = 4;

impl Queue {
    #[inline]
    fn take(&mut self) -> Option<&Found> {
        if self.left == 0 {
            return None;
        }
        let found = self.found.get(self.end - self.left);
        self.left -= 1;
        found
    }

    fn waiting(&self) -> &[Found] {
        &self.found[self.end - self.left..self.end]
    }
}

impl Sink for Queue {
    // Where each thing is found its parts are at hand: inlined, they are written to their place and not moved there.
    #[inline(always)]
    fn put(&mut self, found: Found) {
        if self.left == 0 {
            self.end = 0;
        }
        self.found[self.end] = found;
        self.end += 1;
        self.left += 1;
    }
}

impl Pull {
    pub(crate) fn new() -> Self {
        Pull {
            scan: Scan::new(Heap),
            queue: Queue { found: [Found::Dropped(Span::NONE); ENOUGH + MOST], end: 0, left: 0 },
            is_spent: false,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.scan.reset();
        self.queue.left = 0;
        self.is_spent = false;
    }

    /// Where nothing waits, runs the machine until enough does, or it takes more text to find more.
    #[inline(always)]
    pub(crate) fn run(&mut self, sight: &Sight<'_, '_, '_>) {
        if !self.is_taken() {
            return;
        }
        while !self.is_spent && self.queue.left <= ENOUGH {
            self.is_spent = !self.scan.step(sight, &mut self.queue);
        }
    }

    /// Where nothing waits, makes the step of a tag that is open. Whether anything waits then.
    #[inline(always)]
    pub(crate) fn wait(&mut self, sight: &Sight<'_, '_, '_>) -> bool {
        if self.is_taken() {
            self.is_spent = !self.scan.wait(sight, &mut self.queue);
        }
        !self.is_taken()
    }

    /// The next thing that waits.
    #[inline(always)]
    pub(crate) fn take<'a>(
        &mut self,
        policy: &Policy<'_>,
        protocol: Protocol<'a>,
        window: &Window<'a>,
    ) -> Option<Event<'a>> {
        let found = self.queue.take()?;
        Some(resolve(found, policy, protocol, window))
    }

    /// Whether it takes more text to find more.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// Whether all that was put out is taken, and it takes more text to find more.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.is_spent && self.is_taken()
    }

    /// There may be more text, or it has ended.
    #[inline]
    pub(crate) fn resume(&mut self) {
        self.is_spent = false;
    }

    /// Makes this wait, as if a step had found it, where nothing waits.
    pub(crate) fn put(&mut self, found: Found) {
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
