//! The report of a reply for people: its tags in short, its prose, and each mistake with its position.
//!
//! The reply may be hostile: every quotation of it is [`Escaped`] and short, so a report is linear in the reply, whatever it
//! holds.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use tagwire::serialize::{LazyReply, ReplyParts as _};
use tagwire::{Attrs, Diagnostic, Dialect, Escaped, LineColumn, LineIndex, Severity, Tag};

use crate::failure::Failure;
use crate::terminal;

/// Prints the report of a reply that was read from `source`. It is printed while it is made: it may be many times as long as the
/// reply.
pub(crate) fn print(reply: &LazyReply<'_>, source: &str, color: ColorChoice) -> Result<(), Failure> {
    let mut lines = LineIndex::new(reply.text());
    let mut report = String::new();
    heading(&mut report, &count(reply.tag_count(), "tag"));
    for tag in reply.tags() {
        push_tag(&mut report, &tag, lines.locate(tag.span().start));
        print_some(&mut report, color)?;
    }
    let prose = reply.prose_parts().collect::<String>();
    if !prose.is_empty() {
        heading(&mut report, "prose");
    }
    for line in prose.lines() {
        push_prose(&mut report, line);
        print_some(&mut report, color)?;
    }
    let mut regions = reply.regions().peekable();
    if regions.peek().is_some() {
        heading(&mut report, "regions");
    }
    let mut lines = LineIndex::new(reply.text());
    for (name, span) in regions {
        let place = format!("{}, {}", Escaped::line(name), count(span.len(), "byte"));
        let at = lines.locate(span.start).to_string();
        put(&mut report, format_args!("{DIM}{at:>8}  {place}{DIM:#}\n"));
        print_some(&mut report, color)?;
    }
    let (errors, all) = (reply.error_count(), reply.diagnostic_count());
    heading(&mut report, &count_diagnostics(errors, all - errors));
    let mut lines = LineIndex::new(reply.text());
    for diagnostic in reply.diagnostics() {
        let at = lines.locate(diagnostic.span().start);
        push_diagnostic(&mut report, reply.text(), &diagnostic, at, source);
        print_some(&mut report, color)?;
    }
    report.truncate(report.trim_end_matches('\n').len());
    report.push('\n');
    terminal::print_styled(&report, color)
}

/// Prints the report so far, if it is long, without the ends of its last lines: at the end of the report they are left
/// out.
fn print_some(report: &mut String, color: ColorChoice) -> Result<(), Failure> {
    if report.len() > PRINTED_BYTES {
        let end = report.trim_end_matches('\n').len();
        terminal::print_styled(&report[..end], color)?;
        report.drain(..end);
    }
    Ok(())
}

const HEADING: Style = Style::new().bold().underline();
/// The style of a complete tag.
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

/// Appends a tag in short, with the size of its body.
pub(crate) fn push_summary(report: &mut String, tag: &Tag<'_>) {
    push_head(report, tag.name(), NAME, tag.attrs());
    let body = tag.body();
    if !body.is_empty() {
        let lines = count(body.lines().count(), "line");
        put(report, format_args!("  {DIM}{lines}, {}{DIM:#}", count(body.len(), "byte")));
    }
}

/// Appends the name of a tag, and its attributes.
pub(crate) fn push_head(report: &mut String, name: &str, style: Style, attrs: Attrs<'_>) {
    put(report, format_args!("{style}{name}{style:#}"));
    for (key, value) in attrs.iter() {
        put(report, format_args!(" {key}=\"{}\"", short(&value.text())));
    }
}

fn push_prose(report: &mut String, line: &str) {
    report.push_str("  ");
    terminal::push_visible_line(report, line);
    report.push('\n');
}

/// How many errors there are, and warnings if there are any.
pub(crate) fn count_diagnostics(errors: usize, warnings: usize) -> String {
    match warnings {
        0 => count(errors, "error"),
        _ => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    }
}

/// The line of a diagnostic without its severity, which is shown in another way. A line that quotes without bounds is in short.
pub(crate) fn message(diagnostic: &Diagnostic<'_>) -> String {
    let line = diagnostic.to_string();
    let message = line.strip_prefix("ERROR: ").or_else(|| line.strip_prefix("WARNING: ")).unwrap_or(&line);
    let max = if diagnostic.dialect() == Dialect::Seed { AFTER } else { MESSAGE };
    Escaped::quoted(message).truncated(max)
}

fn push_diagnostic(report: &mut String, text: &str, diagnostic: &Diagnostic<'_>, at: LineColumn, source: &str) {
    let (excerpt, mark) = excerpt(text, diagnostic.span().range());
    let level = if diagnostic.severity() == Severity::Warning { Level::WARNING } else { Level::ERROR };
    let title = level.primary_title(message(diagnostic)).id(diagnostic.code().as_str());
    let place = Snippet::source(excerpt).line_start(at.line).annotation(AnnotationKind::Primary.span(mark));
    let rendered = Renderer::styled().render(&[title.element(place)]);
    // The position goes between them: the renderer would count its column in the excerpt.
    let (title, place) = rendered.split_once('\n').unwrap_or((&rendered, ""));
    let margin = " ".repeat(at.line.to_string().len());
    let source = terminal::visible(source);
    put(report, format_args!("{title}\n{margin}{ARROW}-->{ARROW:#} {source}:{at}\n{place}\n\n"));
}

/// The text around the start of `span`, from its line, and the range of `span` in that.
fn excerpt(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let before = Escaped::quoted(&text[..span.start]).chars().rev().take_while(|c| c.as_char() != '\n');
    let before = before.take(BEFORE + 1).collect::<Vec<_>>();
    let mut shown = String::new();
    if before.len() > BEFORE {
        shown.push('…');
    }
    before.iter().take(BEFORE).rev().for_each(|c| put(&mut shown, format_args!("{c}")));
    let start = shown.len();
    let (mut at, mut end) = (span.start, start);
    for c in Escaped::quoted(&text[span.start..]).chars() {
        if c.as_char() == '\n' || text[at..].starts_with("\r\n") {
            break;
        }
        if shown.len() - start > AFTER {
            shown.push('…');
            break;
        }
        put(&mut shown, format_args!("{c}"));
        if at < span.end {
            end = shown.len();
        }
        at += c.as_char().len_utf8();
    }
    (shown, start..end)
}

/// `text` on one line, truncated if it is long.
pub(crate) fn short(text: &str) -> String {
    Escaped::quoted(text).truncated(AFTER)
}

pub(crate) fn put(report: &mut String, text: std::fmt::Arguments<'_>) {
    report.write_fmt(text).expect("a String takes all");
}

/// The characters shown before the start of a span, and the bytes shown after it.
const BEFORE: usize = 30;
const AFTER: usize = 90;
/// The characters of a message whose quotation is bounded.
const MESSAGE: usize = 1_000;
/// How much of a report is printed at once.
const PRINTED_BYTES: usize = 64 << 10;
