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
        steps!(1);
        while matched > 0 && needle[matched] != needle[end] {
            steps!(1);
            matched = borders[matched - 1];
        }
        matched += usize::from(needle[matched] == needle[end]);
        borders[end] = matched;
    }
    let (mut found, mut first) = (0, Vec::new());
    matched = 0;
    for (end, byte) in text.iter().enumerate() {
        steps!(1);
        while matched > 0 && needle[matched] != *byte {
            steps!(1);
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
    use super::*;

    #[test]
    fn occurrences_overlap() {
        assert_eq!(occurrences(b"a", b"banana"), (3, vec![1, 3, 5]));
        assert_eq!(occurrences(b"ana", b"banana"), (2, vec![1, 3]));
        assert_eq!(occurrences(b"aab", b"aaab"), (1, vec![1]));
        assert_eq!(occurrences(b"abab", b"abaababababa"), (3, vec![3, 5, 7]));
        assert_eq!(occurrences(b"long", b"lon"), (0, vec![]));
    }
}
