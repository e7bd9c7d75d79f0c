//! Why edit blocks cannot be applied, in words that let the model correct them.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

/// Why edit blocks were not applied to a text: which block failed, where its OLD was found, or what comes closest to it.
///
/// Prints a message of at most eleven lines and 1,500 characters, meant for the model. Lines count from 1, and in the
/// text passed to [`EditBlocks::apply`](super::EditBlocks::apply), even where earlier blocks would have moved them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    block: usize,
    reason: Box<Reason>,
}

impl EditError {
    pub(super) fn new(block: usize, reason: Reason) -> Self {
        EditError { block, reason: Box::new(reason) }
    }

    /// The block that failed, counted from 1.
    pub fn block(&self) -> usize {
        self.block
    }

    /// The number of occurrences of its OLD, overlapping ones counted: 0, or 2 and more. 0 also for an OLD that is empty or
    /// equal to its NEW, and was not looked for.
    pub fn found(&self) -> usize {
        match *self.reason {
            Reason::Repeated { found, .. } => found,
            _ => 0,
        }
    }

    /// The lines in which the first five occurrences of OLD start; two of them may be in one line.
    pub fn lines(&self) -> &[usize] {
        match &*self.reason {
            Reason::Repeated { lines, .. } => lines,
            _ => &[],
        }
    }

    /// The first of the lines that come closest to an OLD that was not found; `None` if no line is like it.
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
                // Earlier blocks may have written some of it.
                let file = if self.block == 1 { "the file" } else { "the file, as the blocks before leave it," };
                write!(f, "OLD is in {file} {found} times, ")?;
                write_lines(f, lines, *found)?;
                f.write_str(
                    "; it must be there exactly once. Nothing was changed. Add neighboring lines to OLD and NEW.",
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
    let (last, others) = distinct.split_last().expect("at least two occurrences");
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
                let lines = differences.iter_mut().map(|difference| &mut difference.line);
                [first, last].into_iter().chain(lines).for_each(|line| *line = map(*line));
            }
        }
        self
    }
}

/// The lines of the text that come closest to OLD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Nearest {
    /// The text is empty.
    Empty,
    /// No line is like any of OLD.
    Nothing,
    /// From line `first` to `last`, with the first differences and the number of further ones.
    Lines { first: usize, last: usize, differences: Vec<Difference>, more: usize },
}

/// A line that differs. Quotes are escaped and shortened already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) line: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The white space before the line's text, described.
    Indent { old: String, file: String, quotes: [String; 2] },
    /// The white space after the line's text, described.
    Trailing { old: String, file: String, quotes: [String; 2] },
    /// A piece of the line, from a character (counted from 1) of the file's line on. An empty side stays empty.
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
                    true => write!(f, "Closest match: line {first}")?,
                    false => write!(f, "Closest match: lines {first}-{last}")?,
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
                write!(f, "line {line}, trailing white space: OLD has {old}, the file {file}")?;
                quotes
            }
            What::Text { character, old, file, quotes } => {
                write!(f, "line {line}, character {character}: ")?;
                match (old.is_empty(), file.is_empty()) {
                    (true, _) => write!(f, "OLD lacks {file}")?,
                    (_, true) => write!(f, "OLD has extra {old}")?,
                    _ => write!(f, "OLD has {old}, the file {file}")?,
                }
                quotes
            }
            What::NotInOld { quote } => return write!(f, "line {line} is not in OLD: {quote}"),
            What::NotInFile { old_line, quote } => {
                write!(f, "OLD line {old_line} is not in the file ")?;
                match line {
                    1 => f.write_str("at its start")?,
                    line => write!(f, "after line {}", line - 1)?,
                }
                return write!(f, ": {quote}");
            }
        };
        write!(f, "\n  OLD:  {}\n  file: {}", quotes[0], quotes[1])
    }
}

/// The occurrences of OLD that are listed at most, and the differences.
pub(super) const LISTED: usize = 5;
pub(super) const DIFFERENCES: usize = 3;
