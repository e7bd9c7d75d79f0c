//! Diagnostics: the mistakes of a model, each a value that prints as the exact line the host sends back.

use alloc::string::{String, ToString as _};
use core::fmt::{self, Write as _};

use crate::event::Span;

/// A mistake in a reply. Prints as its line in the list of errors, exactly as the protocol has it.
///
/// What is quoted is quoted as the model wrote it: a line may hold newlines and be of any length. Escape and shorten it before
/// it goes to a model or a terminal.
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

    /// What it quotes of the reply, and the same with `mark` in its place.
    pub(crate) fn unquoted(mut self, mark: &'a str) -> (&'a str, Self) {
        let quote = match &mut self.kind {
            Kind::StrayClose { inner: quote } | Kind::MalformedAttribute { fragment: quote, .. } => quote,
            Kind::UnknownTag { name: Name(quote) }
            | Kind::CutOffUnread { name: Name(quote) }
            | Kind::TooLong { name: Name(quote), .. } => quote,
            Kind::NotAllowed { name: quote, .. }
            | Kind::Unclosed { name: quote }
            | Kind::CutOff { name: quote }
            | Kind::OverBudget { name: quote, .. } => quote,
        };
        (core::mem::replace(quote, mark), self)
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
        match self.kind {
            Kind::StrayClose { inner } => write!(f, "ERROR: stray closing tag [[{inner}]] ignored"),
            Kind::UnknownTag { name } => write!(f, "ERROR: unknown tag [[{name}]] ignored"),
            Kind::NotAllowed { name, role, mode } => {
                write!(f, "ERROR: tag [[{name}]] is not allowed for role={role} mode={mode}")
            }
            Kind::MalformedAttribute { fragment, .. } => {
                write!(f, "ERROR: malformed attribute fragment '{fragment}' (expected key=\"value\")")
            }
            Kind::Unclosed { name } => write!(f, "ERROR: unclosed tag [[{name}]] ignored"),
            Kind::CutOff { name } => write!(f, "ERROR: unclosed tag [[{name}]] ignored (the reply was cut off)"),
            Kind::CutOffUnread { name } => {
                write!(f, "ERROR: no tag behind unknown tag [[{name}]] was read (the reply was cut off)")
            }
            Kind::OverBudget { name, max } => {
                write!(f, "ERROR: too many [[{name}]] in one reply (max {max}); the extra was ignored")
            }
            Kind::TooLong { name, max } => {
                write!(f, "ERROR: tag [[{name}]] is longer than {max} bytes; ignored")
            }
        }
    }
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
