//! What is wrong with a protocol file.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::escape::Escaped;
use crate::line_index::{LineColumn, LineIndex};

/// Why a file is not a protocol: every fault that was found, with its place.
///
/// Prints one fault a line, as compilers do: `desk.toml:12:8: tags[2].body: ...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolFileError {
    file: Option<String>,
    faults: Vec<FileFault>,
}

impl ProtocolFileError {
    /// An error about the whole file.
    #[cfg(feature = "protocol-file")]
    pub(super) fn of_file(message: impl Into<String>) -> Self {
        let fault = FileFault { place: None, key: String::new(), message: message.into() };
        ProtocolFileError { file: None, faults: Vec::from([fault]) }
    }

    /// Locates faults in the text that they were found in.
    #[cfg(feature = "protocol-file")]
    pub(super) fn new(text: &str, mut faults: Vec<Fault>) -> Self {
        faults.sort_by_key(|fault| fault.span.start);
        faults.truncate(MAX_FAULTS);
        let mut lines = LineIndex::new(text);
        let mut located = |fault: Fault| {
            let place = Some(lines.locate(fault.span.start.min(text.len())));
            FileFault { place, key: fault.key, message: fault.message }
        };
        ProtocolFileError { file: None, faults: faults.into_iter().map(&mut located).collect() }
    }

    #[cfg(feature = "protocol-file")]
    pub(super) fn in_file(self, path: &std::path::Path) -> Self {
        ProtocolFileError { file: Some(path.display().to_string()), ..self }
    }

    /// The name of the file, if it was read from one.
    pub fn file(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// The faults, in the order of the file. Never empty.
    pub fn faults(&self) -> &[FileFault] {
        &self.faults
    }
}

impl fmt::Display for ProtocolFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            if let Some(file) = &self.file {
                write!(f, "{file}:")?;
                if fault.place.is_none() {
                    f.write_str(" ")?;
                }
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl core::error::Error for ProtocolFileError {}

/// One fault of a protocol file. Prints as `line:column: key: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFault {
    place: Option<LineColumn>,
    key: String,
    message: String,
}

impl FileFault {
    /// Where it is, or `None` where the file could not be read.
    pub fn place(&self) -> Option<LineColumn> {
        self.place
    }

    /// The key that it is about, as in `tags[2].attributes[0].type`; empty for the file as a whole.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong, and what would be right.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place {
            write!(f, "{}:{}: ", place.line, place.column)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

/// A fault, before its line is known. Nothing in its text can deceive a reader or act on a terminal.
#[derive(Debug)]
pub(super) struct Fault {
    /// In bytes from the start of the file.
    pub(super) span: Range<usize>,
    pub(super) key: String,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn at(span: Range<usize>, key: impl Into<String>, message: impl Into<String>) -> Self {
        let visible = |text: String| Escaped::line(&text).to_string();
        Fault { span, key: visible(key.into()), message: visible(message.into()) }
    }
}

/// Beyond these, a reader no longer learns from a list.
pub(super) const MAX_FAULTS: usize = 50;
