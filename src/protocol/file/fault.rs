//! One fault of a protocol file, while it is read.

use alloc::string::{String, ToString as _};
use core::ops::Range;

use crate::escape::Escaped;

/// A fault, before its line is known. Nothing in its text can deceive a reader or act on a terminal.
#[derive(Debug)]
pub(super) struct Fault {
    /// In bytes from the start of the file.
    #[cfg_attr(not(feature = "protocol-file"), expect(dead_code, reason = "only a file has lines"))]
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
