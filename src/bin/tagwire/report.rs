//! A report of a reply for people: its tags in short, its prose, and each diagnostic with its location.
//!
//! The reply may be hostile: quotes of it are [`Escaped`], and short, so that the report is linear in the reply however many
//! diagnostics there are.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use tagwire::{Attrs, Diagnostic, Escaped, LineColumn, LineCounter, Reply, Tag};

use crate::terminal;

/// The report of a reply that was read from `source`, with styles.
pub(crate) fn of(reply: &Reply<'_>, source: &str) -> String {
    let mut lines = LineCounter::new(reply.text());
    let mut report = String::new();
    heading(&mut report, &count(reply.tags().len(), "tag"));
    for tag in reply.tags() {
        push_tag(&mut report, tag, lines.locate(tag.span().start));
    }
    let prose = reply.prose();
    if !prose.is_empty() {
        heading(&mut report, "prose");
        push_prose(&mut report, &prose);
    }
    heading(&mut report, &count(reply.diagnostics().len(), "error"));
    let mut lines = LineCounter::new(reply.text());
    for diagnostic in reply.diagnostics() {
        let at = lines.locate(diagnostic.span().start);
        push_diagnostic(&mut report, reply.text(), diagnostic, at, source);
    }
    report.truncate(report.trim_end_matches('\n').len());
    report.push('\n');
    report
}

const HEADING: Style = Style::new().bold().underline();
/// The name of a complete tag.
pub(crate) const NAME: Style = AnsiColor::Green.on_default().bold();
const ARROW: Style = AnsiColor::BrightBlue.on_default().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

fn heading(report: &mut String, text: &str) {
    let gap = if report.is_empty() { "" } else { "\n" };
    put(report, format_args!("{gap}{HEADING}{text}{HEADING:#}\n"));
}

pub(crate) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    }
}

fn push_tag(report: &mut String, tag: &Tag<'_>, at: LineColumn) {
    let at = at.to_string();
    put(report, format_args!("{DIM}{at:>8}{DIM:#}  "));
    push_summary(report, tag);
    report.push('\n');
}

/// Appends a tag's name and attributes, and the size of its body.
pub(crate) fn push_summary(report: &mut String, tag: &Tag<'_>) {
    push_head(report, tag.name(), NAME, tag.attrs());
    let body = tag.body();
    if !body.is_empty() {
        let lines = count(body.lines().count(), "line");
        put(report, format_args!("  {DIM}{lines}, {}{DIM:#}", count(body.len(), "byte")));
    }
}

/// Appends a tag's name and attributes.
pub(crate) fn push_head(report: &mut String, name: &str, style: Style, attrs: Attrs<'_>) {
    put(report, format_args!("{style}{name}{style:#}"));
    for (key, value) in attrs.iter() {
        put(report, format_args!(" {key}=\"{}\"", short(value)));
    }
}

fn push_prose(report: &mut String, prose: &str) {
    for line in prose.split('\n') {
        report.push_str("  ");
        terminal::push_visible_line(report, line.strip_suffix('\r').unwrap_or(line));
        report.push('\n');
    }
}

/// The line of a diagnostic in short. That it is an error, the report says in its own way.
pub(crate) fn message(diagnostic: &Diagnostic<'_>) -> String {
    let line = diagnostic.to_string();
    short(line.strip_prefix("ERROR: ").unwrap_or(&line))
}

fn push_diagnostic(report: &mut String, text: &str, diagnostic: &Diagnostic<'_>, at: LineColumn, source: &str) {
    let (excerpt, mark) = excerpt(text, diagnostic.span().range());
    let title = Level::ERROR.primary_title(message(diagnostic)).id(diagnostic.code().as_str());
    let place = Snippet::source(excerpt).line_start(at.line).annotation(AnnotationKind::Primary.span(mark));
    let rendered = Renderer::styled().render(&[title.element(place)]);
    // The location goes between them: the renderer would count the column in the excerpt.
    let (title, place) = rendered.split_once('\n').unwrap_or((&rendered, ""));
    let margin = " ".repeat(at.line.to_string().len());
    let source = terminal::visible(source);
    put(report, format_args!("{title}\n{margin}{ARROW}-->{ARROW:#} {source}:{at}\n{place}\n\n"));
}

/// The text around the start of `span`, of one line, and the range of `span` in it.
fn excerpt(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let before = Escaped::new(&text[..span.start]).chars().rev().take_while(|c| c.as_char() != '\n');
    let before = before.take(BEFORE + 1).collect::<Vec<_>>();
    let mut shown = String::new();
    if before.len() > BEFORE {
        shown.push('…');
    }
    before.iter().take(BEFORE).rev().for_each(|c| put(&mut shown, format_args!("{c}")));
    let start = shown.len();
    let rest = &text[span.start..];
    // No more of a long line is looked at than is shown.
    let rest = &rest[..rest.char_indices().nth(SHORT + 2).map_or(rest.len(), |(end, _)| end)];
    let line = rest.split_once('\n').map_or(rest, |(line, _)| line.strip_suffix('\r').unwrap_or(line));
    let marked = push_short(&mut shown, line, span.len());
    (shown, start..start + marked)
}

/// `text` on one line, shortened if it is long.
pub(crate) fn short(text: &str) -> String {
    let mut shown = String::new();
    push_short(&mut shown, text, 0);
    shown
}

/// Appends `text`, escaped and shortened. Returns how many bytes show its first `marked` bytes.
fn push_short(shown: &mut String, text: &str, marked: usize) -> usize {
    let start = shown.len();
    let (mut read, mut marked_end) = (0, start);
    for c in Escaped::new(text).chars() {
        if shown.len() - start > SHORT {
            shown.push('…');
            break;
        }
        put(shown, format_args!("{c}"));
        if read < marked {
            marked_end = shown.len();
        }
        read += c.as_char().len_utf8();
    }
    marked_end - start
}

/// How many characters an excerpt shows before its span.
const BEFORE: usize = 30;
/// After how many bytes a quote is cut.
const SHORT: usize = 90;

pub(crate) fn put(report: &mut String, text: std::fmt::Arguments<'_>) {
    report.write_fmt(text).expect("a String takes all");
}
