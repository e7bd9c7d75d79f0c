//! Applies edit blocks to a text.

use alloc::{
    borrow::{Cow, ToOwned},
    string::String,
    vec,
    vec::Vec,
};

use memchr::{memchr_iter, memmem};

use super::{
    EditBlock, EditBlocks, EditError,
    error::{LISTED, Reason},
    line_ends::{LineEnds, adapt},
    nearest,
};

impl EditBlocks<'_> {
    /// The text with all blocks applied: in order, each to the result of the one before.
    ///
    /// OLD must occur exactly once, where occurrences may overlap, and NEW takes its place, byte for byte. No white space
    /// is forgiven, but line ends are the file's own: where all lines of the text end in CRLF and all of the block in LF,
    /// or the other way round, the block is matched and written in the text's. The newline before a marker is the marker's
    /// in both: an OLD in CRLF is found as often as the same in LF, within a line and at the end of the text, too.
    ///
    /// Takes time linear in the bytes of `text`, and of what it becomes, for each block, in failure as well.
    ///
    /// # Errors
    ///
    /// An [`EditError`] for the first block whose OLD does not occur exactly once, is empty, or is equal to its NEW. All
    /// or nothing: there is no text with some of the blocks applied.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        let mut edited: Option<String> = None;
        let mut shifts = Vec::new();
        let mut line_ends = LineEnds::None;
        for (index, &block) in self.iter().enumerate() {
            let current = edited.as_deref().unwrap_or(text);
            // Where the edits have left a single line, the next one is in the line ends that there were.
            line_ends = match LineEnds::of(current) {
                LineEnds::None => line_ends,
                found => found,
            };
            let edit = match Edit::plan(block, current, line_ends) {
                Ok(edit) => edit,
                Err(reason) => {
                    return Err(EditError::new(index + 1, reason.map_lines(|line| line_before(line, &shifts))));
                }
            };
            if index + 1 < self.len() {
                shifts.push(edit.shift(current));
            }
            let Edit { start, end, new } = edit;
            count_work!(current.len() - end + new.len());
            edited.get_or_insert_with(|| text.to_owned()).replace_range(start..end, &new);
        }
        Ok(edited.unwrap_or_else(|| text.to_owned()))
    }
}

/// Where a block applies, in bytes, and what is written there.
struct Edit<'a> {
    start: usize,
    end: usize,
    new: Cow<'a, str>,
}

impl<'a> Edit<'a> {
    fn plan(block: EditBlock<'a>, text: &str, line_ends: LineEnds) -> Result<Edit<'a>, Reason> {
        let (old, new) = adapt(block, line_ends);
        if old.is_empty() {
            return Err(Reason::EmptyOld);
        }
        if old == new {
            return Err(Reason::SameNew);
        }
        let found = memmem::find(text.as_bytes(), old.as_bytes());
        count_work!(found.unwrap_or(text.len()) + old.len());
        let Some(start) = found else {
            return Err(Reason::Absent(nearest::nearest(&old, text)));
        };
        // The next occurrence may overlap this one. Only where there is one are they all counted, which costs more.
        count_work!(text.len() - start);
        if memmem::find(&text.as_bytes()[start + 1..], old.as_bytes()).is_some() {
            return Err(Reason::repeated(old.as_bytes(), text.as_bytes()));
        }
        Ok(Edit { start, end: start + old.len(), new })
    }

    fn shift(&self, text: &str) -> Shift {
        count_work!(self.end + self.new.len());
        let newlines = |text: &str| memchr_iter(b'\n', text.as_bytes()).count();
        Shift {
            line: newlines(&text[..self.start]) + 1,
            old: newlines(&text[self.start..self.end]),
            new: newlines(&self.new),
        }
    }
}

impl Reason {
    fn repeated(old: &[u8], text: &[u8]) -> Reason {
        let (found, first) = occurrences(old, text);
        let mut lines = Vec::with_capacity(first.len());
        let (mut line, mut at) = (1, 0);
        for start in first {
            line += memchr_iter(b'\n', &text[at..start]).count();
            at = start;
            lines.push(line);
        }
        Reason::Repeated { found, lines }
    }
}

/// How often `needle` occurs in `text`, overlapping, and where first. By Knuth, Morris and Pratt: a search that starts
/// again behind each occurrence is quadratic for `aaa` in `aaaaaa`.
fn occurrences(needle: &[u8], text: &[u8]) -> (usize, Vec<usize>) {
    // borders[i]: the length of the longest proper prefix of needle[..=i] that is its suffix, too.
    let mut borders = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        count_work!(1);
        while matched > 0 && needle[matched] != needle[at] {
            count_work!(1);
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == needle[at]);
        borders[at] = matched;
    }
    let (mut found, mut first) = (0, Vec::new());
    matched = 0;
    for (at, byte) in text.iter().enumerate() {
        count_work!(1);
        while matched > 0 && needle[matched] != *byte {
            count_work!(1);
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == *byte);
        if matched == needle.len() {
            found += 1;
            if first.len() < LISTED {
                first.push(at + 1 - needle.len());
            }
            matched = borders[matched - 1];
        }
    }
    (found, first)
}

/// What an applied block did to the line numbers: `old` newlines from `line` on have become `new`.
struct Shift {
    line: usize,
    old: usize,
    new: usize,
}

/// The line of the text before the shifts that has become `line`: nothing is applied when an error is read, so the lines
/// it names are those of the text that was given. The last line of what was written counts as the last of what was there.
fn line_before(line: usize, shifts: &[Shift]) -> usize {
    shifts.iter().rev().fold(line, |line, shift| match line.checked_sub(shift.line) {
        Some(within) if within >= shift.new => line - shift.new + shift.old,
        Some(within) => shift.line + within.min(shift.old),
        None => line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurrences_overlap() {
        assert_eq!(occurrences(b"a", b"banana"), (3, vec![1, 3, 5]));
        assert_eq!(occurrences(b"ana", b"banana"), (2, vec![1, 3]));
        assert_eq!(occurrences(b"aab", b"aaab"), (1, vec![1]));
        assert_eq!(occurrences(b"abab", b"abaababababa"), (3, vec![3, 5, 7]));
        assert_eq!(occurrences(b"long", b"lon"), (0, vec![]));
    }

    #[test]
    fn lines_are_those_before_the_edits() {
        let shifts = [Shift { line: 3, old: 1, new: 4 }, Shift { line: 1, old: 2, new: 0 }];
        // Before: 1 2 3 4 5 6; after the first: 1 2 [3 . . . 4] 5 6; after the second: [1 2 3] . . . 4 5 6.
        assert_eq!([1, 2, 4, 5, 6, 7].map(|line| line_before(line, &shifts)), [3, 4, 4, 4, 5, 6]);
    }
}
