//! The scanner: finds prose, tags and mistakes in a reply, as offsets.
//!
//! Each dialect has a machine of its own, chosen once per reply from the protocol. A machine owns offsets and no text: each step reads
//! the [`Input`] and emits [`RawEvent`]s to a [`Sink`]. The same machine reads whole replies and streams; whether the end of the reply is
//! known is the only difference.
//!
//! To add a dialect: a folder beside `seed/` with a machine that has the methods called below, and a variant of [`Scanner`].

pub(crate) mod bytes;
mod fast;
mod input;
mod queue;
mod raw_event;
pub(crate) mod seed;
pub(crate) mod strict;

use crate::protocol::Policy;
use crate::storage::Storage;

pub(crate) use fast::{FastPath, Step};
pub(crate) use input::{Input, Window};
pub(crate) use queue::EventQueue;
pub(crate) use raw_event::{RawEvent, Sink};

/// The machine of the protocol's dialect.
pub(crate) enum Scanner<S: Storage> {
    Seed(seed::Machine<S>),
}

impl<S: Storage> Scanner<S> {
    pub(crate) fn new(storage: S) -> Self {
        Scanner::Seed(seed::Machine::new(storage))
    }

    /// Starts the next reply and keeps the memory.
    pub(crate) fn reset(&mut self) {
        let Scanner::Seed(machine) = self;
        machine.reset();
    }

    /// Decides and emits until the sink is full or nothing more can be decided without more text. Returns whether the latter.
    /// `usual` changes nothing but the code.
    #[inline(always)]
    pub(crate) fn run(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink, usual: Step) -> bool {
        let Scanner::Seed(machine) = self;
        machine.run(input, sink, usual)
    }

    /// The offset up to which the text has been scanned.
    #[inline(always)]
    pub(crate) fn pos(&self) -> usize {
        let Scanner::Seed(machine) = self;
        machine.pos()
    }

    /// The offset of the first byte still needed, apart from what the emitted events need.
    #[inline(always)]
    pub(crate) fn needed_from(&self) -> usize {
        let Scanner::Seed(machine) = self;
        machine.needed_from()
    }

    /// How a chunk without delimiters is classified, given that all text before it has been scanned.
    #[inline(always)]
    pub(crate) fn fast_path(&self, policy: &Policy<'_>) -> FastPath {
        let Scanner::Seed(machine) = self;
        machine.fast_path(policy)
    }

    /// Passes `len` bytes that the fast path holds.
    #[inline(always)]
    pub(crate) fn skip_held(&mut self, len: usize) {
        let Scanner::Seed(machine) = self;
        machine.skip_held(len);
    }

    /// Passes `len` bytes that the fast path classifies as prose.
    #[inline(always)]
    pub(crate) fn skip_prose(&mut self, len: usize) {
        let Scanner::Seed(machine) = self;
        machine.skip_prose(len);
    }

    /// Passes `len` bytes in which a token opens at the start and nothing else happens.
    #[inline(always)]
    pub(crate) fn skip_opening(&mut self, len: usize) {
        let Scanner::Seed(machine) = self;
        machine.skip_opening(len);
    }
}
