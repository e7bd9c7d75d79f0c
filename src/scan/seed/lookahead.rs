//! The index of what lies ahead, for tags that are never closed.
//!
//! While a tag waits for its close, every `[[` passed is recorded. Should the close not come before the end of the reply, the machine
//! goes back to the end of the token, takes every further token from these records, and looks every close up in an index by name. So no
//! text is searched a second time, however many tags are never closed.

use core::cmp::Ordering;

use super::fold::{compare_folded, hash_folded};
use crate::span::Span;
use crate::storage::{List, Storage};
use crate::whitespace::skip_space;
use crate::window::Window;

/// Every `[[` that a waiting tag has passed and, once the reply has ended, the closes among them by name.
pub(super) struct Lookahead<S: Storage> {
    /// Every `[[` passed: twice its distance from the first, plus one if it begins a close. One word each, since a hostile text has one
    /// in three bytes.
    marks: S::List<usize>,
    /// Offset of the first mark.
    origin: usize,
    /// Index of the first mark that the machine has not passed.
    next: usize,
    /// The closes among the marks, sorted by the hash of their name, by name, and by offset. Empty until `is_complete`.
    closes: S::List<Close>,
    /// The range of hashes is divided into as many equal parts as there are closes. For each part up to the last with a close: the index
    /// of the first close in it or in a later one.
    parts: S::List<usize>,
    /// Whether the marks reach to the end of the reply.
    is_complete: bool,
}

/// A close of any name.
#[derive(Clone, Copy, Debug)]
struct Close {
    start: usize,
    name: Span,
    hash: u32,
}

impl<S: Storage> Lookahead<S> {
    pub(super) fn new(storage: S) -> Self {
        Lookahead {
            marks: storage.list(),
            origin: 0,
            next: 0,
            closes: storage.list(),
            parts: storage.list(),
            is_complete: false,
        }
    }

    /// Forgets everything and keeps the memory.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.marks.clear();
        self.closes.clear();
        self.parts.clear();
        self.next = 0;
        self.is_complete = false;
    }

    /// Whether the marks reach to the end of the reply. From then on every token and close is taken from here.
    #[inline]
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether any `[[` was recorded.
    pub(super) fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Builds the index when a search has reached the end of the reply. *n* log *n* in the number of closes.
    pub(super) fn complete(&mut self, window: &Window<'_>) {
        self.is_complete = true;
        for &mark in self.marks.iter().filter(|&mark| mark & 1 == 1) {
            let start = self.origin + (mark >> 1);
            let text = window.from(start);
            let from = skip_space(text, 3);
            let (len, hash) = hash_folded(&text[from..]);
            self.closes.push(Close { start, name: Span::new(start + from, start + from + len), hash });
        }
        // First by hash, without reading the text; then by name among equal hashes, which a hostile text can be full of.
        self.closes.sort_unstable_by(|a, b| {
            count_work!(1);
            (a.hash, a.start).cmp(&(b.hash, b.start))
        });
        for same in self.closes.chunk_by_mut(|a, b| a.hash == b.hash) {
            let (first, others) = same.split_first().expect("a chunk is not empty");
            if others.iter().any(|other| compare_folded(other.name_in(window), first.name_in(window)).is_ne()) {
                same.sort_unstable_by(|a, b| {
                    compare_folded(a.name_in(window), b.name_in(window)).then(a.start.cmp(&b.start))
                });
            }
        }
        for (i, close) in self.closes.iter().enumerate() {
            count_work!(1);
            while self.parts.len() <= self.part(close.hash) {
                self.parts.push(i);
            }
        }
    }

    /// The part of the range of hashes that contains `hash`.
    fn part(&self, hash: u32) -> usize {
        ((u128::from(hash) * self.closes.len() as u128) >> u32::BITS) as usize
    }

    /// Returns the first `[[` at or after `pos`, which must not decrease between calls.
    #[inline]
    pub(super) fn opening(&mut self, pos: usize) -> Option<usize> {
        while let Some(mark) = self.marks.get(self.next) {
            let start = self.origin + (mark >> 1);
            if start >= pos {
                return Some(start);
            }
            count_work!(1);
            self.next += 1;
        }
        None
    }

    /// Returns the first close of `name` at or after `pos`. Logarithmic in the number of closes.
    pub(super) fn close(&self, window: &Window<'_>, name: &[u8], pos: usize) -> Option<Span> {
        if self.closes.is_empty() {
            return None;
        }
        let (_, hash) = hash_folded(name);
        // Most parts have one or two closes. A binary search of all closes would miss the cache at every step.
        let part = self.part(hash);
        let (from, to) = (*self.parts.get(part)?, self.parts.get(part + 1).copied().unwrap_or(self.closes.len()));
        let closes = &self.closes[from..to];
        let is_before = |close: &Close| close.compare(window, hash, name).then(close.start.cmp(&pos)).is_lt();
        let close = closes.get(closes.partition_point(is_before))?;
        if close.compare(window, hash, name).is_ne() {
            return None;
        }
        let trail = skip_space(window.from(close.name.end), 0);
        Some(Span::new(close.start, close.name.end + trail + 2))
    }

    pub(super) fn record(&mut self, start: usize, is_close: bool) {
        count_work!(1);
        if self.marks.is_empty() {
            self.origin = start;
        }
        self.marks.push((start - self.origin) << 1 | usize::from(is_close));
    }
}

impl Close {
    fn name_in<'a>(&self, window: &Window<'a>) -> &'a [u8] {
        window.bytes(self.name)
    }

    /// Orders the close relative to a name. The hash decides first, so that long names that differ only at their end cost no more than
    /// others.
    fn compare(&self, window: &Window<'_>, hash: u32, name: &[u8]) -> Ordering {
        count_work!(1);
        self.hash.cmp(&hash).then_with(|| compare_folded(self.name_in(window), name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::seed::close::CloseSearch;
    use crate::storage::HeapStorage;
    use alloc::format;
    use memchr::memmem::Finder;

    /// Three names of the same hash, so that the look-up has to compare the names.
    #[test]
    fn names_of_one_hash_are_told_apart() {
        let mut by_hash = alloc::collections::BTreeMap::new();
        let mut same = alloc::vec::Vec::new();
        for i in 0..200_000_u32 {
            let name = format!("N{:X}", i.wrapping_mul(2_654_435_761));
            if let Some(other) = by_hash.insert(hash_folded(name.as_bytes()).1, name.clone()) {
                same.push((other, name));
            }
        }
        assert!(!same.is_empty(), "no two names of one hash among so many");
        for (one, two) in same {
            let text = format!("[[/{two}]] [[/{one}]] [[/{two}]]");
            let window = &Window::new(&text, 0);
            let mut lookahead = Lookahead::new(HeapStorage);
            let (mut search, mut pos) = (CloseSearch::NONE, 0);
            assert_eq!(search.run(&Finder::new("[["), window, &mut pos, b"WANTED", Some(&mut lookahead)), None);
            lookahead.complete(window);
            let length = two.len() + 5;
            assert_eq!(lookahead.close(window, two.as_bytes(), 0), Some(Span::new(0, length)), "{one} {two}");
            assert_eq!(lookahead.close(window, two.as_bytes(), 1).map(|close| close.start), Some(text.len() - length));
            assert_eq!(lookahead.close(window, one.as_bytes(), 0).map(|close| close.start), Some(length + 1));
            assert_eq!(lookahead.close(window, one.as_bytes(), length + 2), None);
        }
    }

    /// Every close by name, and names that have none: as many as fall before, between and after the parts of the index.
    #[test]
    fn each_name_has_its_close_and_no_other() {
        for count in [1, 2, 3, 7, 100, 3000] {
            let text: alloc::string::String = (0..count).map(|i| format!("[[/N{i}]]")).collect();
            let window = &Window::new(&text, 0);
            let mut lookahead = Lookahead::new(HeapStorage);
            let (mut search, mut pos) = (CloseSearch::NONE, 0);
            assert_eq!(search.run(&Finder::new("[["), window, &mut pos, b"WANTED", Some(&mut lookahead)), None);
            lookahead.complete(window);
            for i in 0..2 * count {
                let close = format!("[[/N{i}]]");
                let expected = text.find(&close).map(|start| Span::new(start, start + close.len()));
                assert_eq!(lookahead.close(window, format!("n{i}").as_bytes(), 0), expected, "{i} of {count}");
            }
        }
    }
}
