//! What is wrong with a protocol.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::escape::Escaped;

/// Why parts make no protocol: every fault that was found, at most a few dozen.
///
/// Prints one fault a line, each with the name at fault.
#[derive(Clone, PartialEq, Eq)]
pub struct ProtocolError {
    lines: Vec<String>,
}

impl ProtocolError {
    /// # Panics
    ///
    /// Where there is no fault.
    pub(super) fn new(faults: &Faults) -> Self {
        assert!(!faults.is_empty(), "an error has a fault");
        let mut lines: Vec<String> =
            faults.iter().map(|fault| Escaped::line(fault.text.as_str()).to_string()).collect();
        if faults.is_full() {
            lines.push(String::from("there may be more faults"));
        }
        ProtocolError { lines }
    }

    /// The messages of the faults, each one line, in no particular order.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, line) in self.lines.iter().enumerate() {
            if i > 0 {
                f.write_char('\n')?;
            }
            f.write_str(line)?;
        }
        Ok(())
    }
}

impl fmt::Debug for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProtocolError").field(&self.lines).finish()
    }
}

impl core::error::Error for ProtocolError {}

/// The faults of a protocol, kept without allocation so that a `const` can be checked.
pub(super) struct Faults {
    list: [Fault; MAX_FAULTS],
    len: usize,
}

impl Faults {
    pub(super) const fn new() -> Self {
        Faults { list: [Fault { path: Path::ROOT, text: Text::new() }; MAX_FAULTS], len: 0 }
    }

    pub(super) const fn push(&mut self, path: Path, text: Text) {
        if self.len < MAX_FAULTS {
            self.list[self.len] = Fault { path, text };
            self.len += 1;
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there may be more that were not kept.
    pub(super) const fn is_full(&self) -> bool {
        self.len == MAX_FAULTS
    }

    /// The first fault.
    ///
    /// # Panics
    ///
    /// Where there is none.
    pub(super) const fn first(&self) -> &Fault {
        assert!(self.len > 0);
        &self.list[0]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.list[..self.len].iter()
    }
}

/// One fault and the key of a protocol file that it is about.
#[derive(Clone, Copy)]
pub(super) struct Fault {
    #[cfg_attr(not(feature = "serde"), expect(dead_code, reason = "only the faults of a file are placed"))]
    pub(super) path: Path,
    pub(super) text: Text,
}

/// The way to a value of a protocol file: `tags[3].attributes[0].default`.
#[derive(Clone, Copy)]
pub(super) struct Path {
    steps: [Step; MAX_STEPS],
    len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(&'static str),
    Index(usize),
}

impl Path {
    pub(super) const ROOT: Self = Path { steps: [Step::Index(0); MAX_STEPS], len: 0 };

    pub(super) const fn key(self, key: &'static str) -> Self {
        self.step(Step::Key(key))
    }

    pub(super) const fn index(self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    const fn step(mut self, step: Step) -> Self {
        self.steps[self.len] = step;
        self.len += 1;
        self
    }

    #[cfg(feature = "serde")]
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps[..self.len]
    }
}

/// A message of bounded length, which a `const` can write.
#[derive(Clone, Copy)]
pub(super) struct Text {
    bytes: [u8; TEXT_LEN],
    len: usize,
}

impl Text {
    pub(super) const fn new() -> Self {
        Text { bytes: [0; TEXT_LEN], len: 0 }
    }

    /// Starts a message.
    pub(super) const fn of(text: &str) -> Self {
        Text::new().push(text)
    }

    pub(super) const fn push(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() && self.len < TEXT_LEN {
            self.bytes[self.len] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// Appends a name in quotes, shortened so that every message fits.
    pub(super) const fn quote(self, name: &str) -> Self {
        let mut end = name.len();
        if end > QUOTED_LEN {
            end = QUOTED_LEN;
            while !name.is_char_boundary(end) {
                end -= 1;
            }
        }
        let shown = name.split_at(end).0;
        let more = if end < name.len() { "…" } else { "" };
        self.push("\"").push(shown).push(more).push("\"")
    }

    pub(super) const fn number(self, number: usize) -> Self {
        let digit = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"][number % 10];
        if number < 10 { self.push(digit) } else { self.number(number / 10).push(digit) }
    }

    pub(super) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            // A message that was cut within a character; none is that long.
            Err(_) => "invalid protocol",
        }
    }
}

/// Beyond these, a reader no longer learns from a list.
const MAX_FAULTS: usize = 20;
/// `tags[0].attributes[0].values[0]`.
const MAX_STEPS: usize = 6;
/// Room for the longest message, with three names.
const TEXT_LEN: usize = 256;
const QUOTED_LEN: usize = 32;
