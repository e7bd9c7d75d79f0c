//! The live view of one reply, for people: it grows as the reply does.
//!
//! ```text
//! Prose as it arrives.
//! ● READ_FILE path="a.py"
//! ┌ WRITE_FILE path="b.py"
//! │ the body, as it arrives
//! └ WRITE_FILE path="b.py"  1 line, 21 bytes
//! ✗ 5:1 error[unknown-tag]: unknown tag [[NOTE]] ignored
//!   120 bytes dropped
//!   think, 300 bytes
//! complete: 2 tags, 1 error
//! ```
//!
//! Lines are only appended, so that a user can scroll back to all of them, and the view is the same however the reply was cut.
//! A line ends when the next one begins, because it may still grow. White space is held until something visible follows, so
//! that the tags taken out of the prose leave no gaps.
//!
//! A tag that will most likely be dropped is not shown while it waits for its close: only a status line tells of it, and
//! disappears.

use std::env;
use std::io::{self, IsTerminal as _};
use std::mem;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use tagwire::sse::InsteadOfText;
use tagwire::{Attrs, Diagnostic, DiagnosticCode, Escaped, LineColumn, Pending, Severity, Span, Tag, is_deceptive};

use super::session::{Finish, Show};
use super::source::End;
use super::totals::Totals;
use crate::failure::Failure;
use crate::report::{self, DIM, NAME, count, put};
use crate::terminal;

/// Prints a reply for people.
pub(super) struct Live {
    color: ColorChoice,
    /// Text that is not printed yet.
    out: String,
    line: Line,
    /// The last characters of the reply on the line, as many as [`is_deceptive`] reads.
    before: String,
    held: Held,
    /// The tag whose body is shown.
    open: Option<Shown>,
    /// The text of the region that is open, and its length in bytes.
    region: Option<(String, usize)>,
    /// The length in bytes of the last diagnostic's span.
    told: usize,
    status: Status,
}

/// The kind of the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// There is no line yet.
    None,
    /// Prose, or a body.
    Text,
    /// Anything else.
    Own,
    /// A line that has ended, for the status line.
    Ended,
}

/// Text after the text that is shown, which waits for what follows.
#[derive(Debug, Default)]
struct Held {
    /// The number of `\n` or `\r\n`.
    ends: usize,
    /// Spaces and tabs on the last line.
    spaces: String,
    /// A `\r` that may belong to a `\n`, or a joiner, which is shown as it is if it joins.
    last: Option<char>,
}

/// An open tag.
#[derive(Debug)]
struct Shown {
    start: usize,
    /// The number of bytes of its body that are shown.
    bytes: usize,
}

const OPEN: Style = AnsiColor::Cyan.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const TRUNCATED: Style = AnsiColor::Yellow.on_default().bold();
const BOLD: Style = Style::new().bold();

/// The white space that is held at most: spaces, and ends of lines in a body.
const MAX_HELD: usize = 4_096;

impl Live {
    pub(super) fn new(color: ColorChoice) -> Self {
        let is_terminal = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        let status = Status { is_terminal, ..Status::default() };
        Live {
            color,
            out: String::new(),
            line: Line::None,
            before: String::new(),
            held: Held::default(),
            open: None,
            region: None,
            told: 0,
            status,
        }
    }

    /// Appends text of the reply: prose, or that of the open body.
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if let Some(last) = self.held.last.take()
                && (last, c) != ('\r', '\n')
            {
                self.push_visible(last, Some(c));
            }
            match c {
                '\n' => {
                    self.held.ends += 1;
                    self.held.spaces.clear();
                    if self.open.is_some() && self.held.ends > MAX_HELD {
                        self.push_blank_lines();
                    }
                }
                '\r' | '\u{200C}' | '\u{200D}' => self.held.last = Some(c),
                ' ' | '\t' if self.held.spaces.len() < MAX_HELD => self.held.spaces.push(c),
                c => self.push_visible(c, None),
            }
        }
    }

    /// Appends a character of the reply, with the white space held before it. Only for a joiner does it matter what follows.
    fn push_visible(&mut self, c: char, next: Option<char>) {
        match &self.open {
            Some(_) if self.held.ends > 0 || self.line != Line::Text => {
                self.push_blank_lines();
                self.held.ends = 0;
                put(&mut self.out, format_args!("\n{DIM}│{DIM:#} "));
                self.before.clear();
            }
            None if self.held.ends > 0 || self.line != Line::Text => {
                let ends = mem::take(&mut self.held.ends);
                if ends == 0 {
                    // These spaces were between this text and a line that is no text.
                    self.held.spaces.clear();
                }
                self.break_line(ends);
                self.before.clear();
            }
            _ => {}
        }
        self.line = Line::Text;
        self.out.push_str(&self.held.spaces);
        if !mem::take(&mut self.held.spaces).is_empty() {
            self.before.clear();
        }
        let next = next.map(String::from).unwrap_or_default();
        match c {
            // A tab is as harmless as it is common.
            ' ' | '\t' => self.out.push(c),
            c if is_deceptive(&self.before, c, &next) => {
                put(&mut self.out, format_args!("{}", Escaped::line(c.encode_utf8(&mut [0; 4]))))
            }
            c => self.out.push(c),
        }
        if self.before.chars().count() == 2 {
            self.before.remove(0);
        }
        self.before.push(c);
    }

    /// Appends the blank lines of a body, all but the last held end of a line.
    fn push_blank_lines(&mut self) {
        for _ in 1..mem::replace(&mut self.held.ends, 1) {
            put(&mut self.out, format_args!("\n{DIM}│{DIM:#}"));
        }
        self.line = Line::Text;
    }

    /// Begins a new line after `ends` ends of lines, which leave at most one blank line.
    fn break_line(&mut self, ends: usize) {
        let breaks = match self.line {
            Line::None => 0,
            Line::Text | Line::Own => ends.clamp(1, 2),
            Line::Ended => ends.clamp(1, 2) - 1,
        };
        self.out.push_str(&"\n\n"[..breaks]);
    }

    /// Begins a new line for something other than text of the reply.
    fn own_line(&mut self) {
        if let Some(last) = self.held.last.take() {
            self.push_visible(last, None);
        }
        let Held { ends, .. } = mem::take(&mut self.held);
        self.break_line(if self.open.is_some() { 1 } else { ends });
        self.line = Line::Own;
    }

    /// Shows the body of the tag at `start`, as far as it has come.
    fn body(&mut self, start: usize, name: &str, attrs: Attrs<'_>, body: &str) {
        if self.open.as_ref().is_none_or(|shown| shown.start != start) {
            self.close();
            self.own_line();
            put(&mut self.out, format_args!("{DIM}┌{DIM:#} "));
            report::push_head(&mut self.out, name, OPEN, attrs);
            self.open = Some(Shown { start, bytes: 0 });
        }
        if let Some(shown) = &mut self.open {
            let new = &body[mem::replace(&mut shown.bytes, body.len())..];
            self.push(new);
        }
    }

    /// Tells of the region that has ended.
    fn end_region(&mut self) {
        if let Some((name, bytes)) = self.region.take() {
            self.own_line();
            put(&mut self.out, format_args!("  {DIM}{name}, {}{DIM:#}", count(bytes, "byte")));
        }
    }

    /// Ends the body that is shown: what follows belongs to something else.
    fn close(&mut self) {
        if self.open.take().is_some() {
            self.held = Held::default();
            self.line = Line::Own;
        }
    }
}

impl Show for Live {
    fn prose(&mut self, text: &str, _: Span) {
        self.close();
        self.push(text);
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let has_body = !tag.body().is_empty();
        if has_body {
            self.body(tag.span().start, tag.name(), tag.attrs(), tag.body());
        } else {
            self.close();
        }
        self.own_line();
        self.open = None;
        put(&mut self.out, format_args!("{NAME}{}{NAME:#} ", if has_body { '└' } else { '●' }));
        report::push_summary(&mut self.out, tag);
    }

    fn dropped(&mut self, span: Span) {
        self.close();
        // A diagnostic has said already that its token is dropped.
        if span.len() > mem::take(&mut self.told) {
            self.own_line();
            put(&mut self.out, format_args!("  {DIM}{} dropped{DIM:#}", count(span.len(), "byte")));
        }
    }

    fn region(&mut self, name: &str, text: &str, _: Span, is_last: bool) {
        self.close();
        let (_, bytes) = self.region.get_or_insert_with(|| (Escaped::line(name).to_string(), 0));
        *bytes += text.len();
        if is_last {
            self.end_region();
        }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, at: LineColumn) {
        self.close();
        self.end_region();
        self.own_line();
        self.told = diagnostic.span().len();
        let message = report::message(diagnostic);
        let code = diagnostic.code().as_str();
        let (mark, kind, style) = match diagnostic.severity() {
            Severity::Warning => ('!', "warning", WARNING),
            _ => ('✗', "error", ERROR),
        };
        put(&mut self.out, format_args!("{style}{mark} {at} {kind}[{code}]{style:#}: {message}"));
    }

    fn pending(&mut self, pending: Option<Pending<'_>>) {
        self.status.message = None;
        if let Some((name, bytes)) = &self.region {
            self.status.set(name, "is read over", *bytes);
        }
        match pending {
            Some(Pending::Open(tag)) if tag.is_over_budget() => {
                self.status.set(tag.name(), "is over its budget", tag.body().len());
            }
            Some(Pending::Open(tag)) if !tag.body().is_empty() => {
                self.body(tag.start(), tag.name(), tag.attrs(), tag.body());
            }
            Some(Pending::Held { name, code: DiagnosticCode::NotAllowed, text, .. }) => {
                self.status.set(name.as_written(), "is not allowed, held until its close", text.len());
            }
            Some(Pending::Held { name, text, .. }) => {
                self.status.set(name.as_written(), "is unknown, held until its close", text.len());
            }
            _ => {}
        }
        // The diagnostic that is to come breaks the line of the text anyway.
        if self.status.message.is_some() && self.status.is_terminal && matches!(self.line, Line::Text | Line::Own) {
            self.out.push('\n');
            self.line = Line::Ended;
        }
    }

    fn end(&mut self, totals: &Totals, end: &End) {
        self.close();
        self.end_region();
        self.own_line();
        self.status.message = None;
        let (word, style) = match end.finish {
            Finish::Complete => ("complete", BOLD),
            Finish::Truncated => ("truncated", TRUNCATED),
            Finish::Interrupted => ("interrupted", TRUNCATED),
        };
        let tags = count(totals.tags, "tag");
        let errors = report::count_diagnostics(totals.error_count, totals.warning_count);
        let reason = end.reason.as_deref().map_or_else(String::new, |reason| format!(" ({})", report::short(reason)));
        let instead = match end.instead_of_text {
            Some(InsteadOfText::Refusal) => ", only a refusal",
            Some(InsteadOfText::ToolCalls) => ", only tool calls",
            Some(InsteadOfText::Reasoning) => ", only reasoning",
            _ => "",
        };
        put(&mut self.out, format_args!("{style}{word}{style:#}{reason}: {tags}, {errors}{instead}\n"));
        self.line = Line::Ended;
    }

    fn gathered(&self) -> usize {
        self.out.len()
    }

    fn flush(&mut self) -> Result<(), Failure> {
        if !self.out.is_empty() {
            self.status.clear()?;
            terminal::print_styled(&self.out, self.color)?;
            self.out.clear();
        }
        self.status.draw()
    }
}

/// Ends the last line, whatever ends the program.
impl Drop for Live {
    fn drop(&mut self) {
        if matches!(self.line, Line::Text | Line::Own) {
            self.out.push('\n');
        }
        // A failure cannot be reported any more.
        let _ = self.status.clear();
        let _ = terminal::print_styled(&self.out, self.color);
    }
}

/// A line below the others, which disappears. Only on a terminal.
///
/// It is short: of a line that wraps, as when Ctrl-C shows as `^C` after a long one, only the end could be erased.
#[derive(Default)]
struct Status {
    is_terminal: bool,
    message: Option<String>,
    /// The time when it was drawn, while it is there.
    drawn: Option<Instant>,
}

/// The characters of a name that it shows.
const MAX_NAME: usize = 20;
/// The time between two changes, for a body that grows byte by byte.
const PAUSE: Duration = Duration::from_millis(50);

impl Status {
    fn set(&mut self, name: &str, what: &str, bytes: usize) {
        self.message = Some(format!(
            "… {} {what}: {}",
            Escaped::line(name).truncated(MAX_NAME).to_ascii_uppercase(),
            count(bytes, "byte")
        ));
    }

    /// Draws the message, below a line that has ended.
    fn draw(&mut self) -> Result<(), Failure> {
        let Some(message) = self.message.take().filter(|_| self.is_terminal) else { return self.clear() };
        if self.drawn.is_some_and(|drawn| drawn.elapsed() < PAUSE) {
            return Ok(());
        }
        self.drawn = Some(Instant::now());
        terminal::print_plain(&format!("{CLEAR}{message}"))
    }

    fn clear(&mut self) -> Result<(), Failure> {
        if self.drawn.take().is_some() { terminal::print_plain(CLEAR) } else { Ok(()) }
    }
}

/// Moves to the start of the line, and erases it.
const CLEAR: &str = "\r\x1b[2K";
