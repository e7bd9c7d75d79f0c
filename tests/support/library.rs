//! Compares the library with the twin: the same protocols, event by event.

// No test file uses all of this.
#![allow(dead_code, unreachable_pub)]

use tagwire::{
    Budget, Diagnostic, Event, Grant, Limits, Parser, Pending, Policy, ProtocolBuf, ProtocolSpec, Tag, TagSpec,
};

use crate::support::twin::{Pairs, Twin, TwinEvent, TwinPending, TwinProtocol};

/// The twin's protocol, built as a host would build one at run time.
pub fn protocol_buf(twin: &TwinProtocol) -> ProtocolBuf {
    let tags: Vec<TagSpec<'_>> = twin
        .tags
        .iter()
        .map(|tag| {
            let spec = if tag.has_body { TagSpec::with_body(&tag.name) } else { TagSpec::new(&tag.name) };
            match &tag.budget {
                Some(budget) => spec.budget(budget),
                None => spec,
            }
        })
        .collect();
    let budgets: Vec<Budget<'_>> = twin.budgets.iter().map(|(name, max)| Budget::new(name, *max)).collect();
    let names: Vec<Vec<&str>> =
        twin.grants.iter().map(|grant| grant.names.iter().map(String::as_str).collect()).collect();
    let grants: Vec<Grant<'_>> =
        twin.grants.iter().zip(&names).map(|(grant, names)| Grant::new(&grant.role, &grant.mode, names)).collect();
    let spec = ProtocolSpec::seed("twin", &tags).budgets(&budgets).grants(&grants);
    let spec = if grants.is_empty() { spec.open() } else { spec };
    ProtocolBuf::new(&spec).expect("a valid protocol")
}

/// The library's reader with the twin's role, mode and limit.
#[track_caller]
pub fn policy_of<'p>(protocol: &'p ProtocolBuf, twin: &Twin) -> Policy<'p> {
    let policy = protocol.as_protocol().policy(&twin.role, &twin.mode);
    let limits = Limits::default().with_max_tag_bytes(twin.max_tag_bytes);
    policy.expect("a known role and mode").with_limits(limits)
}

/// An event in the twin's form.
#[track_caller]
pub fn event(event: &Event<'_>) -> TwinEvent {
    match event {
        Event::Prose { span, .. } => TwinEvent::Prose(span.range()),
        Event::Tag(tag) => TwinEvent::Tag {
            name: tag.name().to_owned(),
            attrs: pairs(*tag),
            body: tag.body().to_owned(),
            raw: tag.raw().to_owned(),
            span: tag.span().range(),
        },
        Event::Dropped { span, .. } => TwinEvent::Dropped(span.range()),
        Event::Diagnostic(diagnostic) => TwinEvent::Diagnostic {
            code: diagnostic.code().as_str(),
            tag: diagnostic.tag_name().map(|name| name.to_string()),
            span: diagnostic.span().range(),
            message: diagnostic.to_string(),
        },
        other => panic!("the twin knows no {other:?}"),
    }
}

pub fn pairs(tag: Tag<'_>) -> Pairs {
    let attrs = tag.attrs();
    attrs.iter().map(|(key, value)| (key.to_owned(), value.to_string())).collect()
}

/// The pending text in the twin's form.
#[track_caller]
pub fn pending(pending: &Pending<'_>) -> TwinPending {
    match pending {
        Pending::Token { text, start, .. } => TwinPending::Token { text: (*text).to_owned(), start: *start },
        Pending::Open(open) => TwinPending::Open {
            name: open.name().to_owned(),
            attrs: open.attrs().iter().map(|(key, value)| (key.to_owned(), value.to_string())).collect(),
            body: open.body().to_owned(),
            over_budget: open.is_over_budget(),
            start: open.start(),
        },
        Pending::Held { name, code, text, start, .. } => {
            TwinPending::Held { name: name.to_string(), code: code.as_str(), text: (*text).to_owned(), start: *start }
        }
        Pending::Dropped { start, .. } => TwinPending::TooLong { start: *start },
        other => panic!("the twin knows no {other:?}"),
    }
}

/// Compares events one by one with the expected list. Prose may come in pieces.
///
/// Allocates nothing, since there are millions of cuts to check.
pub struct Follower<'e> {
    text: &'e str,
    expected: &'e [TwinEvent],
    /// The next event of the list, and the number of bytes of its prose already seen.
    next: usize,
    prose_end: usize,
    cuts: &'e [usize],
}

impl<'e> Follower<'e> {
    /// `cuts` is only for the message of a failure.
    pub fn new(text: &'e str, expected: &'e [TwinEvent], cuts: &'e [usize]) -> Self {
        Self { text, expected, next: 0, prose_end: 0, cuts }
    }

    #[track_caller]
    pub fn take(&mut self, event: Event<'_>) {
        let fits = match (&event, self.expected.get(self.next)) {
            (Event::Prose { text, span }, Some(TwinEvent::Prose(whole))) => {
                let start = self.prose_end.max(whole.start);
                let fits = span.start == start
                    && span.end > start
                    && span.end <= whole.end
                    && *text == &self.text[span.range()];
                self.prose_end = span.end;
                if span.end < whole.end {
                    assert!(fits, "{}", self.story(&event));
                    return;
                }
                fits
            }
            (Event::Tag(tag), Some(expected)) => is_tag(*tag, expected),
            (Event::Dropped { span, .. }, Some(TwinEvent::Dropped(expected))) => span.range() == *expected,
            (Event::Diagnostic(diagnostic), Some(expected)) => is_diagnostic(diagnostic, expected),
            _ => false,
        };
        assert!(fits, "{}", self.story(&event));
        self.next += 1;
    }

    /// The events taken so far, with prose in one piece.
    pub fn taken(&self) -> Vec<TwinEvent> {
        let mut taken = self.expected[..self.next].to_vec();
        if let Some(TwinEvent::Prose(whole)) = self.expected.get(self.next)
            && self.prose_end > whole.start
        {
            taken.push(TwinEvent::Prose(whole.start..self.prose_end));
        }
        taken
    }

    /// Asserts that no event is missing.
    #[track_caller]
    pub fn end(self) {
        assert!(
            self.next == self.expected.len(),
            "{:?} cut at {:?}: after {} events nothing more came, but {:?} was expected",
            self.text,
            self.cuts,
            self.next,
            self.expected[self.next]
        );
    }

    fn story(&self, event: &Event<'_>) -> String {
        format!(
            "{:?} cut at {:?}: event {} is {event:?}, but {:?} was expected",
            self.text,
            self.cuts,
            self.next,
            self.expected.get(self.next)
        )
    }
}

/// Feeds the text to a parser, cut at these offsets (in order; a repeated one makes an empty piece), and expects the list.
#[track_caller]
pub fn assert_pieces(policy: &Policy<'_>, text: &str, cuts: &[usize], expected: &[TwinEvent]) {
    let mut parser = Parser::new(policy.clone());
    let mut follower = Follower::new(text, expected, cuts);
    let mut from = 0;
    for &to in cuts.iter().chain([&text.len()]) {
        for event in parser.feed(&text[from..to]) {
            follower.take(event);
        }
        from = to;
    }
    for event in parser.finish() {
        follower.take(event);
    }
    assert!(parser.is_finished());
    follower.end();
}

fn is_tag(tag: Tag<'_>, expected: &TwinEvent) -> bool {
    let TwinEvent::Tag { name, attrs, body, raw, span } = expected else {
        return false;
    };
    let expected = attrs.iter().map(|(key, value)| (&**key, value.as_str().into()));
    tag.name() == name
        && tag.attrs().iter().eq(expected)
        && tag.body() == body
        && tag.raw() == raw
        && tag.span().range() == *span
}

fn is_diagnostic(diagnostic: &Diagnostic<'_>, expected: &TwinEvent) -> bool {
    let TwinEvent::Diagnostic { code, tag, span, message } = expected else {
        return false;
    };
    diagnostic.code().as_str() == *code
        && diagnostic.tag_name().map(|name| name.to_string()) == *tag
        && diagnostic.span().range() == *span
        && diagnostic.to_string() == *message
}
