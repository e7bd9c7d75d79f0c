//! The events of one reply as lines of JSON, for programs.

use serde::Serialize;
use tagwire::sse::InsteadOfText;
use tagwire::{Attrs, Diagnostic, Event, LineColumn, Pending, Span, Tag};

use super::session::{Finish, Show};
use super::source::End;
use super::totals::Totals;
use crate::failure::Failure;
use crate::json::{self, AsEvent, TagWithView};

/// Prints a line for each event.
#[derive(Debug)]
pub(super) struct Lines {
    /// The last open tag that was shown, if open tags are shown.
    pending: Option<Shown>,
    /// Whether the tags have views.
    has_views: bool,
    /// Lines that are not printed yet.
    out: Vec<u8>,
}

/// The last open tag that was shown.
#[derive(Debug, Default)]
struct Shown {
    /// The offset of the tag.
    start: Option<usize>,
    bytes: usize,
}

impl Lines {
    pub(super) fn new(is_showing_pending: bool, has_views: bool) -> Self {
        Lines { pending: is_showing_pending.then(Shown::default), has_views, out: Vec::new() }
    }

    fn push(&mut self, line: &impl Serialize) {
        json::push_line(&mut self.out, line);
    }
}

impl Show for Lines {
    fn prose(&mut self, text: &str, span: Span) {
        self.push(&Event::Prose { text, span });
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.push(&AsEvent::new("tag", TagWithView::new(*tag, self.has_views)));
    }

    fn dropped(&mut self, span: Span) {
        self.push(&Event::Dropped { span });
    }

    fn region(&mut self, name: &str, text: &str, span: Span, is_last: bool) {
        self.push(&Event::Region { name, text, span, is_last });
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, at: LineColumn) {
        self.push(&AsEvent::new("error", diagnostic.located(at)));
    }

    fn pending(&mut self, pending: Option<Pending<'_>>) {
        let (Some(shown), Some(Pending::Open(tag))) = (&mut self.pending, pending) else { return };
        let (start, bytes) = (tag.start(), tag.body().len());
        let (is_first, before) = if shown.start == Some(start) { (false, shown.bytes) } else { (true, 0) };
        if bytes > before {
            *shown = Shown { start: Some(start), bytes };
            let attrs = is_first.then(|| tag.attrs());
            self.push(&PendingLine { event: "pending", name: tag.name(), attrs, body_bytes: bytes });
        }
    }

    fn end(&mut self, totals: &Totals, end: &End) {
        self.push(&EndLine {
            event: "end",
            tags: totals.tags,
            errors: totals.errors(),
            prose: totals.prose(),
            finish: end.finish,
            reason: end.reason.as_deref(),
            instead_of_text: end.instead_of_text.map(InsteadOfText::as_str),
        });
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
    /// Null if too long to be repeated.
    errors: Option<Vec<&'e str>>,
    /// Null if too long to be repeated.
    prose: Option<&'e str>,
    finish: Finish,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instead_of_text: Option<&'static str>,
}
