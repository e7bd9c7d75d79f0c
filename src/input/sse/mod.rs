//! Event streams: the text of an answer, and how it ended, out of what a chat API streams.
//!
//! OpenAI chat completions and responses, Anthropic messages, Gemini, Cohere, Mistral, and the servers that are compatible with one of
//! them, send an answer as server-sent events with JSON in them; Ollama sends a JSON object a line. An [`Answer`] takes the bytes of such
//! a body, cut wherever the network cuts them, and returns the text of the answer: never thinking or reasoning, a refusal, or the
//! arguments of a tool call. Blocks of text are joined with nothing between.
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
//!             commands.push(tag.attr("cmd").map(|value| value.to_string()));
//!         }
//!     }
//! }
//! text.clear();
//! let ending = answer.finish(&mut text)?;
//! assert_eq!(parser.feed(&text).count(), 0);
//! let finish = ending.resolve(&parser);
//! assert_eq!(parser.finish_with(finish).count(), 0);
//! assert_eq!(commands, [Some("pytest".to_owned())]);
//! assert_eq!(answer.reason(), Some("stop"));
//! # Ok::<(), tagwire::sse::Error>(())
//! ```
//!
//! [`EventReader::with_decoder`](crate::EventReader::with_decoder) with an `Answer` does this for a `Read`, and with the feature `futures`
//! `tag_events_from_sse` for a stream of bytes.

mod body;
mod error;
mod evidence;
mod format;
mod lines;
mod reading;
mod reason;
mod shallow;
mod surrogate;

use alloc::string::String;
use core::num::NonZeroUsize;

use serde_json::Value;

use self::body::Body;
pub use self::error::Error;
use self::error::{Kind, ServerError, is_nothing, shown};
pub use self::format::{Format, ParseFormatError};
use self::lines::{Events, Item, Lines, TooLong};
pub use self::reading::InsteadOfText;
use self::reading::{Reading, is_keep_alive};
pub use self::reason::finish_for_reason;
pub use self::surrogate::lone_surrogate;
use crate::input::decode::{Decode, Ending};
use crate::input::utf8::Utf8Decoder;

/// Takes the text of one answer out of the body of an event stream, and learns how it ended.
///
/// Comments, keep-alives and events of unknown kinds are skipped. Nothing after the end event is read.
///
/// # How an answer ends
///
/// [`Ending::Complete`] takes evidence: a reason with which a model ends its answer itself (`stop`, `end_turn`, a tool call, ...), and
/// the end event of the format (`response.completed`, `message_stop`, `"done": true`, `message-end`). Chat completions and Gemini need no
/// end event after such a reason, since many servers close the connection without `[DONE]`.
///
/// Any evidence against it wins, in whatever order it comes, and makes it [`Ending::Truncated`]: a limit (`length`, `max_tokens`), a
/// filter, a refusal, a pause, a status other than `completed`, an unknown reason. So does a body that ends too early.
///
/// An end event without any reason is [`Ending::Unstated`]: [resolve](Ending::resolve) it once the parser has all the text.
///
/// # What is not understood
///
/// An answer is never empty because nothing in the body was understood: that is an [`Error`] which shows the first 200 characters. See
/// [`Answer::instead_of_text`] for an answer that has no text, but tool calls or a refusal.
///
/// # Errors
///
/// The first [`Error`] is final: nothing is read after it, and [`Answer::finish`] returns [`Ending::Truncated`].
///
/// # Complexity
///
/// Linear in the bytes. An event that has not ended is kept, up to [`Answer::with_max_event_bytes`].
#[derive(Clone, Debug)]
pub struct Answer {
    utf8: Utf8Decoder,
    body: Body,
    reader: AnswerReader,
    has_failed: bool,
    /// Text on its way from a chunk to a parser.
    scratch: String,
}

impl Answer {
    /// Finds the format out by the first event that tells.
    pub fn auto() -> Self {
        Self::new(None)
    }

    /// Reads a stream in this format. One in another format is an error; `openai` and `mistral` are read alike.
    pub fn with_format(format: Format) -> Self {
        Self::new(Some(format))
    }

    fn new(format: Option<Format>) -> Self {
        Answer {
            utf8: Utf8Decoder::strict(),
            body: Body::default(),
            reader: AnswerReader::new(format),
            has_failed: false,
            scratch: String::new(),
        }
    }

    /// Reads the choice with this index, of several (`n` or `candidateCount` in the request); 0 by default. Only chat completions and
    /// Gemini have more than one.
    #[must_use]
    pub fn with_choice(mut self, index: u64) -> Self {
        self.reader.reading.choice = index;
        self
    }

    /// Sets the longest event, in bytes; 16 MiB by default. A longer one is an error, so that a server cannot fill the memory.
    ///
    /// Some formats repeat the whole answer, and the whole request, in their last event.
    #[must_use]
    pub fn with_max_event_bytes(mut self, max: NonZeroUsize) -> Self {
        self.reader.events = Events::new(max.get());
        self
    }

    /// Replaces bytes that are not UTF-8 by U+FFFD, as [`Utf8Decoder::lossy`] does. By default they are an error.
    #[must_use]
    pub fn lossy(mut self) -> Self {
        self.utf8 = Utf8Decoder::lossy();
        self
    }

    /// Takes the next bytes of the body, which may be cut anywhere, and appends the text in them to `text`.
    ///
    /// # Errors
    ///
    /// If the bytes are no such stream, or the server says that it failed. The text before is appended.
    pub fn feed(&mut self, bytes: &[u8], text: &mut String) -> Result<(), Error> {
        let result = self.try_feed(bytes, text);
        self.has_failed |= result.is_err();
        result
    }

    fn try_feed(&mut self, bytes: &[u8], text: &mut String) -> Result<(), Error> {
        if self.has_failed || self.is_ended() {
            return Ok(());
        }
        self.body.check_bytes(bytes)?;
        for piece in self.utf8.decode(bytes) {
            if self.reader.reading.is_ended {
                break;
            }
            let piece = piece.map_err(Kind::Utf8)?;
            self.reader.read(self.body.text(piece), text)?;
        }
        Ok(())
    }

    /// Ends the body: appends the text of an event that ends with it, and returns how the answer ended.
    ///
    /// # Errors
    ///
    /// If the body was no event stream, or one of which nothing was understood; if it was an error of the server, with its message; if
    /// the answer has no choice of the index that was asked for.
    pub fn finish(&mut self, text: &mut String) -> Result<Ending, Error> {
        if self.has_failed {
            return Ok(Ending::Truncated);
        }
        // A character that is cut here was cut off with the rest, and is no fault of the encoding.
        let result = self.try_finish(text);
        self.has_failed |= result.is_err();
        result
    }

    fn try_finish(&mut self, text: &mut String) -> Result<Ending, Error> {
        self.reader.read_last(text)?;
        if self.body.is_page() || (self.reader.has_no_events() && self.reader.reading.has_unread()) {
            return Err(self.body.not_an_event_stream());
        }
        self.reader.reading.finish(text)
    }

    /// The format, if it is known yet.
    pub fn format(&self) -> Option<Format> {
        self.reader.reading.format
    }

    /// Why the answer ended, as the server wrote it: `stop`, `length`, `end_turn`, `MAX_TOKENS`, ... `None` if no reason came yet.
    ///
    /// Of several reasons it is the one that decides: the first that is evidence against a complete answer, or else the last.
    pub fn reason(&self) -> Option<&str> {
        self.reader.reading.reason()
    }

    /// What the answer holds instead of text, if it has none so far but white space.
    pub fn instead_of_text(&self) -> Option<InsteadOfText> {
        self.reader.reading.instead_of_text()
    }

    /// Whether the event came that ends the answer. The body may go on for a while.
    pub fn is_ended(&self) -> bool {
        self.reader.reading.is_ended
    }
}

const MAX_EVENT_BYTES: usize = 16 << 20;

/// From the text of an event stream to what its events say.
#[derive(Clone, Debug)]
struct AnswerReader {
    lines: Lines,
    events: Events,
    reading: Reading,
    /// Whether there was an event of an event stream, and not only JSON.
    has_events: bool,
}

impl AnswerReader {
    fn new(format: Option<Format>) -> Self {
        AnswerReader {
            lines: Lines::default(),
            events: Events::new(MAX_EVENT_BYTES),
            reading: Reading::new(format),
            has_events: false,
        }
    }

    /// Whether there was nothing of an event stream, nor JSON of a known format.
    fn has_no_events(&self) -> bool {
        !self.has_events && !self.reading.is_sure()
    }

    fn read(&mut self, mut piece: &str, text: &mut String) -> Result<(), Error> {
        let AnswerReader { lines, events, reading, has_events } = self;
        let max = events.max();
        while !reading.is_ended
            && let Some(line) = lines.next(&mut piece)
        {
            events
                .line(&line, &mut |item| take(item, false, reading, has_events, text))
                .map_err(|stop| stop.error(max))?;
        }
        let is_too_long = !reading.is_ended && events.is_too_long(lines.pending());
        if is_too_long { Err(Kind::TooLong { max }.into()) } else { Ok(()) }
    }

    /// The event that the end of the body ends. If it was cut off it is no whole object, and is left out.
    fn read_last(&mut self, text: &mut String) -> Result<(), Error> {
        let AnswerReader { lines, events, reading, has_events } = self;
        if reading.is_ended {
            return Ok(());
        }
        let max = events.max();
        events
            .finish(&lines.last(), &mut |item| take(item, true, reading, has_events, text))
            .map_err(|stop| stop.error(max))
    }
}

/// Why the events of a line were not all taken.
enum Stop {
    TooLong,
    Failed(Error),
}

impl From<TooLong> for Stop {
    fn from(_: TooLong) -> Self {
        Stop::TooLong
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

impl From<Kind> for Stop {
    fn from(kind: Kind) -> Self {
        Stop::Failed(kind.into())
    }
}

impl Stop {
    fn error(self, max: usize) -> Error {
        match self {
            Stop::TooLong => Kind::TooLong { max }.into(),
            Stop::Failed(error) => error,
        }
    }
}

/// Has an item of the body read; `is_last` for one that the end of the body ends.
fn take(
    item: Item<'_>,
    is_last: bool,
    reading: &mut Reading,
    has_events: &mut bool,
    text: &mut String,
) -> Result<(), Stop> {
    if reading.is_ended {
        return Ok(());
    }
    match item {
        Item::Event { name, data } => {
            *has_events = true;
            reading.event += 1;
            event(name, data.trim(), is_last, reading, text)?;
        }
        Item::Json(json) => match parse(json) {
            Ok(value) => {
                reading.event += 1;
                let is_body = !*has_events && !reading.is_sure();
                bare(&value, is_body, reading, text)?;
            }
            Err(error) if is_last && error.is_eof() && reading.is_sure() => {}
            Err(_) if is_last && "[DONE]".starts_with(json) => {}
            Err(_) => reading.stray(json),
        },
        Item::Failure(message) => {
            let error = match parse(message) {
                Ok(Parsed { value, .. }) if is_nothing(&value) => return Ok(()),
                Ok(Parsed { value, .. }) => ServerError::of(&value),
                Err(_) => ServerError::plain(message),
            };
            return Err(Kind::Server(error).into());
        }
        // A page in the middle, as a proxy sends it when its server is gone.
        Item::Stray(line) if line.trim_start().starts_with('<') && reading.event > 0 => {
            return Err(Kind::Foreign { event: reading.event, start: shown(line.trim()) }.into());
        }
        Item::Stray(line) => reading.stray(line),
        Item::UnknownField(line) => reading.unknown(line),
    }
    Ok(())
}

/// An event of an event stream.
fn event(name: &str, data: &str, is_last: bool, reading: &mut Reading, text: &mut String) -> Result<(), Error> {
    let is_error = matches!(name, "error" | "exception");
    // Some proxies frame what is framed already.
    let data = data.trim_start_matches("data:").trim_start();
    if data.is_empty() {
        return if is_error { Err(Kind::Server(ServerError::plain("")).into()) } else { Ok(()) };
    }
    if data.trim_matches('"').eq_ignore_ascii_case("[DONE]") {
        reading.done();
        return Ok(());
    }
    match parse(data) {
        Ok(Parsed { value, .. }) if is_error && !is_nothing(&value) => {
            let error = ServerError::of_event(&value, false).unwrap_or_else(|| ServerError::of(&value));
            Err(Kind::Server(error).into())
        }
        Ok(value) => each(name, &value, reading, text),
        Err(_) if is_error => Err(Kind::Server(ServerError::plain(data)).into()),
        Err(_) if is_keep_alive(name) => Ok(()),
        // An event of a kind of its own may hold what it likes.
        Err(_) if !may_hold_text(name) => {
            reading.unknown(data);
            Ok(())
        }
        Err(error) if is_last && (error.is_eof() || "[DONE]".starts_with(data)) => Ok(()),
        Err(error) => {
            let error = alloc::string::ToString::to_string(&error);
            Err(Kind::Malformed { event: reading.event, error, start: shown(data) }.into())
        }
    }
}

/// JSON outside of an event stream: a line of Ollama's, an error, a whole reply; `is_body` if nothing came before.
fn bare(parsed: &Parsed, is_body: bool, reading: &mut Reading, text: &mut String) -> Result<(), Error> {
    let first = parsed.value.get(0).unwrap_or(&parsed.value);
    if is_body {
        let is_chunk = Format::of("", first).is_some();
        let error = ServerError::of_event(first, is_chunk);
        let error = error.or_else(|| ServerError::of_message(first).filter(|_| !is_chunk && !is_whole_reply(first)));
        if let Some(error) = error {
            return Err(Kind::Server(error.instead_of_stream()).into());
        }
        if is_whole_reply(first) {
            return Err(Kind::WholeReply.into());
        }
        if is_nothing(first) {
            reading.unknown(&alloc::format!("{first}"));
        }
    }
    each("", parsed, reading, text)
}

/// Has each object of an event read: some servers put it into a list.
fn each(name: &str, parsed: &Parsed, reading: &mut Reading, text: &mut String) -> Result<(), Error> {
    let Parsed { value, is_escaped } = parsed;
    let values = match value {
        Value::Array(values) => values.as_slice(),
        value => core::slice::from_ref(value),
    };
    for value in values {
        // The name of an event without one is `message`.
        let kind = value["type"].as_str().or(Some(name).filter(|name| *name != "message")).unwrap_or_default();
        if let Some(error) = ServerError::of_event(value, Format::of(kind, value).is_some()) {
            return Err(Kind::Server(error).into());
        }
        reading.is_escaped = *is_escaped;
        reading.read(kind, value, text)?;
    }
    Ok(())
}

/// Whether an object is an answer that was not streamed.
fn is_whole_reply(value: &Value) -> bool {
    let is_list = |key: &str| value.get(key).is_some_and(Value::is_array);
    let is_whole_choice = |choice: &Value| {
        choice.get("delta").is_none() && (choice.get("message").is_some() || choice.get("text").is_some())
    };
    match value.get("choices") {
        Some(choices) => choices.get(0).is_some_and(is_whole_choice),
        None => is_list("output") || is_list("content") || value["message"]["content"].is_array(),
    }
}

/// Whether an event with this name can carry text of an answer. An event without a name is called `message`.
fn may_hold_text(name: &str) -> bool {
    name.is_empty() || ["message", "content", "response.", "completion"].iter().any(|start| name.starts_with(start))
}

/// The JSON of an event.
struct Parsed {
    value: Value,
    /// Whether its strings have lone halves of characters, as [`surrogate::escape`] writes them.
    is_escaped: bool,
}

fn parse(json: &str) -> serde_json::Result<Parsed> {
    match shallow::from_str(json) {
        Ok(value) => Ok(Parsed { value, is_escaped: false }),
        Err(error) => match surrogate::escape(json) {
            Some(escaped) => Ok(Parsed { value: shallow::from_str(&escaped)?, is_escaped: true }),
            None => Err(error),
        },
    }
}

/// Decodes the bytes of the body to the text of the answer.
impl Decode for Answer {
    type Chunk = [u8];
    type Error = Error;
    type Failure<E> = crate::input::decode::StreamError<E, Error>;

    fn decode(&mut self, chunk: &[u8], text: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let mut scratch = core::mem::take(&mut self.scratch);
        let result = self.feed(chunk, &mut scratch);
        self.give(scratch, text);
        result
    }

    fn finish(&mut self, text: &mut dyn FnMut(&str)) -> Result<Ending, Error> {
        let mut scratch = core::mem::take(&mut self.scratch);
        let result = self.finish(&mut scratch);
        self.give(scratch, text);
        result
    }

    fn is_ended(&self) -> bool {
        self.is_ended()
    }

    fn wrong<E>(error: Error) -> Self::Failure<E> {
        crate::input::decode::StreamError::Decode(error)
    }

    fn source<E>(error: E) -> Self::Failure<E> {
        crate::input::decode::StreamError::Source(error)
    }
}

impl Answer {
    /// Passes the text on, and keeps the memory.
    fn give(&mut self, mut scratch: String, text: &mut dyn FnMut(&str)) {
        if !scratch.is_empty() {
            text(&scratch);
            scratch.clear();
        }
        self.scratch = scratch;
    }
}
