//! Finds the edit blocks that the seed's pattern finds by backtracking, without backtracking.
//!
//! The pattern is `<<<OLD\s*\n(?P<old>.*?)\n===\s*\n(?P<new>.*?)\n\s*NEW>>>`, where a dot is any character.
//! A *divider* is a newline, `===` and white space with a newline in it; an *end* is a newline, white space and `NEW>>>`;
//! both are named by the offset of their first newline. Three facts make one pass enough:
//!
//! 1. NEW may start after any newline of its divider's white space, and needs an end from there on. There is one exactly
//!    if that newline lies before the last end of the body. So the longest fitting white space goes up to the divider's
//!    last newline before the last end, and the divider serves at all if its first one lies before it.
//! 2. Of two dividers the later one has the later first newline. So where the next divider does not serve, none after it
//!    does: OLD ends at the next divider or nowhere.
//! 3. If OLD cannot start after the last newline of its marker's white space, a shorter white space helps only where a
//!    divider starts within it, and that can only be at that last newline, `===` being no white space. Whether or not it
//!    helps, no divider serves after it, and so no later block fits either.

use memchr::memmem;

use super::EditBlock;
use crate::whitespace::is_space;

const OPEN: &str = "<<<OLD";
const DIVIDER: &str = "\n===";
const CLOSE: &str = "NEW>>>";

/// The blocks of a body, from left to right.
pub(super) struct Blocks<'a> {
    body: &'a str,
    /// The offset at which the search continues.
    pos: usize,
    /// The last end of the body; `None` once no further block fits.
    last_end: Option<usize>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(body: &'a str) -> Self {
        let mut blocks = Blocks { body, pos: 0, last_end: None };
        blocks.last_end = blocks.find_last_end();
        blocks
    }

    fn find_last_end(&self) -> Option<usize> {
        let mut before = self.body.len();
        loop {
            let close = memmem::rfind(&self.body.as_bytes()[..before], CLOSE.as_bytes());
            count_work!(before - close.unwrap_or(0));
            before = close?;
            if let Some(newline) = self.newlines_before(before, 0).next() {
                return Some(newline);
            }
        }
    }

    /// The first divider at `from` or after it that serves, see fact 2.
    fn find_divider(&self, from: usize, last_end: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at = self.seek(DIVIDER, at)?;
            match self.newlines_after(at + DIVIDER.len()).next() {
                Some(newline) => return (newline < last_end).then_some(at),
                None => at += DIVIDER.len(),
            }
        }
    }

    /// The first end at `from` or after it, and the offset after its marker.
    fn find_end(&self, from: usize) -> Option<(usize, usize)> {
        let mut at = from;
        loop {
            let close = self.seek(CLOSE, at)?;
            at = close + CLOSE.len();
            if let Some(newline) = self.newlines_before(close, from).last() {
                return Some((newline, at));
            }
        }
    }

    fn seek(&self, marker: &str, from: usize) -> Option<usize> {
        let rest = &self.body.as_bytes()[from..];
        let found = memmem::find(rest, marker.as_bytes());
        count_work!(found.map_or(rest.len(), |offset| offset + marker.len()));
        found.map(|offset| from + offset)
    }

    /// The newlines of the white space that starts at `from`.
    fn newlines_after(&self, from: usize) -> impl Iterator<Item = usize> {
        let run = self.body[from..].char_indices().take_while(|&(_, c)| is_space(c));
        run.inspect(|_| count_work!(1)).filter(|&(_, c)| c == '\n').map(move |(offset, _)| from + offset)
    }

    /// The newlines of the white space that ends at `to`, not before `from`, backwards.
    fn newlines_before(&self, to: usize, from: usize) -> impl Iterator<Item = usize> {
        let run = self.body[from..to].char_indices().rev().take_while(|&(_, c)| is_space(c));
        run.inspect(|_| count_work!(1)).filter(|&(_, c)| c == '\n').map(move |(offset, _)| from + offset)
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = EditBlock<'a>;

    fn next(&mut self) -> Option<EditBlock<'a>> {
        let last_end = self.last_end?;
        loop {
            self.pos = self.seek(OPEN, self.pos)? + OPEN.len();
            let (mut before_last, mut last) = (None, None);
            for newline in self.newlines_after(self.pos) {
                (before_last, last) = (last, Some(newline));
            }
            let Some(last) = last else { continue };

            let (old, divider) = match self.find_divider(last + 1, last_end) {
                Some(divider) => (last + 1, divider),
                None => {
                    self.last_end = None; // fact 3
                    // Only a divider at `last` can serve now: after it, none does.
                    (before_last? + 1, self.find_divider(last, last_end)?)
                }
            };
            let new =
                self.newlines_after(divider + DIVIDER.len()).take_while(|&newline| newline < last_end).last()? + 1;
            let (end, after) = self.find_end(new)?;
            self.pos = after;
            return Some(EditBlock { old: &self.body[old..divider], new: &self.body[new..end] });
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::String, vec::Vec};

    use super::*;
    use crate::work;

    fn work(body: &str) -> usize {
        work::take();
        Blocks::new(body).for_each(drop);
        work::take() as usize
    }

    /// Bodies that make a backtracking search slow, each as a start, a piece to be repeated, and an end.
    const SHAPES: &[[&str; 3]] = &[
        ["", "<<<OLD", ""],
        ["", "<<<OLD\n", ""],
        ["", "<<<OLD\n", "\n===\nb\nNEW>>>"],
        ["", "<<<OLD \n\u{3000}\n", "NEW>>>"],
        ["", "<<<OLD\na\n", "\nNEW>>>"],
        ["", "<<<OLD\na\n===\n", ""],
        ["", "<<<OLD\na\n===\n", "\nNEW>>>"],
        ["", "<<<OLD\na\n===\nb\n", ""],
        ["", "<<<OLD\na\n===\nb\nNEW>>>", ""],
        ["", "<<<OLD\na\n===\n\nNEW>>>\n", ""],
        ["<<<OLD\na", "\n===", ""],
        ["<<<OLD\na", "\n===", "\nb\nNEW>>>"],
        ["<<<OLD\na", "\n=== ", "\n\nNEW>>>"],
        ["<<<OLD\na", "\n===\n", ""],
        ["<<<OLD\na", "\n===\n", "NEW>>>"],
        ["<<<OLD", "\n===\n", "\n===\n\nNEW>>>"],
        ["<<<OLD", "\n", ""],
        ["<<<OLD", "\n", "===\n\nNEW>>>"],
        ["<<<OLD\na\n===", "\n", ""],
        ["<<<OLD\na\n===", "\n", "NEW>>>"],
        ["<<<OLD\na\n===", "\n", "NEW>>> NEW>>>"],
        ["<<<OLD\na\n===\nb", "\n", ""],
        ["<<<OLD\na\n===\nb", "\n", "NEW>>"],
        ["<<<OLD", " ", ""],
        ["<<<OLD\na\n===", " ", "\nb\nNEW>>>"],
        ["<<<OLD\na\n===\nb\n", " ", "NEW>>>"],
        ["<<<OLD\na\n===\nb", " ", "NEW>>>"],
        ["<<<OLD\na\n===\nb", " NEW>>>", ""],
        ["<<<OLD\na\n===\nb", " NEW>>>", "\nNEW>>>"],
        ["", "\nNEW>>>", ""],
        ["", " NEW>>>", "\n<<<OLD\na\n===\nb"],
        ["", "NEW>>>\n<<<OLD\n===\n", ""],
        ["", "<<<OLD\n\u{1c}\n===\n\nNEW>>>", ""],
        ["", "<<<OLD \n===\n ", "NEW>>>"],
        ["", "<<<OL", ""],
        ["", "=", ""],
        ["", "\n==", ""],
    ];

    #[test]
    fn work_at_most_doubles_with_the_body() {
        for [start, piece, end] in SHAPES {
            let body = |count: usize| format!("{start}{}{end}", piece.repeat(count));
            let (once, twice) = (work(&body(20_000)), work(&body(40_000)));
            assert!(twice * 10 <= once * 21 + 2_000, "{start:?} {piece:?} {end:?}: {once}, then {twice}");
            assert!(twice <= 8 * body(40_000).len(), "{start:?} {piece:?} {end:?}: {twice}");
        }
    }

    #[test]
    fn two_pieces_alternating_stay_linear() {
        let pieces: Vec<&str> = SHAPES.iter().flatten().copied().filter(|piece| !piece.is_empty()).collect();
        for first in &pieces {
            for second in &pieces {
                let body: String = format!("{}{}", first.repeat(300), second.repeat(300)).repeat(3);
                assert!(work(&body) <= 8 * body.len(), "{first:?} {second:?}: {} of {}", work(&body), body.len());
            }
        }
    }
}
