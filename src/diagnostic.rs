//! Diagnostics: the mistakes of a model, each a value that prints as the line the host sends back.
//!
//! To add one: a variant of [`Rule`], its row in [`Rule::line`], and the place in a machine that reports it.

pub(crate) mod strict;

use alloc::format;
use alloc::string::String;
use core::fmt::{self, Write as _};

use crate::span::Span;

/// A mistake in a reply. Prints as its line in the list of errors, exactly as the protocol specifies it.
///
/// What the line quotes is quoted as the model wrote it: it may contain newlines and be of any length. Escape and shorten it before it goes
/// to a model or a terminal: [`Feedback`](crate::Feedback) does both, [`Escaped`](crate::Escaped) escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic<'a> {
    rule: Rule,
    span: Span,
    /// What the line quotes: the name of a tag, or other text of the reply.
    subject: &'a str,
    facts: Facts<'a>,
}

impl<'a> Diagnostic<'a> {
    #[inline]
    pub(crate) fn new(rule: Rule, span: Span, subject: &'a str, facts: Facts<'a>) -> Self {
        Diagnostic { rule, span, subject, facts }
    }

    /// The kind of mistake.
    pub fn code(&self) -> DiagnosticCode {
        self.rule.line().code
    }

    /// The name of the tag concerned; `None` for a stray close.
    pub fn tag_name(&self) -> Option<Name<'a>> {
        match (self.rule.line().quotes, self.facts) {
            (Quotes::Name, _) => Some(Name(self.subject)),
            (Quotes::Text, Facts::Tag(name)) => Some(name),
            (Quotes::Text, _) => None,
        }
    }

    /// The span of the reply concerned: a token, or the fragment inside one.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The line in three parts: before the quote, the quote, and after it.
    pub(crate) fn parts(&self) -> (&'static str, Quote<'a>, After<'a>) {
        let line = self.rule.line();
        let quote = match line.quotes {
            Quotes::Name => Quote::Name(Name(self.subject)),
            Quotes::Text => Quote::Text(self.subject),
        };
        (line.before, quote, After { text: line.after, facts: self.facts })
    }

    /// Copies the text, so that the diagnostic outlives the reply.
    pub fn into_owned(self) -> OwnedDiagnostic {
        let facts = match self.facts {
            Facts::Max(max) => OwnedFacts::Max(max),
            Facts::Tag(Name(name)) => OwnedFacts::Tag(name.into()),
            Facts::RoleMode { role, mode } => OwnedFacts::RoleMode { role: role.into(), mode: mode.into() },
        };
        OwnedDiagnostic { rule: self.rule, span: self.span, subject: self.subject.into(), facts }
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

/// The rule that a diagnostic reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    StrayClose,
    UnknownTag,
    NotAllowed,
    MalformedAttribute,
    Unclosed,
    /// Unclosed, in a reply that was cut off.
    CutOff,
    /// The text after an unknown tag was not read, since the reply was cut off.
    CutOffUnread,
    OverBudget,
    TooLong,
}

/// The line of a rule. `{role}`, `{mode}` and `{max}` in `after` stand for the facts.
struct Line {
    code: DiagnosticCode,
    before: &'static str,
    quotes: Quotes,
    after: &'static str,
}

/// What a line quotes.
#[derive(Clone, Copy)]
enum Quotes {
    /// The name of the tag.
    Name,
    /// Other text of the reply.
    Text,
}

impl Rule {
    /// The one table of codes and lines.
    const fn line(self) -> Line {
        use Quotes::{Name, Text};
        let (code, before, quotes, after) = match self {
            Rule::StrayClose => (DiagnosticCode::StrayClose, "ERROR: stray closing tag [[", Text, "]] ignored"),
            Rule::UnknownTag => (DiagnosticCode::UnknownTag, "ERROR: unknown tag [[", Name, "]] ignored"),
            Rule::NotAllowed => {
                (DiagnosticCode::NotAllowed, "ERROR: tag [[", Name, "]] is not allowed for role={role} mode={mode}")
            }
            Rule::MalformedAttribute => (
                DiagnosticCode::MalformedAttribute,
                "ERROR: malformed attribute fragment '",
                Text,
                "' (expected key=\"value\")",
            ),
            Rule::Unclosed => (DiagnosticCode::Unclosed, "ERROR: unclosed tag [[", Name, "]] ignored"),
            Rule::CutOff => {
                (DiagnosticCode::Unclosed, "ERROR: unclosed tag [[", Name, "]] ignored (the reply was cut off)")
            }
            Rule::CutOffUnread => (
                DiagnosticCode::Unclosed,
                "ERROR: no tag after unknown tag [[",
                Name,
                "]] was read (the reply was cut off)",
            ),
            Rule::OverBudget => (
                DiagnosticCode::OverBudget,
                "ERROR: too many [[",
                Name,
                "]] in one reply (max {max}); the extra was ignored",
            ),
            Rule::TooLong => (DiagnosticCode::TooLong, "ERROR: tag [[", Name, "]] is longer than {max} bytes; ignored"),
        };
        Line { code, before, quotes, after }
    }
}

/// What the line of a diagnostic says besides its quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Facts<'a> {
    /// The limit or budget that was exceeded; 0 for rules without one.
    Max(usize),
    /// The tag that contains the quote.
    Tag(Name<'a>),
    RoleMode {
        role: &'a str,
        mode: &'a str,
    },
}

/// What a line quotes of the reply.
#[derive(Clone, Copy)]
pub(crate) enum Quote<'a> {
    /// Text as it was written.
    Text(&'a str),
    /// A name, in upper case.
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

/// What a line says after its quote.
#[derive(Clone, Copy)]
pub(crate) struct After<'a> {
    text: &'static str,
    facts: Facts<'a>,
}

impl fmt::Display for After<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.text;
        while let Some((literal, (fact, after))) =
            rest.split_once('{').and_then(|(literal, rest)| Some((literal, rest.split_once('}')?)))
        {
            f.write_str(literal)?;
            match (fact, self.facts) {
                ("role", Facts::RoleMode { role, .. }) => f.write_str(role)?,
                ("mode", Facts::RoleMode { mode, .. }) => f.write_str(mode)?,
                ("max", Facts::Max(max)) => write!(f, "{max}")?,
                _ => {}
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

/// The start of every line for the model.
pub(crate) const PREFIX: &str = "ERROR: ";

/// The line for diagnostics that are not listed.
pub(crate) fn not_listed(count: usize) -> String {
    format!("ERROR: {count} more not listed")
}

/// The end of a line that stands for several.
pub(crate) fn times(count: usize) -> String {
    format!(" ({count} times)")
}

/// The message of a tag that lacks an attribute.
pub(crate) fn requires(tag: &str, key: &str) -> String {
    format!("[[{tag}]] requires {key}=...")
}

/// The stable code of a kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DiagnosticCode {
    /// A close without an open tag: `stray-close`.
    StrayClose,
    /// A tag that is not in the protocol: `unknown-tag`.
    UnknownTag,
    /// A tag that is not granted to this role and mode: `not-allowed`.
    NotAllowed,
    /// Text after the last attribute that is not an attribute; the tag is kept: `malformed-attribute`.
    MalformedAttribute,
    /// A tag with a body whose close does not come, or any tag that waited for its close when the reply was cut off: `unclosed`.
    Unclosed,
    /// A tag beyond its budget: `over-budget`.
    OverBudget,
    /// A tag over [`Limits::max_tag_bytes`](crate::Limits::max_tag_bytes): `too-long`.
    TooLong,
    /// A token that is not written as it should be: `malformed-tag`. In the strict dialect only, as are all below.
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

impl DiagnosticCode {
    /// The code as it is written in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            DiagnosticCode::StrayClose => "stray-close",
            DiagnosticCode::UnknownTag => "unknown-tag",
            DiagnosticCode::NotAllowed => "not-allowed",
            DiagnosticCode::MalformedAttribute => "malformed-attribute",
            DiagnosticCode::Unclosed => "unclosed",
            DiagnosticCode::OverBudget => "over-budget",
            DiagnosticCode::TooLong => "too-long",
            DiagnosticCode::MalformedTag => "malformed-tag",
            DiagnosticCode::RepeatedAttribute => "repeated-attribute",
            DiagnosticCode::UnknownAttribute => "unknown-attribute",
            DiagnosticCode::InvalidAttribute => "invalid-attribute",
            DiagnosticCode::MissingAttribute => "missing-attribute",
            DiagnosticCode::InvalidBody => "invalid-body",
            DiagnosticCode::TagInCode => "tag-in-code",
            DiagnosticCode::UnclosedRegion => "unclosed-region",
            DiagnosticCode::OverLimit => "over-limit",
        }
    }
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The name of a tag. Prints in upper case, however the model wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a>(pub(crate) &'a str);

impl<'a> Name<'a> {
    /// The name as the model wrote it, or as the protocol declares it.
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

/// A [`Diagnostic`] with copies of its text. Read it with [`OwnedDiagnostic::as_diagnostic`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OwnedDiagnostic {
    rule: Rule,
    span: Span,
    subject: String,
    facts: OwnedFacts,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum OwnedFacts {
    Max(usize),
    Tag(String),
    RoleMode { role: String, mode: String },
}

impl OwnedDiagnostic {
    /// Borrows the diagnostic.
    pub fn as_diagnostic(&self) -> Diagnostic<'_> {
        let facts = match &self.facts {
            OwnedFacts::Max(max) => Facts::Max(*max),
            OwnedFacts::Tag(name) => Facts::Tag(Name(name)),
            OwnedFacts::RoleMode { role, mode } => Facts::RoleMode { role, mode },
        };
        Diagnostic::new(self.rule, self.span, &self.subject, facts)
    }

    /// The kind of mistake.
    pub fn code(&self) -> DiagnosticCode {
        self.as_diagnostic().code()
    }

    /// The name of the tag concerned; `None` for a stray close.
    pub fn tag_name(&self) -> Option<Name<'_>> {
        self.as_diagnostic().tag_name()
    }

    /// The span of the reply concerned: a token, or the fragment inside one.
    pub fn span(&self) -> Span {
        self.span
    }
}

impl fmt::Debug for OwnedDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_diagnostic().fmt(f)
    }
}

impl fmt::Display for OwnedDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_diagnostic().fmt(f)
    }
}
