//! The output of several threads, put in the order of the input.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::chunks::KEPT;

/// So many bytes may wait for what comes before them; then the threads that are ahead wait too.
const WAITING: usize = 16 << 20;

/// Writes pieces in the order of their numbers, whatever the order they come in.
pub(super) struct Ordered {
    state: Mutex<State>,
    moved_on: Condvar,
}

struct State {
    out: Box<dyn Write + Send>,
    /// The number of the piece to be written next.
    next: u64,
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
    /// Buffers to be used again.
    spare: Vec<Vec<u8>>,
}

impl Ordered {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        let state = State { out, next: 0, waiting: BTreeMap::new(), waiting_bytes: 0, spare: Vec::new() };
        Ordered { state: Mutex::new(state), moved_on: Condvar::new() }
    }

    /// Writes `piece`, or keeps it until its turn comes. Gives an empty buffer for the next one.
    pub(super) fn put(&self, number: u64, piece: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut state = self.lock();
        // The thread whose turn it is never waits here, so this ends.
        while number != state.next && state.waiting_bytes + piece.len() > WAITING {
            state = self.moved_on.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if number != state.next {
            state.waiting_bytes += piece.len();
            state.waiting.insert(number, piece);
            return Ok(state.spare.pop().unwrap_or_default());
        }
        state.write(piece)?;
        while let Some(piece) = state.take_next() {
            state.write(piece)?;
        }
        state.out.flush()?;
        self.moved_on.notify_all();
        Ok(state.spare.pop().unwrap_or_default())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_next(&mut self) -> Option<Vec<u8>> {
        let piece = self.waiting.remove(&self.next)?;
        self.waiting_bytes -= piece.len();
        Some(piece)
    }

    fn write(&mut self, mut piece: Vec<u8>) -> io::Result<()> {
        self.out.write_all(&piece)?;
        self.next += 1;
        if piece.capacity() <= KEPT {
            piece.clear();
            self.spare.push(piece);
        }
        Ok(())
    }
}
