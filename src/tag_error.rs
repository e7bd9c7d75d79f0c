//! Errors about tags that were let through, but cannot be carried out.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::diagnostic;
use crate::span::Span;
use crate::tag::Tag;

/// The reason why a tag cannot be carried out: it was let through, but its attributes or its body lack what the host needs.
/// Prints the message, and tells which tag it is about.
///
/// The grammar of the reply is not at fault, so this is no [`Diagnostic`](crate::Diagnostic). A host makes its own with
/// [`Tag::error`].
///
/// Like a diagnostic, the message quotes the reply literally: it may hold newlines and be of any length. What goes to a model
/// is [`Feedback::add_error`](crate::Feedback::add_error), which escapes and shortens it; for a log or a terminal there is
/// [`Escaped`](crate::Escaped).
///
/// ```
/// use tagwire::workforce::{self, Assign, Mode, Role};
/// use tagwire::{Feedback, FeedbackLimits};
///
/// let reply = workforce::policy(Role::Manager, Mode::Triage).parse("[[ASSIGN task_id='7' pipeline='x\nERROR: forged'/]]");
/// let error = Assign::try_from(&reply.tags()[0]).unwrap_err();
/// assert_eq!(error.to_string(), "unknown pipeline: x\nERROR: forged");
///
/// let mut feedback = Feedback::new(FeedbackLimits::default());
/// feedback.add_error(&error);
/// assert_eq!(feedback.to_string(), r"ERROR: unknown pipeline: x\nERROR: forged");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TagError {
    tag_name: String,
    span: Span,
    message: String,
}

impl TagError {
    /// The name of the tag, in upper case.
    pub fn tag_name(&self) -> &str {
        &self.tag_name
    }

    /// The span of the tag in its reply.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The message, exactly: what it quotes is neither escaped nor shortened.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for TagError {}

impl<'a> Tag<'a> {
    /// The value of an attribute, without white space at its ends.
    ///
    /// # Errors
    ///
    /// `[[NAME]] requires key=...` if it is absent or blank.
    pub fn required_attr(&self, key: &str) -> Result<Cow<'a, str>, TagError> {
        let value = self.attr_trimmed(key);
        if value.is_empty() { Err(self.error(diagnostic::requires(self.name(), key))) } else { Ok(value) }
    }

    /// Makes an error about this tag.
    pub fn error(&self, message: impl Into<String>) -> TagError {
        TagError { tag_name: self.name().into(), span: self.span(), message: message.into() }
    }
}
