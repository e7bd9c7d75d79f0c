//! What a machine finds, in offsets of the reply, and how it becomes an [`Event`] with text.

use crate::attrs::AttrIndex;
use crate::attrs::strict::StrictAttrs;
use crate::diagnostic::raw as strict;
use crate::diagnostic::{Diagnostic, Facts, Name, Rule};
use crate::event::Event;
use crate::protocol::{Policy, Protocol, TagId};
use crate::scan::strict::RawTag;
use crate::span::Span;
use crate::tag::Tag;
use crate::window::Window;

/// One thing found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RawEvent {
    Prose(Span),
    Tag {
        id: TagId,
        span: Span,
        body: Span,
        attrs: AttrIndex<'static>,
    },
    Dropped(Span),
    Diagnostic(RawDiagnostic),
    /// A part of a region. `ends`: up to the end of its closing marker, or of the reply.
    Region {
        region: usize,
        span: Span,
        ends: bool,
    },
    /// A tag in the strict dialect.
    StrictTag(RawTag),
    /// A diagnostic of the strict dialect.
    StrictDiagnostic(strict::RawDiagnostic),
}

/// A mistake, before its text is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawDiagnostic {
    pub(crate) rule: Rule,
    /// What the mistake concerns.
    pub(crate) span: Span,
    pub(crate) subject: Subject,
    /// The limit or budget that was exceeded, if the rule has one.
    pub(crate) max: usize,
}

/// What the line of a diagnostic names or quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject {
    /// A tag of the protocol.
    Tag(TagId),
    /// Text of the reply, at this span.
    Text(Span),
    /// Text of the reply inside a tag of the protocol.
    TextIn(TagId, Span),
}

impl RawDiagnostic {
    #[inline(always)]
    pub(crate) fn new(rule: Rule, span: Span, subject: Subject) -> Self {
        RawDiagnostic { rule, span, subject, max: 0 }
    }
}

impl RawEvent {
    /// The offset of the first byte needed to turn this into an event, or `None` if none is.
    pub(crate) fn text_from(&self) -> Option<usize> {
        match self {
            RawEvent::Dropped(_) => None,
            RawEvent::Prose(span) | RawEvent::Tag { span, .. } | RawEvent::Region { span, .. } => Some(span.start),
            RawEvent::Diagnostic(RawDiagnostic { span, .. }) => Some(span.start),
            RawEvent::StrictTag(tag) => Some(tag.span.start),
            RawEvent::StrictDiagnostic(diagnostic) => diagnostic.text_from(),
        }
    }

    /// Looks up the text, and the names in `protocol`, which is that of the policy. The window must cover everything from [`RawEvent::text_from`] on.
    #[inline(always)]
    pub(crate) fn resolve<'a>(&self, policy: &Policy<'_>, protocol: Protocol<'a>, window: &Window<'a>) -> Event<'a> {
        match *self {
            RawEvent::Prose(span) => Event::Prose { text: window.text(span), span },
            RawEvent::Tag { id, span, body, attrs } => {
                Event::Tag(Tag::new(protocol.name_of(id), window.text(span), span.start, body, attrs))
            }
            RawEvent::Dropped(span) => Event::Dropped { span },
            RawEvent::Diagnostic(raw) => Event::Diagnostic(raw.to_diagnostic(policy, protocol, window)),
            RawEvent::Region { region, span, ends } => region_event(protocol, region, window.text(span), span, ends),
            RawEvent::StrictTag(ref raw) => Event::Tag(strict_tag(raw, protocol, window)),
            RawEvent::StrictDiagnostic(ref raw) => Event::Diagnostic(strict_diagnostic(raw, policy, protocol, window)),
        }
    }
}

// Out of line, so that the seed's events, which are turned where they are found, stay small.
#[inline(never)]
fn region_event<'a>(protocol: Protocol<'a>, region: usize, text: &'a str, span: Span, ends: bool) -> Event<'a> {
    Event::Region { name: protocol.regions().nth(region).map_or("", |region| region.name()), text, span, is_last: ends }
}

#[inline(never)]
fn strict_diagnostic<'a>(
    raw: &strict::RawDiagnostic,
    policy: &Policy<'_>,
    protocol: Protocol<'a>,
    window: &Window<'a>,
) -> Diagnostic<'a> {
    Diagnostic::of_record(raw.to_record(policy, protocol, window))
}

/// A tag in the strict dialect, with its text.
#[inline(never)]
pub(crate) fn strict_tag<'a>(raw: &RawTag, protocol: Protocol<'a>, window: &Window<'a>) -> Tag<'a> {
    let RawTag { id, span, body, argument, attrs } = *raw;
    let argument = argument.map(|argument| argument.start - span.start..argument.end - span.start);
    let attrs = StrictAttrs::new(protocol, id, argument, attrs - span.start);
    Tag::new(protocol.name_of(id), window.text(span), span.start, body, AttrIndex::Strict(attrs))
}

impl RawDiagnostic {
    #[inline(always)]
    fn to_diagnostic<'a>(self, policy: &Policy<'_>, protocol: Protocol<'a>, window: &Window<'a>) -> Diagnostic<'a> {
        let RawDiagnostic { rule, span, subject, max } = self;
        let (subject, mut facts) = match subject {
            Subject::Tag(id) => (protocol.name_of(id), Facts::Max(max)),
            Subject::Text(text) => (window.text(text), Facts::Max(max)),
            Subject::TextIn(id, text) => (window.text(text), Facts::Tag(Name::upper(protocol.name_of(id)))),
        };
        if rule == Rule::NotAllowed {
            // Only a protocol with roles refuses anything.
            let role = policy.role_in(protocol).unwrap_or_default();
            let mode = policy.mode_in(protocol).unwrap_or_default();
            facts = Facts::RoleMode { role, mode };
        }
        Diagnostic::new(rule, span, subject, facts)
    }
}

/// Takes what is found, in order.
pub(crate) trait Sink {
    fn emit(&mut self, event: RawEvent);

    /// Whether enough is waiting that the machine should pause.
    fn is_full(&self) -> bool;

    #[inline(always)]
    fn report(&mut self, rule: Rule, span: Span, subject: Subject) {
        self.emit(RawEvent::Diagnostic(RawDiagnostic::new(rule, span, subject)));
    }
}
