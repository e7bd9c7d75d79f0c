//! The driver: a decoder that feeds a parser. Shared by the adapters over `Read` and `Stream`.

use crate::event::{Event, Finish};
use crate::input::decode::{Decode, Ending};
use crate::parser::Parser;
use crate::protocol::Policy;

/// Takes chunks and yields events, one by one. Decided events wait in the parser, so that [`Parser::pending`] never runs ahead of them.
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

    /// Returns the next event that the chunks so far decide.
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

    /// Ends the chunks.
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

    /// Ends the chunks after an error: text may be missing.
    pub(crate) fn cut_off(&mut self) {
        self.ending = Some(Ending::Truncated);
    }

    /// Whether the chunks have ended. Events may still be left.
    pub(crate) fn is_ended(&self) -> bool {
        self.ending.is_some()
    }

    /// How the reply ended, once it has.
    pub(crate) fn ended_as(&self) -> Option<Finish> {
        self.finish
    }

    pub(crate) fn parser(&self) -> &Parser<'p> {
        &self.parser
    }

    pub(crate) fn decoder(&self) -> &D {
        &self.decoder
    }

    /// Replaces the decoder, before anything was fed.
    pub(crate) fn map<T>(self, decoder: impl FnOnce(D) -> T) -> Driver<'p, T> {
        Driver { parser: self.parser, decoder: decoder(self.decoder), ending: self.ending, finish: self.finish }
    }
}
