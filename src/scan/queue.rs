//! Events that were found and have not been taken.

use alloc::collections::VecDeque;

use super::raw_event::{RawEvent, Sink};
use crate::event::Event;
use crate::protocol::{Policy, Protocol};
use crate::span::Span;
use crate::window::Window;

/// A queue that is emptied before it is filled again. Allocates only if one step emits more than usual.
pub(crate) struct EventQueue {
    slots: [RawEvent; SLOTS],
    /// The end of the events in `slots` and, from there on, in `overflow`.
    end: usize,
    /// The number of events that have not been taken: the last ones. Mostly 0, which is tested often.
    left: usize,
    /// What comes after the events in `slots`.
    overflow: VecDeque<RawEvent>,
}

impl EventQueue {
    pub(crate) fn new() -> Self {
        EventQueue { slots: [RawEvent::Dropped(Span::NONE); SLOTS], end: 0, left: 0, overflow: VecDeque::new() }
    }

    /// Removes everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.left = 0;
        self.overflow.clear();
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Takes the oldest event. The window must cover the text it needs.
    #[inline(always)]
    pub(crate) fn take<'a>(
        &mut self,
        policy: &Policy<'_>,
        protocol: Protocol<'a>,
        window: &Window<'a>,
    ) -> Option<Event<'a>> {
        if self.left == 0 {
            return None;
        }
        let mut slot = self.end - self.left;
        if slot >= SLOTS {
            self.unspill();
            slot = 0;
        }
        self.left -= 1;
        // Read in place: copying it first would cost as much as the conversion.
        Some(self.slots[slot].resolve(policy, protocol, window))
    }

    /// The offset of the first byte that an event in the queue needs, or `pos` if that is lower.
    pub(crate) fn text_from(&self, pos: usize) -> usize {
        let (start, end) = (self.end - self.left, self.end.min(SLOTS));
        let waiting = self.slots[start.min(end)..end].iter().chain(&self.overflow);
        waiting.filter_map(RawEvent::text_from).fold(pos, usize::min)
    }

    #[cold]
    fn spill(&mut self, event: RawEvent) {
        self.overflow.push_back(event);
    }

    /// Moves the oldest event of the overflow to the first slot. All slots have been taken.
    #[cold]
    fn unspill(&mut self) {
        self.slots[0] = self.overflow.pop_front().expect("as many events as are left");
    }
}

impl Sink for EventQueue {
    // Inlined where each event is found, so that its fields are written in place.
    #[inline(always)]
    fn emit(&mut self, event: RawEvent) {
        if self.left == 0 {
            self.end = 0;
        }
        match self.slots.get_mut(self.end) {
            Some(slot) => *slot = event,
            None => self.spill(event),
        }
        self.end += 1;
        self.left += 1;
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.left > HIGH_WATER
    }
}

/// Above this number of waiting events the machine pauses, so that the queue stays small whatever a chunk holds.
const HIGH_WATER: usize = 4;
/// Room for what one more step usually emits: prose, a line, a line of its budget, and a tile.
const SLOTS: usize = HIGH_WATER + 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workforce::{self, Mode, Role};
    use alloc::string::String;

    #[test]
    fn any_number_of_events_comes_out_in_order() {
        let text = String::from("x").repeat(300);
        let (policy, window) = (workforce::policy(Role::Developer, Mode::Work), Window::new(&text, 0));
        for count in [1, 7, 8, 9, 16, 17, 100] {
            let mut queue = EventQueue::new();
            for first in [0, count, 2 * count] {
                for i in first..first + count {
                    queue.emit(RawEvent::Prose(Span::new(i, i + 1)));
                }
                assert_eq!(queue.text_from(usize::MAX), first);
                for i in first..first + count {
                    let event = queue.take(&policy, policy.protocol(), &window).expect("an event");
                    assert_eq!(event.span(), Span::new(i, i + 1));
                }
                assert!(queue.is_empty() && queue.take(&policy, policy.protocol(), &window).is_none());
            }
        }
    }
}
