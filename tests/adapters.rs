//! The adapters: over a `Read` and a `Stream` they yield the parser's events however the bytes are cut, and never read ahead.

mod support;

#[path = "support/library.rs"]
mod library;

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures_util::stream::FusedStream;
use futures_util::{Stream, StreamExt as _, stream};
use library::policy_of;
use support::generator::{self, Rng};
use support::twin::TwinProtocol;
use support::{named, places};
use tagwire::sse::Answer;
use tagwire::workforce::{self, Mode, Role};
use tagwire::{
    Ending, Event, EventReader, EventStream, EventStreamExt as _, Finish, OwnedEvent, Parser, Policy, Span,
    StreamError, Utf8Decoder,
};

/// A step of a source.
#[derive(Clone, Debug, PartialEq)]
enum Step<'t> {
    Give(&'t [u8]),
    /// Not ready.
    Wait,
    /// Interrupted, only for a `Read`.
    Interrupt,
    Fail(&'static str),
}

/// A source that counts its steps. Panics if polled after its end, unless it is a `Read`.
struct Source<'t> {
    steps: VecDeque<Step<'t>>,
    taken: &'t Cell<usize>,
    is_ended: bool,
}

impl<'t> Source<'t> {
    fn new(steps: impl IntoIterator<Item = Step<'t>>, taken: &'t Cell<usize>) -> Self {
        taken.set(0);
        Source { steps: steps.into_iter().collect(), taken, is_ended: false }
    }

    fn step(&mut self) -> Option<Step<'t>> {
        assert!(!self.is_ended, "asked behind the end");
        self.taken.set(self.taken.get() + 1);
        let step = self.steps.pop_front();
        self.is_ended = step.is_none();
        step
    }
}

impl<'t> Stream for Source<'t> {
    type Item = Result<&'t [u8], &'static str>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.step() {
            Some(Step::Wait | Step::Interrupt) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Give(bytes)) => Poll::Ready(Some(Ok(bytes))),
            Some(Step::Fail(error)) => Poll::Ready(Some(Err(error))),
            None => Poll::Ready(None),
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.step() {
            Some(Step::Give(bytes)) => {
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            }
            Some(Step::Wait) => Err(io::ErrorKind::WouldBlock.into()),
            Some(Step::Interrupt) => Err(io::ErrorKind::Interrupted.into()),
            Some(Step::Fail(error)) => Err(io::Error::other(error)),
            None => Ok(0),
        }
    }
}

/// Polls until ready; counts the `Pending`s.
fn wait<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    (0..1_000_000)
        .find_map(|_| match poll(&mut context) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        })
        .expect("ready at last")
}

/// All items. Asserts that nothing follows the end.
fn collect<S: FusedStream>(stream: S) -> Vec<S::Item> {
    let mut stream = pin!(stream);
    let mut items = Vec::new();
    while let Some(item) = wait(|context| stream.as_mut().poll_next(context)) {
        assert!(!stream.is_terminated());
        items.push(item);
    }
    assert!(stream.is_terminated());
    assert!(wait(|context| stream.as_mut().poll_next(context)).is_none());
    items
}

/// The events with adjacent prose joined.
fn joined<E: std::fmt::Debug>(items: impl IntoIterator<Item = Result<OwnedEvent, E>>) -> Vec<OwnedEvent> {
    let mut joined: Vec<OwnedEvent> = Vec::new();
    for item in items {
        match (joined.last_mut(), item.unwrap()) {
            (Some(OwnedEvent::Prose { text, span }), OwnedEvent::Prose { text: more, span: next }) => {
                assert_eq!(span.end, next.start);
                text.push_str(&more);
                *span = Span::new(span.start, next.end);
            }
            (_, event) => joined.push(event),
        }
    }
    joined
}

/// The events of the parser itself.
fn events_of(policy: &Policy<'_>, text: &str, finish: Finish) -> Vec<OwnedEvent> {
    let mut parser = Parser::new(policy.clone());
    let mut events: Vec<_> = parser.feed(text).map(Event::into_owned).collect();
    events.extend(parser.finish_with(finish).map(Event::into_owned));
    joined(events.into_iter().map(Ok::<_, ()>))
}

/// The bytes between these offsets, with waits and interruptions between some.
fn steps<'t>(bytes: &'t [u8], cuts: &[usize], rng: &mut Rng) -> Vec<Step<'t>> {
    let mut steps = Vec::new();
    let mut from = 0;
    for &to in cuts.iter().chain([&bytes.len()]) {
        while rng.percent(20) {
            steps.push(Step::Interrupt);
        }
        // An empty read ends a `Read`.
        if to > from {
            steps.push(Step::Give(&bytes[from..to]));
        }
        from = to;
    }
    steps
}

fn cuts(rng: &mut Rng, length: usize) -> Vec<usize> {
    let mut cuts: Vec<_> = (0..rng.below(9)).map(|_| rng.below(length + 1)).collect();
    cuts.sort_unstable();
    cuts
}

/// Every adapter over the same bytes.
#[track_caller]
fn assert_all(policy: &Policy<'_>, text: &str, cuts: &[usize], rng: &mut Rng) {
    let taken = Cell::new(0);
    let expected = events_of(policy, text, Finish::Complete);
    let steps = steps(text.as_bytes(), cuts, rng);
    let source = || Source::new(steps.clone(), &taken);
    assert_eq!(joined(collect(source().tag_events_from_bytes(policy.clone()))), expected, "{text:?} at {cuts:?}");
    assert_eq!(joined(EventReader::new(source(), policy.clone())), expected, "{text:?} at {cuts:?}");
    let truncated = events_of(policy, text, Finish::Truncated);
    let events = source().tag_events_from_bytes(policy.clone()).finish_by(|| Finish::Truncated);
    assert_eq!(joined(collect(events)), truncated, "{text:?} at {cuts:?}");
    let events = EventReader::new(source(), policy.clone()).finish_by(|| Finish::Truncated);
    assert_eq!(joined(events), truncated, "{text:?} at {cuts:?}");
    if cuts.iter().all(|&cut| text.is_char_boundary(cut)) {
        let ends = cuts.iter().copied().chain([text.len()]);
        let chunks: Vec<_> = [0].into_iter().chain(cuts.iter().copied()).zip(ends).map(|(a, b)| &text[a..b]).collect();
        let events = stream::iter(chunks.into_iter().map(Ok::<_, ()>)).fuse().tag_events(policy.clone());
        assert_eq!(joined(collect(events)), expected, "{text:?} at {cuts:?}");
    }
}

#[test]
fn named_cases_at_every_cut() {
    let twin = TwinProtocol::workforce();
    let protocol = library::protocol_buf(&twin);
    let mut rng = Rng::new(1);
    for vector in named().iter().filter(|vector| vector.text.len() < 200) {
        let policy = policy_of(&protocol, &twin.twin(&vector.role, &vector.mode));
        for cut in 0..=vector.text.len() {
            assert_all(&policy, &vector.text, &[cut], &mut rng);
        }
        let every: Vec<_> = (0..=vector.text.len()).collect();
        assert_all(&policy, &vector.text, &every, &mut rng);
        let every: Vec<_> = places(&vector.text).collect();
        assert_all(&policy, &vector.text, &every, &mut rng);
    }
}

#[test]
fn generated_replies_at_random_cuts() {
    let twin = TwinProtocol::workforce();
    let protocol = library::protocol_buf(&twin);
    for number in 7_000_000..7_003_000 {
        let case = generator::workforce_case(&twin, number);
        let mut rng = Rng::new(number);
        let cuts = cuts(&mut rng, case.text.len());
        assert_all(&policy_of(&protocol, &case.twin), &case.text, &cuts, &mut rng);
    }
}

/// The adapters yield the events of the text of each recording.
#[test]
fn event_streams_at_any_cut() {
    let policy = developer();
    let taken = Cell::new(0);
    for file in ["openai.sse", "openai-length.sse", "responses.sse", "anthropic.sse", "anthropic-no-end.sse"] {
        let body = std::fs::read(format!("{}/tests/data/sse/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut text = String::new();
        let mut answer = Answer::auto();
        answer.feed(&body, &mut text).unwrap();
        let finish = match answer.finish(&mut text).unwrap() {
            Ending::Complete => Finish::Complete,
            _ => Finish::Truncated,
        };
        let expected = events_of(&policy, &text, finish);
        for length in [1, 2, 3, 7, 11, 100, 1460] {
            let source = || Source::new(body.chunks(length).map(Step::Give), &taken);
            let mut events = EventReader::with_decoder(source(), policy.clone(), Answer::auto());
            assert_eq!(joined(&mut events), expected, "{file} in pieces of {length}");
            assert_eq!(events.ended_as(), Some(finish));
            assert_eq!(events.decoder().reason(), answer.reason());
            assert_eq!(joined(collect(source().tag_events_from_sse(policy.clone(), Answer::auto()))), expected);
        }
    }
}

fn developer() -> Policy<'static> {
    workforce::policy(Role::Developer, Mode::Work)
}

const RUN: &[u8] = b"a [[RUN cmd=\"x\"/]] b";

fn names<E: std::fmt::Debug>(items: &[Result<OwnedEvent, E>]) -> Vec<String> {
    let name = |item: &Result<OwnedEvent, E>| match item {
        Ok(OwnedEvent::Prose { text, .. }) => format!("prose {text}"),
        Ok(OwnedEvent::Tag(tag)) => format!("tag {}", tag.as_tag().name()),
        Ok(OwnedEvent::Diagnostic(diagnostic)) => format!("error {}", diagnostic.code()),
        Ok(_) => "dropped".to_owned(),
        Err(error) => format!("{error:?}"),
    };
    items.iter().map(name).collect()
}

/// Nothing is read while an event is left.
#[test]
fn nothing_is_read_ahead() {
    let taken = Cell::new(0);
    let steps = [Step::Give(RUN), Step::Give(b"c [[RUN cmd="), Step::Give(b"\"y\"/]]")];
    // The steps needed for each event.
    let expected = [("prose a ", 1), ("tag RUN", 1), ("prose  b", 1), ("prose c ", 2), ("tag RUN", 3)];

    let mut events = pin!(Source::new(steps.clone(), &taken).tag_events_from_bytes(developer()));
    assert_eq!(taken.get(), 0);
    for (name, needed) in expected {
        let item = wait(|context| events.as_mut().poll_next(context)).unwrap();
        assert_eq!((&*names(&[item])[0], taken.get()), (name, needed));
    }

    let mut events = EventReader::new(Source::new(steps, &taken), developer());
    for (name, needed) in expected {
        let item = events.next().unwrap();
        assert_eq!((&*names(&[item])[0], taken.get()), (name, needed));
    }
}

/// Pending text does not run ahead of the events either.
#[test]
fn pending_keeps_pace() {
    let taken = Cell::new(0);
    let text = b"[[RUN cmd=\"x\"/]][[WRITE_FILE path=\"a\"]]body";
    let mut events = EventReader::new(Source::new([Step::Give(text), Step::Wait], &taken), developer());
    assert_eq!(names(&[events.next().unwrap()]), ["tag RUN"]);
    assert_eq!(events.next().unwrap().unwrap_err().kind(), io::ErrorKind::WouldBlock);
    let Some(tagwire::Pending::Open(open)) = events.parser().pending() else {
        panic!("nothing is open");
    };
    assert_eq!((open.name(), open.body()), ("WRITE_FILE", "body"));
    assert_eq!(events.ended_as(), None);
}

/// An error of the source follows the events decided before it; then the reply is truncated, and the source not polled again.
#[test]
fn errors_of_the_source() {
    let taken = Cell::new(0);
    let steps = [Step::Give(RUN), Step::Give(b" [[WORK_REPORT]] c"), Step::Fail("reset"), Step::Give(b"never")];
    let cut_off = events_of(&developer(), "a [[RUN cmd=\"x\"/]] b [[WORK_REPORT]] c", Finish::Truncated);

    let mut items = collect(Source::new(steps.clone(), &taken).tag_events_from_bytes(developer()));
    assert_eq!(taken.get(), 3);
    let at = items.iter().position(Result::is_err).unwrap();
    assert_eq!(items.remove(at), Err(StreamError::Source("reset")));
    assert_eq!(names(&items[..at]), ["prose a ", "tag RUN", "prose  b", "prose  "]);
    assert_eq!(joined(items), cut_off);

    let mut items: Vec<_> = EventReader::new(Source::new(steps, &taken), developer()).collect();
    assert_eq!(taken.get(), 3);
    assert_eq!(items.remove(at).unwrap_err().to_string(), "reset");
    assert_eq!(joined(items), cut_off);
}

/// An error in the chunks follows the events decided before it.
#[test]
fn errors_in_the_chunks() {
    let taken = Cell::new(0);
    let steps = [Step::Give(RUN), Step::Give(b" c\xE2\x82"), Step::Give(b"d")];
    let items = collect(Source::new(steps.clone(), &taken).tag_events_from_bytes(developer()));
    let expected = ["prose a ", "tag RUN", "prose  b", "prose  c"];
    assert_eq!(names(&items[..4]), expected);
    let [Err(StreamError::Decode(error))] = &items[4..] else {
        panic!("{:?}", &items[4..]);
    };
    assert_eq!(error.offset(), 22);

    let items: Vec<_> = EventReader::new(Source::new(steps, &taken), developer()).collect();
    assert_eq!(names(&items[..4]), expected);
    let [Err(error)] = &items[4..] else {
        panic!("{:?}", &items[4..]);
    };
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert_eq!(error.to_string(), "invalid UTF-8 at byte 22");

    // A character cut by the end.
    let items: Vec<_> = EventReader::new(&b"a\xC3"[..], developer()).collect();
    assert_eq!(items[1].as_ref().unwrap_err().to_string(), "invalid UTF-8 at byte 1");
    let mut lossy = EventReader::with_decoder(&b"a\xC3"[..], developer(), Utf8Decoder::lossy());
    assert_eq!(names(&lossy.by_ref().collect::<Vec<_>>()), ["prose a", "prose \u{FFFD}"]);
}

/// The server's own error halfway.
#[test]
fn errors_of_the_server() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"a [[RUN cmd=\\\"\"}}]}\n\ndata: {\"error\":{\"message\":\"full\"}}\n\n";
    let taken = Cell::new(0);
    let source = Source::new([Step::Give(body.as_bytes()), Step::Give(b"data: [DONE]\n\n")], &taken);
    let items = collect(source.tag_events_from_sse(developer(), Answer::auto()));
    let [Ok(OwnedEvent::Prose { text, .. }), Err(StreamError::Decode(error)), ..] = &items[..] else {
        panic!("{items:?}");
    };
    assert_eq!((&**text, error.server_message()), ("a ", Some("full")));
    assert_eq!(taken.get(), 1);
}

/// Nothing is read after the end event.
#[test]
fn the_end_event_ends_it() {
    let body = b"data: {\"choices\":[{\"delta\":{\"content\":\"a [\"}}]}\n\ndata: [DONE]\n\n";
    let taken = Cell::new(0);
    let mut events =
        EventReader::with_decoder(Source::new([Step::Give(body), Step::Wait], &taken), developer(), Answer::auto());
    assert_eq!(names(&events.by_ref().collect::<Vec<_>>()), ["prose a ", "prose ["]);
    assert_eq!(taken.get(), 1);
    assert_eq!(events.ended_as(), Some(Finish::Complete));
}

/// An end event without a reason truncates the reply only if a tag is open.
#[test]
fn an_end_without_a_reason() {
    let body = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{text}}}}}]}}\n\ndata: [DONE]\n\n")
    };
    let taken = Cell::new(0);
    for (text, finish) in [
        ("a [[RUN cmd='x'/]] b", Finish::Complete),
        (
            "[[RUN cmd='x'/]][[RUN cmd='y'/]][[RUN/]][[RUN/]][[RUN/]][[RUN/]][[RUN/]][[RUN/]][[RUN/]] b",
            Finish::Complete,
        ),
        ("a [[WRITE_FILE path='a']]b [[RUN cmd='x'/]]", Finish::Truncated),
        ("a [[RUN cmd='x'/]] [[RUN cmd='", Finish::Truncated),
        ("a [[NOTE]] [[RUN cmd='x'/]]", Finish::Truncated),
    ] {
        let expected = events_of(&developer(), text, finish);
        let body = body(text);
        for length in [1, 7, 1000] {
            let source = || Source::new(body.as_bytes().chunks(length).map(Step::Give), &taken);
            let mut events = EventReader::with_decoder(source(), developer(), Answer::auto());
            assert_eq!(joined(&mut events), expected, "{text}");
            assert_eq!(events.ended_as(), Some(finish), "{text}");
            assert_eq!(joined(collect(source().tag_events_from_sse(developer(), Answer::auto()))), expected, "{text}");
        }
    }
}

/// An adapter dropped halfway drops its source.
#[test]
fn dropped_half_way() {
    struct Guard<'t, S>(Pin<Box<S>>, &'t Cell<bool>);

    impl<S: Stream> Stream for Guard<'_, S> {
        type Item = S::Item;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
            self.0.as_mut().poll_next(context)
        }
    }

    impl<S> Drop for Guard<'_, S> {
        fn drop(&mut self) {
            self.1.set(true);
        }
    }

    let taken = Cell::new(0);
    let source_dropped = Cell::new(false);
    for polls in 0..6 {
        source_dropped.set(false);
        let steps = [Step::Give(RUN), Step::Wait, Step::Give(b"[[WORK_REPORT]]"), Step::Give(b"c")];
        let source = Guard(Box::pin(Source::new(steps, &taken)), &source_dropped);
        let mut events = Box::pin(source.tag_events_from_bytes(developer()));
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            let _ = events.as_mut().poll_next(&mut context);
        }
        drop(events);
        assert!(source_dropped.get());
    }
}

/// A client that extracts the text itself learns on the way how the reply ended.
#[test]
fn the_end_is_told() {
    let finish = Cell::new(Finish::Truncated);
    let chunks = [("[[WORK_REPORT]] a", None), (" [[RUN cmd=\"x\"/]]", Some(Finish::Complete))];
    let text = stream::iter(chunks).map(|(text, end)| {
        finish.set(end.unwrap_or(finish.get()));
        Ok::<_, ()>(text)
    });
    let mut events = pin!(text.fuse().tag_events(developer()).finish_by(|| finish.get()));
    assert_eq!(events.ended_as(), None);
    let mut count = 0;
    while wait(|context| events.as_mut().poll_next(context)).is_some() {
        count += 1;
    }
    assert!(count > 0);
    assert_eq!(events.ended_as(), Some(Finish::Complete));
}

/// The adapters are `Send` and `Unpin` if their source is.
#[test]
fn traits() {
    fn is<T: Send + Sync + Unpin + std::fmt::Debug>(_: &T) {}
    let source = || stream::iter([Ok::<_, io::Error>("")]);
    is(&source().tag_events(developer()));
    let events = EventStream::new(stream::iter([Ok::<_, io::Error>([0])]), developer(), Answer::auto());
    is(&events.finish_by(|| Finish::Truncated));
    is(&EventReader::new(io::empty(), developer()));
}
