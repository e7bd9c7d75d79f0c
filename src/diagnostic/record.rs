//! A diagnostic of the strict dialect as it is kept: small and `Copy` while it borrows the reply, and copied.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::strict::StrictDiagnostic;
use super::{DiagnosticCode, Severity};
use crate::attrs::Quote;
use crate::diagnostic::raw::{Attribute, RawDiagnostic, Reason, Subject};
use crate::protocol::{Grantee, Policy, Protocol, TagId};
use crate::span::Span;
use crate::window::Window;

/// All that a diagnostic is made of. What follows from it is looked up when it is asked for.
// Packed into 88 bytes to keep `Diagnostic` within 96. A protocol has at most a few hundred of what is counted here in 16 bits.
#[derive(Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(super) protocol: Protocol<'a>,
    pub(super) grantee: Grantee,
    pub(super) span: Span,
    /// The word or the key as it is written, where `subject` or `attribute` is not declared.
    pub(super) written: &'a str,
    /// What the line quotes of the reply.
    pub(super) quote: &'a str,
    /// The quote around what is quoted, if that is the selector of a variant.
    pub(super) selector_quote: Option<Quote>,
    pub(super) subject: RecordSubject,
    pub(super) attribute: RecordAttribute,
    pub(super) code: DiagnosticCode,
    pub(super) severity: Severity,
    pub(super) reason: Option<Reason>,
    pub(super) drops_body: bool,
    pub(super) follows_tag: bool,
}

/// What a diagnostic concerns; an unknown word is `written` in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordSubject {
    Tag(TagId),
    /// A word of the protocol, by its first tag.
    Word(TagId),
    Written,
    Region(u16),
}

/// The attribute of a diagnostic; an unknown one is `written` in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordAttribute {
    None,
    Declared(u16),
    Until,
    Selector,
    Written,
}

impl RawDiagnostic {
    /// Looks up the text. The window must cover everything from [`RawDiagnostic::text_from`] on; `protocol` is that of the policy.
    pub(crate) fn to_record<'a>(self, policy: &Policy<'_>, protocol: Protocol<'a>, window: &Window<'a>) -> Record<'a> {
        let mut written = "";
        let subject = match self.subject {
            Subject::Tag(id) => RecordSubject::Tag(id),
            Subject::Word(first) => RecordSubject::Word(first),
            Subject::Region(region) => RecordSubject::Region(region as u16),
            Subject::Written(word) => {
                written = window.text(word);
                RecordSubject::Written
            }
        };
        let attribute = match self.attribute {
            None => RecordAttribute::None,
            Some(Attribute::Declared(position)) => RecordAttribute::Declared(position as u16),
            Some(Attribute::Until) => RecordAttribute::Until,
            Some(Attribute::Selector) => RecordAttribute::Selector,
            // Only of a tag of the protocol are attributes looked at.
            Some(Attribute::Written(key)) => {
                written = window.text(key);
                RecordAttribute::Written
            }
        };
        Record {
            protocol,
            grantee: policy.grantee(),
            span: self.span,
            written,
            quote: self.quote.or(self.selector).map_or("", |quote| window.text(quote)),
            selector_quote: self.selector.and_then(|selector| Quote::of(window.byte(selector.start - 1)?)),
            subject,
            attribute,
            code: self.code,
            severity: self.severity,
            reason: self.reason,
            drops_body: self.drops_body,
            follows_tag: self.follows_tag,
        }
    }
}

/// A diagnostic with copies of its text and of the protocol's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RecordCopy {
    pub(super) code: DiagnosticCode,
    pub(super) severity: Severity,
    pub(super) span: Span,
    pub(super) reason: Option<Reason>,
    pub(super) tag: String,
    pub(super) attribute: Option<String>,
    pub(super) nearest: Vec<String>,
    pub(super) expected: Vec<String>,
    /// The line: before its quotation, the quotation, and after it.
    pub(super) line: (String, String, String),
}

impl RecordCopy {
    pub(super) fn new(diagnostic: &StrictDiagnostic<'_>) -> Self {
        RecordCopy {
            code: diagnostic.code,
            severity: diagnostic.severity,
            span: diagnostic.span,
            reason: diagnostic.reason,
            tag: diagnostic.tag.into(),
            attribute: diagnostic.attribute.map(Into::into),
            nearest: diagnostic.into_nearest().map(|name| name.to_string()).collect(),
            expected: diagnostic.expected().map(|value| value.to_string()).collect(),
            line: diagnostic.parts(),
        }
    }
}
