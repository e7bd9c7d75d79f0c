//! Finding `[[/NAME]]`: at once, piece by piece, and from what was noted on the way.
//!
//! A tag that waits for its close looks through the text from one `[[` to the next, and each `[[/` is a [`Candidate`], which
//! can stop and go on at any character. Every `[[` that is passed is noted, in [`Ahead`]: should the close not come before
//! the text ends, the machine goes back to behind the token, and from then on takes every token from the notes, and looks
//! every close up in an index of them by name. So no text is searched a second time, however many tags are never closed.

use core::cmp::Ordering;

use memchr::memmem::Finder;

use crate::event::Span;
use crate::near::{self, Near};
use crate::space;
use crate::store::{List, Store};
use crate::window::Window;

/// A `[[/` that may become a close: `[[/`, white space, a name, white space, `]]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Where its `[[` is.
    start: usize,
    phase: Phase,
    /// How many letters of the wanted name it has had.
    letters: usize,
    /// Whether it may still be the wanted close.
    fits: bool,
}

/// What comes next in a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// White space, or the name.
    Slash,
    /// More of the name.
    Name,
    /// White space, or the first `]`.
    Trail,
    /// The second `]`.
    Bracket,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The text ends within it.
    Open,
    /// It is no close.
    Broken,
    /// It is the close of some other name.
    Other,
    /// It is the close that is wanted.
    Wanted,
}

impl Candidate {
    /// Begins one at `start` with the ASCII letters of the name, which is nearly always all of it, at once.
    fn begin(start: usize, behind: &[u8], name: &[u8]) -> Self {
        let letters = space::word_len(behind);
        let phase = if letters == 0 { Phase::Slash } else { Phase::Name };
        let fits = name.get(..letters).is_some_and(|first| first.eq_ignore_ascii_case(&behind[..letters]));
        Candidate { start, phase, letters, fits }
    }

    /// Goes on from `at`, which is left behind the last character that fits. Looks at each byte once.
    #[inline(always)]
    fn resume(&mut self, window: &Window<'_>, at: &mut usize, name: &[u8]) -> Outcome {
        let text = window.from(*at);
        let mut i = 0;
        let outcome = loop {
            let Some(&byte) = text.get(i) else {
                break Outcome::Open;
            };
            let before = i;
            match self.phase {
                Phase::Slash => match space::space_len(text, i) {
                    0 => self.phase = Phase::Name,
                    space => i += space,
                },
                Phase::Name => match space::fold(text, i) {
                    Some((letter, len)) => {
                        let wanted = name.get(self.letters).map(u8::to_ascii_uppercase);
                        self.fits = self.fits && wanted == Some(letter);
                        self.letters += 1;
                        i += len;
                    }
                    None => {
                        self.fits = self.fits && self.letters == name.len();
                        self.phase = Phase::Trail;
                    }
                },
                Phase::Trail => match space::space_len(text, i) {
                    0 if byte == b']' => {
                        self.phase = Phase::Bracket;
                        i += 1;
                    }
                    0 => break Outcome::Broken,
                    space => i += space,
                },
                Phase::Bracket if byte == b']' => {
                    i += 1;
                    break if self.fits { Outcome::Wanted } else { Outcome::Other };
                }
                Phase::Bracket => break Outcome::Broken,
            }
            steps!(i - before);
        };
        *at += i;
        outcome
    }
}

/// How a search for a close stands: what is between calls, wherever the text was cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    candidate: Option<Candidate>,
}

impl Search {
    /// Before its first text.
    pub(crate) const NONE: Search = Search { candidate: None };

    /// Whether it is in no candidate.
    pub(crate) fn is_between(&self) -> bool {
        self.candidate.is_none()
    }

    /// Where the longest end of the text begins that may be the start of the wanted close. `at` is where the search stands.
    pub(crate) fn held_from(&self, window: &Window<'_>, at: usize) -> usize {
        match self.candidate {
            Some(candidate) if candidate.fits => candidate.start,
            Some(_) => window.end(),
            None => at,
        }
    }

    /// The wanted close at or behind `at`, if it is complete; else `at` is left where no more can be decided.
    ///
    /// Notes every `[[` it passes in `ahead`, if there is one.
    #[inline]
    pub(crate) fn run<S: Store>(
        &mut self,
        opening: &Finder<'_>,
        window: &Window<'_>,
        at: &mut usize,
        name: &[u8],
        mut ahead: Option<&mut Ahead<S>>,
    ) -> Option<Span> {
        loop {
            if let Some(candidate) = &mut self.candidate {
                let outcome = candidate.resume(window, at, name);
                let start = candidate.start;
                if outcome == Outcome::Open {
                    return None;
                }
                self.candidate = None;
                match outcome {
                    Outcome::Wanted => return Some(Span::new(start, *at)),
                    outcome => {
                        if let Some(ahead) = &mut ahead {
                            ahead.note(start, outcome == Outcome::Other);
                        }
                    }
                }
            }
            let Some(start) = find_opening(opening, window, *at) else {
                *at = undecided_from(window, *at);
                return None;
            };
            match window.byte(start + 2) {
                None => {
                    *at = start;
                    return None;
                }
                Some(b'/') => {
                    let candidate = Candidate::begin(start, window.from(start + 3), name);
                    *at = start + 3 + candidate.letters;
                    self.candidate = Some(candidate);
                }
                Some(_) => {
                    if let Some(ahead) = &mut ahead {
                        ahead.note(start, false);
                    }
                    *at = start + 2;
                }
            }
        }
    }
}

/// The first `[[` at or behind `at`; of a run of brackets, its last two, since none before them can begin a token.
#[inline(always)]
pub(crate) fn find_opening(opening: &Finder<'_>, window: &Window<'_>, at: usize) -> Option<usize> {
    match window.from(at) {
        // A tag behind another, or on the line behind it: met at once, which is 6 % of the time of `dense`.
        [b'[', b'[', next, ..] if *next != b'[' => Some(at),
        [_, b'[', b'[', next, ..] if *next != b'[' => {
            steps!(1);
            Some(at + 1)
        }
        [] | [_] => None,
        text => find_far_opening(opening, text).map(|start| at + start),
    }
}

/// The same in a text that is longer. In bytes from its start.
#[inline(never)]
fn find_far_opening(opening: &Finder<'_>, text: &[u8]) -> Option<usize> {
    let start = match near::find_pair(b'[', text) {
        Near::At(near) => near,
        Near::Nowhere => return None,
        Near::Behind(behind) => {
            let far = opening.find(&text[behind..]);
            steps!(far.unwrap_or(text.len() - behind));
            behind + far?
        }
    };
    let run = text[start + 2..].iter().take_while(|&&byte| byte == b'[').count();
    steps!(run);
    Some(start + run)
}

/// Where a text without `[[` behind `at` is undecided: at a `[` that ends it.
#[inline]
pub(crate) fn undecided_from(window: &Window<'_>, at: usize) -> usize {
    let end = window.end();
    if window.from(at).last() == Some(&b'[') { end - 1 } else { end }
}

/// What was noted of the text ahead of the machine.
pub(crate) struct Ahead<S: Store> {
    /// Every `[[` that was passed: twice its distance from the first, and one more where it begins a close. A word each, since
    /// a hostile text has one in three bytes.
    marks: S::List<usize>,
    /// Where the first is.
    origin: usize,
    /// The marks before this one are behind the machine.
    next: usize,
    /// The closes among the marks, sorted by the hash of their name, by name, and by offset; once `is_whole`.
    closes: S::List<Close>,
    /// The hashes are cut into as many equal parts as there are closes. For each part, up to the last that has a close: where
    /// the closes of it, or of a later one, begin.
    parts: S::List<usize>,
    /// Whether the notes reach to the end of the reply.
    is_whole: bool,
}

/// A close of any name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Close {
    start: usize,
    name: Span,
    hash: u32,
}

impl<S: Store> Ahead<S> {
    pub(crate) fn new(store: S) -> Self {
        Ahead { marks: store.list(), origin: 0, next: 0, closes: store.list(), parts: store.list(), is_whole: false }
    }

    /// Forgets all, and keeps the memory.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.marks.clear();
        self.closes.clear();
        self.parts.clear();
        self.next = 0;
        self.is_whole = false;
    }

    /// Whether the notes reach to the end of the reply: from then on they answer all questions.
    #[inline]
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether any `[[` was passed.
    pub(crate) fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Makes the index, when a search has come to the end of the reply. *n* log *n* in the number of closes, which are short.
    pub(crate) fn complete(&mut self, window: &Window<'_>) {
        self.is_whole = true;
        for &mark in self.marks.iter().filter(|&mark| mark & 1 == 1) {
            let start = self.origin + (mark >> 1);
            let text = window.from(start);
            let from = space::skip_space(text, 3);
            let (len, hash) = hash(&text[from..]);
            self.closes.push(Close { start, name: Span::new(start + from, start + from + len), hash });
        }
        // First without a look at the text; then the names of one hash, which a text may be full of.
        self.closes.sort_unstable_by(|a, b| {
            steps!(1);
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
            steps!(1);
            while self.parts.len() <= self.part(close.hash) {
                self.parts.push(i);
            }
        }
    }

    /// The part of all hashes in which this one lies.
    fn part(&self, hash: u32) -> usize {
        ((u128::from(hash) * self.closes.len() as u128) >> u32::BITS) as usize
    }

    /// The first `[[` at or behind `at`, which never goes back.
    #[inline]
    pub(crate) fn opening(&mut self, at: usize) -> Option<usize> {
        while let Some(mark) = self.marks.get(self.next) {
            let start = self.origin + (mark >> 1);
            if start >= at {
                return Some(start);
            }
            steps!(1);
            self.next += 1;
        }
        None
    }

    /// The nearest close of `name` at or behind `at`. Logarithmic in the number of closes.
    pub(crate) fn close(&self, window: &Window<'_>, name: &[u8], at: usize) -> Option<Span> {
        if self.closes.is_empty() {
            return None;
        }
        let (_, hash) = hash(name);
        // Most parts have one or two. A search among all of them would miss the cache with each step.
        let part = self.part(hash);
        let (from, to) = (*self.parts.get(part)?, self.parts.get(part + 1).copied().unwrap_or(self.closes.len()));
        let closes = &self.closes[from..to];
        let is_before = |close: &Close| close.compare(window, hash, name).then(close.start.cmp(&at)).is_lt();
        let close = closes.get(closes.partition_point(is_before))?;
        if close.compare(window, hash, name).is_ne() {
            return None;
        }
        let trail = space::skip_space(window.from(close.name.end), 0);
        Some(Span::new(close.start, close.name.end + trail + 2))
    }

    fn note(&mut self, start: usize, is_close: bool) {
        steps!(1);
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

    /// Orders it against a name. The hash goes first, so that long names that differ at their end cost no more than others;
    /// names of the same hash, which a text may be full of, are compared as they are.
    fn compare(&self, window: &Window<'_>, hash: u32, name: &[u8]) -> Ordering {
        steps!(1);
        self.hash.cmp(&hash).then_with(|| compare_folded(self.name_in(window), name))
    }
}

/// Compares two names in upper case, with the letters that fold.
fn compare_folded(own: &[u8], name: &[u8]) -> Ordering {
    steps!(1 + own.len().min(name.len()));
    if own == name {
        return Ordering::Equal;
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (space::fold(own, i), space::fold(name, j)) {
            (Some((a, a_len)), Some((b, b_len))) if a == b => {
                i += a_len;
                j += b_len;
            }
            (a, b) => return a.map(|(letter, _)| letter).cmp(&b.map(|(letter, _)| letter)),
        }
    }
}

/// The length of the name at the start of `text`, and its FNV-1a hash in upper case, with the letters that fold.
fn hash(text: &[u8]) -> (usize, u32) {
    let mut hash = 0x811C_9DC5_u32;
    let mut len = 0;
    while let Some((letter, letter_len)) = space::fold(text, len) {
        hash = (hash ^ u32::from(letter)).wrapping_mul(0x0100_0193);
        len += letter_len;
    }
    steps!(len);
    (len, hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// What each state of a candidate for `[[/ASK]]` makes of each character: `.` open and it may be the wanted close, `o` open
    /// and it can only be another's, `W` the wanted close, `O` another's, `x` none.
    #[test]
    fn every_phase_takes_every_character() {
        const CHARACTERS: [&str; 12] = ["", " ", "\u{3000}", "A", "s", "ſ", "K", "\u{212A}", "_", "]", "[", "é"];
        const TABLE: [(&str, &str); 11] = [
            ("", "....ooooooxx"),
            (" \u{2003}", "....ooooooxx"),
            ("A", ".ooo..ooooxx"),
            ("aſ", ".ooooo..ooxx"),
            ("ASK", "...oooooo.xx"),
            ("ASKS", "ooooooooooxx"),
            ("ASK ", "...xxxxxx.xx"),
            ("AS\u{1c}", "oooxxxxxxoxx"),
            ("ASK]", ".xxxxxxxxWxx"),
            ("ASKK ]", "oxxxxxxxxOxx"),
            ("]", "oxxxxxxxxOxx"),
        ];
        for (before, row) in TABLE {
            for (character, expected) in CHARACTERS.iter().zip(row.chars()) {
                let text = format!("{before}{character}");
                // Begun with none of it, with the state before the character, and with all of it.
                for begun in ["", before, &text] {
                    let mut candidate = Candidate::begin(0, begun.as_bytes(), b"ASK");
                    let mut at = candidate.letters;
                    let mut outcome = Outcome::Open;
                    for end in [before.len(), text.len()] {
                        if outcome == Outcome::Open && at <= end {
                            outcome = candidate.resume(&Window::new(&text[..end], 0), &mut at, b"ASK");
                        }
                    }
                    let seen = match (outcome, candidate.fits) {
                        (Outcome::Open, true) => '.',
                        (Outcome::Open, false) => 'o',
                        (Outcome::Wanted, _) => 'W',
                        (Outcome::Other, _) => 'O',
                        (Outcome::Broken, _) => 'x',
                    };
                    assert_eq!(seen, expected, "{before:?}, then {character:?}, begun with {begun:?}");
                    let taken = if outcome == Outcome::Broken { before.len() } else { text.len() };
                    assert_eq!(at, taken, "{before:?}, then {character:?}, begun with {begun:?}");
                }
            }
        }
    }

    #[test]
    fn names_compare_as_they_fold() {
        let order = |a: &str, b: &str| compare_folded(a.as_bytes(), b.as_bytes());
        assert_eq!(order("aſK", "ASK"), Ordering::Equal);
        assert_eq!(order("ıİ", "II"), Ordering::Equal);
        assert_eq!(order("", ""), Ordering::Equal);
        assert_eq!(order("A", "AB"), Ordering::Less);
        assert_eq!(order("ſ", "R"), Ordering::Greater);
        assert_eq!(hash("aſK rest".as_bytes()).1, hash(b"ASK").1);
        assert_eq!(hash("ſk]]".as_bytes()).0, "ſk".len());
    }

    /// Three names of the same hash, so that the look-up has to compare the names.
    #[test]
    fn names_of_one_hash_are_told_apart() {
        let mut by_hash = alloc::collections::BTreeMap::new();
        let mut same = alloc::vec::Vec::new();
        for i in 0..200_000_u32 {
            let name = format!("N{:X}", i.wrapping_mul(2_654_435_761));
            if let Some(other) = by_hash.insert(hash(name.as_bytes()).1, name.clone()) {
                same.push((other, name));
            }
        }
        assert!(!same.is_empty(), "no two names of one hash among so many");
        for (one, two) in same {
            let text = format!("[[/{two}]] [[/{one}]] [[/{two}]]");
            let window = &Window::new(&text, 0);
            let mut ahead = Ahead::new(crate::store::Heap);
            let (mut search, mut at) = (Search::NONE, 0);
            assert_eq!(search.run(&Finder::new("[["), window, &mut at, b"WANTED", Some(&mut ahead)), None);
            ahead.complete(window);
            let length = two.len() + 5;
            assert_eq!(ahead.close(window, two.as_bytes(), 0), Some(Span::new(0, length)), "{one} {two}");
            assert_eq!(ahead.close(window, two.as_bytes(), 1).map(|close| close.start), Some(text.len() - length));
            assert_eq!(ahead.close(window, one.as_bytes(), 0).map(|close| close.start), Some(length + 1));
            assert_eq!(ahead.close(window, one.as_bytes(), length + 2), None);
        }
    }

    /// Every close by name, and names that have none: as many as fall before, between and behind the parts of the index.
    #[test]
    fn each_name_has_its_close_and_no_other() {
        for count in [1, 2, 3, 7, 100, 3000] {
            let text: alloc::string::String = (0..count).map(|i| format!("[[/N{i}]]")).collect();
            let window = &Window::new(&text, 0);
            let mut ahead = Ahead::new(crate::store::Heap);
            let (mut search, mut at) = (Search::NONE, 0);
            assert_eq!(search.run(&Finder::new("[["), window, &mut at, b"WANTED", Some(&mut ahead)), None);
            ahead.complete(window);
            for i in 0..2 * count {
                let close = format!("[[/N{i}]]");
                let expected = text.find(&close).map(|start| Span::new(start, start + close.len()));
                assert_eq!(ahead.close(window, format!("n{i}").as_bytes(), 0), expected, "{i} of {count}");
            }
        }
    }
}
