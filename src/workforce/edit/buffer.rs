//! The text under edit: small chunks in order, each a piece of the file or written by a block.
//!
//! A chunk never changes. An edit replaces the chunks that it touches by new ones, so that the search has to look again at
//! little text, and the numbers of all other chunks stay valid.

use alloc::{borrow::Cow, boxed::Box, string::String, vec, vec::Vec};
use core::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::{
    bigrams::boundary_before,
    line_ends::{self, LineEnd, LineEnds},
};

/// The bytes of a chunk at most.
pub(super) const CHUNK: usize = 1024;

/// A text in chunks. All offsets and lengths are those of its normal form, in which each line ends in `\n`.
pub(super) struct Buffer<'t> {
    file: &'t str,
    normal: Cow<'t, str>,
    line_ends: LineEnds,
    /// Linked in both directions to a ring. The first one is empty and no part of the text: it is [`END`].
    chunks: Vec<Chunk>,
}

struct Chunk {
    content: Content,
    previous: usize,
    next: usize,
}

enum Content {
    /// A piece of the file: where it is in its normal form, and in the file itself.
    File {
        normal: Range<usize>,
        file: Range<usize>,
        newlines: usize,
    },
    Written(Box<Written>),
    /// Replaced by other chunks.
    Replaced,
}

struct Written {
    text: String,
    /// One for each newline of the text.
    ends: Vec<End>,
}

/// The end of a line.
#[derive(Clone, Copy)]
struct End {
    line_end: LineEnd,
    /// An offset in the file's normal form that is in the line of the file which messages name for this line.
    origin: usize,
}

/// A position in the text: an offset in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) chunk: usize,
    pub(super) offset: usize,
}

/// The chunk before the first one and after the last one.
pub(super) const END: usize = 0;

impl<'t> Buffer<'t> {
    pub(super) fn new(file: &'t str) -> Self {
        let line_ends = LineEnds::of(file);
        let normal = line_ends.normalize_file(file);
        let mut buffer = Buffer { file, normal, line_ends, chunks: Vec::with_capacity(2 + file.len() / (CHUNK - 3)) };
        buffer.chunks.push(Chunk { content: Content::Replaced, previous: END, next: END });
        let (mut start, mut file_start) = (0, 0);
        while start < buffer.normal.len() {
            let end = boundary_before(&buffer.normal, start + CHUNK);
            let newlines = memchr_iter(b'\n', &buffer.normal.as_bytes()[start..end]).count();
            let file_end = match line_ends {
                LineEnds::Mixed => file_start + buffer.file_len(&buffer.normal[start..end], file_start),
                LineEnds::All(LineEnd::Crlf) => file_start + end - start + newlines,
                _ => end,
            };
            let content = Content::File { normal: start..end, file: file_start..file_end, newlines };
            buffer.insert(content, END);
            (start, file_start) = (end, file_end);
        }
        count_work!(file.len());
        buffer
    }

    /// The length in the file of a piece of the normal form that starts at `from` in the file.
    fn file_len(&self, normal: &str, from: usize) -> usize {
        let file = self.file.as_bytes();
        memchr_iter(b'\n', normal.as_bytes())
            .fold(normal.len(), |len, newline| len + usize::from(file[from + newline + len - normal.len()] == b'\r'))
    }

    pub(super) fn line_ends(&self) -> LineEnds {
        self.line_ends
    }

    /// The normal form of the file.
    pub(super) fn normal(&self) -> &str {
        &self.normal
    }

    /// The chunks in order. Before the first edit, their numbers count from 1.
    pub(super) fn chunks(&self) -> impl Iterator<Item = usize> {
        let mut chunk = END;
        core::iter::from_fn(move || {
            chunk = self.chunks[chunk].next;
            (chunk != END).then_some(chunk)
        })
    }

    pub(super) fn previous(&self, chunk: usize) -> usize {
        self.chunks[chunk].previous
    }

    pub(super) fn next(&self, chunk: usize) -> usize {
        self.chunks[chunk].next
    }

    pub(super) fn is_replaced(&self, chunk: usize) -> bool {
        matches!(self.chunks[chunk].content, Content::Replaced)
    }

    /// The text of a chunk; empty for [`END`].
    pub(super) fn text(&self, chunk: usize) -> &str {
        match &self.chunks[chunk].content {
            Content::File { normal, .. } => &self.normal[normal.clone()],
            Content::Written(written) => &written.text,
            Content::Replaced => "",
        }
    }

    /// The text of a chunk and up to this number of bytes after it. Copied only where it is not one piece of the
    /// file.
    pub(super) fn window(&self, chunk: usize, after: usize) -> Cow<'_, [u8]> {
        let mut left = after;
        let mut pieces = vec![];
        let mut last = chunk;
        let mut of_file = self.file_range(chunk);
        loop {
            last = self.next(last);
            if last == END || left == 0 {
                break;
            }
            let text = self.text(last).as_bytes();
            let piece = &text[..left.min(text.len())];
            left -= piece.len();
            count_work!(1);
            of_file = match (of_file, self.file_range(last)) {
                (Some(before), Some(range)) if before.end == range.start => {
                    Some(before.start..range.start + piece.len())
                }
                _ => None,
            };
            pieces.push(piece);
        }
        match of_file {
            Some(range) => Cow::Borrowed(&self.normal.as_bytes()[range]),
            None => {
                let text = self.text(chunk).as_bytes();
                count_work!(text.len() + after - left);
                let mut window = Vec::with_capacity(text.len() + after - left);
                window.extend_from_slice(text);
                pieces.into_iter().for_each(|piece| window.extend_from_slice(piece));
                Cow::Owned(window)
            }
        }
    }

    fn file_range(&self, chunk: usize) -> Option<Range<usize>> {
        match &self.chunks[chunk].content {
            Content::File { normal, .. } => Some(normal.clone()),
            _ => None,
        }
    }

    /// Replaces the text `old` at a position by `new`, both in normal form, and returns the chunks before and after the ones
    /// that are new. The lines of `new` get the line ends of the file, or those of `as_written` in a file without any.
    pub(super) fn replace(&mut self, at: Position, old: &str, new: &str, as_written: &str) -> (usize, usize) {
        let before = self.piece(at.chunk, 0..at.offset);
        let mut removed = Vec::new();
        let (mut last, mut offset, mut left) = (at.chunk, at.offset, old.len());
        loop {
            let here = left.min(self.text(last).len() - offset);
            removed.extend(self.ends(last, offset..offset + here));
            (offset, left) = (offset + here, left - here);
            if left == 0 {
                break;
            }
            (last, offset) = (self.next(last), 0);
        }
        let after = self.piece(last, offset..self.text(last).len());
        count_work!(old.len() + new.len() + before.text.len() + after.text.len());

        let ends = self.new_ends(&removed, Position { chunk: last, offset }, at, old, new, as_written);
        let text = [&before.text, new, &after.text].concat();
        let ends = [before.ends, ends, after.ends].concat();

        let following = self.next(last);
        let previous = self.previous(at.chunk);
        let mut chunk = at.chunk;
        while chunk != following {
            self.chunks[chunk].content = Content::Replaced;
            chunk = self.next(chunk);
        }
        self.chunks[previous].next = following;
        self.chunks[following].previous = previous;
        self.write(&text, &ends, following);
        (previous, following)
    }

    fn write(&mut self, text: &str, ends: &[End], following: usize) {
        let (mut rest, mut ends) = (text, ends);
        while !rest.is_empty() {
            let (text, after) = rest.split_at(boundary_before(rest, CHUNK));
            let (here, further) = ends.split_at(memchr_iter(b'\n', text.as_bytes()).count());
            let written = Written { text: text.into(), ends: here.into() };
            self.insert(Content::Written(Box::new(written)), following);
            (rest, ends) = (after, further);
        }
    }

    fn insert(&mut self, content: Content, before: usize) {
        let chunk = self.chunks.len();
        let previous = self.previous(before);
        self.chunks.push(Chunk { content, previous, next: before });
        self.chunks[previous].next = chunk;
        self.chunks[before].previous = chunk;
    }

    fn piece(&self, chunk: usize, range: Range<usize>) -> Written {
        Written { text: self.text(chunk)[range.clone()].into(), ends: self.ends(chunk, range) }
    }

    /// The line ends in a part of a chunk.
    fn ends(&self, chunk: usize, range: Range<usize>) -> Vec<End> {
        let text = self.text(chunk);
        let newlines = |range: Range<usize>| memchr_iter(b'\n', &text.as_bytes()[range]);
        match &self.chunks[chunk].content {
            Content::File { normal, file, .. } => {
                let start = match self.line_ends {
                    LineEnds::Mixed => file.start + self.file_len(&text[..range.start], file.start),
                    _ => 0,
                };
                let mut crs = 0;
                let end = |newline: usize| {
                    let line_end = match self.line_ends {
                        LineEnds::All(line_end) => line_end,
                        _ if self.file.as_bytes()[start + newline + crs] == b'\r' => {
                            crs += 1;
                            LineEnd::Crlf
                        }
                        _ => LineEnd::Lf,
                    };
                    End { line_end, origin: normal.start + range.start + newline }
                };
                newlines(range.clone()).map(end).collect()
            }
            Content::Written(written) => {
                let first = newlines(0..range.start).count();
                written.ends[first..first + newlines(range).count()].into()
            }
            Content::Replaced => Vec::new(),
        }
    }

    /// The line ends of a NEW. In a file that has both, a line which OLD has too keeps its own, another line gets that of the
    /// line in its stead, or of the last line that was replaced, or of the nearest line end about.
    ///
    /// `after` is the position after OLD, `at` its start.
    fn new_ends(
        &self,
        removed: &[End],
        after: Position,
        at: Position,
        old: &str,
        new: &str,
        as_written: &str,
    ) -> Vec<End> {
        let count = memchr_iter(b'\n', new.as_bytes()).count();
        let following =
            if count > removed.len() || (count > 0 && removed.is_empty()) { self.end_after(after) } else { None };
        let origin = |index: usize| match removed.get(index) {
            Some(end) => end.origin,
            None => following.map_or(self.normal.len(), |end| end.origin),
        };
        let line_ends: Vec<LineEnd> = match self.line_ends {
            LineEnds::All(line_end) => vec![line_end; count],
            LineEnds::None => line_ends::as_written(as_written).collect(),
            LineEnds::Mixed => {
                let kept = |old: &mut dyn Iterator<Item = &str>, new: &mut dyn Iterator<Item = &str>| {
                    old.zip(new).take_while(|(old, new)| old == new).count()
                };
                let first = kept(&mut old.split_inclusive('\n'), &mut new.split_inclusive('\n'));
                let first = first.min(removed.len()).min(count);
                let most = removed.len().min(count) - first;
                // The last piece has no line end.
                let last = kept(&mut old.rsplit('\n'), &mut new.rsplit('\n')).saturating_sub(1).min(most);
                let around = || following.or_else(|| self.end_before(at)).map_or(LineEnd::Lf, |end| end.line_end);
                let end = |index: usize| {
                    let in_stead = if index < first {
                        index
                    } else if index + last >= count {
                        index + removed.len() - count
                    } else {
                        index.min((removed.len() - last).max(1) - 1)
                    };
                    removed.get(in_stead).map_or_else(around, |end| end.line_end)
                };
                (0..count).map(end).collect()
            }
        };
        debug_assert_eq!(line_ends.len(), count);
        line_ends.into_iter().enumerate().map(|(index, line_end)| End { line_end, origin: origin(index) }).collect()
    }

    fn newlines(&self, chunk: usize) -> usize {
        match &self.chunks[chunk].content {
            Content::File { newlines, .. } => *newlines,
            Content::Written(written) => written.ends.len(),
            Content::Replaced => 0,
        }
    }

    /// The first line end at a position or after it.
    fn end_after(&self, Position { mut chunk, mut offset }: Position) -> Option<End> {
        loop {
            count_work!(1);
            let text = self.text(chunk).as_bytes();
            if self.newlines(chunk) > 0
                && let Some(newline) = memchr(b'\n', &text[offset..])
            {
                let newline = offset + newline;
                return self.ends(chunk, newline..newline + 1).pop();
            }
            (chunk, offset) = (self.next(chunk), 0);
            if chunk == END {
                return None;
            }
        }
    }

    /// The last line end before a position.
    fn end_before(&self, Position { mut chunk, mut offset }: Position) -> Option<End> {
        loop {
            count_work!(1);
            let text = self.text(chunk).as_bytes();
            if self.newlines(chunk) > 0
                && let Some(newline) = memrchr(b'\n', &text[..offset])
            {
                return self.ends(chunk, newline..newline + 1).pop();
            }
            chunk = self.previous(chunk);
            offset = self.text(chunk).len();
            if chunk == END {
                return None;
            }
        }
    }

    /// The whole text in normal form.
    pub(super) fn to_normal(&self) -> Cow<'_, str> {
        if self.chunks().all(|chunk| matches!(self.chunks[chunk].content, Content::File { .. })) {
            // Chunks of the file are only lost where another is written, or all text is deleted.
            let len: usize = self.chunks().map(|chunk| self.text(chunk).len()).sum();
            if len == self.normal.len() {
                return Cow::Borrowed(&self.normal);
            }
        }
        count_work!(self.normal.len());
        Cow::Owned(self.chunks().map(|chunk| self.text(chunk)).collect())
    }

    /// The position of an offset in [`to_normal`](Self::to_normal).
    pub(super) fn position(&self, mut offset: usize) -> Position {
        for chunk in self.chunks() {
            count_work!(1);
            match offset.checked_sub(self.text(chunk).len()) {
                Some(further) => offset = further,
                None => return Position { chunk, offset },
            }
        }
        Position { chunk: END, offset: 0 }
    }

    /// The line of the file that messages name for a line of the text, both counted from 1: nothing is applied when they are
    /// read. Where a block wrote a line, that is the line in its stead, or the last one that the block replaced.
    pub(super) fn line_of_file(&self, line: usize) -> usize {
        let mut before = line - 1;
        for chunk in self.chunks() {
            let newlines = self.newlines(chunk);
            count_work!(1);
            if before < newlines {
                let origin = self.ends(chunk, 0..self.text(chunk).len())[before].origin;
                return memchr_iter(b'\n', &self.normal.as_bytes()[..origin]).count() + 1;
            }
            before -= newlines;
        }
        // The last line, or the end of the file after it.
        memchr_iter(b'\n', self.normal.as_bytes()).count() + 1 + before
    }

    /// The text in the line ends of the file.
    pub(super) fn into_text(self) -> String {
        let Buffer { file, normal, chunks, .. } = self;
        // Not to have three texts at once.
        drop(normal);
        let chunks = &chunks;
        let contents = || {
            let mut chunk = END;
            core::iter::from_fn(move || {
                chunk = chunks[chunk].next;
                (chunk != END).then(|| &chunks[chunk].content)
            })
        };
        let len = |content: &Content| match content {
            Content::File { file, .. } => file.len(),
            Content::Written(written) => written.text.len() + written.ends.len(),
            Content::Replaced => 0,
        };
        let mut text = String::with_capacity(contents().map(len).sum());
        for content in contents() {
            match content {
                Content::File { file: range, .. } => text.push_str(&file[range.clone()]),
                Content::Written(written) => written.push_to(&mut text),
                Content::Replaced => {}
            }
        }
        count_work!(text.len());
        text
    }
}

impl Written {
    fn push_to(&self, text: &mut String) {
        let mut lines = self.text.split('\n');
        text.push_str(lines.next().unwrap_or_default());
        for (line, end) in lines.zip(&self.ends) {
            text.push_str(end.line_end.as_str());
            text.push_str(line);
        }
    }
}
