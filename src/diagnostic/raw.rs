//! A diagnostic of the strict dialect as the machine reports it: facts and spans, no text.

use super::{DiagnosticCode, Severity};
use crate::protocol::TagId;
use crate::span::Span;

/// A diagnostic, as data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawDiagnostic {
    pub(crate) code: DiagnosticCode,
    pub(crate) severity: Severity,
    pub(crate) subject: Subject,
    pub(crate) span: Span,
    pub(crate) reason: Option<Reason>,
    pub(crate) attribute: Option<Attribute>,
    /// What was written where a variant's selector is due.
    pub(crate) selector: Option<Span>,
    /// What its line quotes, besides names.
    pub(crate) quote: Option<Span>,
    /// The tag has a body, and what follows, up to its close, was not read.
    pub(crate) drops_body: bool,
    /// A tag of the same word was given before.
    pub(crate) follows_tag: bool,
}

impl RawDiagnostic {
    pub(crate) const fn new(code: DiagnosticCode, subject: Subject, span: Span) -> Self {
        RawDiagnostic {
            code,
            severity: Severity::Error,
            subject,
            span,
            reason: None,
            attribute: None,
            selector: None,
            quote: None,
            drops_body: false,
            follows_tag: false,
        }
    }

    pub(crate) const fn warning(self) -> Self {
        RawDiagnostic { severity: Severity::Warning, ..self }
    }

    pub(crate) const fn reason(self, reason: Reason) -> Self {
        RawDiagnostic { reason: Some(reason), ..self }
    }

    pub(crate) const fn quote(self, quote: Span) -> Self {
        RawDiagnostic { quote: Some(quote), ..self }
    }

    pub(crate) const fn attribute(self, attribute: Attribute) -> Self {
        RawDiagnostic { attribute: Some(attribute), ..self }
    }
}

/// What a diagnostic is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    /// A tag of the protocol; a variant by its own name.
    Tag(TagId),
    /// A word of the protocol, by its first tag.
    Word(TagId),
    /// An unknown word, as it is written.
    Written(Span),
    Region(usize),
}

/// The attribute of a diagnostic.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attribute {
    /// A declared one, by its position.
    Declared(usize),
    /// The mark of the tag's close.
    Until,
    /// The one that selects a variant.
    Selector,
    /// Any other, by its key.
    Written(Span),
}

/// Why something was refused, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reason {
    Token(TokenFault),
    /// A value that is not of its attribute's type.
    Type,
    Range,
    Enum,
    /// A plain value where one in quotes is due.
    UnquotedValue,
    Body(BodyFault),
    /// An open body that has a mark.
    Until,
    /// An open body: its close stood before a quote.
    Quoted,
    NoClose,
    Fence,
    Inline,
    Quote,
    Tags,
    Diagnostics,
}

/// Why a token is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TokenFault {
    TooLong,
    UnclosedQuote,
    CutOff,
    Invisible,
    SmartQuote,
    UnquotedValue,
    NoArgument,
    UnexpectedArgument,
    Comma,
    InnerQuote,
    NoValue,
    Unexpected,
}

/// What is wrong with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum BodyFault {
    NotJson,
    TooDeep,
    NoBlock,
    BlankOld,
    Outside,
    Order,
    NoEnd,
    Repeated,
    Missing,
}

impl Reason {
    /// Its word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Reason::Token(fault) => match fault {
                TokenFault::TooLong => "too-long",
                TokenFault::UnclosedQuote => "unclosed-quote",
                TokenFault::CutOff => "cut-off",
                TokenFault::Invisible => "invisible",
                TokenFault::SmartQuote => "smart-quote",
                TokenFault::UnquotedValue => "unquoted-value",
                TokenFault::NoArgument => "no-argument",
                TokenFault::UnexpectedArgument => "unexpected-argument",
                TokenFault::Comma => "comma",
                TokenFault::InnerQuote => "inner-quote",
                TokenFault::NoValue => "no-value",
                TokenFault::Unexpected => "unexpected",
            },
            Reason::Type => "type",
            Reason::Range => "range",
            Reason::Enum => "enum",
            Reason::UnquotedValue => "unquoted-value",
            Reason::Body(fault) => match fault {
                BodyFault::NotJson => "not-json",
                BodyFault::TooDeep => "too-deep",
                BodyFault::NoBlock => "no-block",
                BodyFault::BlankOld => "blank-old",
                BodyFault::Outside => "outside",
                BodyFault::Order => "order",
                BodyFault::NoEnd => "no-end",
                BodyFault::Repeated => "repeated",
                BodyFault::Missing => "missing",
            },
            Reason::Until => "until",
            Reason::Quoted => "quoted",
            Reason::NoClose => "no-close",
            Reason::Fence => "fence",
            Reason::Inline => "inline",
            Reason::Quote => "quote",
            Reason::Tags => "tags",
            Reason::Diagnostics => "diagnostics",
        }
    }
}

impl RawDiagnostic {
    /// The first byte needed to look up its text, or `None`.
    pub(crate) fn text_from(&self) -> Option<usize> {
        let subject = match self.subject {
            Subject::Written(span) => Some(span),
            _ => None,
        };
        let key = match self.attribute {
            Some(Attribute::Written(span)) => Some(span),
            _ => None,
        };
        // A selector is read with the quote before it.
        let selector = self.selector.map(|span| Span::new(span.start - 1, span.end));
        let spans = [subject, key, selector, self.quote];
        spans.into_iter().flatten().map(|span| span.start).min()
    }
}
