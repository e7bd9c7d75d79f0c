//! What the input is: the reply itself, or the event stream of a chat API with the reply in it.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tagwire::sse::{Answer, Error, Format, InsteadOfText};
use tagwire::{Utf8Decoder, Utf8Error};

use super::session::{Finish, Session};
use crate::failure::Failure;
use crate::input::Input;

/// The format of an event stream; found out if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct From(Option<Format>);

/// The formats, and `auto`.
pub(super) fn formats() -> impl TypedValueParser<Value = From> {
    let names = Format::ALL.iter().map(|format| format.as_str()).chain(["auto"]);
    PossibleValuesParser::new(names).map(|name| From(name.parse().ok()))
}

/// Decodes the bytes of the input into the text of the reply.
pub(super) enum Source {
    Plain(Utf8Decoder),
    Events(Box<Events>),
}

/// An event stream.
pub(super) struct Events {
    answer: Answer,
    /// The text of a chunk.
    text: String,
    /// The bytes of text so far.
    bytes: usize,
}

/// How the reply ended.
pub(super) struct End {
    pub(super) finish: Finish,
    /// Why, as the server wrote it.
    pub(super) reason: Option<String>,
    /// Content of the reply other than text.
    pub(super) instead_of_text: Option<InsteadOfText>,
    /// The failure that cut the reply off, reported after it.
    pub(super) failure: Option<Failure>,
}

impl End {
    /// An end about which nothing else is known.
    pub(super) fn of(finish: Finish) -> Self {
        End { finish, reason: None, instead_of_text: None, failure: None }
    }
}

impl Source {
    /// The reply itself; `is_lossy` to replace bytes that are not UTF-8.
    pub(super) fn plain(is_lossy: bool) -> Self {
        Source::Plain(if is_lossy { Utf8Decoder::lossy() } else { Utf8Decoder::strict() })
    }

    /// This choice of an event stream.
    pub(super) fn events(From(format): From, choice: u64, is_lossy: bool) -> Self {
        let answer = format.map_or_else(Answer::auto, Answer::with_format).with_choice(choice);
        let answer = if is_lossy { answer.lossy() } else { answer };
        Source::Events(Box::new(Events { answer, text: String::new(), bytes: 0 }))
    }

    /// Feeds a chunk: prints the events that it decides, and the pending text.
    ///
    /// Returns the end, if it is in the chunk.
    pub(super) fn feed(&mut self, bytes: &[u8], session: &mut Session, input: &Input) -> Result<Option<End>, Failure> {
        let end = match self {
            Source::Plain(decoder) => {
                for piece in decoder.decode(bytes) {
                    feed(piece, session, input)?;
                }
                None
            }
            Source::Events(events) => {
                let result = events.answer.feed(bytes, &mut events.text);
                events.forward(session)?;
                match result {
                    Ok(()) if events.answer.is_ended() => Some(events.end(session, input)?),
                    Ok(()) => None,
                    Err(error) => Some(events.cut_off(events.failure(&error, input))?),
                }
            }
        };
        session.show()?;
        Ok(end)
    }

    /// The end of the input.
    pub(super) fn end(&mut self, session: &mut Session, input: &Input) -> Result<End, Failure> {
        match self {
            Source::Plain(decoder) => {
                for piece in decoder.finish() {
                    feed(piece, session, input)?;
                }
                Ok(End::of(Finish::Complete))
            }
            Source::Events(events) => events.end(session, input),
        }
    }

    /// The end if the input cannot be read any further.
    pub(super) fn broken(&self, failure: Failure) -> Result<End, Failure> {
        match self {
            Source::Plain(_) => Err(failure),
            Source::Events(events) => events.cut_off(failure),
        }
    }
}

/// Feeds a piece of text. Text before invalid bytes is printed first.
fn feed(piece: Result<&str, Utf8Error>, session: &mut Session, input: &Input) -> Result<(), Failure> {
    match piece {
        Ok(text) => session.feed(text),
        Err(error) => {
            session.show()?;
            Err(input.not_utf8(error.offset()))
        }
    }
}

impl Events {
    fn forward(&mut self, session: &mut Session) -> Result<(), Failure> {
        self.bytes += self.text.len();
        session.feed(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn end(&mut self, session: &mut Session, input: &Input) -> Result<End, Failure> {
        let result = self.answer.finish(&mut self.text);
        self.forward(session)?;
        match result {
            Ok(ending) => Ok(self.end_as(session.resolve(ending), None)),
            Err(error) => self.cut_off(self.failure(&error, input)),
        }
    }

    /// The end of a reply of which some text came; without any there was no reply.
    fn cut_off(&self, failure: Failure) -> Result<End, Failure> {
        if self.bytes == 0 { Err(failure) } else { Ok(self.end_as(Finish::Truncated, Some(failure))) }
    }

    fn end_as(&self, finish: Finish, failure: Option<Failure>) -> End {
        let reason = self.answer.reason().map(str::to_owned);
        End { finish, reason, instead_of_text: self.answer.instead_of_text(), failure }
    }

    fn failure(&self, error: &Error, input: &Input) -> Failure {
        let after = match self.bytes {
            0 => String::new(),
            bytes => format!(", after byte {bytes} of the reply"),
        };
        Failure::Unusable(format!("{input}{after}: {error}"))
    }
}
