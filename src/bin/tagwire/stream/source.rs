//! What the input is: the reply itself, or the event stream of a chat API with the reply in it.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use tagwire::sse::{Answer, Error, Format};
use tagwire::{InvalidUtf8, Utf8Decoder};

use super::session::{Finish, Session};
use crate::failure::Failure;
use crate::input::Input;

/// Which event stream it is; found out where there is no format.
#[derive(Clone, Copy, Debug)]
pub(super) struct From(Option<Format>);

/// The formats, and `auto`.
pub(super) fn formats() -> impl TypedValueParser<Value = From> {
    let names = Format::ALL.iter().map(|format| format.as_str()).chain(["auto"]);
    PossibleValuesParser::new(names).map(|name| From(name.parse().ok()))
}

/// From the bytes of the input to the text of the reply.
pub(super) enum Source {
    Plain(Utf8Decoder),
    Events(Box<Events>),
}

/// An event stream.
pub(super) struct Events {
    answer: Answer,
    /// The text of a chunk.
    text: String,
    /// How much text there was so far.
    bytes: usize,
}

/// How the reply ended, and where it is cut off for a reason that is to be told, that reason.
pub(super) struct End {
    pub(super) finish: Finish,
    pub(super) failure: Option<Failure>,
}

impl Source {
    /// The reply itself.
    pub(super) fn plain() -> Self {
        Source::Plain(Utf8Decoder::strict())
    }

    /// This choice of an event stream.
    pub(super) fn events(From(format): From, choice: u64) -> Self {
        let answer = format.map_or_else(Answer::auto, Answer::of).choice(choice);
        Source::Events(Box::new(Events { answer, text: String::new(), bytes: 0 }))
    }

    /// One chunk: what it decides is printed, and how far what is open has come.
    ///
    /// Gives the end, where that is in the chunk.
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
                events.give(session)?;
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
                Ok(End { finish: Finish::Complete, failure: None })
            }
            Source::Events(events) => events.end(session, input),
        }
    }

    /// The end where the input cannot be read on.
    pub(super) fn broken(&self, failure: Failure) -> Result<End, Failure> {
        match self {
            Source::Plain(_) => Err(failure),
            Source::Events(events) => events.cut_off(failure),
        }
    }
}

/// Feeds a piece of text. What came before bytes that are none is printed first.
fn feed(piece: Result<&str, InvalidUtf8>, session: &mut Session, input: &Input) -> Result<(), Failure> {
    match piece {
        Ok(text) => session.feed(text),
        Err(error) => {
            session.show()?;
            Err(input.not_utf8(error.offset()))
        }
    }
}

impl Events {
    fn give(&mut self, session: &mut Session) -> Result<(), Failure> {
        self.bytes += self.text.len();
        session.feed(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn end(&mut self, session: &mut Session, input: &Input) -> Result<End, Failure> {
        let result = self.answer.finish(&mut self.text);
        self.give(session)?;
        match result {
            Ok(finish) => Ok(End { finish: finish.into(), failure: None }),
            Err(error) => self.cut_off(self.failure(&error, input)),
        }
    }

    /// The end of a reply of which something came; without any there was no reply.
    fn cut_off(&self, failure: Failure) -> Result<End, Failure> {
        if self.bytes == 0 { Err(failure) } else { Ok(End { finish: Finish::Truncated, failure: Some(failure) }) }
    }

    fn failure(&self, error: &Error, input: &Input) -> Failure {
        let place = match self.bytes {
            0 => String::new(),
            bytes => format!(", behind byte {bytes} of the reply"),
        };
        Failure::Unusable(format!("{input}{place}: {error}"))
    }
}
