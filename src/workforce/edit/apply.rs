//! Applies edit blocks to a text.

use alloc::{borrow::Cow, string::String, vec, vec::Vec};

use memchr::memchr_iter;

use super::{
    EditBlocks, EditError,
    buffer::Buffer,
    error::{LISTED, Reason},
    nearest,
    search::{Occurrences, Search},
};

impl EditBlocks<'_> {
    /// The text with all blocks applied: in order, each to the result of the one before.
    ///
    /// OLD must occur exactly once, where occurrences may overlap, and is replaced by NEW. White space has to match exactly.
    ///
    /// Line ends do not have to match, and stay those of the text: OLD is found whatever ends its own lines, and NEW is written
    /// in the line ends of the text, each of the two independently of the other. In a text with both LF and CRLF, a line of NEW
    /// that OLD has too keeps its line end; another line gets that of the line it replaces, or else of the last line replaced,
    /// or of a neighbor. A carriage return that no newline follows ends a line only in a text without newlines. In a text of
    /// a single line without an end, NEW is written as it is. The newline before a marker, or CRLF, belongs to the marker.
    ///
    /// Takes time linear in the bytes of `text` and of the blocks, in failure as well, with one exception: a block whose OLD
    /// starts with 256 bytes that occur in more than eight places costs another pass over the text. Takes memory for the
    /// result, for another copy of a text with carriage returns, and for about a tenth of the text.
    ///
    /// # Errors
    ///
    /// An [`EditError`] for the first block whose OLD does not occur exactly once, is empty, or is equal to its NEW but for line
    /// ends. All or nothing: there is no text with some of the blocks applied.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        let mut buffer = Buffer::new(text);
        let line_ends = buffer.line_ends();
        let sides = |side| line_ends.normalize_side(side);
        let blocks: Vec<[Cow<'_, str>; 2]> = self.iter().map(|block| [sides(block.old), sides(block.new)]).collect();
        let olds: Vec<&str> = blocks.iter().map(|[old, _]| &**old).collect();
        let mut search = Search::new(&olds, &buffer);
        for (index, [old, new]) in blocks.iter().enumerate() {
            let reason = if old.is_empty() {
                Reason::EmptyOld
            } else if old == new {
                Reason::SameNew
            } else {
                match search.find(index, old, &buffer) {
                    Occurrences::One(at) => {
                        let (before, after) = buffer.replace(at, old, new, self.blocks[index].new);
                        if index + 1 < blocks.len() {
                            search.note(&buffer, before, after);
                        }
                        continue;
                    }
                    Occurrences::None => Reason::Absent(nearest::nearest(old, &buffer.to_normal())),
                    Occurrences::More => Reason::repeated(old.as_bytes(), buffer.to_normal().as_bytes()),
                }
            };
            return Err(EditError::new(index + 1, reason.map_lines(|line| buffer.line_of_file(line))));
        }
        Ok(buffer.into_text())
    }
}

impl Reason {
    fn repeated(old: &[u8], text: &[u8]) -> Reason {
        let (found, first) = occurrences(old, text);
        let mut lines = Vec::with_capacity(first.len());
        let (mut line, mut from) = (1, 0);
        for start in first {
            line += memchr_iter(b'\n', &text[from..start]).count();
            from = start;
            lines.push(line);
        }
        Reason::Repeated { found, lines }
    }
}

/// How often `needle` occurs in `text`, overlapping occurrences counted, and the first offsets. By Knuth, Morris and Pratt: a
/// search that starts again after each occurrence is quadratic for `aaa` in `aaaaaa`.
fn occurrences(needle: &[u8], text: &[u8]) -> (usize, Vec<usize>) {
    // borders[i]: the length of the longest proper prefix of needle[..=i] that is its suffix, too.
    let mut borders = vec![0; needle.len()];
    let mut matched = 0;
    for end in 1..needle.len() {
        count_work!(1);
        while matched > 0 && needle[matched] != needle[end] {
            count_work!(1);
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == needle[end]);
        borders[end] = matched;
    }
    let (mut found, mut first) = (0, Vec::new());
    matched = 0;
    for (end, byte) in text.iter().enumerate() {
        count_work!(1);
        while matched > 0 && needle[matched] != *byte {
            count_work!(1);
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == *byte);
        if matched == needle.len() {
            found += 1;
            if first.len() < LISTED {
                first.push(end + 1 - needle.len());
            }
            matched = borders[matched - 1];
        }
    }
    (found, first)
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned as _, format, string::String, vec::Vec};

    use super::*;
    use crate::work;
    use crate::workforce::edit::edit_blocks;

    #[test]
    fn occurrences_overlap() {
        assert_eq!(occurrences(b"a", b"banana"), (3, vec![1, 3, 5]));
        assert_eq!(occurrences(b"ana", b"banana"), (2, vec![1, 3]));
        assert_eq!(occurrences(b"aab", b"aaab"), (1, vec![1]));
        assert_eq!(occurrences(b"abab", b"abaababababa"), (3, vec![3, 5, 7]));
        assert_eq!(occurrences(b"long", b"lon"), (0, vec![]));
    }

    type Blocks = Vec<(String, String)>;

    /// The steps of applying some blocks to a text, and the bytes of both.
    fn cost(blocks: &Blocks, text: &str) -> (u64, usize) {
        let body: String = blocks.iter().map(|(old, new)| format!("<<<OLD\n{old}\n===\n{new}\nNEW>>>\n")).collect();
        let blocks = edit_blocks(&body).expect("blocks");
        work::take();
        let _ = blocks.apply(text);
        (work::take(), body.len() + text.len())
    }

    fn numbered(count: usize) -> String {
        (0..count).map(|i| format!("let value_{i} = compute({i});\n")).collect()
    }

    /// Some blocks that apply to [`numbered`] lines.
    type Make = fn(usize, usize) -> Blocks;

    const MAKE: &[(&str, Make)] = &[
        ("all over the text", |blocks, lines| {
            let line = |i: usize| i * (lines / blocks);
            (0..blocks).map(|i| (format!("value_{} =", line(i)), format!("v{i} ="))).collect()
        }),
        ("backwards", |blocks, lines| {
            let line = |i: usize| (blocks - 1 - i) * (lines / blocks);
            (0..blocks).map(|i| (format!("value_{} =", line(i)), format!("v{i}\n="))).collect()
        }),
        ("each in what the one before wrote", |blocks, _| {
            let start = ("value_7 =".to_owned(), "step 0.".to_owned());
            [start].into_iter().chain((1..blocks).map(|i| (format!("step {}.", i - 1), format!("step {i}.")))).collect()
        }),
        ("each with the same start, in a line that grows", |blocks, _| {
            let start = ("value_7 =".to_owned(), format!("{} 0.", "x".repeat(300)));
            let next = |i: usize| (format!("x {}.", i - 1), format!("{} {i}.", "x".repeat(40)));
            [start].into_iter().chain((1..blocks).map(next)).collect()
        }),
    ];

    /// A block costs no more in a larger text.
    #[test]
    fn many_blocks_cost_little_more_than_one() {
        const LINES: usize = 40_000;
        let text = numbered(LINES);
        for (name, make) in MAKE {
            let [few, many, twice] = [20, 1_000, 2_000].map(|count| (count, cost(&make(count, LINES), &text)));
            for (count, (steps, bytes)) in [few, many, twice] {
                let most = 4 * bytes as u64 + count as u64 * BLOCK;
                assert!(steps <= most, "{name}, {count} blocks: {steps} steps, at most {most}");
            }
            let (larger, _) = cost(&make(1_000, LINES), &numbered(2 * LINES));
            let (steps, bytes) = many.1;
            assert!(larger <= steps + 4 * bytes as u64, "{name}: {steps}, then {larger}");
        }
    }

    /// Steps for a block: the chunks around it are searched again.
    const BLOCK: u64 = 12_000;

    /// Shapes that make a search for many keys slow.
    #[test]
    fn hostile_blocks_cost_a_constant_a_byte() {
        let run = |count: usize| "a".repeat(count);
        let nested = |count: usize| (1..=count).map(|i| (run(i), "b".to_owned())).rev().collect::<Vec<_>>();
        let cases: [(&str, Blocks, String); 4] = [
            ("OLDs that are ends of each other", nested(300), run(100_000)),
            ("and occur once", nested(300), run(300)),
            (
                "OLDs that almost occur",
                (0..200).map(|i| (format!("{}{i}", run(250)), "b".to_owned())).collect(),
                run(100_000),
            ),
            (
                "long OLDs with one start",
                (0..20).map(|i| (format!("{}{i};", run(5_000)), "b".to_owned())).collect(),
                (0..20).map(|i| format!("{}{i};", run(5_000))).collect(),
            ),
        ];
        for (name, blocks, text) in cases {
            let (steps, bytes) = cost(&blocks, &text);
            let most = 350 * bytes as u64 + blocks.len() as u64 * BLOCK;
            assert!(steps <= most, "{name}: {steps} steps, at most {most}");
        }
    }

    #[test]
    fn one_block_needs_little_more_than_the_result() {
        for text in [numbered(100_000), numbered(100_000).replace('\n', "\r\n")] {
            let blocks = edit_blocks("<<<OLD\nvalue_77777 =\n===\nv =\nNEW>>>").expect("a block");
            let memory = allocation_counter::measure(|| drop(blocks.apply(&text).expect("applies")));
            let most = text.len() as u64 * 5 / 4;
            assert!(memory.bytes_max <= most, "{} for {} bytes", memory.bytes_max, text.len());
        }
    }
}
