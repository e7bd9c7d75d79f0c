//! The adapter from a `Read` to events, for blocking clients.

use alloc::boxed::Box;
use alloc::vec;
use core::fmt;
use core::iter::FusedIterator;
use std::io::{self, Read};

use crate::event::{Finish, OwnedEvent};
use crate::input::decode::{Decode, FinishBy};
use crate::input::driver::Driver;
use crate::input::utf8::{Utf8Decoder, Utf8Error};
use crate::parser::Parser;
use crate::protocol::Policy;

/// Reads a reply from a [`Read`]: an iterator of `io::Result<OwnedEvent>`.
///
/// An event is yielded as soon as the bytes read so far decide it, and nothing is read while an event is left. Reads may be of any
/// length and cut characters.
///
/// ```
/// use tagwire::workforce::{self, Mode, Role};
/// use tagwire::{OwnedEvent, EventReader};
///
/// let reply = "Testing. [[RUN cmd=\"pytest\"/]]".as_bytes();
/// for event in EventReader::new(reply, workforce::policy(Role::Developer, Mode::Work)) {
///     if let OwnedEvent::Tag(tag) = event? {
///         assert_eq!(tag.as_tag().attr("cmd"), Some("pytest".into()));
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// An item is an error if the source fails or its bytes are invalid: for bytes that are not UTF-8, of the kind
/// [`InvalidData`](io::ErrorKind::InvalidData) with a [`Utf8Error`] inside, which has the offset. Events decided before the error are
/// yielded first. After it the reply counts as cut off ([`Finish::Truncated`]): the events that this decides are yielded, and the
/// iterator ends.
///
/// Two kinds are not final: after [`Interrupted`](io::ErrorKind::Interrupted) the read is repeated at once, and
/// [`WouldBlock`](io::ErrorKind::WouldBlock), of a non-blocking source or one with a time limit, is passed on and the next item continues
/// to read.
///
/// # Complexity
///
/// Linear in the bytes. Holds a buffer of 8 KiB, and the text that the parser holds.
pub struct EventReader<'p, R, D = Utf8Decoder> {
    source: R,
    driver: Driver<'p, D>,
    buffer: Box<[u8]>,
    /// An error that waits until the events decided before it are taken.
    error: Option<io::Error>,
}

const BUFFER: usize = 8 * 1024;

impl<'p, R: Read> EventReader<'p, R> {
    /// Reads a reply in UTF-8 that is complete at the end of `source`.
    pub fn new(source: R, policy: Policy<'p>) -> Self {
        Self::with_decoder(source, policy, Utf8Decoder::strict())
    }
}

impl<'p, R, D> EventReader<'p, R, D>
where
    R: Read,
    D: Decode<Chunk = [u8]>,
    D::Error: Into<io::Error>,
{
    /// Reads through `decoder`: with [`Utf8Decoder::lossy`] no bytes are invalid; an `sse::Answer` takes the reply out of an event stream.
    pub fn with_decoder(source: R, policy: Policy<'p>, decoder: D) -> Self {
        EventReader { source, driver: Driver::new(policy, decoder), buffer: vec![0; BUFFER].into(), error: None }
    }

    /// Calls `finish` at the end of the source, to learn how the reply ended. A reply that the decoder knows to be truncated stays so.
    pub fn finish_by<F: FnMut() -> Finish>(self, finish: F) -> EventReader<'p, R, FinishBy<D, F>> {
        let EventReader { source, driver, buffer, error } = self;
        EventReader { source, driver: driver.map(|decoder| FinishBy::new(decoder, finish)), buffer, error }
    }

    /// The parser: see [`Parser::pending`] for what is open.
    pub fn parser(&self) -> &Parser<'p> {
        self.driver.parser()
    }

    /// The decoder.
    pub fn decoder(&self) -> &D {
        self.driver.decoder()
    }

    /// How the reply ended, once it has. The last events come after that.
    pub fn ended_as(&self) -> Option<Finish> {
        self.driver.ended_as()
    }

    /// Returns the source. Text that was read and not yielded is lost.
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

impl<R, D> Iterator for EventReader<'_, R, D>
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

impl<R, D> FusedIterator for EventReader<'_, R, D>
where
    R: Read,
    D: Decode<Chunk = [u8]>,
    D::Error: Into<io::Error>,
{
}

impl<R, D: fmt::Debug> fmt::Debug for EventReader<'_, R, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader").field("driver", &self.driver).field("error", &self.error).finish_non_exhaustive()
    }
}

/// Of the kind [`InvalidData`](io::ErrorKind::InvalidData).
impl From<Utf8Error> for io::Error {
    fn from(error: Utf8Error) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}
