//! The adapter from a `Stream` of chunks to a `Stream` of events, for any executor.

use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use futures_core::stream::{FusedStream, Stream, TryStream};
use pin_project_lite::pin_project;

use crate::event::{Finish, OwnedEvent};
use crate::input::decode::{Decode, FinishBy, TextChunks};
use crate::input::driver::Driver;
use crate::input::utf8::Utf8Decoder;
use crate::parser::Parser;
use crate::protocol::Policy;

pin_project! {
    /// The events of a reply that arrives as a [`Stream`]: itself a stream, of `Result<OwnedEvent, _>`.
    ///
    /// Made by the methods of [`EventStreamExt`].
    ///
    /// Nothing is read ahead: the source is polled only when no event is left. So an event is yielded as soon as the chunks so far decide
    /// it, and a slow consumer slows the source down. Dropping the stream drops the source and all undecided text.
    ///
    /// # Errors
    ///
    /// Errors of the source and of the decoder are passed on, after the events decided before them. After an error the reply counts as cut
    /// off ([`Finish::Truncated`]), and the source is not polled again, since its next chunk need not be the text that follows: the events
    /// that the end decides are yielded, and the stream ends.
    ///
    /// # Panics
    ///
    /// If the source panics.
    #[must_use = "streams do nothing unless polled"]
    pub struct EventStream<'p, S, D>
    where
        S: TryStream,
        D: Decode,
    {
        #[pin]
        source: S,
        driver: Driver<'p, D>,
        // An error that waits until the events decided before it are taken.
        error: Option<D::Failure<S::Error>>,
        is_done: bool,
    }
}

/// Methods for every `Stream` of text or bytes.
///
/// ```
/// use futures_util::{StreamExt as _, stream};
/// use tagwire::workforce::{self, Mode, Role};
/// use tagwire::{OwnedEvent, EventStreamExt as _};
///
/// # futures_executor_block_on(async {
/// let chunks = stream::iter(["Testing. [[RU", "N cmd=\"pytest\"/]", "]"].map(Ok::<_, std::io::Error>));
/// let mut events = chunks.tag_events(workforce::policy(Role::Developer, Mode::Work));
/// while let Some(event) = events.next().await {
///     if let OwnedEvent::Tag(tag) = event? {
///         assert_eq!(tag.as_tag().attr("cmd"), Some("pytest".into()));
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// # }).unwrap();
/// #
/// # fn futures_executor_block_on<F: Future>(future: F) -> F::Output {
/// #     let mut future = std::pin::pin!(future);
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     loop {
/// #         if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) {
/// #             return output;
/// #         }
/// #     }
/// # }
/// ```
pub trait EventStreamExt: TryStream + Sized {
    /// Returns the events of a reply that arrives as text. The reply is complete at the end of the stream, unless
    /// [`EventStream::finish_by`] says otherwise.
    fn tag_events<'p>(self, policy: Policy<'p>) -> EventStream<'p, Self, TextChunks>
    where
        Self::Ok: AsRef<str>,
    {
        EventStream::new(self, policy, TextChunks)
    }

    /// Returns the events of a reply that arrives as UTF-8 bytes, whose chunks may cut characters. Bytes that are not UTF-8 are an error.
    fn tag_events_from_bytes<'p>(self, policy: Policy<'p>) -> EventStream<'p, Self, Utf8Decoder>
    where
        Self::Ok: AsRef<[u8]>,
    {
        EventStream::new(self, policy, Utf8Decoder::strict())
    }

    /// Returns the events of a reply that `answer` takes out of the body of an event stream.
    #[cfg(feature = "sse")]
    fn tag_events_from_sse<'p>(
        self,
        policy: Policy<'p>,
        answer: crate::input::sse::Answer,
    ) -> EventStream<'p, Self, crate::input::sse::Answer>
    where
        Self::Ok: AsRef<[u8]>,
    {
        EventStream::new(self, policy, answer)
    }
}

impl<S: TryStream> EventStreamExt for S {}

impl<'p, S, D> EventStream<'p, S, D>
where
    S: TryStream,
    D: Decode,
{
    /// Returns the events of the text that `decoder` makes of the chunks of `source`.
    pub fn new(source: S, policy: Policy<'p>, decoder: D) -> Self {
        EventStream { source, driver: Driver::new(policy, decoder), error: None, is_done: false }
    }

    /// Calls `finish` at the end of the source, to learn how the reply ended. A reply that the decoder knows to be truncated stays so.
    ///
    /// For a client that extracts the text from its chunks itself, and learns on the way why the reply ended.
    pub fn finish_by<F: FnMut() -> Finish>(self, finish: F) -> EventStream<'p, S, FinishBy<D, F>> {
        let EventStream { source, driver, error, is_done } = self;
        EventStream { source, driver: driver.map(|decoder| FinishBy::new(decoder, finish)), error, is_done }
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
}

impl<S, D> Stream for EventStream<'_, S, D>
where
    S: TryStream,
    S::Ok: AsRef<D::Chunk>,
    D: Decode,
{
    type Item = Result<OwnedEvent, D::Failure<S::Error>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(event) = this.driver.next() {
                return Poll::Ready(Some(Ok(event.into_owned())));
            }
            if let Some(error) = this.error.take() {
                this.driver.cut_off();
                return Poll::Ready(Some(Err(error)));
            }
            if this.driver.resolve() {
                continue;
            }
            if this.driver.is_ended() {
                *this.is_done = true;
                return Poll::Ready(None);
            }
            *this.error = match ready!(this.source.as_mut().try_poll_next(context)) {
                Some(Ok(chunk)) => this.driver.push(chunk.as_ref()).map_err(D::wrong).err(),
                Some(Err(error)) => Some(D::source(error)),
                None => this.driver.end().map_err(D::wrong).err(),
            };
        }
    }
}

impl<S, D> FusedStream for EventStream<'_, S, D>
where
    S: TryStream,
    S::Ok: AsRef<D::Chunk>,
    D: Decode,
{
    fn is_terminated(&self) -> bool {
        self.is_done
    }
}

impl<S, D> fmt::Debug for EventStream<'_, S, D>
where
    S: TryStream,
    D: Decode + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("driver", &self.driver)
            .field("is_done", &self.is_done)
            .finish_non_exhaustive()
    }
}
