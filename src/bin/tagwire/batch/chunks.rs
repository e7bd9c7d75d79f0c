//! The input in chunks of whole lines, so that memory does not grow with it.

use std::io::{self, Read};
use std::sync::Arc;
use std::{mem, vec};

use indicatif::ProgressBar;
use memchr::{memchr, memchr_iter, memrchr};

use crate::failure::Failure;
use crate::input::Input;

/// A buffer that grew beyond this for a long line is freed.
pub(super) const KEPT_BYTES: usize = 4 << 20;

/// Some whole lines of one file, or one line that is too long to be held.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// Its index among all chunks, from 0.
    pub(super) sequence: u64,
    /// The name of the file, where files are named.
    pub(super) file: Option<Arc<str>>,
    /// The number of its first line within the file, from 1.
    pub(super) first_line: u64,
    /// Whether it stands for one line that is longer than the limit, of which nothing is kept.
    pub(super) is_too_long: bool,
    buffer: Vec<u8>,
    len: usize,
}

impl Chunk {
    /// Its lines, without a byte-order mark at the start of the file.
    pub(super) fn text(&self) -> &[u8] {
        let text = &self.buffer[..self.len];
        let mark = if self.first_line == 1 { text.strip_prefix(BYTE_ORDER_MARK) } else { None };
        mark.unwrap_or(text)
    }

    /// Whether it holds a line that needs much more memory than others.
    pub(super) fn is_large(&self) -> bool {
        self.len > KEPT_BYTES
    }

    /// Empties it, and frees a large buffer.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.is_too_long = false;
        if self.buffer.len() > KEPT_BYTES {
            self.buffer = Vec::new();
        }
    }

    /// Reads once, and returns the bytes read.
    ///
    /// For a long line the buffer grows by its own length, so that each byte is moved once on average; but not beyond
    /// `max_bytes` and one read.
    fn read_from(&mut self, reader: &mut dyn Read, max_bytes: usize) -> io::Result<&[u8]> {
        let (start, end) = (self.len, self.len + READ_BYTES);
        if self.buffer.len() < end {
            let len = end.max((self.len * 2).min(max_bytes.saturating_add(READ_BYTES)));
            self.buffer.try_reserve_exact(len - self.buffer.len())?;
            self.buffer.resize(len, 0);
        }
        loop {
            match reader.read(&mut self.buffer[start..end]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    self.len += read?;
                    return Ok(&self.buffer[start..self.len]);
                }
            }
        }
    }
}

/// Deals out the lines of all input, in chunks.
pub(super) struct Chunks {
    inputs: vec::IntoIter<Input>,
    is_naming: bool,
    max_line_bytes: usize,
    current: Option<Lines>,
    sequence: u64,
    /// Why it ended before the end of the input.
    pub(super) failure: Option<Failure>,
    progress: ProgressBar,
}

impl Chunks {
    /// The lines of `inputs`. Of a line of more than `max_line_bytes`, no more than that is held.
    pub(super) fn new(inputs: Vec<Input>, max_line_bytes: usize, progress: ProgressBar) -> Self {
        let is_naming = inputs.len() > 1 || matches!(inputs[..], [Input::File(_)]);
        let inputs = inputs.into_iter();
        Chunks { inputs, is_naming, max_line_bytes, current: None, sequence: 0, failure: None, progress }
    }

    /// Puts the next lines into `chunk`: as many as one read returns, but at least one. False where none is left.
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
                    Some(input) => Lines::open(input, self.is_naming, self.max_line_bytes)?,
                    None => return Ok(false),
                },
            };
            chunk.clear();
            if lines.fill(chunk).map_err(|error| lines.failure(&error))? {
                chunk.sequence = self.sequence;
                self.sequence += 1;
                self.progress.inc(mem::take(&mut lines.bytes_read));
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
    max_line_bytes: usize,
    /// The number of the next line, from 1.
    number: u64,
    /// The start of the line that the last read cut.
    carry: Vec<u8>,
    is_at_end: bool,
    /// How much was read since the last chunk.
    bytes_read: u64,
}

impl Lines {
    fn open(input: Input, is_naming: bool, max_line_bytes: usize) -> Result<Self, Failure> {
        let reader = input.open()?;
        let file = is_naming.then(|| match &input {
            Input::Stdin => "-".into(),
            Input::File(path) => path.to_string_lossy().into(),
        });
        let carry = Vec::new();
        Ok(Lines { input, reader, file, max_line_bytes, number: 1, carry, is_at_end: false, bytes_read: 0 })
    }

    /// False at the end.
    fn fill(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        chunk.file.clone_from(&self.file);
        chunk.first_line = self.number;
        // The line itself may be followed by "\r", and begin with a mark.
        let max_bytes = self.max_line_bytes.saturating_add(BYTE_ORDER_MARK.len() + 1);
        let carried = &mut self.carry.as_slice();
        while !carried.is_empty() {
            chunk.read_from(carried, max_bytes)?;
        }
        self.carry.clear();
        let mut is_cut = self.cut_after_last_line(chunk, 0);
        // Nothing is read after the end: on a terminal the end would have to be typed twice.
        while !is_cut && !self.is_at_end {
            if chunk.len > max_bytes {
                self.skip_line(chunk)?;
                chunk.is_too_long = true;
                self.number += 1;
                return Ok(true);
            }
            let from = chunk.len;
            let read = chunk.read_from(&mut self.reader, max_bytes)?.len();
            self.is_at_end = read == 0;
            self.bytes_read += read as u64;
            is_cut = self.cut_after_last_line(chunk, from);
        }
        self.number += memchr_iter(b'\n', &chunk.buffer[..chunk.len]).count() as u64;
        Ok(chunk.len > 0)
    }

    /// Carries what follows the last whole line to the next chunk. False where no line ends after `from`.
    fn cut_after_last_line(&mut self, chunk: &mut Chunk, from: usize) -> bool {
        let Some(last) = memrchr(b'\n', &chunk.buffer[from..chunk.len]) else { return false };
        let end = from + last + 1;
        self.carry.extend_from_slice(&chunk.buffer[end..chunk.len]);
        chunk.len = end;
        true
    }

    /// Reads the rest of a line that is too long, and keeps none of it.
    fn skip_line(&mut self, chunk: &mut Chunk) -> io::Result<()> {
        loop {
            chunk.clear();
            let read = chunk.read_from(&mut self.reader, 0)?;
            self.is_at_end = read.is_empty();
            self.bytes_read += read.len() as u64;
            let end = memchr(b'\n', read);
            if let Some(end) = end {
                self.carry.extend_from_slice(&read[end + 1..]);
            }
            if self.is_at_end || end.is_some() {
                chunk.len = 0;
                return Ok(());
            }
        }
    }

    fn failure(&self, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::OutOfMemory => Failure::out_of_memory(&location(self.file.as_deref(), self.number)),
            _ => self.input.unreadable(error),
        }
    }
}

/// A line as messages name it.
pub(super) fn location(file: Option<&str>, line: u64) -> String {
    match file {
        Some(file) => format!("{file}, line {line}"),
        None => format!("line {line}"),
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How much is read at once: little enough for a processor's cache, enough to make the dealing out cheap.
const READ_BYTES: usize = 256 << 10;
