//! Translates byte offsets into lines and columns.
//!
//! A line ends at `\n` and at nothing else. A column counts code points, by counting the bytes that start one, which works in
//! any slice, even in one that cuts a character.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;
use core::mem;

/// A position in a text as a line and a column. Prints as `3:14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LineColumn {
    /// The line, from 1; a `\n` is the last character of its line.
    pub line: usize,
    /// The column, from 1, in code points.
    pub column: usize,
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Lines and columns in a whole text. For one that arrives in chunks see [`ChunkedLineIndex`].
///
/// ```
/// use tagwire::LineIndex;
///
/// let mut lines = LineIndex::new("é\n[[NOTE]] [[/RUN]]");
/// assert_eq!(lines.locate(3).to_string(), "2:1");
/// assert_eq!(lines.locate(12).to_string(), "2:10");
/// assert_eq!(lines.locate(0).to_string(), "1:1");
/// ```
///
/// # Complexity
///
/// The text is read once, up to the highest offset asked for. Ascending offsets cost nothing more, even on one long line;
/// an offset lower than the previous one costs at most another 1,024 bytes. Memory is 1/64 of the text read, and none below
/// 1,024 bytes.
#[derive(Clone, Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// The last offset asked for.
    offset: usize,
    position: Position,
    /// The positions at `STRIDE`, `2 * STRIDE` and so on, as far as the text has been read.
    passed: Vec<Position>,
}

impl<'t> LineIndex<'t> {
    /// Makes the index of `text`, in constant time.
    #[must_use]
    pub const fn new(text: &'t str) -> Self {
        Self { text, offset: 0, position: Position::START, passed: Vec::new() }
    }

    /// The line and column of the character at `offset`, in bytes from the start of the text.
    ///
    /// Inside a character it is the position of that character; beyond the end it is that of the end, where the next
    /// character would be. Offsets may come in any order, at the cost given [above](Self#complexity).
    pub fn locate(&mut self, offset: usize) -> LineColumn {
        let offset = offset.min(self.text.len());
        let strides = offset / STRIDE;
        let known = strides.min(self.passed.len());
        let (mut at, mut position) = match known.checked_sub(1) {
            Some(last) => (known * STRIDE, self.passed[last]),
            None => (0, Position::START),
        };
        if (at..=offset).contains(&self.offset) {
            (at, position) = (self.offset, self.position);
        }
        while self.passed.len() < strides {
            let next = (self.passed.len() + 1) * STRIDE;
            position = self.count(position, at, next);
            at = next;
            self.passed.push(position);
        }
        self.position = self.count(position, at, offset);
        self.offset = offset;
        self.position.locate(self.text.is_char_boundary(offset))
    }

    fn count(&self, position: Position, from: usize, to: usize) -> Position {
        count_work!(to - from);
        position.after(&self.text.as_bytes()[from..to])
    }
}

/// Lines and columns in a text that arrives in chunks, without keeping the text.
///
/// Push each chunk when it arrives, and release the offsets that will not be asked for again. For the events of a stream, these
/// are all before the end of the last event other than a diagnostic: no later diagnostic is about them.
///
/// ```
/// use tagwire::ChunkedLineIndex;
///
/// let mut lines = ChunkedLineIndex::new();
/// lines.push("one\ntw");
/// lines.release(4);
/// lines.push("o three");
/// assert_eq!(lines.locate(8).to_string(), "2:5");
/// assert_eq!(lines.locate(4).to_string(), "2:1");
/// ```
///
/// # Complexity
///
/// Memory is 3/8 of the text that was pushed and not released, whatever it holds, and is reused after a release.
#[derive(Clone, Debug)]
pub struct ChunkedLineIndex {
    /// The full blocks, without the first `dropped` ones.
    blocks: VecDeque<Block>,
    /// The block that contains `end`.
    last: Block,
    dropped: usize,
    released: usize,
    end: usize,
}

impl ChunkedLineIndex {
    /// Makes the index of an empty text.
    #[must_use]
    pub const fn new() -> Self {
        Self { blocks: VecDeque::new(), last: Block::new(Position::START), dropped: 0, released: 0, end: 0 }
    }

    /// Appends the next chunk of the text, in linear time.
    pub fn push(&mut self, chunk: &str) {
        let mut bytes = chunk.as_bytes();
        while !bytes.is_empty() {
            let within = self.end % BLOCK;
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - within));
            self.last.starts |= bits(now, starts_character) << within;
            self.last.newlines |= bits(now, |byte| byte == b'\n') << within;
            self.end += now.len();
            if within + now.len() == BLOCK {
                let next = Block::new(self.last.position_at(BLOCK));
                self.blocks.push_back(mem::replace(&mut self.last, next));
            }
            bytes = later;
        }
    }

    /// Forgets the text before `offset`, in bytes from the start of the text, in amortised constant time.
    ///
    /// An offset beyond the end stands for the end. A lower offset than the last one changes nothing.
    pub fn release(&mut self, offset: usize) {
        self.released = self.released.max(offset.min(self.end));
        let unused = self.released / BLOCK - self.dropped;
        self.blocks.drain(..unused);
        self.dropped += unused;
    }

    /// The line and column of the character at `offset`, in bytes from the start of the text, in constant time.
    ///
    /// Inside a character it is the position of that character; beyond the pushed text it is that of the end, where the next
    /// character will be. An offset that was released stands for the lowest one that was not.
    #[must_use]
    pub fn locate(&self, offset: usize) -> LineColumn {
        let offset = offset.clamp(self.released, self.end);
        let (index, within) = (offset / BLOCK - self.dropped, offset % BLOCK);
        let block = self.blocks.get(index).unwrap_or(&self.last);
        let starts = offset == self.end || block.starts >> within & 1 == 1;
        block.position_at(within).locate(starts)
    }
}

impl Default for ChunkedLineIndex {
    fn default() -> Self {
        Self::new()
    }
}

/// The lines and characters before an offset.
#[derive(Clone, Copy, Debug)]
struct Position {
    line: usize,
    /// The number of characters of that line that start before the offset.
    started: usize,
}

impl Position {
    const START: Self = Self { line: 1, started: 0 };

    /// The position after `bytes`, which start here.
    fn after(self, bytes: &[u8]) -> Self {
        match memchr::memrchr(b'\n', bytes) {
            Some(last) => Self {
                line: self.line + 1 + memchr::memchr_iter(b'\n', &bytes[..last]).count(),
                started: count_starts(&bytes[last + 1..]),
            },
            None => Self { line: self.line, started: self.started + count_starts(bytes) },
        }
    }

    /// The character at this position. If none `starts` here, it is inside one that has started already.
    const fn locate(self, starts: bool) -> LineColumn {
        LineColumn { line: self.line, column: self.started + starts as usize }
    }
}

/// The bytes of a block that start characters, and those that are newlines; bit 0 is the first byte.
#[derive(Clone, Debug)]
struct Block {
    /// The position of the first byte.
    position: Position,
    starts: u128,
    newlines: u128,
}

impl Block {
    const fn new(position: Position) -> Self {
        Self { position, starts: 0, newlines: 0 }
    }

    /// The position after the first `within` bytes, of at most `BLOCK`.
    fn position_at(&self, within: usize) -> Position {
        let starts = self.starts & low(within);
        let newlines = self.newlines & low(within);
        if newlines == 0 {
            return Position {
                line: self.position.line,
                started: self.position.started + starts.count_ones() as usize,
            };
        }
        let line_start = BLOCK - newlines.leading_zeros() as usize;
        Position {
            line: self.position.line + newlines.count_ones() as usize,
            started: (starts & !low(line_start)).count_ones() as usize,
        }
    }
}

/// The lowest `count` bits, of at most `BLOCK`.
const fn low(count: usize) -> u128 {
    if count == BLOCK { u128::MAX } else { (1 << count) - 1 }
}

/// One bit for each of at most `BLOCK` bytes, the first byte lowest.
fn bits(bytes: &[u8], is: impl Fn(u8) -> bool) -> u128 {
    bytes.iter().rev().fold(0, |bits, &byte| bits << 1 | u128::from(is(byte)))
}

/// The number of characters that start in `bytes`.
fn count_starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| starts_character(byte)).count()
}

const fn starts_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The distance of the positions from which a `LineIndex` can start again. A longer one makes going back slower; each takes 16
/// bytes.
const STRIDE: usize = 1024;

/// The number of bits of a `u128`.
const BLOCK: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work;
    use alloc::string::{String, ToString};

    /// Counts from the start, character by character.
    fn naive(text: &str, offset: usize) -> LineColumn {
        let mut position = LineColumn { line: 1, column: 1 };
        for (start, c) in text.char_indices() {
            if offset < start + c.len_utf8() {
                break;
            }
            if c == '\n' {
                position.line += 1;
                position.column = 0;
            }
            position.column += 1;
        }
        position
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = self.0;
            z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((z ^ z >> 31) % limit as u64) as usize
        }

        /// `characters` of them, with a newline about every `line`.
        fn text(&mut self, characters: usize, line: usize) -> String {
            (0..characters)
                .map(|_| match self.below(line) {
                    0 => '\n',
                    _ => ['a', 'é', '€', '\u{1F600}', '\r', '\u{2028}'][self.below(6)],
                })
                .collect()
        }
    }

    /// The naive position of each offset up to two after the end, in one pass.
    fn all(text: &str) -> Vec<LineColumn> {
        let mut positions = Vec::new();
        let mut position = LineColumn { line: 1, column: 1 };
        for c in text.chars() {
            positions.resize(positions.len() + c.len_utf8(), position);
            position.column += 1;
            if c == '\n' {
                position = LineColumn { line: position.line + 1, column: 1 };
            }
        }
        positions.resize(positions.len() + 3, position);
        positions
    }

    #[track_caller]
    fn same(text: &str) {
        let expected = all(text);
        let mut counter = LineIndex::new(text);
        let mut tracker = ChunkedLineIndex::new();
        tracker.push(text);
        work::take();
        for (offset, &position) in expected.iter().enumerate() {
            assert_eq!(counter.locate(offset), position, "{offset} in {text:?}");
            assert_eq!(tracker.locate(offset), position, "{offset} in {text:?}");
        }
        assert_eq!(work::take(), text.len() as u64);
        for (offset, &position) in expected.iter().enumerate().rev() {
            assert_eq!(counter.locate(offset), position, "{offset} in {text:?}, back");
        }
    }

    #[test]
    fn small_texts() {
        for text in [
            "",
            "a",
            "\n",
            "\n\n",
            "a\n",
            "\na",
            "a\r\nb",
            "é€\u{1F600}",
            "é\n€\n\u{1F600}\n",
            "a\u{301}\u{2028}\u{85}\u{B}b",
        ] {
            same(text);
            for (offset, position) in all(text).into_iter().enumerate() {
                assert_eq!(naive(text, offset), position, "{offset} in {text:?}");
            }
        }
    }

    #[test]
    fn each_position_by_hand() {
        let text = "é\n€x\n";
        let mut lines = LineIndex::new(text);
        let said: Vec<_> = (0..10).map(|o| lines.locate(o).to_string()).collect();
        assert_eq!(said, ["1:1", "1:1", "1:2", "2:1", "2:1", "2:1", "2:2", "2:3", "3:1", "3:1"]);
        assert_eq!(lines.locate(usize::MAX).to_string(), "3:1");
    }

    #[test]
    fn around_the_strides_and_blocks() {
        for width in ["a", "é", "€", "\u{1F600}"] {
            for lead in 0..4 {
                for tail in ["\n", "\na", "b", ""] {
                    for length in [BLOCK, 2 * BLOCK, STRIDE, 2 * STRIDE] {
                        for shift in 0..3 {
                            let mut text = "x".repeat(lead);
                            while text.len() + width.len() <= length - 1 + shift {
                                text.push_str(width);
                            }
                            text.push_str(tail);
                            same(&text);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn random_texts() {
        let mut random = Random(1);
        for line in [1, 2, 5, 50, 400, 100_000] {
            for characters in [3, 60, 500, 3000] {
                same(&random.text(characters, line));
            }
        }
    }

    #[test]
    fn any_order() {
        let mut random = Random(2);
        for line in [3, 40, 100_000] {
            let text = random.text(5000, line);
            let expected = all(&text);
            let mut lines = LineIndex::new(&text);
            let mut calls = 0;
            work::take();
            for limit in [100, 2000, expected.len(), 3000, expected.len()] {
                for _ in 0..2000 {
                    let offset = random.below(limit);
                    assert_eq!(lines.locate(offset), expected[offset], "{offset}");
                    calls += 1;
                }
            }
            assert!(work::take() <= (text.len() + calls * STRIDE) as u64);
        }
    }

    #[test]
    fn a_hundred_thousand_offsets_are_linear() {
        for filler in ["[[X y]] ", "[[X\ny]]€"] {
            let text = filler.repeat(100_000);
            work::take();
            let mut lines = LineIndex::new(&text);
            let mut last = lines.locate(0);
            for offset in (0..text.len()).step_by(filler.len()) {
                let position = lines.locate(offset);
                assert!(position >= last);
                last = position;
            }
            assert!(work::take() <= text.len() as u64, "ascending: once");

            // An attribute's position, then that of its token, as in a reply whose tags are over their budget.
            let mut lines = LineIndex::new(&text);
            let mut calls = 0;
            for offset in (0..text.len()).step_by(filler.len()) {
                lines.locate(offset + 4);
                lines.locate(offset);
                calls += 1;
            }
            assert!(work::take() <= (text.len() + calls * STRIDE) as u64);
            assert!(lines.passed.len() <= text.len() / STRIDE);
        }
    }

    #[test]
    fn tracked_in_chunks_with_releases() {
        let mut random = Random(3);
        for round in 0..300 {
            let line = [2, 30, 100_000][round % 3];
            let text = random.text(1500, line);
            let longest = [1, 10, 300, 2000][round % 4];
            let mut lines = ChunkedLineIndex::new();
            let (mut end, mut released) = (0, 0);
            while end < text.len() {
                let mut next = (end + random.below(longest + 1)).min(text.len());
                while !text.is_char_boundary(next) {
                    next += 1;
                }
                lines.push(&text[end..next]);
                end = next;
                let expected = all(&text[..end]);
                for _ in 0..8 {
                    let offset = released + random.below(end - released + 3);
                    assert_eq!(lines.locate(offset), expected[offset], "{offset} of {end}");
                }
                if random.below(3) == 0 {
                    let offset = random.below(end + 1);
                    lines.release(offset);
                    released = released.max(offset);
                    assert_eq!(lines.locate(0), expected[released], "below the mark");
                    assert_eq!(lines.locate(released), expected[released]);
                }
                assert!(lines.blocks.len() <= (end - released) / BLOCK + 1);
            }
        }
    }

    #[test]
    fn tracked_byte_by_byte() {
        let text = Random(4).text(700, 20);
        let mut lines = ChunkedLineIndex::default();
        for (start, c) in text.char_indices() {
            assert_eq!(lines.locate(start), naive(&text[..start], start));
            lines.push("");
            lines.push(c.encode_utf8(&mut [0; 4]));
        }
        for (offset, &position) in all(&text).iter().enumerate() {
            assert_eq!(lines.locate(offset), position);
        }
    }

    #[test]
    fn released_text_takes_no_memory() {
        let mut lines = ChunkedLineIndex::new();
        let chunk = "0123456789abcde\n".repeat(100);
        for round in 1..=1000 {
            lines.push(&chunk);
            lines.release(usize::MAX);
            assert_eq!(lines.locate(0), LineColumn { line: round * 100 + 1, column: 1 });
        }
        assert!(lines.blocks.capacity() <= 64);
        lines.release(0);
        assert_eq!(lines.locate(0).line, 100_001);
    }

    #[test]
    fn a_block_is_as_small_as_promised() {
        #[cfg(target_pointer_width = "64")]
        assert_eq!(size_of::<Block>() * 8, BLOCK * 3);
        assert_eq!(size_of::<Position>() * STRIDE / 1024, size_of::<[usize; 2]>());
    }
}
