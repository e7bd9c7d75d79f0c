//! The events of one reply as lines of JSON, and what they come to.

use serde::Serialize;
use tagwire::{Attrs, Code, Event, LineTracker, Parser, Pending, Policy, Span};

use crate::failure::Failure;
use crate::json::{self, AsEvent};

/// Parses a reply and prints its events.
pub(super) struct Session {
    parser: Parser<'static>,
    lines: LineTracker,
    totals: Totals,
    /// Whether open tags are shown, and the last that was.
    pending: Option<Shown>,
    /// Lines that are not printed yet.
    out: Vec<u8>,
}

/// How the reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Finish {
    Complete,
    Interrupted,
}

impl Session {
    pub(super) fn new(policy: Policy<'static>, is_showing_pending: bool) -> Self {
        Session {
            parser: Parser::new(policy),
            lines: LineTracker::new(),
            totals: Totals::default(),
            pending: is_showing_pending.then(Shown::default),
            out: Vec::new(),
        }
    }

    /// Takes the next text of the reply.
    pub(super) fn feed(&mut self, text: &str) -> Result<(), Failure> {
        let Session { parser, lines, totals, out, .. } = self;
        lines.push(text);
        for event in parser.feed(text) {
            write(&event, lines, totals, out)?;
        }
        Ok(())
    }

    /// Prints what the text so far decided, and how far an open tag has come.
    pub(super) fn show(&mut self) -> Result<(), Failure> {
        if let (Some(shown), Some(Pending::Open(tag))) = (&mut self.pending, self.parser.pending()) {
            let (start, bytes) = (tag.start(), tag.body().len());
            // From 0, where it has not grown yet.
            let (is_first, before) = if shown.start == Some(start) { (false, shown.bytes) } else { (true, 0) };
            if bytes > before {
                *shown = Shown { start: Some(start), bytes };
                let attrs = is_first.then(|| tag.attrs());
                json::push_line(
                    &mut self.out,
                    &PendingLine { event: "pending", name: tag.name(), attrs, body_bytes: bytes },
                );
            }
        }
        flush(&mut self.out)
    }

    /// The last line. Only a complete reply is resolved to its end.
    pub(super) fn end(self, finish: Finish) -> Result<(), Failure> {
        let Session { mut parser, mut lines, mut totals, mut out, .. } = self;
        if finish == Finish::Complete {
            for event in parser.finish() {
                write(&event, &mut lines, &mut totals, &mut out)?;
            }
        }
        json::push_line(&mut out, &totals.end(finish));
        flush(&mut out)
    }
}

/// Writes the line of `event`.
fn write(event: &Event<'_>, lines: &mut LineTracker, totals: &mut Totals, out: &mut Vec<u8>) -> Result<(), Failure> {
    totals.add(event);
    match event {
        Event::Prose { text, span } => json::push_line(out, &ProseLine { event: "prose", text, span: *span }),
        Event::Tag(tag) => json::push_line(out, &AsEvent("tag", tag)),
        Event::Dropped { span } => json::push_line(out, &DroppedLine { event: "dropped", span: *span }),
        Event::Diagnostic(diagnostic) => {
            let at = lines.locate(diagnostic.span().start);
            json::push_line(out, &AsEvent("error", (diagnostic, at)));
            return Ok(());
        }
        other => unreachable!("an event of a new kind: {other:?}"),
    }
    lines.release(event.span().end);
    // A chunk may decide much: that is not gathered first.
    if out.len() > GATHERED { flush(out) } else { Ok(()) }
}

const GATHERED: usize = 64 << 10;

fn flush(out: &mut Vec<u8>) -> Result<(), Failure> {
    if !out.is_empty() {
        json::print(out)?;
        out.clear();
    }
    Ok(())
}

/// The last open tag that was shown.
#[derive(Debug, Default)]
struct Shown {
    /// Where it begins.
    start: Option<usize>,
    bytes: usize,
}

/// What the events so far come to, as `parse` prints it.
#[derive(Debug, Default)]
struct Totals {
    tags: usize,
    errors: Vec<String>,
    /// They come last.
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

    fn end(&mut self, finish: Finish) -> EndLine<'_> {
        self.errors.append(&mut self.budget_errors);
        let prose = self.prose.trim_end_matches(is_space);
        EndLine { event: "end", tags: self.tags, errors: &self.errors, prose, finish }
    }
}

/// White space as the protocol has it: the separators U+001C to U+001F too.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

#[derive(Serialize)]
struct ProseLine<'e> {
    event: &'static str,
    text: &'e str,
    span: Span,
}

#[derive(Serialize)]
struct DroppedLine {
    event: &'static str,
    span: Span,
}

#[derive(Serialize)]
struct PendingLine<'e> {
    event: &'static str,
    name: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    attrs: Option<Attrs<'e>>,
    body_bytes: usize,
}

#[derive(Serialize)]
struct EndLine<'e> {
    event: &'static str,
    tags: usize,
    errors: &'e [String],
    prose: &'e str,
    finish: Finish,
}
