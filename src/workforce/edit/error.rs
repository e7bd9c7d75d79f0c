//! Why edit blocks cannot be applied, told so that the model can mend them.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

/// How many of the places where OLD was found are listed, and how many differences to the nearest lines.
pub(super) const LISTED: usize = 5;
pub(super) const DIFFERENCES: usize = 3;

/// Why edit blocks were not applied to a text: which block failed, where its OLD was found, or what is nearest to it.
///
/// Prints a message of at most eleven lines and 1,500 characters, meant for the model. Line numbers count from 1, and in the
/// text that was given to [`EditBlocks::apply`](super::EditBlocks::apply), even where blocks before this one would have moved
/// the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    block: usize,
    reason: Box<Reason>,
}

impl EditError {
    pub(super) fn new(block: usize, reason: Reason) -> Self {
        EditError { block, reason: Box::new(reason) }
    }

    /// Which block failed, counted from 1.
    pub fn block(&self) -> usize {
        self.block
    }

    /// How often its OLD was found, overlapping occurrences counted: 0, or 2 and more. 0 too where it was not looked for,
    /// being empty or equal to its NEW.
    pub fn found(&self) -> usize {
        match *self.reason {
            Reason::Repeated { found, .. } => found,
            _ => 0,
        }
    }

    /// The lines in which the first five places start where OLD was found; two of them may be in one line.
    pub fn lines(&self) -> &[usize] {
        match &*self.reason {
            Reason::Repeated { lines, .. } => lines,
            _ => &[],
        }
    }

    /// The first of the lines that are nearest to an OLD that was not found; none where no line is like it.
    pub fn nearest_line(&self) -> Option<usize> {
        match &*self.reason {
            Reason::Absent(Nearest::Lines { first, .. }) => Some(*first),
            _ => None,
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "edit block {}: ", self.block)?;
        match &*self.reason {
            Reason::EmptyOld => f.write_str("OLD is empty. Nothing was changed."),
            Reason::SameNew => f.write_str("OLD and NEW are the same. Nothing was changed."),
            Reason::Repeated { found, lines } => {
                write!(f, "OLD is in the file {found} times, ")?;
                write_lines(f, lines, *found)?;
                f.write_str(
                    "; it must be there exactly once. Nothing was changed. Add neighbouring lines to OLD and NEW.",
                )
            }
            Reason::Absent(nearest) => {
                f.write_str("OLD is not in the file. Nothing was changed. ")?;
                nearest.fmt(f)
            }
        }
    }
}

impl core::error::Error for EditError {}

fn write_lines(f: &mut fmt::Formatter<'_>, lines: &[usize], found: usize) -> fmt::Result {
    let mut distinct = lines.to_vec();
    distinct.dedup();
    let (last, others) = distinct.split_last().expect("what is found is somewhere");
    f.write_str(if others.is_empty() { "in line " } else { "in lines " })?;
    for (index, line) in others.iter().enumerate() {
        write!(f, "{}{line}", if index == 0 { "" } else { ", " })?;
    }
    let further = found > lines.len();
    match (others.is_empty(), further) {
        (true, _) => write!(f, "{last}")?,
        (false, true) => write!(f, ", {last}")?,
        (false, false) => write!(f, " and {last}")?,
    }
    if further { f.write_str(" and further on") } else { Ok(()) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    EmptyOld,
    SameNew,
    Repeated { found: usize, lines: Vec<usize> },
    Absent(Nearest),
}

impl Reason {
    pub(super) fn map_lines(mut self, map: impl Fn(usize) -> usize) -> Self {
        match &mut self {
            Reason::EmptyOld | Reason::SameNew | Reason::Absent(Nearest::Empty | Nearest::Nothing) => {}
            Reason::Repeated { lines, .. } => lines.iter_mut().for_each(|line| *line = map(*line)),
            Reason::Absent(Nearest::Lines { first, last, differences, .. }) => {
                let places = differences.iter_mut().map(|difference| &mut difference.line);
                [first, last].into_iter().chain(places).for_each(|line| *line = map(*line));
            }
        }
        self
    }
}

/// What in the text is nearest to OLD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Nearest {
    /// The text is empty.
    Empty,
    /// No line is like any of OLD.
    Nothing,
    /// From line `first` to `last`, with the first differences; `more` are not told.
    Lines { first: usize, last: usize, differences: Vec<Difference>, more: usize },
}

/// A line that differs. What is quoted is escaped and shortened already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) line: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The white space before the line's text, described.
    Indent { old: String, file: String, quotes: [String; 2] },
    /// The white space behind the line's text, described.
    Trailing { old: String, file: String, quotes: [String; 2] },
    /// The white space within the line.
    Space { quotes: [String; 2] },
    /// The line's end: whether OLD has the carriage return.
    LineEnd { old_crlf: bool },
    /// The text, from a character (counted from 1) of the file's line on.
    Text { character: usize, old: String, file: String, quotes: [String; 2] },
    /// The file's line is not in OLD.
    NotInOld { quote: String },
    /// A line of OLD (counted from 1) is not in the file; it would stand before this line.
    NotInFile { old_line: usize, quote: String },
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nearest::Empty => f.write_str("The file is empty."),
            Nearest::Nothing => f.write_str("No line of the file is like it."),
            Nearest::Lines { first, last, differences, more } => {
                match first == last {
                    true => write!(f, "Nearest is line {first}:")?,
                    false => write!(f, "Nearest are lines {first} to {last}:")?,
                }
                for difference in differences {
                    write!(f, "\n{difference}")?;
                }
                match more {
                    0 => Ok(()),
                    1 => f.write_str("\nOne more line differs."),
                    more => write!(f, "\n{more} more lines differ."),
                }
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line;
        let quotes = match &self.what {
            What::Indent { old, file, quotes } => {
                write!(f, "line {line}, indentation: OLD has {old}, the file {file}")?;
                quotes
            }
            What::Trailing { old, file, quotes } => {
                write!(f, "line {line}, white space at its end: OLD has {old}, the file {file}")?;
                quotes
            }
            What::Space { quotes } => {
                write!(f, "line {line}, white space within it")?;
                quotes
            }
            What::LineEnd { old_crlf: true } => {
                return write!(f, "line {line}, line end: OLD has CRLF, the file LF");
            }
            What::LineEnd { old_crlf: false } => {
                return write!(f, "line {line}, line end: OLD has LF, the file CRLF");
            }
            What::Text { character, old, file, quotes } => {
                write!(f, "line {line}, character {character}: ")?;
                match (old.is_empty(), file.is_empty()) {
                    (true, _) => write!(f, "OLD lacks {file}")?,
                    (_, true) => write!(f, "OLD has {old} too much")?,
                    _ => write!(f, "OLD has {old}, the file {file}")?,
                }
                quotes
            }
            What::NotInOld { quote } => return write!(f, "line {line} is not in OLD: {quote}"),
            What::NotInFile { old_line, quote } => {
                return write!(f, "OLD line {old_line} is not in the file before line {line}: {quote}");
            }
        };
        write!(f, "\n  OLD:  {}\n  file: {}", quotes[0], quotes[1])
    }
}
