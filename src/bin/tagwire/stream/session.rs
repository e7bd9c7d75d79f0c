//! One reply, from its text to the events that are shown and their totals.

use serde::Serialize;
use tagwire::{ChunkedLineIndex, Diagnostic, Dialect, Ending, Event, LineColumn, Parser, Pending, Policy, Span, Tag};

use super::source::End;
use super::totals::Totals;
use crate::failure::Failure;

/// Parses a reply and shows its events.
pub(super) struct Session {
    parser: Parser<'static>,
    places: Places,
    totals: Totals,
    show: Box<dyn Show>,
}

/// The lines and columns of what may still be diagnosed.
struct Places {
    lines: ChunkedLineIndex,
    /// How far before the end of what was emitted a diagnostic may begin: in the strict dialect, one of a token in code, which is prose.
    slack: usize,
    /// The offset and the place of the start of the last region: at the end of the reply it may be found to be unclosed.
    region: Option<(usize, LineColumn)>,
    is_in_region: bool,
}

/// How a reply is shown while it arrives.
pub(super) trait Show {
    fn prose(&mut self, text: &str, span: Span);
    fn tag(&mut self, tag: &Tag<'_>);
    fn dropped(&mut self, span: Span);
    fn region(&mut self, name: &str, text: &str, span: Span, is_last: bool);
    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, at: LineColumn);
    /// Shows the tag that is open after the events so far.
    fn pending(&mut self, pending: Option<Pending<'_>>);
    fn end(&mut self, totals: &Totals, end: &End);
    /// The number of bytes that are not printed yet.
    fn gathered(&self) -> usize;
    /// Prints those bytes.
    fn flush(&mut self) -> Result<(), Failure>;
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Finish {
    Complete,
    Truncated,
    Interrupted,
}

impl From<tagwire::Finish> for Finish {
    fn from(finish: tagwire::Finish) -> Self {
        match finish {
            tagwire::Finish::Complete => Finish::Complete,
            tagwire::Finish::Truncated => Finish::Truncated,
        }
    }
}

impl Session {
    /// Begins a reply, inside the region of the protocol called `region` if there is one.
    pub(super) fn new(policy: Policy<'static>, region: Option<&str>, show: Box<dyn Show>) -> Self {
        let protocol = policy.protocol();
        let slack = match protocol.dialect() {
            Dialect::Strict => protocol.limits().token_bytes,
            _ => 0,
        };
        let mut parser = Parser::new(policy);
        if let Some(region) = region {
            parser.begin_inside(region);
        }
        let places = Places { lines: ChunkedLineIndex::new(), slack, region: None, is_in_region: false };
        Session { parser, places, totals: Totals::default(), show }
    }

    /// Parses the next text of the reply.
    pub(super) fn feed(&mut self, text: &str) -> Result<(), Failure> {
        let Session { parser, places, totals, show } = self;
        places.lines.push(text);
        parser.feed(text).try_for_each(|event| take(&event, places, totals, &mut **show))
    }

    /// Prints the events of the text so far, and how far the open tag has come.
    pub(super) fn show(&mut self) -> Result<(), Failure> {
        self.show.pending(self.parser.pending());
        self.show.flush()
    }

    /// How the reply ended, once all of its text is fed.
    pub(super) fn resolve(&self, ending: Ending) -> Finish {
        ending.resolve(&self.parser).into()
    }

    /// Ends the reply. If it was interrupted, a tag that still waits for its close is left undecided.
    pub(super) fn end(self, end: &End) -> Result<(), Failure> {
        let Session { mut parser, mut places, mut totals, mut show } = self;
        let events = match end.finish {
            Finish::Complete => Some(parser.finish_with(tagwire::Finish::Complete)),
            Finish::Truncated => Some(parser.finish_with(tagwire::Finish::Truncated)),
            Finish::Interrupted => None,
        };
        for event in events.into_iter().flatten() {
            take(&event, &mut places, &mut totals, &mut *show)?;
        }
        show.end(&totals, end);
        show.flush()
    }
}

/// Shows `event`.
fn take(event: &Event<'_>, places: &mut Places, totals: &mut Totals, show: &mut dyn Show) -> Result<(), Failure> {
    totals.add(event);
    match event {
        Event::Prose { text, span } => show.prose(text, *span),
        Event::Tag(tag) => show.tag(tag),
        Event::Dropped { span } => show.dropped(*span),
        Event::Region { name, text, span, is_last } => show.region(name, text, *span, *is_last),
        Event::Diagnostic(diagnostic) => show.diagnostic(diagnostic, places.locate(diagnostic.span().start)),
        other => unreachable!("an event of a new kind: {other:?}"),
    }
    places.pass(event);
    // One chunk may decide megabytes of events.
    if show.gathered() > FLUSH_BYTES { show.flush() } else { Ok(()) }
}

impl Places {
    fn locate(&self, offset: usize) -> LineColumn {
        match self.region {
            Some((start, at)) if start == offset => at,
            _ => self.lines.locate(offset),
        }
    }

    /// Forgets what cannot be diagnosed after `event`.
    fn pass(&mut self, event: &Event<'_>) {
        let span = event.span();
        match event {
            Event::Diagnostic(_) => return,
            Event::Region { is_last, .. } => {
                if !self.is_in_region {
                    self.region = Some((span.start, self.lines.locate(span.start)));
                }
                self.is_in_region = !is_last;
            }
            _ => {}
        }
        self.lines.release(span.end.saturating_sub(self.slack));
    }
}

const FLUSH_BYTES: usize = 64 << 10;
