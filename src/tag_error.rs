//! A tag that was let through, and whose attributes or body are not what its host needs.

use alloc::string::String;
use core::fmt;

use crate::diagnostic;
use crate::span::Span;
use crate::tag::Tag;

/// Why a tag cannot be read as what it should be. Prints the message for the model, and tells which tag it is about.
///
/// Nothing is wrong with the reply's grammar, so this is no [`Diagnostic`](crate::Diagnostic): only who carries the tag out
/// needs more of it. A host makes its own with [`Tag::unreadable`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProtocolError {
    tag: String,
    span: Span,
    message: String,
}

impl ProtocolError {
    /// The name of the tag, in upper case.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The place of the tag in its reply.
    pub fn span(&self) -> Span {
        self.span
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for ProtocolError {}

impl<'a> Tag<'a> {
    /// The value of an attribute, stripped.
    ///
    /// # Errors
    ///
    /// `[[NAME]] requires key=...` where it is absent or blank.
    pub fn require(&self, key: &str) -> Result<&'a str, ProtocolError> {
        let value = self.attr_trimmed(key);
        if value.is_empty() { Err(self.unreadable(diagnostic::requires(self.name(), key))) } else { Ok(value) }
    }

    /// The error that says this of the tag.
    pub fn unreadable(&self, message: impl Into<String>) -> ProtocolError {
        ProtocolError { tag: self.name().into(), span: self.span(), message: message.into() }
    }
}
