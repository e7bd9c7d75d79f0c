//! From a `Stream` of chunks to a `Stream` of events, for any executor.

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
    /// Made by the methods of [`TagStreamExt`].
    ///
    /// Nothing is read ahead: the source is asked for a chunk only when no event is left to give. So an event is given as soon
    /// as the chunks so far decide it, and a slow consumer slows the source down. Dropped half way, it drops the source, and
    /// what was undecided is never given.
    ///
    /// # Errors
    ///
    /// An error of the source is passed on, and so is one in the chunks; what was decided before it is given first. Behind it
    /// the reply counts as cut off ([`Finish::Truncated`]) and the source is not asked again, since its next chunk need not be
    /// the text that follows: what the end resolves is given, and then the stream ends.
    ///
    /// # Panics
    ///
    /// Where the source does.
    #[must_use = "streams do nothing unless polled"]
    pub struct TagStream<'p, S, D>
    where
        S: TryStream,
        D: Decode,
    {
        #[pin]
        source: S,
        driver: Driver<'p, D>,
        // An error that waits until what was decided before it is given.
        error: Option<D::Failure<S::Error>>,
        is_done: bool,
    }
}

/// What every `Stream` of text or bytes gets.
///
/// ```
/// use futures_util::{StreamExt as _, stream};
/// use tagwire::workforce::{self, Mode, Role};
/// use tagwire::{OwnedEvent, TagStreamExt as _};
///
/// # futures_executor_block_on(async {
/// let chunks = stream::iter(["Testing. [[RU", "N cmd=\"pytest\"/]", "]"].map(Ok::<_, std::io::Error>));
/// let mut events = chunks.tags(workforce::policy(Role::Developer, Mode::Work));
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
pub trait TagStreamExt: TryStream + Sized {
    /// The events of a reply that comes as text. It is complete at the end of the stream, unless
    /// [`TagStream::finish_by`] tells.
    fn tags<'p>(self, policy: Policy<'p>) -> TagStream<'p, Self, TextChunks>
    where
        Self::Ok: AsRef<str>,
    {
        TagStream::new(self, policy, TextChunks)
    }

    /// The events of a reply that comes as bytes in UTF-8, which may cut characters. Bytes that are no UTF-8 are an error.
    fn tags_from_bytes<'p>(self, policy: Policy<'p>) -> TagStream<'p, Self, Utf8Decoder>
    where
        Self::Ok: AsRef<[u8]>,
    {
        TagStream::new(self, policy, Utf8Decoder::strict())
    }

    /// The events of a reply that comes as the body of an event stream, which `answer` takes it out of.
    #[cfg(feature = "sse")]
    fn tags_from_sse<'p>(
        self,
        policy: Policy<'p>,
        answer: crate::input::sse::Answer,
    ) -> TagStream<'p, Self, crate::input::sse::Answer>
    where
        Self::Ok: AsRef<[u8]>,
    {
        TagStream::new(self, policy, answer)
    }
}

impl<S: TryStream> TagStreamExt for S {}

impl<'p, S, D> TagStream<'p, S, D>
where
    S: TryStream,
    D: Decode,
{
    /// The events of what `decoder` makes of the chunks of `source`.
    pub fn new(source: S, policy: Policy<'p>, decoder: D) -> Self {
        TagStream { source, driver: Driver::new(policy, decoder), error: None, is_done: false }
    }

    /// The same, but `finish` is asked at the end of the source how the reply ended. What the decoder knows to be truncated
    /// stays so.
    ///
    /// For a client that takes the text out of its chunks itself, and learns on the way why the reply ended.
    pub fn finish_by<F: FnMut() -> Finish>(self, finish: F) -> TagStream<'p, S, FinishBy<D, F>> {
        let TagStream { source, driver, error, is_done } = self;
        TagStream { source, driver: driver.map(|decoder| FinishBy::new(decoder, finish)), error, is_done }
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
}

impl<S, D> Stream for TagStream<'_, S, D>
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

impl<S, D> FusedStream for TagStream<'_, S, D>
where
    S: TryStream,
    S::Ok: AsRef<D::Chunk>,
    D: Decode,
{
    fn is_terminated(&self) -> bool {
        self.is_done
    }
}

impl<S, D> fmt::Debug for TagStream<'_, S, D>
where
    S: TryStream,
    D: Decode + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TagStream")
            .field("driver", &self.driver)
            .field("is_done", &self.is_done)
            .finish_non_exhaustive()
    }
}
