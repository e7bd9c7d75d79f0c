//! Decoders: from the chunks that a client delivers (text, bytes, an event stream) to the text of a reply.
//!
//! [`EventReader`](crate::EventReader) and [`EventStream`](crate::EventStream) read a `Read` and a `Stream`, and decode what they read with a
//! [`Decode`].

use core::convert::Infallible;
use core::fmt;

use crate::event::Finish;
use crate::input::utf8::{Utf8Chunks, Utf8Decoder, Utf8Error};
use crate::parser::Parser;
use crate::parser::Pending;

/// How a reply ended, as far as a decoder knows.
///
/// A server may end a reply without a word on why. Only the parser knows whether a tag was open then, so it takes both to tell a complete
/// reply from one that was cut off: see [`Ending::resolve`]. [`EventReader`](crate::EventReader) and the stream adapters do it on their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// As the model ended it.
    Complete,
    /// It was cut off, or may have been.
    Truncated,
    /// It was ended, and no reason was given: complete if nothing is open.
    Unstated,
}

impl Ending {
    /// The way to [finish](Parser::finish_with) a reply that ended so, after all its text was fed to `parser` and all events were taken.
    ///
    /// An ending without a reason is [`Finish::Complete`] if no tag is open, and otherwise [`Finish::Truncated`]: if a tag waits for its
    /// close or for the end of its token, but not for a `[` or two, which may as well end a sentence. If events were left it is
    /// truncated, too. Constant time.
    ///
    /// ```
    /// use tagwire::workforce::{self, Mode, Role};
    /// use tagwire::{Ending, Finish, Parser};
    ///
    /// let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
    /// parser.feed("Done.").for_each(drop);
    /// assert_eq!(Ending::Unstated.resolve(&parser), Finish::Complete);
    /// parser.feed("[[WRITE_FILE path='a']]").for_each(drop);
    /// assert_eq!(Ending::Unstated.resolve(&parser), Finish::Truncated);
    /// ```
    pub fn resolve(self, parser: &Parser<'_>) -> Finish {
        match self {
            Ending::Complete => Finish::Complete,
            Ending::Truncated => Finish::Truncated,
            Ending::Unstated if !parser.is_all_taken() => Finish::Truncated,
            Ending::Unstated => match parser.pending() {
                None => Finish::Complete,
                Some(Pending::Token { text, .. }) if text.len() <= "[[".len() => Finish::Complete,
                Some(_) => Finish::Truncated,
            },
        }
    }
}

impl From<Finish> for Ending {
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Complete => Ending::Complete,
            Finish::Truncated => Ending::Truncated,
        }
    }
}

/// Turns the chunks that a source delivers into the text of a reply.
///
/// Implemented for [`TextChunks`], for [`Utf8Decoder`], and with the feature `sse` for `sse::Answer`. It
/// cannot be implemented elsewhere.
pub trait Decode: sealed::Sealed {
    /// What a chunk is: `str` or `[u8]`.
    type Chunk: ?Sized;

    /// The error for invalid chunks.
    type Error;

    /// The error of an adapter over a source that fails with an `E`: `E` itself if chunks cannot be invalid, else a
    /// [`StreamError`] of both.
    type Failure<E>;

    /// Decodes the next chunk, and passes its text to `text` in pieces.
    ///
    /// # Errors
    ///
    /// If the chunk is invalid, after the text before the invalid part. Nothing more is decoded then.
    fn decode(&mut self, chunk: &Self::Chunk, text: &mut dyn FnMut(&str)) -> Result<(), Self::Error>;

    /// Ends the chunks: passes the text on that still waited, and returns how the reply ended.
    ///
    /// # Errors
    ///
    /// If the chunks must not end here.
    fn finish(&mut self, text: &mut dyn FnMut(&str)) -> Result<Ending, Self::Error>;

    /// Whether the reply has ended, though the chunks have not: nothing more needs to be read.
    fn is_ended(&self) -> bool {
        false
    }

    /// The failure for an invalid chunk.
    #[doc(hidden)]
    fn wrong<E>(error: Self::Error) -> Self::Failure<E>;

    /// The failure for an error of the source.
    #[doc(hidden)]
    fn source<E>(error: E) -> Self::Failure<E>;
}

/// The decoder of chunks that are text already. The reply is complete when they end.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TextChunks;

impl Decode for TextChunks {
    type Chunk = str;
    type Error = Infallible;
    type Failure<E> = E;

    fn decode(&mut self, chunk: &str, text: &mut dyn FnMut(&str)) -> Result<(), Infallible> {
        text(chunk);
        Ok(())
    }

    fn finish(&mut self, _text: &mut dyn FnMut(&str)) -> Result<Ending, Infallible> {
        Ok(Ending::Complete)
    }

    fn wrong<E>(error: Infallible) -> E {
        match error {}
    }

    fn source<E>(error: E) -> E {
        error
    }
}

/// Decodes a reply in UTF-8, which is complete when its bytes end.
impl Decode for Utf8Decoder {
    type Chunk = [u8];
    type Error = Utf8Error;
    type Failure<E> = StreamError<E, Utf8Error>;

    fn decode(&mut self, chunk: &[u8], text: &mut dyn FnMut(&str)) -> Result<(), Utf8Error> {
        give(self.decode(chunk), text)
    }

    fn finish(&mut self, text: &mut dyn FnMut(&str)) -> Result<Ending, Utf8Error> {
        give(self.finish(), text)?;
        Ok(Ending::Complete)
    }

    fn wrong<E>(error: Utf8Error) -> Self::Failure<E> {
        StreamError::Decode(error)
    }

    fn source<E>(error: E) -> Self::Failure<E> {
        StreamError::Source(error)
    }
}

fn give(mut pieces: Utf8Chunks<'_>, text: &mut dyn FnMut(&str)) -> Result<(), Utf8Error> {
    pieces.try_for_each(|piece| {
        text(piece?);
        Ok(())
    })
}

/// Decodes with `D`, and calls a function at the end of the chunks that returns how the reply ended.
///
/// Made by `EventStream::finish_by` and `EventReader::finish_by`.
#[derive(Clone, Copy)]
pub struct FinishBy<D, F> {
    decoder: D,
    finish: F,
}

impl<D, F> FinishBy<D, F> {
    pub(crate) fn new(decoder: D, finish: F) -> Self {
        FinishBy { decoder, finish }
    }
}

impl<D: Decode, F: FnMut() -> Finish> Decode for FinishBy<D, F> {
    type Chunk = D::Chunk;
    type Error = D::Error;
    type Failure<E> = D::Failure<E>;

    fn decode(&mut self, chunk: &D::Chunk, text: &mut dyn FnMut(&str)) -> Result<(), D::Error> {
        self.decoder.decode(chunk, text)
    }

    /// Truncated if either says so.
    fn finish(&mut self, text: &mut dyn FnMut(&str)) -> Result<Ending, D::Error> {
        Ok(match self.decoder.finish(text)? {
            Ending::Truncated => Ending::Truncated,
            Ending::Complete | Ending::Unstated => (self.finish)().into(),
        })
    }

    fn is_ended(&self) -> bool {
        self.decoder.is_ended()
    }

    fn wrong<E>(error: D::Error) -> D::Failure<E> {
        D::wrong(error)
    }

    fn source<E>(error: E) -> D::Failure<E> {
        D::source(error)
    }
}

/// Leaves the function out, which seldom implements `Debug`.
impl<D: fmt::Debug, F> fmt::Debug for FinishBy<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FinishBy").field("decoder", &self.decoder).finish_non_exhaustive()
    }
}

/// The error of a stream of chunks: its source failed, or the chunks are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamError<E, D> {
    /// The error of the source, as it was.
    Source(E),
    /// The error of the decoder.
    Decode(D),
}

/// Prints the error inside.
impl<E: fmt::Display, D: fmt::Display> fmt::Display for StreamError<E, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Source(error) => error.fmt(f),
            StreamError::Decode(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error + 'static, D: core::error::Error + 'static> core::error::Error for StreamError<E, D> {
    /// The source of the error inside: that error prints as this one, and would be named twice.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            StreamError::Source(error) => error.source(),
            StreamError::Decode(error) => error.source(),
        }
    }
}

mod sealed {
    /// Keeps [`Decode`](super::Decode) free to grow.
    pub trait Sealed {}

    impl Sealed for super::TextChunks {}
    impl Sealed for super::Utf8Decoder {}
    #[cfg(feature = "sse")]
    impl Sealed for crate::input::sse::Answer {}
    impl<D: Sealed, F> Sealed for super::FinishBy<D, F> {}
}
