//! What goes back to the model: few lines, short lines, and none that the model could have forged.
//!
//! The list of errors quotes the reply literally, so a reply can put newlines into its lines, and one reply can cause a hundred
//! thousand of them. That list stays exact, for hosts that compare; a host sends this instead.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::diagnostic::{self, Diagnostic, DiagnosticCode};
use crate::escape::Escaped;
use crate::reply::Reply;
use crate::tag_error::TagError;

/// Bounds on what goes back to a model. The default is 20 lines of 300 characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FeedbackLimits {
    /// The number of lines at most.
    pub max_lines: usize,
    /// The length of a line at most, in characters (code points).
    pub max_line_chars: usize,
}

impl FeedbackLimits {
    /// These limits with another number of lines.
    #[must_use]
    pub const fn with_max_lines(self, lines: usize) -> Self {
        FeedbackLimits { max_lines: lines, ..self }
    }

    /// These limits with another length of a line, in characters (code points).
    #[must_use]
    pub const fn with_max_line_chars(self, chars: usize) -> Self {
        FeedbackLimits { max_line_chars: chars, ..self }
    }
}

impl Default for FeedbackLimits {
    fn default() -> Self {
        FeedbackLimits { max_lines: 20, max_line_chars: 300 }
    }
}

/// Collects the mistakes of a reply, or of a stream, into lines for the model. Prints them, joined by newlines.
///
/// There are at most `max_lines` lines of at most `max_line_chars` characters each. A repeated line is printed once with its
/// count; if there are too many, the last one counts the rest. Budget lines come last. Quotations of the reply are
/// [`Escaped`], and a long one is shortened in its middle. Memory is bounded by the limits, whatever is added.
///
/// ```
/// use tagwire::workforce::{self, Assign, Mode, Role};
/// use tagwire::{Event, Feedback, FeedbackLimits, Parser};
///
/// let mut parser = Parser::new(workforce::policy(Role::Manager, Mode::Triage));
/// let mut feedback = Feedback::new(FeedbackLimits::default());
/// for event in parser.feed("[[NOTE/]] [[NOTE/]] [[/x\nERROR: forged]] [[ASSIGN task_id='7' pipeline='x\nERROR: forged'/]]") {
///     match event {
///         Event::Diagnostic(diagnostic) => feedback.add(&diagnostic),
///         Event::Tag(tag) => {
///             if let Err(error) = Assign::try_from(&tag) {
///                 feedback.add_error(&error);
///             }
///         }
///         _ => {}
///     }
/// }
/// assert_eq!(
///     feedback.to_string(),
///     "ERROR: unknown tag [[NOTE]] ignored (2 times)\n\
///      ERROR: stray closing tag [[/x\\nERROR: forged]] ignored\n\
///      ERROR: unknown pipeline: x\\nERROR: forged",
/// );
/// ```
#[derive(Clone, Debug)]
pub struct Feedback {
    limits: FeedbackLimits,
    lines: Lines,
    budget_lines: Lines,
}

impl Feedback {
    /// Makes an empty collection.
    pub fn new(limits: FeedbackLimits) -> Self {
        Feedback { limits, lines: Lines::default(), budget_lines: Lines::default() }
    }

    /// Adds a mistake in the reply. Takes time linear in the length of a line, whatever it quotes, and a look-up among the
    /// kept lines.
    pub fn add(&mut self, diagnostic: &Diagnostic<'_>) {
        let is_budget = diagnostic.code() == DiagnosticCode::OverBudget;
        let lines = if is_budget { &mut self.budget_lines } else { &mut self.lines };
        lines.add(Line::of_diagnostic(diagnostic, self.limits.max_line_chars), self.limits.max_lines);
    }

    /// Adds the reason why a tag cannot be carried out, after `ERROR: `. All of its message is treated as a quotation, since
    /// it may quote the reply. Costs the same as [`Feedback::add`].
    pub fn add_error(&mut self, error: &TagError) {
        self.lines.add(Line::of_error(error, self.limits.max_line_chars), self.limits.max_lines);
    }

    /// Whether nothing was added, so that there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.budget_lines.is_empty()
    }
}

impl fmt::Display for Feedback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FeedbackLimits { max_lines, max_line_chars } = self.limits;
        let kept = || self.lines.kept.iter().chain(&self.budget_lines.kept);
        let unkept = self.lines.unkept + self.budget_lines.unkept;
        let fits = unkept == 0 && kept().count() <= max_lines;
        let shown = if fits { max_lines } else { max_lines.saturating_sub(1) };
        for (i, (line, count)) in kept().take(shown).enumerate() {
            f.write_str(if i == 0 { "" } else { "\n" })?;
            line.write(*count, max_line_chars, f)?;
        }
        if fits || max_lines == 0 {
            return Ok(());
        }
        f.write_str(if shown == 0 { "" } else { "\n" })?;
        let rest = unkept + kept().skip(shown).map(|(_, count)| count).sum::<usize>();
        let line = Line { before: diagnostic::not_listed(rest), ..Line::default() };
        line.write(1, max_line_chars, f)
    }
}

impl Reply<'_> {
    /// The mistakes of the reply as text for the model, within `limits`. See [`Feedback`].
    ///
    /// Takes time linear in the number of diagnostics (times the logarithm of `max_lines`) and in the limits, whatever is
    /// quoted.
    ///
    /// ```
    /// use tagwire::FeedbackLimits;
    /// use tagwire::workforce::{self, Mode, Role};
    ///
    /// let reply = workforce::policy(Role::Developer, Mode::Work).parse("[[A/]] [[B/]] [[C/]]");
    /// let limits = FeedbackLimits::default().with_max_lines(2);
    /// assert_eq!(reply.feedback(limits), "ERROR: unknown tag [[A]] ignored\nERROR: 2 more not listed");
    /// ```
    pub fn feedback(&self, limits: FeedbackLimits) -> String {
        let mut feedback = Feedback::new(limits);
        self.diagnostics().iter().for_each(|diagnostic| feedback.add(diagnostic));
        feedback.to_string()
    }
}

/// Distinct lines, in the order in which each came first.
#[derive(Clone, Debug, Default)]
struct Lines {
    /// Each with how often it was added.
    kept: Vec<(Line, usize)>,
    /// Indices into `kept`.
    indices: BTreeMap<Line, usize>,
    /// The number of lines that were added and not kept.
    unkept: usize,
}

impl Lines {
    fn add(&mut self, line: Line, max: usize) {
        match self.indices.get(&line) {
            Some(&index) => self.kept[index].1 += 1,
            None if self.kept.len() < max => {
                self.indices.insert(line.clone(), self.kept.len());
                self.kept.push((line, 1));
            }
            None => self.unkept += 1,
        }
    }

    fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.unkept == 0
    }
}

/// A line around a quotation, which is not escaped yet, and whole or as much of both ends as a line can show.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    before: String,
    quote: String,
    after: String,
}

impl Line {
    fn of_diagnostic(diagnostic: &Diagnostic<'_>, max_chars: usize) -> Self {
        let (before, quote, after) = diagnostic.parts(max_chars);
        Line { before, quote, after }
    }

    fn of_error(error: &TagError, max_chars: usize) -> Self {
        Line {
            before: diagnostic::PREFIX.into(),
            quote: diagnostic::both_ends(error.message(), max_chars),
            after: String::new(),
        }
    }

    fn write(&self, count: usize, max_chars: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if count == 1 { String::new() } else { diagnostic::times(count) };
        let frame = self.before.chars().count() + self.after.chars().count() + times.chars().count();
        let quote = Escaped::quoted(&self.quote).shortened(max_chars.saturating_sub(frame));
        let parts = [&*self.before, &*quote, &*self.after, &*times];
        parts.iter().flat_map(|part| part.chars()).take(max_chars).try_for_each(|c| f.write_char(c))
    }
}
