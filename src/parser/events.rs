//! The iterator over what a chunk decided, and what it leaves for the next chunk when it is dropped.

use alloc::string::String;
use core::fmt;

use super::state::{Outstanding, StreamState};
use crate::event::Event;
use crate::protocol::Policy;

/// An iterator over the [`Event`]s that a chunk, or the end of the reply, decided.
///
/// Events may outlive the iterator; they borrow the chunk and the parser. What is not taken comes first from the next
/// [`Parser::feed`](crate::Parser::feed) or [`Parser::finish`](crate::Parser::finish).
#[must_use = "events that are not taken wait for the next `feed` or `finish`"]
pub struct Events<'a>(Option<Live<'a>>);

/// What an [`Events`] borrows from its parser while there is, or may be, more to yield.
struct Live<'a> {
    text: &'a str,
    policy: &'a Policy<'a>,
    state: &'a mut StreamState,
    /// The carry, if the text is a chunk read in place: where to keep what is left of it.
    tail: Option<&'a mut String>,
}

impl<'a> Events<'a> {
    #[inline(always)]
    pub(super) fn none() -> Self {
        Events(None)
    }

    /// Yields what the scanner finds in a text that begins at the origin of `state`.
    #[inline(always)]
    pub(super) fn of_text(
        text: &'a str,
        policy: &'a Policy<'a>,
        state: &'a mut StreamState,
        tail: Option<&'a mut String>,
    ) -> Self {
        state.lend(Outstanding::Text);
        Events(Some(Live { text, policy, state, tail }))
    }

    /// Yields a text that is all prose and ends at the base of `state`. The text after it is in `carry`.
    #[inline(always)]
    pub(super) fn of_prose(
        text: &'a str,
        policy: &'a Policy<'a>,
        state: &'a mut StreamState,
        carry: &'a mut String,
    ) -> Self {
        state.lend(Outstanding::Prose);
        Events(Some(Live { text, policy, state, tail: Some(carry) }))
    }
}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Event<'a>> {
        let live = self.0.as_mut()?;
        if live.state.outstanding() == Outstanding::Prose {
            let Live { text, ref mut state, .. } = *live;
            let span = state.prose_span(text);
            state.release();
            self.0 = None;
            return Some(Event::Prose { text, span });
        }
        if live.state.is_drained() {
            // Most texts are read to their end by now, and asking for another event costs no call.
            if live.state.needs_input() {
                return None;
            }
            live.read_on();
        }
        live.take()
    }
}

impl core::iter::FusedIterator for Events<'_> {}

impl Drop for Events<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(live) = &mut self.0 {
            if live.state.outstanding() == Outstanding::Text && live.state.is_done() {
                live.state.release();
            } else {
                live.leave();
            }
        }
    }
}

impl<'a> Live<'a> {
    // These are kept out of the loop over chunks, of which most need none of them.
    #[inline(never)]
    fn take(&mut self) -> Option<Event<'a>> {
        self.state.take(self.policy, self.text)
    }

    /// Reads on in a text that was not read to its end: the queue was full.
    #[inline(never)]
    fn read_on(&mut self) {
        let Live { text, policy, state, tail } = self;
        state.read_on(policy, text, tail.as_deref_mut());
    }

    /// Keeps what was not taken, and the text after it.
    #[inline(never)]
    fn leave(&mut self) {
        if self.state.outstanding() == Outstanding::Text && self.state.is_drained() {
            // If nothing waits, all that was fed has been read.
            self.read_on();
        }
        let Live { text, state, tail, .. } = self;
        let outstanding = state.abandon();
        match tail {
            _ if state.is_done() && outstanding == Outstanding::Text => state.release(),
            None => {}
            Some(carry) if outstanding == Outstanding::Prose => state.put_back_prose(text, carry),
            Some(carry) => state.stash_undecided(text, carry),
        }
    }
}
