//! From a `Read` to events, for blocking clients.

use alloc::boxed::Box;
use alloc::vec;
use core::fmt;
use core::iter::FusedIterator;
use std::io::{self, Read};

use crate::event::{Finish, OwnedEvent};
use crate::input::decode::{Decode, FinishBy};
use crate::input::driver::Driver;
use crate::input::utf8::{InvalidUtf8, Utf8Decoder};
use crate::parser::Parser;
use crate::protocol::Policy;

/// Reads a reply from a [`Read`] and gives its events: an iterator of `io::Result<OwnedEvent>`.
///
/// An event is given as soon as the bytes that were read decide it, and nothing is read while there is one to give. Reads may
/// be of any length and cut characters.
///
/// ```
/// use tagwire::workforce::{self, Mode, Role};
/// use tagwire::{OwnedEvent, Reader};
///
/// let reply = "Testing. [[RUN cmd=\"pytest\"/]]".as_bytes();
/// for event in Reader::new(reply, workforce::policy(Role::Developer, Mode::Work)) {
///     if let OwnedEvent::Tag(tag) = event? {
///         assert_eq!(tag.as_tag().attr("cmd"), Some("pytest".into()));
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// An item is an error where the source fails or what it reads is wrong: for bytes that are no UTF-8, of the kind
/// [`InvalidData`](io::ErrorKind::InvalidData) with an [`InvalidUtf8`] inside, which has the offset. What was decided before it
/// is given first. Behind it the reply counts as cut off ([`Finish::Truncated`]): what that resolves is given, and then the
/// iterator ends.
///
/// Two kinds are not the end: [`Interrupted`](io::ErrorKind::Interrupted) is tried again at once, and
/// [`WouldBlock`](io::ErrorKind::WouldBlock), of a source that does not block or that has a time limit, is passed on and
/// the next item goes on reading.
///
/// # Complexity
///
/// Linear in the bytes. It keeps a buffer of 8 KiB, and what the parser holds.
pub struct Reader<'p, R, D = Utf8Decoder> {
    source: R,
    driver: Driver<'p, D>,
    buffer: Box<[u8]>,
    /// An error that waits until what was decided before it is given.
    error: Option<io::Error>,
}

const BUFFER: usize = 8 * 1024;

impl<'p, R: Read> Reader<'p, R> {
    /// Reads a reply in UTF-8, which is complete at the end of `source`.
    pub fn new(source: R, policy: Policy<'p>) -> Self {
        Self::with_decoder(source, policy, Utf8Decoder::strict())
    }
}

impl<'p, R, D> Reader<'p, R, D>
where
    R: Read,
    D: Decode<Chunk = [u8]>,
    D::Error: Into<io::Error>,
{
    /// Reads what `decoder` makes of the bytes: with [`Utf8Decoder::lossy`] no bytes are wrong; an
    /// `sse::Answer` takes the reply out of an event stream.
    pub fn with_decoder(source: R, policy: Policy<'p>, decoder: D) -> Self {
        Reader { source, driver: Driver::new(policy, decoder), buffer: vec![0; BUFFER].into(), error: None }
    }

    /// The same, but `finish` is asked at the end of the source how the reply ended. What the decoder knows to be truncated
    /// stays so.
    pub fn finish_by<F: FnMut() -> Finish>(self, finish: F) -> Reader<'p, R, FinishBy<D, F>> {
        let Reader { source, driver, buffer, error } = self;
        Reader { source, driver: driver.map(|decoder| FinishBy::new(decoder, finish)), buffer, error }
    }

    /// The parser: see [`Parser::pending`] for what is open.
    pub fn parser(&self) -> &Parser<'p> {
        self.driver.parser()
    }

    /// The decoder.
    pub fn decoder(&self) -> &D {
        self.driver.decoder()
    }

    /// How the reply ended; none before that. The last events come after it.
    pub fn finish(&self) -> Option<Finish> {
        self.driver.finish()
    }

    /// The source. What was read and not given is lost.
    pub fn into_inner(self) -> R {
        self.source
    }

    fn read(&mut self) -> io::Result<()> {
        let count = loop {
            match self.source.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        let result = if count == 0 { self.driver.end() } else { self.driver.push(&self.buffer[..count]) };
        result.map_err(Into::into)
    }
}

impl<R, D> Iterator for Reader<'_, R, D>
where
    R: Read,
    D: Decode<Chunk = [u8]>,
    D::Error: Into<io::Error>,
{
    type Item = io::Result<OwnedEvent>;

    fn next(&mut self) -> Option<io::Result<OwnedEvent>> {
        loop {
            if let Some(event) = self.driver.next() {
                return Some(Ok(event.into_owned()));
            }
            if let Some(error) = self.error.take() {
                self.driver.cut_off();
                return Some(Err(error));
            }
            if self.driver.resolve() {
                continue;
            }
            if self.driver.is_ended() {
                return None;
            }
            match self.read() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Some(Err(error)),
                result => self.error = result.err(),
            }
        }
    }
}

impl<R, D> FusedIterator for Reader<'_, R, D>
where
    R: Read,
    D: Decode<Chunk = [u8]>,
    D::Error: Into<io::Error>,
{
}

impl<R, D: fmt::Debug> fmt::Debug for Reader<'_, R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("driver", &self.driver).field("error", &self.error).finish_non_exhaustive()
    }
}

/// Of the kind [`InvalidData`](io::ErrorKind::InvalidData).
impl From<InvalidUtf8> for io::Error {
    fn from(error: InvalidUtf8) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}
