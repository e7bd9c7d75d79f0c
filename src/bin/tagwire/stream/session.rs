//! One reply, from its text to what is shown of it, and what it comes to.

use serde::Serialize;
use tagwire::{Code, Diagnostic, Ending, Event, LineColumn, LineTracker, Parser, Pending, Policy, Span, Tag};

use super::source::End;
use crate::failure::Failure;

/// Parses a reply and has its events shown.
pub(super) struct Session {
    parser: Parser<'static>,
    lines: LineTracker,
    totals: Totals,
    show: Box<dyn Show>,
}

/// How a reply is shown while it arrives.
pub(super) trait Show {
    fn prose(&mut self, text: &str, span: Span);
    fn tag(&mut self, tag: &Tag<'_>);
    fn dropped(&mut self, span: Span);
    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, at: LineColumn);
    /// What is open now, behind the events so far.
    fn pending(&mut self, pending: Option<Pending<'_>>);
    fn end(&mut self, totals: &Totals, end: &End);
    /// How many bytes are not printed yet.
    fn gathered(&self) -> usize;
    /// Prints them.
    fn flush(&mut self) -> Result<(), Failure>;
}

/// How the reply ended.
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
    pub(super) fn new(policy: Policy<'static>, show: Box<dyn Show>) -> Self {
        Session { parser: Parser::new(policy), lines: LineTracker::new(), totals: Totals::default(), show }
    }

    /// Takes the next text of the reply.
    pub(super) fn feed(&mut self, text: &str) -> Result<(), Failure> {
        let Session { parser, lines, totals, show } = self;
        lines.push(text);
        parser.feed(text).try_for_each(|event| take(&event, lines, totals, &mut **show))
    }

    /// Prints what the text so far decided, and how far what is open has come.
    pub(super) fn show(&mut self) -> Result<(), Failure> {
        self.show.pending(self.parser.pending());
        self.show.flush()
    }

    /// How a reply ended all of whose text was fed.
    pub(super) fn resolve(&self, ending: Ending) -> Finish {
        ending.resolve(&self.parser).into()
    }

    /// The end. When it is interrupted, nothing that is held is resolved.
    pub(super) fn end(self, end: &End) -> Result<(), Failure> {
        let Session { mut parser, mut lines, mut totals, mut show } = self;
        let events = match end.finish {
            Finish::Complete => Some(parser.finish_with(tagwire::Finish::Complete)),
            Finish::Truncated => Some(parser.finish_with(tagwire::Finish::Truncated)),
            Finish::Interrupted => None,
        };
        for event in events.into_iter().flatten() {
            take(&event, &mut lines, &mut totals, &mut *show)?;
        }
        show.end(&totals, end);
        show.flush()
    }
}

/// Has `event` shown.
fn take(event: &Event<'_>, lines: &mut LineTracker, totals: &mut Totals, show: &mut dyn Show) -> Result<(), Failure> {
    totals.add(event);
    match event {
        Event::Prose { text, span } => show.prose(text, *span),
        Event::Tag(tag) => show.tag(tag),
        Event::Dropped { span } => show.dropped(*span),
        Event::Diagnostic(diagnostic) => show.diagnostic(diagnostic, lines.locate(diagnostic.span().start)),
        other => unreachable!("an event of a new kind: {other:?}"),
    }
    if !matches!(event, Event::Diagnostic(_)) {
        lines.release(event.span().end);
    }
    // A chunk may decide much: that is not gathered first.
    if show.gathered() > GATHERED { show.flush() } else { Ok(()) }
}

const GATHERED: usize = 64 << 10;

/// What the events so far come to, as `parse` prints it.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) tags: usize,
    errors: Vec<String>,
    budget_errors: Vec<String>,
    /// Stripped at its start.
    prose: String,
}

impl Totals {
    fn add(&mut self, event: &Event<'_>) {
        match event {
            Event::Prose { text, .. } if self.prose.is_empty() => {
                self.prose.push_str(text.trim_start_matches(is_space))
            }
            Event::Prose { text, .. } => self.prose.push_str(text),
            Event::Tag(_) => self.tags += 1,
            Event::Diagnostic(diagnostic) if diagnostic.code() == Code::OverBudget => {
                self.budget_errors.push(diagnostic.to_string());
            }
            Event::Diagnostic(diagnostic) => self.errors.push(diagnostic.to_string()),
            _ => {}
        }
    }

    /// Those of the budgets last.
    pub(super) fn errors(&self) -> Vec<&str> {
        self.errors.iter().chain(&self.budget_errors).map(String::as_str).collect()
    }

    pub(super) fn prose(&self) -> &str {
        self.prose.trim_end_matches(is_space)
    }
}

/// White space as the protocol has it: the separators U+001C to U+001F too.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}
