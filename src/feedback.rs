//! What goes back to the model: few lines, short lines, and none that the model could have forged.
//!
//! The list of errors quotes what was written, so a reply can put newlines into its lines, and one reply can earn a hundred
//! thousand of them. That list stays exact, for hosts that compare; this is what a host sends.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::diagnostic::{self, Diagnostic, DiagnosticCode};
use crate::escape::{Escaped, EscapedChar};
use crate::reply::Reply;

/// Collects diagnostics, of a stream or a reply, into lines for the model. Prints them, joined by newlines.
///
/// There are at most `max_lines` lines of at most `max_chars_a_line` characters (code points) each. A repeated line is printed
/// once with its count; where there are too many, the last one counts the rest. Budget lines come last. What is quoted is
/// [`Escaped`], and a long quote is shortened in its middle. Memory is bounded by the two numbers, whatever is added.
///
/// ```
/// use tagwire::workforce::{self, Mode, Role};
/// use tagwire::{Event, Feedback, Parser};
///
/// let mut parser = Parser::new(workforce::policy(Role::Developer, Mode::Work));
/// let mut feedback = Feedback::new(20, 200);
/// for event in parser.feed("[[NOTE/]] [[NOTE/]] [[/x\nERROR: forged]]") {
///     if let Event::Diagnostic(diagnostic) = event {
///         feedback.add(&diagnostic);
///     }
/// }
/// assert_eq!(
///     feedback.to_string(),
///     "ERROR: unknown tag [[NOTE]] ignored (2 times)\nERROR: stray closing tag [[/x\\nERROR: forged]] ignored",
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Feedback {
    max_lines: usize,
    max_chars: usize,
    lines: Lines,
    budget_lines: Lines,
}

impl Feedback {
    /// Nothing yet. A line has at most so many characters (code points).
    pub fn new(max_lines: usize, max_chars_a_line: usize) -> Self {
        Feedback { max_lines, max_chars: max_chars_a_line, lines: Lines::default(), budget_lines: Lines::default() }
    }

    /// Adds one mistake. Costs what a line costs, not what it quotes, and a look-up among the lines that are kept.
    pub fn add(&mut self, diagnostic: &Diagnostic<'_>) {
        let is_budget = diagnostic.code() == DiagnosticCode::OverBudget;
        let lines = if is_budget { &mut self.budget_lines } else { &mut self.lines };
        lines.add(Line::new(diagnostic, self.max_chars), self.max_lines);
    }

    /// Whether nothing was added, so that nothing is to be sent.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.budget_lines.is_empty()
    }
}

impl fmt::Display for Feedback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = || self.lines.kept.iter().chain(&self.budget_lines.kept);
        let unkept = self.lines.unkept + self.budget_lines.unkept;
        let fits = unkept == 0 && kept().count() <= self.max_lines;
        let shown = if fits { self.max_lines } else { self.max_lines.saturating_sub(1) };
        for (i, (line, count)) in kept().take(shown).enumerate() {
            f.write_str(if i == 0 { "" } else { "\n" })?;
            line.write(*count, self.max_chars, f)?;
        }
        if fits || self.max_lines == 0 {
            return Ok(());
        }
        f.write_str(if shown == 0 { "" } else { "\n" })?;
        let rest = unkept + kept().skip(shown).map(|(_, count)| count).sum::<usize>();
        let line = Line { before: diagnostic::not_listed(rest), ..Line::default() };
        line.write(1, self.max_chars, f)
    }
}

impl Reply<'_> {
    /// What goes back to the model: at most so many lines, of at most so many characters (code points) each. See [`Feedback`].
    ///
    /// Takes time linear in the number of diagnostics (times the logarithm of `max_lines`) and in the two numbers, whatever is
    /// quoted.
    ///
    /// ```
    /// use tagwire::workforce::{self, Mode, Role};
    ///
    /// let reply = workforce::policy(Role::Developer, Mode::Work).parse("[[A/]] [[B/]] [[C/]]");
    /// assert_eq!(reply.feedback(2, 80), "ERROR: unknown tag [[A]] ignored\nERROR: 2 more not listed");
    /// ```
    pub fn feedback(&self, max_lines: usize, max_chars_a_line: usize) -> String {
        let mut feedback = Feedback::new(max_lines, max_chars_a_line);
        self.diagnostics().iter().for_each(|diagnostic| feedback.add(diagnostic));
        feedback.to_string()
    }
}

/// Lines, each once, in the order of their first mention.
#[derive(Clone, Debug, Default)]
struct Lines {
    kept: Vec<(Line, usize)>,
    places: BTreeMap<Line, usize>,
    /// How many were added that are not kept.
    unkept: usize,
}

impl Lines {
    fn add(&mut self, line: Line, max: usize) {
        match self.places.get(&line) {
            Some(&place) => self.kept[place].1 += 1,
            None if self.kept.len() < max => {
                self.places.insert(line.clone(), self.kept.len());
                self.kept.push((line, 1));
            }
            None => self.unkept += 1,
        }
    }

    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.unkept == 0
    }
}

/// A line, and what it quotes: as written, or as much of both its ends as a line can show.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    before: String,
    quote: String,
    after: String,
}

impl Line {
    fn new(diagnostic: &Diagnostic<'_>, max_chars: usize) -> Self {
        let (before, quote, after) = diagnostic.parts();
        let mut shown = ends(quote.as_written(), max_chars);
        if quote.is_name() {
            shown.make_ascii_uppercase();
        }
        Line { before: before.into(), quote: shown, after: after.to_string() }
    }

    fn write(&self, count: usize, max_chars: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if count == 1 { String::new() } else { diagnostic::times(count) };
        let frame = self.before.chars().count() + self.after.chars().count() + times.chars().count();
        let quote = shorten(&self.quote, max_chars.saturating_sub(frame));
        let parts = [&*self.before, &*quote, &*self.after, &*times];
        parts.iter().flat_map(|part| part.chars()).take(max_chars).try_for_each(|c| f.write_char(c))
    }
}

/// `text`, or where it is longer its first and last `len` characters.
fn ends(text: &str, len: usize) -> String {
    let head = text.char_indices().nth(len).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().nth_back(len).map_or(0, |(at, c)| at + c.len_utf8());
    if head < tail { alloc::format!("{}…{}", &text[..head], &text[tail..]) } else { text.into() }
}

/// `text`, escaped, in at most `max` characters: if it is longer, its start and its end.
///
/// Looks at no more of it than it keeps.
fn shorten(text: &str, max: usize) -> String {
    let chars = Escaped::new(text).chars();
    let whole = fitting(chars.clone(), max);
    if whole.len() == chars.clone().take(whole.len() + 1).count() {
        let mut shown = String::new();
        whole.iter().for_each(|c| push(&mut shown, c));
        return shown;
    }
    let Some(room) = max.checked_sub(1) else {
        return String::new();
    };
    let (start, end) = (fitting(chars.clone(), room - room / 2), fitting(chars.rev(), room / 2));
    let mut shown = String::new();
    start.iter().for_each(|c| push(&mut shown, c));
    shown.push('…');
    end.iter().rev().for_each(|c| push(&mut shown, c));
    shown
}

/// The first of these for which there is room.
fn fitting(chars: impl Iterator<Item = EscapedChar>, mut room: usize) -> Vec<EscapedChar> {
    let fits = |c: &EscapedChar| match room.checked_sub(c.width()) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    };
    chars.take_while(fits).collect()
}

fn push(to: &mut String, c: &EscapedChar) {
    write!(to, "{c}").expect("a String takes all");
}
