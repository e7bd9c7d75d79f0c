//! What goes back to the model: few lines, short lines, and none that the model could have forged.
//!
//! The list of errors quotes what was written, so a reply can put newlines into its lines, and one reply can earn a hundred
//! thousand of them. That list stays exact, for hosts that compare; this is what a host sends.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::diagnostic::{Code, Diagnostic};
use crate::reply::Reply;

/// Collects diagnostics, of a stream or a reply, into lines for the model. Prints them, joined by newlines.
///
/// There are at most `max_lines` lines of at most `max_chars_a_line` characters (code points) each. A repeated line is printed
/// once with its count; where there are too many, the last one counts the rest. Budget lines come last. In what is quoted,
/// control characters, line separators and invisible directions are escaped, and a long quote is shortened in its middle.
/// Memory is bounded by the two numbers, whatever is added.
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
        let is_budget = diagnostic.code() == Code::OverBudget;
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
        let line = Line { before: alloc::format!("ERROR: {rest} more not listed"), ..Line::default() };
        line.write(1, self.max_chars, f)
    }
}

impl Reply<'_> {
    /// What goes back to the model: at most so many lines, of at most so many characters (code points) each. See [`Feedback`].
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
        // What is quoted comes before all that a host may have named, so the first mark is its place.
        const MARK: &str = "\0";
        let (quote, frame) = diagnostic.unquoted(MARK);
        let frame = frame.to_string();
        let (before, after) = frame.split_once(MARK).unwrap_or((&frame, ""));
        let mut quote = ends(quote, max_chars);
        if !matches!(diagnostic.code(), Code::StrayClose | Code::MalformedAttribute) {
            quote.make_ascii_uppercase();
        }
        Line { before: before.into(), quote, after: after.into() }
    }

    fn write(&self, count: usize, max_chars: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = if count == 1 { String::new() } else { alloc::format!(" ({count} times)") };
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
    let mut whole = String::new();
    let mut room = max;
    if text.chars().all(|c| push_escaped(&mut whole, c, &mut room)) {
        return whole;
    }
    let Some(room) = max.checked_sub(1) else {
        return String::new();
    };
    let (mut start, mut end) = (String::new(), Vec::new());
    let (mut start_room, mut end_room) = (room - room / 2, room / 2);
    let _ = text.chars().all(|c| push_escaped(&mut start, c, &mut start_room));
    for c in text.chars().rev() {
        let mut piece = String::new();
        if !push_escaped(&mut piece, c, &mut end_room) {
            break;
        }
        end.push(piece);
    }
    start.push('…');
    start.extend(end.into_iter().rev());
    start
}

/// Adds a character as it may be shown, if there is room for it.
fn push_escaped(to: &mut String, c: char, room: &mut usize) -> bool {
    let escaped = match c {
        '\n' | '\r' | '\t' => c.escape_default().to_string(),
        c if is_deceptive(c) => c.escape_unicode().to_string(),
        c => c.into(),
    };
    let Some(left) = room.checked_sub(escaped.chars().count()) else {
        return false;
    };
    *room = left;
    to.push_str(&escaped);
    true
}

/// Whether a character may break a line, hide, or turn the direction of what is around it.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
        )
}
