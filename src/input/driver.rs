//! A parser behind a decoder: what a `Read` and a `Stream` have in common.

use crate::event::{Event, Finish};
use crate::input::decode::{Decode, Ending};
use crate::parser::Parser;
use crate::protocol::Policy;

/// Chunks in, events out, one by one.
///
/// What a chunk decides waits in the parser, so that an event is made when it is asked for, and [`Parser::pending`] never runs
/// ahead of the events.
#[derive(Debug)]
pub(crate) struct Driver<'p, D> {
    parser: Parser<'p>,
    decoder: D,
    /// How the reply ended, by its decoder; none before that.
    ending: Option<Ending>,
    /// How the parser ended it: known when all events of the text were taken.
    finish: Option<Finish>,
}

impl<'p, D: Decode> Driver<'p, D> {
    pub(crate) fn new(policy: Policy<'p>, decoder: D) -> Self {
        Driver { parser: Parser::new(policy), decoder, ending: None, finish: None }
    }

    /// The next event that the chunks so far decide.
    pub(crate) fn next(&mut self) -> Option<Event<'_>> {
        match self.finish {
            Some(finish) => self.parser.finish_with(finish).next(),
            None => self.parser.feed("").next(),
        }
    }

    /// Takes a chunk.
    pub(crate) fn push(&mut self, chunk: &D::Chunk) -> Result<(), D::Error> {
        let Driver { parser, decoder, .. } = self;
        decoder.decode(chunk, &mut |text| drop(parser.feed(text)))?;
        if self.decoder.is_ended() { self.end() } else { Ok(()) }
    }

    /// The end of the chunks.
    pub(crate) fn end(&mut self) -> Result<(), D::Error> {
        let Driver { parser, decoder, .. } = self;
        let ending = decoder.finish(&mut |text| drop(parser.feed(text)))?;
        self.ending = Some(ending);
        Ok(())
    }

    /// Once the chunks have ended and [`next`](Self::next) has returned `None`, decides how the reply ended: whether a tag is open is
    /// known only now. Returns whether there may be more events.
    pub(crate) fn resolve(&mut self) -> bool {
        let ending = self.ending.filter(|_| self.finish.is_none());
        if let Some(ending) = ending {
            self.finish = Some(ending.resolve(&self.parser));
        }
        ending.is_some()
    }

    /// The end after an error: there may have been more.
    pub(crate) fn cut_off(&mut self) {
        self.ending = Some(Ending::Truncated);
    }

    /// Whether the chunks have ended. Events may still be left.
    pub(crate) fn is_ended(&self) -> bool {
        self.ending.is_some()
    }

    /// How the reply ended; none before that.
    pub(crate) fn finish(&self) -> Option<Finish> {
        self.finish
    }

    pub(crate) fn parser(&self) -> &Parser<'p> {
        &self.parser
    }

    pub(crate) fn decoder(&self) -> &D {
        &self.decoder
    }

    /// The same with another decoder, before anything was fed.
    pub(crate) fn map<T>(self, decoder: impl FnOnce(D) -> T) -> Driver<'p, T> {
        Driver { parser: self.parser, decoder: decoder(self.decoder), ending: self.ending, finish: self.finish }
    }
}
