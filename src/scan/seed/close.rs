//! The search for a close, `[[/NAME]]`, which can stop and resume at any character.
//!
//! A waiting tag goes through the text from one `[[` to the next. Each `[[/` is a [`Candidate`]. Every `[[` passed is recorded in the
//! [`Lookahead`], for the case that the close never comes.

use memchr::memmem::Finder;

use super::fold::fold;
use super::lookahead::Lookahead;
use super::opening::{find_opening, undecided_from};
use crate::ident::ident_len;
use crate::span::Span;
use crate::storage::Storage;
use crate::whitespace::space_len;
use crate::window::Window;

/// A `[[/` that may become a close: `[[/`, white space, a name, white space, `]]`.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Offset of its `[[`.
    start: usize,
    phase: Phase,
    /// The number of letters of its name so far.
    letters: usize,
    /// Whether it can still be the wanted close.
    matches: bool,
}

/// What may come next in a candidate.
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

/// The result of resuming a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The text ended inside it.
    Open,
    /// It is not a close.
    Broken,
    /// It is a close of another name.
    Other,
    /// It is the wanted close.
    Wanted,
}

impl Candidate {
    /// Begins a candidate at `start`. Takes the ASCII letters after the slash at once, which is nearly always the whole name.
    fn begin(start: usize, after: &[u8], name: &[u8]) -> Self {
        let letters = ident_len(after);
        let phase = if letters == 0 { Phase::Slash } else { Phase::Name };
        let matches = name.get(..letters).is_some_and(|first| first.eq_ignore_ascii_case(&after[..letters]));
        Candidate { start, phase, letters, matches }
    }

    /// Continues at `pos`, and advances it past the last character that fits. Examines each byte once.
    #[inline(always)]
    fn resume(&mut self, window: &Window<'_>, pos: &mut usize, name: &[u8]) -> Outcome {
        let text = window.from(*pos);
        let mut i = 0;
        let outcome = loop {
            let Some(&byte) = text.get(i) else {
                break Outcome::Open;
            };
            let before = i;
            match self.phase {
                Phase::Slash => match space_len(text, i) {
                    0 => self.phase = Phase::Name,
                    space => i += space,
                },
                Phase::Name => match fold(text, i) {
                    Some((letter, len)) => {
                        let wanted = name.get(self.letters).map(u8::to_ascii_uppercase);
                        self.matches = self.matches && wanted == Some(letter);
                        self.letters += 1;
                        i += len;
                    }
                    None => {
                        self.matches = self.matches && self.letters == name.len();
                        self.phase = Phase::Trail;
                    }
                },
                Phase::Trail => match space_len(text, i) {
                    0 if byte == b']' => {
                        self.phase = Phase::Bracket;
                        i += 1;
                    }
                    0 => break Outcome::Broken,
                    space => i += space,
                },
                Phase::Bracket if byte == b']' => {
                    i += 1;
                    break if self.matches { Outcome::Wanted } else { Outcome::Other };
                }
                Phase::Bracket => break Outcome::Broken,
            }
            count_work!(i - before);
        };
        *pos += i;
        outcome
    }
}

/// A search for a close: the state kept between calls, wherever the text was cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct CloseSearch {
    candidate: Option<Candidate>,
}

impl CloseSearch {
    /// A search that has read nothing.
    pub(super) const NONE: CloseSearch = CloseSearch { candidate: None };

    /// Whether the search is outside of a candidate.
    pub(super) fn is_between_candidates(&self) -> bool {
        self.candidate.is_none()
    }

    /// Returns the offset of the longest suffix of the text that may begin the wanted close. The search stands at `pos`.
    pub(super) fn suffix_start(&self, window: &Window<'_>, pos: usize) -> usize {
        match self.candidate {
            Some(candidate) if candidate.matches => candidate.start,
            Some(_) => window.end(),
            None => pos,
        }
    }

    /// Returns the wanted close at or after `pos` if it is complete. Otherwise advances `pos` to where no more can be decided.
    ///
    /// Records every `[[` passed in `lookahead`, if there is one.
    #[inline]
    pub(super) fn run<S: Storage>(
        &mut self,
        finder: &Finder<'_>,
        window: &Window<'_>,
        pos: &mut usize,
        name: &[u8],
        mut lookahead: Option<&mut Lookahead<S>>,
    ) -> Option<Span> {
        loop {
            if let Some(candidate) = &mut self.candidate {
                let outcome = candidate.resume(window, pos, name);
                let start = candidate.start;
                if outcome == Outcome::Open {
                    return None;
                }
                self.candidate = None;
                match outcome {
                    Outcome::Wanted => return Some(Span::new(start, *pos)),
                    outcome => {
                        if let Some(lookahead) = &mut lookahead {
                            lookahead.record(start, outcome == Outcome::Other);
                        }
                    }
                }
            }
            let Some(start) = find_opening(finder, window, *pos) else {
                *pos = undecided_from(window, *pos);
                return None;
            };
            match window.byte(start + 2) {
                None => {
                    *pos = start;
                    return None;
                }
                Some(b'/') => {
                    let candidate = Candidate::begin(start, window.from(start + 3), name);
                    *pos = start + 3 + candidate.letters;
                    self.candidate = Some(candidate);
                }
                Some(_) => {
                    if let Some(lookahead) = &mut lookahead {
                        lookahead.record(start, false);
                    }
                    *pos = start + 2;
                }
            }
        }
    }
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
                    let seen = match (outcome, candidate.matches) {
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
}
