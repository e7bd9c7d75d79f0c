//! The scanner: finds prose, tags and mistakes in a reply, as offsets.
//!
//! Each dialect has a machine of its own, chosen once per reply from the protocol. A machine owns offsets and no text: each step reads
//! the [`Input`] and emits [`RawEvent`]s to a [`Sink`]. The same machine reads whole replies and streams; whether the end of the reply is
//! known is the only difference.
//!
//! To add a dialect: a folder beside `seed/` with a machine that has the methods called below, and a variant of [`Scanner`].

mod fast;
mod input;
mod queue;
mod raw_event;
pub(crate) mod seed;
pub(crate) mod strict;

use alloc::boxed::Box;

use crate::protocol::{Dialect, Policy};
use crate::storage::HeapStorage;

pub(crate) use crate::window::Window;
pub(crate) use fast::{FastPath, Step};
pub(crate) use input::Input;
pub(crate) use queue::EventQueue;
pub(crate) use raw_event::{RawEvent, Sink, strict_tag};

/// The machine of the protocol's dialect, for a reply that is read on.
#[expect(
    clippy::large_enum_variant,
    reason = "the seed's machine is read for each chunk, and stays where the parser is"
)]
pub(crate) enum Scanner {
    Seed(seed::Machine<HeapStorage>),
    Strict(Box<strict::Machine<HeapStorage>>),
}

impl Scanner {
    /// Creates the machine of the dialect of `policy`. Allocates for the strict one.
    pub(crate) fn new(policy: &Policy<'_>) -> Self {
        match policy.protocol().dialect() {
            Dialect::Seed => Scanner::Seed(seed::Machine::new(HeapStorage)),
            Dialect::Strict => Scanner::Strict(Box::new(strict::Machine::new(HeapStorage, policy))),
        }
    }

    /// Starts the next reply and keeps the memory.
    pub(crate) fn reset(&mut self) {
        match self {
            Scanner::Seed(machine) => machine.reset(),
            Scanner::Strict(machine) => machine.reset(),
        }
    }

    /// Makes the reply begin inside the region at this position of the protocol's. The seed's dialect has none.
    pub(crate) fn begin_inside(&mut self, region: usize) {
        if let Scanner::Strict(machine) = self {
            machine.begin_inside(region);
        }
    }

    /// Decides and emits until the sink is full or nothing more can be decided without more text. Returns whether the latter.
    /// `usual` changes nothing but the code.
    #[inline(always)]
    pub(crate) fn run(&mut self, input: &Input<'_, '_, '_>, sink: &mut impl Sink, usual: Step) -> bool {
        match self {
            Scanner::Seed(machine) => machine.run(input, sink, usual),
            Scanner::Strict(machine) => run_strict(machine, input, sink),
        }
    }

    /// The offset up to which the text has been scanned.
    #[inline(always)]
    pub(crate) fn pos(&self) -> usize {
        match self {
            Scanner::Seed(machine) => machine.pos(),
            Scanner::Strict(machine) => machine.pos(),
        }
    }

    /// The offset of the first byte still needed, apart from what the emitted events need.
    #[inline(always)]
    pub(crate) fn needed_from(&self) -> usize {
        match self {
            Scanner::Seed(machine) => machine.needed_from(),
            Scanner::Strict(machine) => machine.needed_from(),
        }
    }

    /// How a chunk without delimiters is classified, given that all text before it has been scanned. The strict machine says so when the
    /// chunk is there: [`strict::Machine::quiet`].
    #[inline(always)]
    pub(crate) fn fast_path(&self, policy: &Policy<'_>) -> FastPath {
        match self {
            Scanner::Seed(machine) => machine.fast_path(policy),
            Scanner::Strict(_) => FastPath::NONE,
        }
    }

    /// Passes `len` bytes that the fast path has passed: all prose, or all part of what is held.
    #[inline(always)]
    pub(crate) fn skip(&mut self, len: usize) {
        if let Scanner::Seed(machine) = self {
            machine.skip(len);
        }
    }

    /// Passes `len` bytes in which a token opens at the start and nothing else happens.
    #[inline(always)]
    pub(crate) fn skip_opening(&mut self, len: usize) {
        if let Scanner::Seed(machine) = self {
            machine.skip_opening(len);
        }
    }
}

// Out of line, so that the loop over the seed's chunks has only its own machine in it.
#[inline(never)]
fn run_strict(machine: &mut strict::Machine<HeapStorage>, input: &Input<'_, '_, '_>, sink: &mut impl Sink) -> bool {
    machine.run(input, sink)
}
