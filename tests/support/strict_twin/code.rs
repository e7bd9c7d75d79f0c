//! Section 7: what is code.

use super::words::{after_blanks, is_blank, line_end, line_start};

/// A fence that opens at a position.
#[derive(Clone, Copy, Debug)]
pub struct Fence {
    pub mark: char,
    pub length: usize,
    /// The length of the prefix it opened after, in characters, and whether that has a `>`.
    prefix: Option<(usize, bool)>,
}

impl Fence {
    /// The fence that opens with the run of marks here.
    pub fn at(text: &str, at: usize) -> Option<Self> {
        let mark = text[at..].chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = run(text, at, mark);
        let before = &text[line_start(text, at)..at];
        let prefix = is_prefix(before).then(|| (before.len(), before.contains('>')));
        let opens = match mark {
            '`' => !text[at + length..line_end(text, at)].contains('`'),
            _ => prefix.is_some(),
        };
        (length >= 3 && opens).then_some(Self { mark, length, prefix })
    }

    /// Whether a line, without its line break, closes it.
    pub fn is_closed_by(&self, line: &str) -> bool {
        let rest = match self.prefix {
            Some((_, true)) => line.trim_start_matches(|c| is_blank(c) || c == '>'),
            _ => line.trim_start_matches(is_blank),
        };
        let before = line.len() - rest.len();
        let marks = run(rest, 0, self.mark);
        marks >= self.length
            && rest[marks..].chars().all(is_blank)
            && self.prefix.is_none_or(|(length, _)| before <= length + 3)
    }
}

/// Whether a line that starts here is a quote: it begins with `>`, blanks aside, and no fence opens after its prefix.
///
/// A line of which only a later part is read as prose is none.
pub fn is_quote_at(text: &str, at: usize) -> bool {
    let line = &text[at..line_end(text, at)];
    let is_quoted = line.trim_start_matches(is_blank).starts_with('>');
    is_quoted && line_start(text, at) == at && Fence::at(text, at + longest_prefix(line)).is_none()
}

/// The inline code that starts with the run here: where its text starts, where that ends, and where the code ends.
pub fn inline(text: &str, at: usize) -> (usize, usize, usize) {
    let length = run(text, at, '`');
    let (start, end) = (at + length, line_end(text, at));
    let mut next = start;
    while let Some(found) = text[next..end].find('`') {
        let found = next + found;
        let other = run(text, found, '`');
        if other == length {
            return (start, found, found + length);
        }
        next = found + other;
    }
    (start, end, end)
}

fn run(text: &str, at: usize, mark: char) -> usize {
    text[at..].chars().take_while(|&c| c == mark).count()
}

fn is_prefix(text: &str) -> bool {
    longest_prefix(text) == text.len()
}

/// The length of the longest prefix that a line begins with.
fn longest_prefix(line: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let marker = if rest.starts_with(['-', '*', '+']) {
            1
        } else if (1..=9).contains(&digits) && rest[digits..].starts_with(['.', ')']) {
            digits + 1
        } else {
            0
        };
        at += if rest.starts_with('>') {
            1
        } else if marker > 0 && rest[marker..].starts_with(is_blank) {
            marker + 1
        } else if rest.starts_with(is_blank) {
            after_blanks(rest, 0)
        } else {
            return at;
        };
    }
}
