//! Diagnostics: the mistakes of a model, each a value that prints as the exact line the host sends back.
//!
//! The only file with English for the model, but for the presets, which have their own messages.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::{self, Write as _};

use crate::event::Span;

/// A mistake in a reply. Prints as its line in the list of errors, exactly as the protocol has it.
///
/// What is quoted is quoted as the model wrote it: a line may hold newlines and be of any length. Escape and shorten it before
/// it goes to a model or a terminal: [`Feedback`](crate::Feedback) does both, [`Escaped`](crate::Escaped) the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic<'a> {
    kind: Kind<'a>,
    span: Span,
}

impl<'a> Diagnostic<'a> {
    pub(crate) fn new(kind: Kind<'a>, span: Span) -> Self {
        Diagnostic { kind, span }
    }

    /// What kind of mistake it is.
    pub fn code(&self) -> Code {
        match self.kind {
            Kind::StrayClose { .. } => Code::StrayClose,
            Kind::UnknownTag { .. } => Code::UnknownTag,
            Kind::NotAllowed { .. } => Code::NotAllowed,
            Kind::MalformedAttribute { .. } => Code::MalformedAttribute,
            Kind::Unclosed { .. } | Kind::CutOff { .. } | Kind::CutOffUnread { .. } => Code::Unclosed,
            Kind::OverBudget { .. } => Code::OverBudget,
            Kind::TooLong { .. } => Code::TooLong,
        }
    }

    /// The name of the tag it is about; none for a stray close.
    pub fn tag(&self) -> Option<Name<'a>> {
        match self.kind {
            Kind::StrayClose { .. } => None,
            Kind::UnknownTag { name } | Kind::CutOffUnread { name } | Kind::TooLong { name, .. } => Some(name),
            Kind::NotAllowed { name, .. }
            | Kind::MalformedAttribute { name, .. }
            | Kind::Unclosed { name }
            | Kind::CutOff { name }
            | Kind::OverBudget { name, .. } => Some(Name(name)),
        }
    }

    /// The place in the reply that it is about: a token, or the fragment inside one.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Its line in three: what comes before the quote, what is quoted of the reply, and what comes behind it.
    pub(crate) fn parts(&self) -> (&'static str, Quote<'a>, After<'a>) {
        let (before, quote) = match self.kind {
            Kind::StrayClose { inner } => ("ERROR: stray closing tag [[", Quote::Text(inner)),
            Kind::UnknownTag { name } => ("ERROR: unknown tag [[", Quote::Name(name)),
            Kind::NotAllowed { name, .. } => ("ERROR: tag [[", Quote::Name(Name(name))),
            Kind::MalformedAttribute { fragment, .. } => {
                ("ERROR: malformed attribute fragment '", Quote::Text(fragment))
            }
            Kind::Unclosed { name } | Kind::CutOff { name } => ("ERROR: unclosed tag [[", Quote::Name(Name(name))),
            Kind::CutOffUnread { name } => ("ERROR: no tag behind unknown tag [[", Quote::Name(name)),
            Kind::OverBudget { name, .. } => ("ERROR: too many [[", Quote::Name(Name(name))),
            Kind::TooLong { name, .. } => ("ERROR: tag [[", Quote::Name(name)),
        };
        (before, quote, After(self.kind))
    }

    /// The same with a copy of its line.
    pub fn into_owned(self) -> OwnedDiagnostic {
        OwnedDiagnostic {
            code: self.code(),
            tag: self.tag().map(|name| name.to_string()),
            span: self.span,
            message: self.to_string(),
        }
    }
}

impl fmt::Display for Diagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, quote, after) = self.parts();
        f.write_str(before)?;
        quote.fmt(f)?;
        after.fmt(f)
    }
}

/// What a line quotes of the reply.
#[derive(Clone, Copy)]
pub(crate) enum Quote<'a> {
    /// As it is written.
    Text(&'a str),
    /// In upper case.
    Name(Name<'a>),
}

impl<'a> Quote<'a> {
    pub(crate) fn as_written(&self) -> &'a str {
        match self {
            Quote::Text(text) => text,
            Quote::Name(name) => name.as_written(),
        }
    }

    pub(crate) fn is_name(&self) -> bool {
        matches!(self, Quote::Name(_))
    }
}

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quote::Text(text) => f.write_str(text),
            Quote::Name(name) => name.fmt(f),
        }
    }
}

/// What a line says behind its quote.
#[derive(Clone, Copy)]
pub(crate) struct After<'a>(Kind<'a>);

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::StrayClose { .. } | Kind::UnknownTag { .. } | Kind::Unclosed { .. } => f.write_str("]] ignored"),
            Kind::NotAllowed { role, mode, .. } => write!(f, "]] is not allowed for role={role} mode={mode}"),
            Kind::MalformedAttribute { .. } => f.write_str("' (expected key=\"value\")"),
            Kind::CutOff { .. } => f.write_str("]] ignored (the reply was cut off)"),
            Kind::CutOffUnread { .. } => f.write_str("]] was read (the reply was cut off)"),
            Kind::OverBudget { max, .. } => write!(f, "]] in one reply (max {max}); the extra was ignored"),
            Kind::TooLong { max, .. } => write!(f, "]] is longer than {max} bytes; ignored"),
        }
    }
}

/// The line for those that are not listed.
pub(crate) fn not_listed(count: usize) -> String {
    format!("ERROR: {count} more not listed")
}

/// Behind a line that stands for several.
pub(crate) fn times(count: usize) -> String {
    format!(" ({count} times)")
}

/// What a tag says that lacks an attribute.
pub(crate) fn requires(tag: &str, key: &str) -> String {
    format!("[[{tag}]] requires {key}=...")
}

/// What is said, with the words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind<'a> {
    StrayClose { inner: &'a str },
    UnknownTag { name: Name<'a> },
    NotAllowed { name: &'a str, role: &'a str, mode: &'a str },
    MalformedAttribute { name: &'a str, fragment: &'a str },
    Unclosed { name: &'a str },
    CutOff { name: &'a str },
    CutOffUnread { name: Name<'a> },
    OverBudget { name: &'a str, max: u32 },
    TooLong { name: Name<'a>, max: usize },
}

/// The stable code of a kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A close without its open tag: `stray-close`.
    StrayClose,
    /// A tag that is not in the protocol: `unknown-tag`.
    UnknownTag,
    /// A tag that is not granted to this role and mode: `not-allowed`.
    NotAllowed,
    /// Text behind the last attribute that is none; the tag is kept: `malformed-attribute`.
    MalformedAttribute,
    /// A tag with a body whose close does not come, or any tag that was waiting for its close when the reply was cut off:
    /// `unclosed`.
    Unclosed,
    /// One more tag than its budget allows: `over-budget`.
    OverBudget,
    /// A tag beyond [`Limits::max_tag_bytes`](crate::Limits::max_tag_bytes): `too-long`.
    TooLong,
    /// A token that is not written as it should be: `malformed-tag`. Strict dialect only, as all that follow.
    MalformedTag,
    /// An attribute that was written before: `repeated-attribute`.
    RepeatedAttribute,
    /// An attribute that the tag does not have: `unknown-attribute`.
    UnknownAttribute,
    /// A value that is not of its attribute's type: `invalid-attribute`.
    InvalidAttribute,
    /// A required attribute that is absent or blank: `missing-attribute`.
    MissingAttribute,
    /// A body that is not of its tag's kind: `invalid-body`.
    InvalidBody,
    /// A tag in a code fence, in inline code or in a quote, which was not run: `tag-in-code`.
    TagInCode,
    /// A region without its closing marker: `unclosed-region`.
    UnclosedRegion,
    /// More tags, or more diagnostics, than a reply may hold: `over-limit`.
    OverLimit,
}

impl Code {
    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::StrayClose => "stray-close",
            Code::UnknownTag => "unknown-tag",
            Code::NotAllowed => "not-allowed",
            Code::MalformedAttribute => "malformed-attribute",
            Code::Unclosed => "unclosed",
            Code::OverBudget => "over-budget",
            Code::TooLong => "too-long",
            Code::MalformedTag => "malformed-tag",
            Code::RepeatedAttribute => "repeated-attribute",
            Code::UnknownAttribute => "unknown-attribute",
            Code::InvalidAttribute => "invalid-attribute",
            Code::MissingAttribute => "missing-attribute",
            Code::InvalidBody => "invalid-body",
            Code::TagInCode => "tag-in-code",
            Code::UnclosedRegion => "unclosed-region",
            Code::OverLimit => "over-limit",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A tag's name. Prints in upper case, however the model wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a>(pub(crate) &'a str);

impl<'a> Name<'a> {
    /// As the model wrote it, or as the protocol has it.
    pub fn as_written(&self) -> &'a str {
        self.0
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.bytes().try_for_each(|byte| f.write_char(byte.to_ascii_uppercase().into()))
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self == other.0
    }
}

impl Eq for Name<'_> {}

impl PartialEq<str> for Name<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }
}

impl PartialEq<&str> for Name<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl core::hash::Hash for Name<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.0.bytes().for_each(|byte| state.write_u8(byte.to_ascii_uppercase()));
        state.write_u8(0xFF);
    }
}

/// A [`Diagnostic`] with a copy of its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OwnedDiagnostic {
    code: Code,
    tag: Option<String>,
    span: Span,
    message: String,
}

impl OwnedDiagnostic {
    /// What kind of mistake it is.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The name of the tag it is about, in upper case; none for a stray close.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The place in the reply that it is about.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Its line, exactly.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for OwnedDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
