//! Diagnostics: the mistakes of a model, each a value that prints as the line the host sends back.
//!
//! To add one: a variant of [`Rule`], its row in [`Rule::line`], and the place in a machine that reports it.

pub(crate) mod raw;
mod record;
mod strict;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt::{self, Write as _};

use self::record::{Record, RecordCopy};
use self::strict::StrictDiagnostic;
use crate::protocol::Dialect;
use crate::span::Span;

/// A mistake in a reply. Prints as its line for the model.
///
/// What the line quotes is quoted as the model wrote it: it may contain newlines and be of any length. Escape and shorten it before it goes
/// to a model or a terminal: [`Feedback`](crate::Feedback) does both, [`Escaped`](crate::Escaped) escapes.
///
/// Besides its code, span and line, a diagnostic of the strict dialect states its facts: [`Diagnostic::reason`],
/// [`Diagnostic::attribute`], [`Diagnostic::nearest`] and [`Diagnostic::expected`].
#[derive(Clone, Copy)]
pub struct Diagnostic<'a>(Repr<'a>);

#[derive(Clone, Copy)]
enum Repr<'a> {
    Seed(SeedDiagnostic<'a>),
    Strict(Record<'a>),
    /// A copied one of the strict dialect.
    Copied(&'a RecordCopy),
}

/// A diagnostic of the seed's dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SeedDiagnostic<'a> {
    rule: Rule,
    span: Span,
    /// What the line quotes: the name of a tag, or other text of the reply.
    subject: &'a str,
    facts: Facts<'a>,
}

impl<'a> Diagnostic<'a> {
    #[inline]
    pub(crate) fn new(rule: Rule, span: Span, subject: &'a str, facts: Facts<'a>) -> Self {
        Diagnostic(Repr::Seed(SeedDiagnostic { rule, span, subject, facts }))
    }

    pub(crate) fn of_record(record: Record<'a>) -> Self {
        Diagnostic(Repr::Strict(record))
    }

    /// The kind of mistake.
    pub fn code(&self) -> DiagnosticCode {
        match &self.0 {
            Repr::Seed(seed) => seed.rule.line().code,
            Repr::Strict(record) => record.code,
            Repr::Copied(copy) => copy.code,
        }
    }

    /// Whether something was refused, or all was kept. In the seed's dialect, all are errors.
    pub fn severity(&self) -> Severity {
        match &self.0 {
            Repr::Seed(_) => Severity::Error,
            Repr::Strict(record) => record.severity,
            Repr::Copied(copy) => copy.severity,
        }
    }

    /// The name of the tag concerned, or of the region; `None` for a stray close in the seed's dialect.
    ///
    /// Of a variant it is its own name where one is selected, else the word; of an unknown tag the word as written.
    pub fn tag_name(&self) -> Option<Name<'a>> {
        match &self.0 {
            Repr::Seed(seed) => seed.tag_name(),
            Repr::Strict(record) => Some(Name::exact(record.resolve().tag)),
            Repr::Copied(copy) => Some(Name::exact(&copy.tag)),
        }
    }

    /// The span of the reply concerned: a token, the fragment inside one, or the character that is wrong.
    pub fn span(&self) -> Span {
        match &self.0 {
            Repr::Seed(seed) => seed.span,
            Repr::Strict(record) => record.span,
            Repr::Copied(copy) => copy.span,
        }
    }

    /// Why, in one word such as `unclosed-quote`, where the code does not say all. Only in the strict dialect.
    pub fn reason(&self) -> Option<&'static str> {
        let reason = match &self.0 {
            Repr::Seed(_) => None,
            Repr::Strict(record) => record.reason,
            Repr::Copied(copy) => copy.reason,
        };
        reason.map(|reason| reason.as_str())
    }

    /// The attribute concerned, by its declared name, or as written if it has none. Only in the strict dialect.
    pub fn attribute(&self) -> Option<&'a str> {
        match &self.0 {
            Repr::Seed(_) => None,
            Repr::Strict(record) => record.resolve().attribute,
            Repr::Copied(copy) => copy.attribute.as_deref(),
        }
    }

    /// The granted names nearest to that of an unknown tag, nearest first; at most three, and none for any other diagnostic. Only in the
    /// strict dialect. Linear in the number of tags.
    pub fn nearest(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (resolved, copied): (_, &[String]) = match self.0 {
            Repr::Seed(_) => (None, &[]),
            Repr::Strict(record) => (Some(record.resolve()), &[]),
            Repr::Copied(copy) => (None, &copy.nearest),
        };
        resolved.into_iter().flat_map(StrictDiagnostic::into_nearest).chain(copied.iter().map(String::as_str))
    }

    /// The values that an attribute may have, if it is an enum and has none of them. Only in the strict dialect.
    pub fn expected(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (resolved, copied): (_, &[String]) = match self.0 {
            Repr::Seed(_) => (None, &[]),
            Repr::Strict(record) => (Some(record.resolve()), &[]),
            Repr::Copied(copy) => (None, &copy.expected),
        };
        resolved.into_iter().flat_map(|it| it.expected()).chain(copied.iter().map(String::as_str))
    }

    /// The dialect of the reply. In the seed's, a line quotes without bounds; in the strict one, at most 80 characters.
    pub fn dialect(&self) -> Dialect {
        match self.0 {
            Repr::Seed(_) => Dialect::Seed,
            Repr::Strict(_) | Repr::Copied(_) => Dialect::Strict,
        }
    }

    /// The line in three parts: before the quotation, the quotation, and after it. At least `max_chars` characters of both ends of a
    /// long quotation are left.
    pub(crate) fn parts(&self, max_chars: usize) -> (String, String, String) {
        match &self.0 {
            Repr::Seed(seed) => {
                let (before, quote, after) = seed.parts();
                let mut shown = both_ends(quote.as_written(), max_chars);
                if quote.is_name() {
                    shown.make_ascii_uppercase();
                }
                (before.into(), shown, after.to_string())
            }
            Repr::Strict(record) => record.resolve().parts(),
            Repr::Copied(copy) => copy.line.clone(),
        }
    }

    /// Copies the text, so that the diagnostic outlives the reply.
    pub fn into_owned(self) -> OwnedDiagnostic {
        OwnedDiagnostic(match self.0 {
            Repr::Seed(seed) => OwnedRepr::Seed(seed.into_owned()),
            Repr::Strict(record) => OwnedRepr::Strict(Box::new(RecordCopy::new(&record.resolve()))),
            Repr::Copied(copy) => OwnedRepr::Strict(Box::new(copy.clone())),
        })
    }

    /// What of a diagnostic is compared.
    fn key(&self) -> (DiagnosticCode, Span, Severity, Option<&'static str>) {
        (self.code(), self.span(), self.severity(), self.reason())
    }
}

/// Two diagnostics are equal if they say the same about the same span.
impl PartialEq for Diagnostic<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Seed(one), Repr::Seed(two)) => one == two,
            _ => self.key() == other.key() && self.to_string() == other.to_string(),
        }
    }
}

impl Eq for Diagnostic<'_> {}

impl core::hash::Hash for Diagnostic<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Seed(seed) => seed.hash(state),
            _ => self.key().hash(state),
        }
    }
}

impl fmt::Debug for Diagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Seed(seed) => seed.fmt(f),
            _ => f
                .debug_struct("Diagnostic")
                .field("code", &self.code())
                .field("span", &self.span())
                .field("line", &self.to_string())
                .finish(),
        }
    }
}

impl fmt::Display for Diagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Seed(seed) => {
                let (before, quote, after) = seed.parts();
                f.write_str(before)?;
                quote.fmt(f)?;
                after.fmt(f)
            }
            Repr::Strict(record) => record.resolve().fmt(f),
            Repr::Copied(copy) => {
                let (before, quote, after) = &copy.line;
                [before, quote, after].into_iter().try_for_each(|part| f.write_str(part))
            }
        }
    }
}

impl<'a> SeedDiagnostic<'a> {
    fn tag_name(&self) -> Option<Name<'a>> {
        match (self.rule.line().quotes, self.facts) {
            (Quotes::Name, _) => Some(Name::upper(self.subject)),
            (Quotes::Text, Facts::Tag(name)) => Some(name),
            (Quotes::Text, _) => None,
        }
    }

    /// The line in three parts: before the quote, the quote, and after it.
    fn parts(&self) -> (&'static str, Quote<'a>, After<'a>) {
        let line = self.rule.line();
        let quote = match line.quotes {
            Quotes::Name => Quote::Name(Name::upper(self.subject)),
            Quotes::Text => Quote::Text(self.subject),
        };
        (line.before, quote, After { text: line.after, facts: self.facts })
    }

    fn into_owned(self) -> OwnedSeedDiagnostic {
        let facts = match self.facts {
            Facts::Max(max) => OwnedFacts::Max(max),
            Facts::Tag(name) => OwnedFacts::Tag(name.as_written().into()),
            Facts::RoleMode { role, mode } => OwnedFacts::RoleMode { role: role.into(), mode: mode.into() },
        };
        OwnedSeedDiagnostic { rule: self.rule, span: self.span, subject: self.subject.into(), facts }
    }
}

/// `text`, or its first and last `len` characters if it is longer than both.
pub(crate) fn both_ends(text: &str, len: usize) -> String {
    let head = text.char_indices().nth(len).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().nth_back(len).map_or(0, |(at, c)| at + c.len_utf8());
    if head < tail { format!("{}…{}", &text[..head], &text[tail..]) } else { text.into() }
}

/// Whether something was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Something was refused, or dropped.
    Error,
    /// Everything was kept.
    Warning,
}

impl Severity {
    /// Returns `error` or `warning`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
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

/// The name of a tag, or of a region. Prints in upper case, however the model wrote it, in the seed's dialect; in the strict one as it is
/// declared.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    name: &'a str,
    keeps_case: bool,
}

impl<'a> Name<'a> {
    /// A name that prints in upper case.
    pub(crate) const fn upper(name: &'a str) -> Self {
        Name { name, keeps_case: false }
    }

    /// A name that prints as it is.
    pub(crate) const fn exact(name: &'a str) -> Self {
        Name { name, keeps_case: true }
    }

    /// The name as the model wrote it, or as the protocol declares it.
    pub fn as_written(&self) -> &'a str {
        self.name
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.keeps_case {
            return f.write_str(self.name);
        }
        self.name.bytes().try_for_each(|byte| f.write_char(byte.to_ascii_uppercase().into()))
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        self == other.name
    }
}

impl Eq for Name<'_> {}

impl PartialEq<str> for Name<'_> {
    fn eq(&self, other: &str) -> bool {
        self.name.eq_ignore_ascii_case(other)
    }
}

impl PartialEq<&str> for Name<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl core::hash::Hash for Name<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.name.bytes().for_each(|byte| state.write_u8(byte.to_ascii_uppercase()));
        state.write_u8(0xFF);
    }
}

/// A [`Diagnostic`] with copies of its text. Read it with [`OwnedDiagnostic::as_diagnostic`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OwnedDiagnostic(OwnedRepr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum OwnedRepr {
    Seed(OwnedSeedDiagnostic),
    Strict(Box<RecordCopy>),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct OwnedSeedDiagnostic {
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
        match &self.0 {
            OwnedRepr::Seed(seed) => {
                let facts = match &seed.facts {
                    OwnedFacts::Max(max) => Facts::Max(*max),
                    OwnedFacts::Tag(name) => Facts::Tag(Name::upper(name)),
                    OwnedFacts::RoleMode { role, mode } => Facts::RoleMode { role, mode },
                };
                Diagnostic::new(seed.rule, seed.span, &seed.subject, facts)
            }
            OwnedRepr::Strict(copy) => Diagnostic(Repr::Copied(copy)),
        }
    }

    /// The kind of mistake.
    pub fn code(&self) -> DiagnosticCode {
        self.as_diagnostic().code()
    }

    /// Whether something was refused, or all was kept.
    pub fn severity(&self) -> Severity {
        self.as_diagnostic().severity()
    }

    /// The name of the tag concerned, as [`Diagnostic::tag_name`] returns it.
    pub fn tag_name(&self) -> Option<Name<'_>> {
        self.as_diagnostic().tag_name()
    }

    /// The span of the reply concerned.
    pub fn span(&self) -> Span {
        self.as_diagnostic().span()
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
