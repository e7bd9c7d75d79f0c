//! The events of one reply as lines of JSON, for programs.

use serde::Serialize;
use tagwire::sse::InsteadOfText;
use tagwire::{Attrs, Diagnostic, LineColumn, Pending, Span, Tag};

use super::session::{Finish, Show, Totals};
use super::source::End;
use crate::failure::Failure;
use crate::json::{self, AsEvent};

/// Prints a line for each event.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Whether open tags are shown, and the last that was.
    pending: Option<Shown>,
    /// Lines that are not printed yet.
    out: Vec<u8>,
}

/// The last open tag that was shown.
#[derive(Debug, Default)]
struct Shown {
    /// Where it begins.
    start: Option<usize>,
    bytes: usize,
}

impl Lines {
    pub(super) fn new(is_showing_pending: bool) -> Self {
        Lines { pending: is_showing_pending.then(Shown::default), out: Vec::new() }
    }
}

impl Show for Lines {
    fn prose(&mut self, text: &str, span: Span) {
        json::push_line(&mut self.out, &ProseLine { event: "prose", text, span });
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        json::push_line(&mut self.out, &AsEvent("tag", tag));
    }

    fn dropped(&mut self, span: Span) {
        json::push_line(&mut self.out, &DroppedLine { event: "dropped", span });
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, at: LineColumn) {
        json::push_line(&mut self.out, &AsEvent("error", (diagnostic, at)));
    }

    fn pending(&mut self, pending: Option<Pending<'_>>) {
        let (Some(shown), Some(Pending::Open(tag))) = (&mut self.pending, pending) else { return };
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

    fn end(&mut self, totals: &Totals, end: &End) {
        let line = EndLine {
            event: "end",
            tags: totals.tags,
            errors: &totals.errors(),
            prose: totals.prose(),
            finish: end.finish,
            reason: end.reason.as_deref(),
            instead_of_text: end.instead_of_text.map(InsteadOfText::as_str),
        };
        json::push_line(&mut self.out, &line);
    }

    fn gathered(&self) -> usize {
        self.out.len()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        if !self.out.is_empty() {
            json::print(&self.out)?;
            self.out.clear();
        }
        Ok(())
    }
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
    errors: &'e [&'e str],
    prose: &'e str,
    finish: Finish,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of_text: Option<&'static str>,
}
