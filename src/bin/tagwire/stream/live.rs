//! The live view of one reply, for people: it grows as the reply does.
//!
//! ```text
//! Prose as it comes.
//! ● READ_FILE path="a.py"
//! ┌ WRITE_FILE path="b.py"
//! │ the body, as it comes
//! └ WRITE_FILE path="b.py"  1 line, 21 bytes
//! ✗ 5:1 error[unknown-tag]: unknown tag [[NOTE]] ignored
//!   120 bytes dropped
//! complete: 2 tags, 1 error
//! ```
//!
//! Lines are only appended, so that all can be scrolled back to, and it reads the same however the reply was cut. A line is
//! ended when the next one begins, for it may still grow. White space is held until something visible follows: then the ends
//! of lines leave no gaps where tags were taken out of the prose.
//!
//! While a tag is held that will most likely be dropped, nothing is shown of it but a status line, which goes away.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal as _};
use std::mem;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use clap::ColorChoice;
use tagwire::sse::InsteadOfText;
use tagwire::{Attrs, Code, Diagnostic, LineColumn, Pending, Span, Tag};

use super::session::{Finish, Show, Totals};
use super::source::End;
use crate::failure::Failure;
use crate::report::{self, DIM, NAME, count, put};
use crate::terminal;

/// Prints what people read.
pub(super) struct Live {
    color: ColorChoice,
    /// What is not printed yet.
    out: String,
    line: Line,
    held: Space,
    /// The tag whose body is shown.
    open: Option<Shown>,
    /// How many bytes the last diagnostic is about.
    told: usize,
    status: Status,
}

/// What the last line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// There is none yet.
    None,
    /// Prose, or a body.
    Text,
    /// Of something else.
    Own,
    /// It has ended, for the status line.
    Ended,
}

/// White space behind the text that is shown.
#[derive(Debug, Default)]
struct Space {
    /// `\n` or `\r\n`.
    ends: usize,
    /// Spaces and tabs on the last line.
    spaces: String,
    /// A `\r` that may belong to a `\n`.
    is_behind_cr: bool,
}

/// A tag that is open.
#[derive(Debug)]
struct Shown {
    start: usize,
    bytes: usize,
}

const OPEN: Style = AnsiColor::Cyan.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const TRUNCATED: Style = AnsiColor::Yellow.on_default().bold();
const BOLD: Style = Style::new().bold();

impl Live {
    pub(super) fn new(color: ColorChoice) -> Self {
        let is_terminal = io::stdout().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb");
        let status = Status { is_terminal, ..Status::default() };
        Live { color, out: String::new(), line: Line::None, held: Space::default(), open: None, told: 0, status }
    }

    /// Appends text of the reply: prose, or that of the open body.
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if mem::take(&mut self.held.is_behind_cr) && c != '\n' {
                self.push_visible('\r');
            }
            match c {
                '\n' => {
                    self.held.ends += 1;
                    self.held.spaces.clear();
                }
                '\r' => self.held.is_behind_cr = true,
                ' ' | '\t' => self.held.spaces.push(c),
                c => self.push_visible(c),
            }
        }
    }

    fn push_visible(&mut self, c: char) {
        let ends = mem::take(&mut self.held.ends);
        match &self.open {
            Some(_) if ends > 0 || self.line != Line::Text => {
                for _ in 1..ends {
                    put(&mut self.out, format_args!("\n{DIM}│{DIM:#}"));
                }
                put(&mut self.out, format_args!("\n{DIM}│{DIM:#} "));
            }
            None if ends > 0 || self.line != Line::Text => {
                if ends == 0 {
                    // They were between this and what had a line of its own.
                    self.held.spaces.clear();
                }
                self.break_line(ends);
            }
            _ => {}
        }
        self.line = Line::Text;
        self.out.push_str(&self.held.spaces);
        self.held.spaces.clear();
        terminal::push_visible_line(&mut self.out, c.encode_utf8(&mut [0; 4]));
    }

    /// A new line behind so many ends of lines, of which a blank line is left.
    fn break_line(&mut self, ends: usize) {
        let breaks = match self.line {
            Line::None => 0,
            Line::Text | Line::Own => ends.clamp(1, 2),
            Line::Ended => ends.clamp(1, 2) - 1,
        };
        self.out.push_str(&"\n\n"[..breaks]);
    }

    /// A new line for what is no text of the reply.
    fn own_line(&mut self) {
        if self.held.is_behind_cr {
            self.push_visible('\r');
        }
        let Space { ends, .. } = mem::take(&mut self.held);
        self.break_line(if self.open.is_some() { 1 } else { ends });
        self.line = Line::Own;
    }

    /// Shows the body of the tag at `start`, which is this far.
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

    /// What comes is not of the tag that was open.
    fn close(&mut self) {
        if self.open.take().is_some() {
            self.held = Space::default();
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
        // That its token is dropped is what a diagnostic says.
        if span.len() > mem::take(&mut self.told) {
            self.own_line();
            put(&mut self.out, format_args!("  {DIM}{} dropped{DIM:#}", count(span.len(), "byte")));
        }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic<'_>, at: LineColumn) {
        self.close();
        self.own_line();
        self.told = diagnostic.span().len();
        let message = diagnostic.to_string();
        let message = report::short(message.strip_prefix("ERROR: ").unwrap_or(&message));
        let code = diagnostic.code().as_str();
        put(&mut self.out, format_args!("{ERROR}✗ {at} error[{code}]{ERROR:#}: {message}"));
    }

    fn pending(&mut self, pending: Option<Pending<'_>>) {
        self.status.message = None;
        match pending {
            Some(Pending::Open(tag)) if tag.is_over_budget() => {
                self.status.set(tag.name(), "is over its budget", tag.body().len());
            }
            Some(Pending::Open(tag)) if !tag.body().is_empty() => {
                self.body(tag.start(), tag.name(), tag.attrs(), tag.body());
            }
            Some(Pending::Held { name, code: Code::NotAllowed, text, .. }) => {
                self.status.set(name, "is not allowed, held until its close", text.len());
            }
            Some(Pending::Held { name, text, .. }) => {
                self.status.set(name, "is unknown, held until its close", text.len());
            }
            _ => {}
        }
        // The line of the text would be broken by the diagnostic anyway.
        if self.status.message.is_some() && self.status.is_terminal && matches!(self.line, Line::Text | Line::Own) {
            self.out.push('\n');
            self.line = Line::Ended;
        }
    }

    fn end(&mut self, totals: &Totals, end: &End) {
        self.close();
        self.own_line();
        self.status.message = None;
        let (word, style) = match end.finish {
            Finish::Complete => ("complete", BOLD),
            Finish::Truncated => ("truncated", TRUNCATED),
            Finish::Interrupted => ("interrupted", TRUNCATED),
        };
        let tags = count(totals.tags, "tag");
        let errors = count(totals.errors().len(), "error");
        let instead = match end.instead_of_text {
            Some(InsteadOfText::Refusal) => ", only a refusal",
            Some(InsteadOfText::ToolCalls) => ", only tool calls",
            Some(InsteadOfText::Reasoning) => ", only reasoning",
            _ => "",
        };
        put(&mut self.out, format_args!("{style}{word}{style:#}: {tags}, {errors}{instead}\n"));
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

/// Whatever ends the program, its last line is ended.
impl Drop for Live {
    fn drop(&mut self) {
        if matches!(self.line, Line::Text | Line::Own) {
            self.out.push('\n');
        }
        // Nobody is left to tell of a failure.
        let _ = self.status.clear();
        let _ = terminal::print_styled(&self.out, self.color);
    }
}

/// A line under the others that goes away, on a terminal.
///
/// It is short, since of a line that is broken only the end would go away, as where Ctrl-C shows as `^C` behind a long one.
#[derive(Default)]
struct Status {
    is_terminal: bool,
    message: Option<String>,
    /// When it was drawn, if it is there.
    drawn: Option<Instant>,
}

/// How much of a name it shows, in characters.
const MAX_NAME: usize = 20;
/// It changes no faster, for what grows byte by byte.
const PAUSE: Duration = Duration::from_millis(50);

impl Status {
    fn set(&mut self, name: impl Display, what: &str, bytes: usize) {
        let name: String = name.to_string().chars().take(MAX_NAME).collect();
        self.message = Some(format!("… {} {what}: {}", terminal::visible(&name), count(bytes, "byte")));
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

/// Back to the start of the line, and erase it.
const CLEAR: &str = "\r\x1b[2K";
