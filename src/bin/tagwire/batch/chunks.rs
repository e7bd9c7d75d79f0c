//! The input in chunks of whole lines, so that memory does not grow with it.

use std::io::{self, Read};
use std::sync::Arc;
use std::vec;

use indicatif::ProgressBar;
use memchr::{memchr_iter, memrchr};

use crate::failure::Failure;
use crate::input::Input;

/// How much is read at once: little enough for a processor's cache, enough to make the dealing out cheap.
const READ: usize = 256 << 10;
/// A buffer that grew beyond this for a long line is given back.
pub(super) const KEPT: usize = 4 << 20;

/// Some whole lines of one file.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Its place among all chunks, from 0.
    pub(super) sequence: u64,
    /// The file's name, where files are named.
    pub(super) file: Option<Arc<str>>,
    /// The number of its first line within the file, from 1.
    pub(super) first_line: u64,
    buffer: Vec<u8>,
    len: usize,
}

impl Chunk {
    /// Its lines, without a byte-order mark in front of the file.
    pub(super) fn text(&self) -> &[u8] {
        let text = &self.buffer[..self.len];
        let mark = if self.first_line == 1 { text.strip_prefix(b"\xEF\xBB\xBF") } else { None };
        mark.unwrap_or(text)
    }

    fn clear(&mut self) {
        self.len = 0;
        if self.buffer.len() > KEPT {
            self.buffer = Vec::new();
        }
    }

    /// Reads on, once. For a long line the buffer grows by as much as it has, so that each byte is moved once on average.
    fn read_from(&mut self, reader: &mut dyn Read) -> io::Result<usize> {
        if self.buffer.len() < self.len + READ {
            self.buffer.resize((self.len + READ).max(self.len * 2), 0);
        }
        loop {
            match reader.read(&mut self.buffer[self.len..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.inspect(|read| self.len += read),
            }
        }
    }
}

/// Deals out the lines of all input, in chunks.
pub(super) struct Chunks {
    inputs: vec::IntoIter<Input>,
    is_naming: bool,
    current: Option<Lines>,
    sequence: u64,
    /// Why it ended before the end of the input.
    pub(super) failure: Option<Failure>,
    progress: ProgressBar,
}

impl Chunks {
    pub(super) fn new(inputs: Vec<Input>, progress: ProgressBar) -> Self {
        let is_naming = inputs.len() > 1 || matches!(inputs[..], [Input::File(_)]);
        Chunks { inputs: inputs.into_iter(), is_naming, current: None, sequence: 0, failure: None, progress }
    }

    /// Puts the next lines into `chunk`: as many as one read gives, but at least one. False where none is left.
    pub(super) fn next(&mut self, chunk: &mut Chunk) -> bool {
        self.try_next(chunk).unwrap_or_else(|failure| {
            self.failure = Some(failure);
            self.inputs = Vec::new().into_iter();
            false
        })
    }

    fn try_next(&mut self, chunk: &mut Chunk) -> Result<bool, Failure> {
        loop {
            let mut lines = match self.current.take() {
                Some(lines) => lines,
                None => match self.inputs.next() {
                    Some(input) => Lines::open(input, self.is_naming)?,
                    None => return Ok(false),
                },
            };
            chunk.clear();
            if lines.fill(chunk).map_err(|error| lines.input.unreadable(&error))? {
                chunk.sequence = self.sequence;
                self.sequence += 1;
                self.progress.inc(chunk.len as u64);
                self.current = Some(lines);
                return Ok(true);
            }
        }
    }
}

/// The lines of one input.
struct Lines {
    input: Input,
    reader: Box<dyn Read + Send>,
    file: Option<Arc<str>>,
    /// The number of the next line, from 1.
    number: u64,
    /// The start of the line that the last read cut.
    carry: Vec<u8>,
    is_at_end: bool,
}

impl Lines {
    fn open(input: Input, is_naming: bool) -> Result<Self, Failure> {
        let reader = input.open()?;
        let file = is_naming.then(|| match &input {
            Input::Stdin => "-".into(),
            Input::File(path) => path.to_string_lossy().into(),
        });
        Ok(Lines { input, reader, file, number: 1, carry: Vec::new(), is_at_end: false })
    }

    /// False at the end.
    fn fill(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        let carried = &mut self.carry.as_slice();
        while !carried.is_empty() {
            chunk.read_from(carried)?;
        }
        self.carry.clear();
        // After the end is not read again: on a terminal the end would have to be typed twice.
        while !self.is_at_end {
            let from = chunk.len;
            self.is_at_end = chunk.read_from(&mut self.reader)? == 0;
            if let Some(last) = memrchr(b'\n', &chunk.buffer[from..chunk.len]) {
                let end = from + last + 1;
                self.carry.extend_from_slice(&chunk.buffer[end..chunk.len]);
                chunk.len = end;
                break;
            }
        }
        chunk.file.clone_from(&self.file);
        chunk.first_line = self.number;
        self.number += memchr_iter(b'\n', &chunk.buffer[..chunk.len]).count() as u64;
        Ok(chunk.len > 0)
    }
}
