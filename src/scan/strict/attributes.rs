//! The attributes of a tag, which are checked once its token is complete. `attrs/strict.rs` reads them again on demand.

use crate::attrs::strict::{has_escapes, unescape};
use crate::diagnostic::DiagnosticCode;
use crate::protocol::{AttrType, InvalidValue, Policy, Select, TagId, UnknownAttributes};
use crate::scan::{Input, Sink, Window};
use crate::span::Span;
use crate::storage::{List, Storage};

use super::close::is_mark;
use super::token::UNTIL;
use super::{Machine, State};
use crate::charset::is_space;
use crate::diagnostic::raw::{Attribute, RawDiagnostic, Reason, Subject};

/// An attribute as it is written. Offsets in the reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawAttr {
    pub(super) key: Span,
    /// Without its quotes.
    pub(super) value: Span,
    pub(super) is_plain: bool,
}

impl RawAttr {
    /// Key and value, with its quotes.
    pub(super) fn span(&self) -> Span {
        Span::new(self.key.start, self.value.end + usize::from(!self.is_plain))
    }
}

/// How far the attributes of a complete token are checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub(super) id: TagId,
    /// The next one that is written.
    next: usize,
    /// The next one that is declared, and may be missing.
    next_declared: usize,
    is_refused: bool,
}

impl Check {
    pub(super) const fn new(id: TagId) -> Self {
        Check { id, next: 0, next_declared: 0, is_refused: false }
    }
}

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Declared(usize),
    Selector,
    Until,
    Unknown,
}

fn key_of(policy: &Policy<'_>, id: TagId, key: &[u8]) -> Key {
    if let Some(position) = policy.find_attribute(id, key) {
        return Key::Declared(position);
    }
    match policy.protocol().tag(id).selection() {
        Some(Select::Attribute(name)) if name.as_bytes().eq_ignore_ascii_case(key) => Key::Selector,
        _ if policy.has_body(id) && key.eq_ignore_ascii_case(UNTIL) => Key::Until,
        _ => Key::Unknown,
    }
}

/// An attribute, or an argument that is the value of one.
#[derive(Clone, Copy)]
struct Written {
    key: Key,
    key_span: Span,
    value: Span,
    is_plain: bool,
    span: Span,
}

impl<S: Storage> Machine<S> {
    /// Says the next fault of the attributes, or goes on with the tag where there is none.
    pub(super) fn check(&mut self, input: &Input<'_, '_, '_>, mut check: Check, sink: &mut impl Sink) -> bool {
        let id = check.id;
        let tag = input.policy.protocol().tag(id);
        while let Some(written) = self.written(input, id, check.next) {
            let fault = self.fault_of(input, id, check.next, &written);
            self.keys.push(written.key);
            check.next += 1;
            if let Some((code, reason)) = fault {
                let is_warning =
                    code == DiagnosticCode::UnknownAttribute && tag.unknown_attribute_rule() == UnknownAttributes::Warn;
                check.is_refused |= !is_warning;
                let attribute = match written.key {
                    Key::Declared(position) => Attribute::Declared(position),
                    Key::Selector => Attribute::Selector,
                    Key::Until => Attribute::Until,
                    Key::Unknown => Attribute::Written(written.key_span),
                };
                let mut diagnostic = RawDiagnostic::new(code, Subject::Tag(id), written.span);
                diagnostic = diagnostic.attribute(attribute).quote(written.span);
                diagnostic.reason = reason;
                let diagnostic = if is_warning { diagnostic.warning() } else { self.refusing(input, id, diagnostic) };
                self.say(diagnostic, sink);
                self.state = State::Check(check);
                return true;
            }
        }
        for (position, spec) in tag.attribute_specs().enumerate().skip(check.next_declared) {
            check.next_declared = position + 1;
            if !spec.is_required() {
                continue;
            }
            let first = self.keys.iter().position(|&key| key == Key::Declared(position));
            let first = first.and_then(|i| self.written(input, id, i));
            let span = match first {
                Some(written) if is_blank_text(input.window.bytes(written.value)) => written.span,
                Some(_) => continue,
                None => Span::new(self.token.start, self.token.pos),
            };
            check.is_refused = true;
            let mut diagnostic = RawDiagnostic::new(DiagnosticCode::MissingAttribute, Subject::Tag(id), span);
            diagnostic.quote = first.map(|written| written.span);
            let diagnostic = self.refusing(input, id, diagnostic.attribute(Attribute::Declared(position)));
            self.say(diagnostic, sink);
            self.state = State::Check(check);
            return true;
        }
        if check.is_refused { self.refuse(input, Some(id), sink) } else { self.accept(input, id, sink) }
    }

    /// The argument, where it is an attribute, and then the attributes.
    fn written(&self, input: &Input<'_, '_, '_>, id: TagId, i: usize) -> Option<Written> {
        let policy = input.policy;
        let argument = self.token.argument.zip(policy.argument(id));
        if i == 0
            && let Some((argument, position)) = argument
        {
            let key = Key::Declared(position);
            let (value, span) = (argument.value, argument.span());
            return Some(Written { key, key_span: Span::NONE, value, is_plain: false, span });
        }
        let attr = self.attrs.get(i - usize::from(argument.is_some()))?;
        let key = key_of(policy, id, input.window.bytes(attr.key));
        Some(Written { key, key_span: attr.key, value: attr.value, is_plain: attr.is_plain, span: attr.span() })
    }

    /// The first thing that is wrong with what is written at `i`.
    fn fault_of(
        &mut self,
        input: &Input<'_, '_, '_>,
        id: TagId,
        i: usize,
        written: &Written,
    ) -> Option<(DiagnosticCode, Option<Reason>)> {
        let window = &input.window;
        let is_same = |(j, &other): (usize, &Key)| {
            other == written.key
                && (other != Key::Unknown
                    || self.written(input, id, j).is_some_and(|other| {
                        window.bytes(other.key_span).eq_ignore_ascii_case(window.bytes(written.key_span))
                    }))
        };
        count_work!(i);
        if self.keys.iter().enumerate().any(is_same) {
            return Some((DiagnosticCode::RepeatedAttribute, None));
        }
        let tag = input.policy.protocol().tag(id);
        let invalid = |reason| Some((DiagnosticCode::InvalidAttribute, Some(reason)));
        match written.key {
            Key::Unknown if tag.unknown_attribute_rule() == UnknownAttributes::Keep => None,
            Key::Unknown => Some((DiagnosticCode::UnknownAttribute, None)),
            Key::Selector => None,
            Key::Until => {
                if is_mark(window.bytes(written.value)) {
                    None
                } else {
                    invalid(Reason::Type)
                }
            }
            Key::Declared(position) => {
                let spec = tag.attribute(position);
                if spec.is_required() && is_blank_text(window.bytes(written.value)) {
                    return None;
                }
                if matches!(spec.kind(), AttrType::String | AttrType::Path) && written.is_plain {
                    return invalid(Reason::UnquotedValue);
                }
                if matches!(spec.kind(), AttrType::String) {
                    return None;
                }
                let value = self.resolved(window, written.value);
                match spec.check(value) {
                    Ok(_) => None,
                    Err(InvalidValue::Type) => invalid(Reason::Type),
                    Err(InvalidValue::Range) => invalid(Reason::Range),
                    Err(InvalidValue::Enum) => invalid(Reason::Enum),
                }
            }
        }
    }

    /// A value without its escapes.
    fn resolved<'t>(&'t mut self, window: &Window<'t>, value: Span) -> &'t str {
        let raw = window.text(value);
        let Some(quote) = quote_before(window, value).filter(|&quote| has_escapes(raw, quote)) else { return raw };
        self.scratch.clear();
        unescape(raw, quote, |part| part.bytes().for_each(|byte| self.scratch.push(byte)));
        core::str::from_utf8(&self.scratch).unwrap_or_default()
    }

    /// What selects a variant, as it is written; none if it was not read whole before the token's fault.
    pub(super) fn selector(&self, input: &Input<'_, '_, '_>, first: TagId) -> Option<Span> {
        let stop = self.token.stop();
        match input.policy.protocol().tag(first).selection()? {
            Select::Argument => self.token.argument.filter(|it| it.span().end <= stop).map(|it| it.value),
            Select::Attribute(name) => {
                let is_selector = |attr: &&RawAttr| {
                    input.window.bytes(attr.key).eq_ignore_ascii_case(name.as_bytes()) && attr.span().end <= stop
                };
                self.attrs.iter().find(is_selector).map(|attr| attr.value)
            }
        }
    }

    /// The tag that the token is; of a word with variants the selected one.
    pub(super) fn selected(&self, input: &Input<'_, '_, '_>) -> Option<TagId> {
        let first = self.token.word_id?;
        let protocol = input.policy.protocol();
        if protocol.tag(first).selection().is_none() {
            return Some(first);
        }
        // A selector is a mark, which needs no escapes.
        let written = input.window.text(self.selector(input, first)?);
        input.policy.entries_of(first).find(|&id| protocol.tag(id).selector() == Some(written))
    }
}

fn is_blank_text(text: &[u8]) -> bool {
    text.iter().all(|&byte| is_space(byte))
}

/// The quote that stands before a value. What is not in quotes has no escapes.
fn quote_before(window: &Window<'_>, value: Span) -> Option<u8> {
    window.byte(value.start - 1).filter(|byte| matches!(byte, b'"' | b'\''))
}
