//! The output of several threads, written in the order of the input.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Writes pieces in the order of their numbers, whatever the order in which they are made.
///
/// Memory is bounded whatever the pieces hold: the first piece that is not written yet is written while it is made, and
/// the others wait once they have [`PIECE_BYTES`] each, or all that are finished have [`WAITING_BYTES`].
pub(super) struct OrderedWriter {
    state: Mutex<State>,
    turn: Condvar,
}

impl OrderedWriter {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        let state = State { out, next: 0, waiting: BTreeMap::new(), waiting_bytes: 0, spare: Vec::new() };
        OrderedWriter { state: Mutex::new(state), turn: Condvar::new() }
    }

    /// Begins the piece with this number. Each number from 0 is begun once, and each piece is finished.
    pub(super) fn piece(&self, number: u64) -> Piece<'_> {
        let buffer = self.lock().spare.pop().unwrap_or_default();
        Piece { writer: self, number, buffer }
    }

    fn finish(&self, number: u64, piece: Vec<u8>) -> io::Result<()> {
        let mut state = self.lock();
        // The thread whose turn it is never waits here, so each wait ends.
        while number != state.next && state.waiting_bytes + piece.len() > WAITING_BYTES {
            state = self.wait(state);
        }
        if number != state.next {
            state.waiting_bytes += piece.len();
            state.waiting.insert(number, piece);
            return Ok(());
        }
        state.end_piece(piece)?;
        while let Some(piece) = state.take_next() {
            state.end_piece(piece)?;
        }
        state.out.flush()?;
        self.turn.notify_all();
        Ok(())
    }

    /// Writes a part of a piece as soon as it is its turn.
    fn write_part(&self, number: u64, parts: [&[u8]; 2]) -> io::Result<()> {
        let mut state = self.lock();
        while number != state.next {
            state = self.wait(state);
        }
        parts.iter().try_for_each(|part| state.out.write_all(part))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.turn.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

struct State {
    out: Box<dyn Write + Send>,
    /// The number of the first piece that is not finished.
    next: u64,
    /// Finished pieces after that one.
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
    /// Empty buffers to be used again.
    spare: Vec<Vec<u8>>,
}

impl State {
    fn take_next(&mut self) -> Option<Vec<u8>> {
        let piece = self.waiting.remove(&self.next)?;
        self.waiting_bytes -= piece.len();
        Some(piece)
    }

    /// Writes the rest of a piece.
    fn end_piece(&mut self, mut piece: Vec<u8>) -> io::Result<()> {
        self.out.write_all(&piece)?;
        self.next += 1;
        if piece.capacity() <= PIECE_BYTES && self.spare.len() < MAX_SPARE {
            piece.clear();
            self.spare.push(piece);
        }
        Ok(())
    }
}

/// A part of the output, made by one thread.
pub(super) struct Piece<'w> {
    writer: &'w OrderedWriter,
    number: u64,
    buffer: Vec<u8>,
}

impl Piece<'_> {
    /// Appends the small output of `write`: as fast as to a vector, and unbounded until it returns.
    pub(super) fn append(&mut self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        write(&mut self.buffer)?;
        if self.buffer.len() > PIECE_BYTES { self.overflow(&[]) } else { Ok(()) }
    }

    /// Ends the piece: it is written, or kept until it is its turn.
    pub(super) fn finish(self) -> io::Result<()> {
        self.writer.finish(self.number, self.buffer)
    }

    #[cold]
    fn overflow(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_part(self.number, [&self.buffer, bytes])?;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for Piece<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.buffer.len() + bytes.len() > PIECE_BYTES {
            return self.overflow(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A piece that is larger than this waits for its turn. Several times what the lines of one read make, as a rule.
const PIECE_BYTES: usize = 4 << 20;

/// When finished pieces of this size wait, the threads that are ahead wait too.
const WAITING_BYTES: usize = 16 << 20;

/// How many empty buffers are kept.
const MAX_SPARE: usize = 16;

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    /// The output so far.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        fn get(&self) -> Vec<u8> {
            self.0.lock().expect("no panic").clone()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn pieces_are_written_in_the_order_of_their_numbers() {
        let written = Written::default();
        let writer = OrderedWriter::new(Box::new(written.clone()));
        for number in [2, 1, 0, 4, 3] {
            let mut piece = writer.piece(number);
            write!(piece, "{number}").and_then(|()| piece.finish()).expect("it is written");
        }
        assert_eq!(written.get(), b"01234");
    }

    #[test]
    fn the_first_piece_is_written_while_it_is_made() {
        let written = Written::default();
        let writer = OrderedWriter::new(Box::new(written.clone()));
        let mut piece = writer.piece(0);
        let part = vec![b'x'; PIECE_BYTES / 2];
        for parts in 1..9 {
            piece.write_all(&part).expect("it is written");
            assert!(piece.buffer.capacity() <= 2 * PIECE_BYTES);
            assert!(parts * part.len() - written.get().len() <= PIECE_BYTES);
        }
        piece.finish().expect("it is written");
        assert_eq!(written.get().len(), 8 * part.len());
    }

    #[test]
    fn a_large_piece_that_is_ahead_waits_for_its_turn() {
        let written = Written::default();
        let writer = OrderedWriter::new(Box::new(written.clone()));
        let large = vec![b'1'; 3 * PIECE_BYTES];
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut piece = writer.piece(1);
                piece.write_all(b"1").and_then(|()| piece.write_all(&large)).expect("it is written");
                piece.finish().expect("it is written");
            });
            let mut piece = writer.piece(0);
            piece.write_all(b"0").expect("it is written");
            assert_eq!(written.get(), b"");
            piece.finish().expect("it is written");
        });
        assert_eq!(written.get(), [b"01", &large[..]].concat());
    }
}
