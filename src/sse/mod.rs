//! Event streams: the text of an answer, and how it ended, out of what a chat API streams.
//!
//! OpenAI chat completions, OpenAI responses and Anthropic messages, and whatever speaks as one of them, send an answer as
//! server-sent events with JSON in them. An [`Answer`] takes the bytes of such a body, cut wherever the network cuts them, and
//! gives the text of the answer: only that, and never thinking or reasoning, a refusal, or the arguments of a tool call. Blocks
//! of text are joined with nothing between.
//!
//! ```
//! use tagwire::sse::Answer;
//! use tagwire::workforce::{self, Mode, Role};
//! use tagwire::{Event, Parser};
//!
//! let body = [
//!     &b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"[[RUN cmd=\\\"py"[..],
//!     b"test\\\"/]]\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
//!     b"data: [DONE]\n\n",
//! ];
//! let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
//! let mut answer = Answer::auto();
//! let mut text = String::new();
//! let mut commands = Vec::new();
//! for bytes in body {
//!     text.clear();
//!     answer.feed(bytes, &mut text)?;
//!     for event in parser.feed(&text) {
//!         if let Event::Tag(tag) = event {
//!             commands.push(tag.attr("cmd").map(str::to_owned));
//!         }
//!     }
//! }
//! text.clear();
//! let finish = answer.finish(&mut text)?;
//! assert_eq!(parser.feed(&text).count(), 0);
//! assert_eq!(parser.finish_with(finish).count(), 0);
//! assert_eq!(commands, [Some("pytest".to_owned())]);
//! assert_eq!(answer.reason(), Some("stop"));
//! # Ok::<(), tagwire::sse::Error>(())
//! ```
//!
//! The same in less: `Reader::with_decoder(body, policy, Answer::auto())`, and with the feature `futures`
//! `body.tags_from_sse(policy, Answer::auto())`.

mod body;
mod error;
mod format;
mod reason;

use alloc::string::String;
use core::num::NonZeroUsize;

use sse_core::{MessageEvent, SseDecoder, SseEvent};

use self::body::Body;
pub use self::error::Error;
use self::error::Kind;
pub use self::format::{Format, UnknownFormat};
use self::format::{Found, Reading};
pub use self::reason::finish_for_reason;
use crate::decode::Decode;
use crate::event::Finish;
use crate::utf8::Utf8Decoder;

/// Takes the text of one answer out of the body of an event stream, and learns how it ended.
///
/// Comments, keep-alives and kinds of events that it does not know are skipped. After the event that ends the answer, nothing
/// more is read.
///
/// # How an answer ends
///
/// [`Finish::Complete`] takes the end event of the format (`[DONE]`, `response.completed`, `message_stop`) and a reason with
/// which a model ends its answer itself (`stop`, `end_turn`, a tool call, ...). All else is [`Finish::Truncated`]: a limit
/// (`length`, `max_tokens`, `incomplete`), a filter, a pause, a reason that it does not know, and bytes that end before the end
/// event.
///
/// # Errors
///
/// The first [`Error`] is final: nothing more is read after it, and [`Answer::finish`] gives [`Finish::Truncated`].
///
/// # Complexity
///
/// Linear in the bytes. It keeps the event that has not ended, up to [`Answer::with_max_event_bytes`].
#[derive(Clone, Debug)]
pub struct Answer {
    utf8: Utf8Decoder,
    body: Body,
    reader: EventReader,
    has_failed: bool,
    /// Text on its way from a chunk to a parser.
    scratch: String,
}

impl Answer {
    /// Finds the format out by the first event that tells.
    pub fn auto() -> Self {
        Self::new(None)
    }

    /// Of a stream in this format. One in another is an error.
    pub fn of(format: Format) -> Self {
        Self::new(Some(format))
    }

    fn new(format: Option<Format>) -> Self {
        let reader = EventReader {
            decoder: SseDecoder::with_limit(MAX_EVENT_BYTES),
            max_event_bytes: MAX_EVENT_BYTES,
            reading: Reading::new(format),
            events: 0,
        };
        Answer { utf8: Utf8Decoder::strict(), body: Body::default(), reader, has_failed: false, scratch: String::new() }
    }

    /// Of several choices (`n` in the request), the one with this index; 0 without it. Only OpenAI chat completions have more
    /// than one.
    #[must_use]
    pub fn choice(mut self, index: u64) -> Self {
        self.reader.reading.choice = index;
        self
    }

    /// The longest event, in bytes; 16 MiB without it. A longer one is an error, so that a server cannot fill the memory.
    ///
    /// Some formats repeat the whole answer, and the whole request, in their last event.
    #[must_use]
    pub fn with_max_event_bytes(mut self, max: NonZeroUsize) -> Self {
        self.reader.decoder = SseDecoder::with_limit(max);
        self.reader.max_event_bytes = max;
        self
    }

    /// Takes the next bytes of the body, which may be cut anywhere, and appends the text in them to `text`.
    ///
    /// # Errors
    ///
    /// Where the bytes are no such stream, or the server says that it failed. The text in front of that place is appended.
    pub fn feed(&mut self, bytes: &[u8], text: &mut String) -> Result<(), Error> {
        let result = self.try_feed(bytes, text);
        self.has_failed |= result.is_err();
        result
    }

    fn try_feed(&mut self, bytes: &[u8], text: &mut String) -> Result<(), Error> {
        if self.has_failed {
            return Ok(());
        }
        for piece in self.utf8.decode(bytes) {
            if self.reader.reading.is_ended {
                break;
            }
            let piece = piece.map_err(Kind::Utf8)?;
            if let Some(events) = self.body.take(piece) {
                self.reader.read(events, text)?;
            }
        }
        Ok(())
    }

    /// The end of the body: appends what an event that ends with it still has, and tells how the answer ended.
    ///
    /// # Errors
    ///
    /// Where the body was no event stream at all: for an error that the server gave instead of one, with its message. Where the
    /// answer has no choice of that index.
    pub fn finish(&mut self, text: &mut String) -> Result<Finish, Error> {
        if self.has_failed {
            return Ok(Finish::Truncated);
        }
        // A character that is cut here was cut off with the rest, and is no fault of the encoding.
        let result = self.try_finish(text);
        self.has_failed |= result.is_err();
        result
    }

    fn try_finish(&mut self, text: &mut String) -> Result<Finish, Error> {
        self.reader.read_last(text)?;
        if self.reader.events == 0 {
            self.body.check()?;
        }
        let reading = &self.reader.reading;
        if reading.is_ended && !reading.has_choice() {
            return Err(Kind::NoChoice(reading.choice).into());
        }
        Ok(reading.finish())
    }

    /// The format, if it is known yet.
    pub fn format(&self) -> Option<Format> {
        self.reader.reading.format
    }

    /// Why the answer ended, as the server calls it: `stop`, `length`, `end_turn`, `max_output_tokens`, ... None before that.
    pub fn reason(&self) -> Option<&str> {
        self.reader.reading.reason.as_deref()
    }

    /// Whether the event came that ends the answer. The body may go on for a while.
    pub fn is_ended(&self) -> bool {
        self.reader.reading.is_ended
    }
}

const MAX_EVENT_BYTES: NonZeroUsize = NonZeroUsize::new(16 << 20).expect("not zero");

/// From the text of an event stream to what its events say.
#[derive(Clone, Debug)]
struct EventReader {
    decoder: SseDecoder,
    max_event_bytes: NonZeroUsize,
    reading: Reading,
    /// How many there were.
    events: u64,
}

impl EventReader {
    fn read(&mut self, piece: &str, text: &mut String) -> Result<(), Error> {
        let mut rest = piece.as_bytes();
        while !self.reading.is_ended
            && let Some(event) = self.decoder.next(&mut rest)
        {
            match event {
                Ok(SseEvent::Message(message)) => self.message(&message, text)?,
                Ok(SseEvent::Retry(_)) => {}
                Err(_) => return Err(Kind::TooLong { max: self.max_event_bytes.get() }.into()),
            }
        }
        Ok(())
    }

    /// An event whose blank line never came. If it was cut off, it is no whole object, and is left out.
    fn read_last(&mut self, text: &mut String) -> Result<(), Error> {
        if self.reading.is_ended {
            return Ok(());
        }
        if let Some(Ok(SseEvent::Message(message))) = self.decoder.next(&mut &b"\n\n"[..]) {
            match self.message(&message, text) {
                Err(error) if error.is_malformed() => {}
                result => result?,
            }
        }
        Ok(())
    }

    fn message(&mut self, message: &MessageEvent, text: &mut String) -> Result<(), Error> {
        self.events += 1;
        match format::found(&message.event, &message.data) {
            Ok(Found::Nothing) => Ok(()),
            Ok(Found::Done) => {
                self.reading.done();
                Ok(())
            }
            Ok(Found::Value(value)) => self.reading.read(&value, text),
            Ok(Found::Failure(error)) => Err(error),
            Err(error) => Err(Kind::Malformed { event: self.events, error }.into()),
        }
    }
}

/// The text of the answer, out of the bytes of the body.
impl Decode for Answer {
    type Chunk = [u8];
    type Error = Error;
    type Failure<E> = crate::decode::StreamError<E, Error>;

    fn decode(&mut self, chunk: &[u8], text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let mut scratch = core::mem::take(&mut self.scratch);
        let result = self.feed(chunk, &mut scratch);
        self.give(scratch, text);
        result
    }

    fn finish(&mut self, text: &mut dyn FnMut(&str)) -> Result<Finish, Error> {
        let mut scratch = core::mem::take(&mut self.scratch);
        let result = self.finish(&mut scratch);
        self.give(scratch, text);
        result
    }

    fn is_ended(&self) -> bool {
        self.is_ended()
    }

    fn wrong<E>(error: Error) -> Self::Failure<E> {
        crate::decode::StreamError::Decode(error)
    }

    fn source<E>(error: E) -> Self::Failure<E> {
        crate::decode::StreamError::Source(error)
    }
}

impl Answer {
    /// Gives the text, and keeps the memory.
    fn give(&mut self, mut scratch: String, text: &mut dyn FnMut(&str)) {
        if !scratch.is_empty() {
            text(&scratch);
            scratch.clear();
        }
        self.scratch = scratch;
    }
}
