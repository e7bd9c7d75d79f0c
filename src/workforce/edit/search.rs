//! The search for the OLDs of all blocks at once.
//!
//! The start of each OLD is its *key*. One pass over the file notes for each key the chunks in which it occurs; the same is
//! done for the few chunks that an edit writes. So for each OLD the chunks are known in which it can start, and when it is its
//! turn, only these are searched.

use alloc::{boxed::Box, vec::Vec};

use memchr::memmem;
use smallvec::SmallVec;

use super::{
    automaton::Automaton,
    buffer::{Buffer, END, Position},
};

/// The bytes of a key at most.
const KEY: usize = 256;
/// The chunks noted for a key at most: one that is in more of them is looked for in the whole text.
const CHUNKS: usize = 8;
/// Up to this number of keys are searched for one by one, with vector instructions.
const FEW: usize = 8;

pub(super) struct Search<'a> {
    /// For each OLD its key; none for an empty one.
    keys: Vec<Option<usize>>,
    finder: Finder<'a>,
    chunks: Vec<Chunks>,
}

/// How often an OLD occurs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Occurrences {
    None,
    One(Position),
    More,
}

enum Finder<'a> {
    Few(Vec<memmem::Finder<'a>>),
    Many { automaton: Box<Automaton>, lens: Vec<usize> },
}

#[derive(Clone)]
enum Chunks {
    /// All in which the key starts, and some that have been replaced.
    Few(SmallVec<[usize; CHUNKS]>),
    Many,
}

impl<'a> Search<'a> {
    pub(super) fn new(olds: &[&'a str], buffer: &Buffer<'_>) -> Self {
        let key = |old: &'a str| &old.as_bytes()[..old.len().min(KEY)];
        let mut sorted: Vec<&'a [u8]> = olds.iter().map(|old| key(old)).filter(|key| !key.is_empty()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        count_work!(sorted.iter().map(|key| key.len()).sum::<usize>());
        let bytes: usize = sorted.iter().map(|key| key.len()).sum();
        let finder = if sorted.len() <= FEW || u32::try_from(bytes).is_err() {
            Finder::Few(sorted.iter().map(|key| memmem::Finder::new(*key)).collect())
        } else {
            Finder::Many {
                automaton: Box::new(Automaton::new(&sorted)),
                lens: sorted.iter().map(|key| key.len()).collect(),
            }
        };
        let keys = olds.iter().map(|old| sorted.binary_search(&key(old)).ok()).collect();
        let mut search = Search { keys, finder, chunks: alloc::vec![Chunks::Few(SmallVec::new()); sorted.len()] };
        search.note_file(buffer);
        search
    }

    /// How often the OLD at `index` occurs, overlapping occurrences counted.
    pub(super) fn find(&self, index: usize, old: &str, buffer: &Buffer<'_>) -> Occurrences {
        let Some(key) = self.keys[index] else { return Occurrences::None };
        let finder = memmem::Finder::new(old);
        let mut only = None;
        match &self.chunks[key] {
            Chunks::Few(chunks) => {
                for &chunk in chunks.iter().filter(|&&chunk| !buffer.is_replaced(chunk)) {
                    let window = buffer.window(chunk, old.len() - 1);
                    match (only, find_two(&finder, &window)) {
                        (_, [None, _]) => {}
                        (None, [Some(offset), None]) => only = Some(Position { chunk, offset }),
                        _ => return Occurrences::More,
                    }
                }
            }
            Chunks::Many => match find_two(&finder, buffer.to_normal().as_bytes()) {
                [None, _] => {}
                [Some(offset), None] => only = Some(buffer.position(offset)),
                _ => return Occurrences::More,
            },
        }
        only.map_or(Occurrences::None, Occurrences::One)
    }

    /// Notes the keys that start in the chunks between two chunks, or before these and reach into them.
    pub(super) fn note(&mut self, buffer: &Buffer<'_>, before: usize, after: usize) {
        let mut first = before;
        let mut context = buffer.text(first).len();
        while context < KEY - 1 && first != END {
            first = buffer.previous(first);
            context += buffer.text(first).len();
        }
        let mut text = Vec::new();
        let mut starts = Vec::new();
        let mut chunk = if first == END { buffer.next(END) } else { first };
        while chunk != after {
            starts.push((text.len(), chunk));
            text.extend_from_slice(buffer.text(chunk).as_bytes());
            chunk = buffer.next(chunk);
        }
        let end = text.len();
        while chunk != END && text.len() < end + KEY - 1 {
            text.extend_from_slice(buffer.text(chunk).as_bytes());
            chunk = buffer.next(chunk);
        }
        text.truncate(end + KEY - 1);
        count_work!(text.len());
        self.note_in(&text, end, &starts, buffer);
    }

    /// Notes the keys that start in the file.
    fn note_file(&mut self, buffer: &Buffer<'_>) {
        let mut start = 0;
        let starts: Vec<(usize, usize)> = buffer
            .chunks()
            .map(|chunk| {
                let first = start;
                start += buffer.text(chunk).len();
                (first, chunk)
            })
            .collect();
        count_work!(starts.len());
        self.note_in(buffer.normal().as_bytes(), start, &starts, buffer);
    }

    /// Notes the keys that start in `text` before `end`; `starts` tells where each chunk starts.
    fn note_in(&mut self, text: &[u8], end: usize, starts: &[(usize, usize)], buffer: &Buffer<'_>) {
        let Search { finder, chunks, .. } = self;
        let index_at = |start: usize| starts.partition_point(|&(first, _)| first <= start) - 1;
        match finder {
            Finder::Few(finders) => {
                for (finder, chunks) in finders.iter().zip(chunks) {
                    let mut from = 0;
                    while let Some(start) = finder.find(&text[from..]).map(|offset| from + offset)
                        && start < end
                    {
                        count_work!(start - from + finder.needle().len());
                        let index = index_at(start);
                        if !chunks.note(starts[index].1, buffer) {
                            break;
                        }
                        from = starts.get(index + 1).map_or(end, |&(first, _)| first);
                    }
                    count_work!(text.len() - from);
                }
            }
            Finder::Many { automaton, lens } => automaton.search(text, |key, key_end| {
                let start = key_end - lens[key];
                start >= end || chunks[key].note(starts[index_at(start)].1, buffer)
            }),
        }
    }
}

impl Chunks {
    /// Returns whether more chunks need to be noted.
    fn note(&mut self, chunk: usize, buffer: &Buffer<'_>) -> bool {
        let Chunks::Few(chunks) = self else { return false };
        if chunks.contains(&chunk) {
            return true;
        }
        if chunks.len() == CHUNKS {
            chunks.retain(|&mut chunk| !buffer.is_replaced(chunk));
        }
        match chunks.len() {
            CHUNKS => *self = Chunks::Many,
            _ => chunks.push(chunk),
        }
        matches!(self, Chunks::Few(_))
    }
}

/// The first two occurrences, which may overlap.
fn find_two(finder: &memmem::Finder<'_>, text: &[u8]) -> [Option<usize>; 2] {
    count_work!(text.len() + finder.needle().len());
    let first = finder.find(text);
    let second = first.and_then(|first| finder.find(&text[first + 1..]));
    [first, second]
}
