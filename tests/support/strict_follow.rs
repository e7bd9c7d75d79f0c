//! A reading of a reply, held against what a parser gives of it piece by piece.

use super::strict_twin::early::Decided;
use super::strict_twin::{Reading, Said, StrictTwin, Tile};

/// One event of a parser. Prose, dropped text and regions may come in pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    Tile(Tile),
    Said(Said),
}

/// What reads a reply in chunks.
pub trait Machine {
    /// Feeds a chunk and takes at most so many events.
    fn feed(&mut self, chunk: &str, most: usize) -> Vec<Seen>;

    /// Ends the reply, likewise.
    fn finish(&mut self, is_truncated: bool, most: usize) -> Vec<Seen>;
}

/// Takes what a parser gives, and holds it against the reading.
pub struct Follower<'e> {
    text: &'e str,
    expected: &'e Reading,
    cuts: &'e [usize],
    tile: usize,
    given: usize,
    said: usize,
}

impl<'e> Follower<'e> {
    /// `cuts` is only told where something is wrong.
    pub fn new(text: &'e str, expected: &'e Reading, cuts: &'e [usize]) -> Self {
        Self { text, expected, cuts, tile: 0, given: 0, said: 0 }
    }

    #[track_caller]
    pub fn take(&mut self, seen: Seen) {
        let fault = match &seen {
            Seen::Said(said) => self.take_said(said),
            Seen::Tile(tile) => self.take_tile(tile),
        };
        if let Err(fault) = fault {
            panic!(
                "{fault}: {seen:?}\nof {:?}, cut at {:?}; before it {} bytes and {} diagnostics of\n{:#?}",
                self.text, self.cuts, self.given, self.said, self.expected
            );
        }
    }

    fn take_said(&mut self, said: &Said) -> Result<(), &'static str> {
        let at = self.said;
        self.said += 1;
        match self.expected.diagnostics.get(at) {
            Some(expected) if expected != said => Err("another diagnostic is expected"),
            None => Err("no diagnostic is expected"),
            Some(_) if refuses(said) && self.expected.about[at] < self.given => {
                Err("what it speaks of is given already")
            }
            Some(_) => Ok(()),
        }
    }

    fn take_tile(&mut self, tile: &Tile) -> Result<(), &'static str> {
        let expected = self.expected.tiles.get(self.tile).ok_or("nothing is expected")?;
        let (span, whole) = (tile.span(), expected.span());
        if span.start != self.given || span.end <= span.start {
            return Err("a gap, an overlap or nothing");
        }
        let is_same = match (tile, expected) {
            (Tile::Prose(_), Tile::Prose(_)) | (Tile::Dropped(_), Tile::Dropped(_)) => span.end <= whole.end,
            (Tile::Region { name, .. }, Tile::Region { name: expected, .. }) => {
                name == expected && span.end <= whole.end
            }
            (tile, expected) => tile == expected,
        };
        if !is_same {
            return Err("another tile is expected");
        }
        let waits = matches!(tile, Tile::Dropped(_) | Tile::Tag(_));
        if waits && self.expected.about.get(self.said).is_some_and(|&about| about < span.end) {
            return Err("its diagnostic comes first");
        }
        self.given = span.end;
        self.tile += usize::from(span.end == whole.end);
        Ok(())
    }

    /// How much of the text was given.
    pub fn given(&self) -> usize {
        self.given
    }

    /// What was given is what is decided: no more, and no less than is due.
    #[track_caller]
    pub fn assert_decided(&self, prefix: &str, decided: Decided) {
        let is_due = (decided.due_text..=decided.given).contains(&self.given)
            && (decided.due..=decided.said).contains(&self.said);
        assert!(
            is_due,
            "after {prefix:?}, {} bytes and {} diagnostics are given; decided are {decided:?}\nof {:#?}",
            self.given, self.said, self.expected
        );
    }

    /// Nothing may be missing.
    #[track_caller]
    pub fn end(self) {
        assert!(
            self.given == self.text.len() && self.said == self.expected.diagnostics.len(),
            "{:?} cut at {:?}: {} bytes and {} diagnostics are given of\n{:#?}",
            self.text,
            self.cuts,
            self.given,
            self.said,
            self.expected
        );
    }
}

/// Whether a diagnostic comes before the text that it speaks of. What is said of code, or would have been but for the limit, comes
/// after it, since code is given as it comes.
fn refuses(said: &Said) -> bool {
    said.severity == "error" && said.reason != Some("diagnostics")
}

/// A machine made of the twin: it reads all that it was fed anew with each chunk, and gives what is decided. For tests of the tests.
pub struct TwinMachine<'t> {
    twin: StrictTwin<'t>,
    text: String,
    given: usize,
    said: usize,
    waiting: Vec<Seen>,
}

impl<'t> TwinMachine<'t> {
    pub fn new(twin: StrictTwin<'t>) -> Self {
        Self { twin, text: String::new(), given: 0, said: 0, waiting: Vec::new() }
    }

    /// Queues what a reading has up to there, in order.
    fn advance(&mut self, reading: &Reading, given: usize, said: usize) {
        for tile in &reading.tiles {
            let span = tile.span();
            let (start, end) = (span.start.max(self.given), span.end.min(given));
            if start >= end {
                continue;
            }
            while self.said < said && reading.about[self.said] < end {
                self.waiting.push(Seen::Said(reading.diagnostics[self.said].clone()));
                self.said += 1;
            }
            self.waiting.push(Seen::Tile(match tile {
                Tile::Prose(_) => Tile::Prose(start..end),
                Tile::Dropped(_) => Tile::Dropped(start..end),
                Tile::Region { name, .. } => Tile::Region { name: name.clone(), span: start..end },
                Tile::Tag(_) => tile.clone(),
            }));
            self.given = end;
        }
        for at in self.said..said {
            self.waiting.push(Seen::Said(reading.diagnostics[at].clone()));
        }
        self.said = self.said.max(said);
    }

    fn take(&mut self, most: usize) -> Vec<Seen> {
        self.waiting.drain(..most.min(self.waiting.len())).collect()
    }
}

impl Machine for TwinMachine<'_> {
    fn feed(&mut self, chunk: &str, most: usize) -> Vec<Seen> {
        self.text.push_str(chunk);
        let decided = self.twin.decided(&self.text);
        let reading = self.twin.read(&self.text);
        self.advance(&reading, decided.given, decided.due);
        self.take(most)
    }

    fn finish(&mut self, is_truncated: bool, most: usize) -> Vec<Seen> {
        let reading = self.twin.clone().truncated(is_truncated).read(&self.text);
        self.advance(&reading, self.text.len(), reading.diagnostics.len());
        self.take(most)
    }
}
