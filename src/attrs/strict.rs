//! The attributes of a tag in the strict dialect: read again from the text of the tag, with declared names and canonical values.
//!
//! The machine has checked all of it when a tag is given: what is read here is well-formed.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::value::{AttrValue, Quote};
use crate::charset::{is_key_byte, is_plain_byte, is_space};
use crate::protocol::{Body, Protocol, Select, TagId, TagSpec};

/// Where the attributes of a tag are, in bytes from its start, and what declares them.
// Packed into 32 bytes to keep `Tag` within 96. A token is shorter than 4 GiB, whatever its protocol says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StrictAttrs<'a> {
    protocol: Protocol<'a>,
    id: TagId,
    /// Without its quotes; both 0 if there is none.
    argument: (u32, u32),
    /// After the word or the argument.
    start: u32,
}

impl<'a> StrictAttrs<'a> {
    /// `argument` and `start` are in bytes from the start of the tag, both less than 4 GiB.
    pub(crate) fn new(protocol: Protocol<'a>, id: TagId, argument: Option<Range<usize>>, start: usize) -> Self {
        let argument = argument.map_or((0, 0), |argument| (argument.start as u32, argument.end as u32));
        StrictAttrs { protocol, id, argument, start: start as u32 }
    }

    pub(crate) fn tag(&self) -> TagSpec<'a> {
        self.protocol.tag(self.id)
    }

    /// The argument of the tag whose text is `text`, as it is written.
    pub(crate) fn argument(&self, text: &'a str) -> Option<AttrValue<'a>> {
        self.raw_argument(text).map(|raw| raw.value())
    }

    /// The declared default of the attribute `key`, in canonical form.
    pub(super) fn default_of(&self, key: &str) -> Option<AttrValue<'a>> {
        self.defaults().find(|(name, _)| *name == key).map(|(_, default)| AttrValue::without_escapes(default))
    }

    /// The names and canonical defaults of the attributes that have one.
    fn defaults(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.tag().attribute_specs().filter_map(|spec| {
            let default = spec.default_text()?;
            // A protocol is refused if a default is not of its attribute's type.
            let canonical = spec.check(default).ok()?;
            Some((spec.name(), spec.canonical_text(canonical, default)))
        })
    }

    pub(super) fn iter(&self, text: &'a str) -> StrictAttrsIter<'a> {
        let argument = self.raw_argument(text).filter(|_| self.tag().argument_name().is_some());
        StrictAttrsIter { attrs: *self, text, argument, pos: self.start as usize }
    }

    fn raw_argument(&self, text: &'a str) -> Option<Written<'a>> {
        let (start, end) = (self.argument.0 as usize, self.argument.1 as usize);
        // An argument stands after a colon at least.
        let quote = Quote::of(*text.as_bytes().get(start.checked_sub(1)?)?);
        Some(Written { text: &text[start..end], quote })
    }
}

/// A value without its quotes.
#[derive(Clone, Copy, Debug)]
struct Written<'a> {
    text: &'a str,
    quote: Option<Quote>,
}

impl<'a> Written<'a> {
    /// The quote, if escapes stand in it.
    fn escaped_in(&self) -> Option<Quote> {
        self.quote.filter(|quote| has_escapes(self.text, quote.byte()))
    }

    /// The value of an attribute that is not declared.
    fn value(&self) -> AttrValue<'a> {
        AttrValue::canonical(self.text, self.text, self.escaped_in())
    }

    /// The value of the attribute at this position.
    fn value_of(&self, tag: &TagSpec<'a>, position: usize) -> AttrValue<'a> {
        let spec = tag.attribute(position);
        let escaped_in = self.escaped_in();
        let resolved = value_text(self.text, escaped_in);
        let Ok(canonical) = spec.check(&resolved) else { return self.value() };
        // Without white space at its ends, a value has the escapes that it had: what is trimmed has none.
        let text = spec.canonical_text(canonical, self.text);
        AttrValue::canonical(self.text, text, escaped_in.filter(|_| canonical.keeps_text()))
    }
}

/// An iterator over the attributes of a tag. Linear in the length of its token.
#[derive(Clone, Debug)]
pub(crate) struct StrictAttrsIter<'a> {
    attrs: StrictAttrs<'a>,
    text: &'a str,
    /// The argument, if it is the value of an attribute and was not yielded.
    argument: Option<Written<'a>>,
    pos: usize,
}

impl<'a> StrictAttrsIter<'a> {
    /// Reads the next attribute as it is written.
    fn read(&mut self) -> Option<(&'a str, Written<'a>)> {
        let bytes = self.text.as_bytes();
        let key_start = skip_space(bytes, self.pos);
        let key_len = bytes[key_start..].iter().take_while(|&&byte| is_key_byte(byte)).count();
        if key_len == 0 {
            return None;
        }
        let key = &self.text[key_start..key_start + key_len];
        let sign = skip_space(bytes, key_start + key_len);
        let start = skip_space(bytes, sign + 1);
        let quote = Quote::of(bytes[start]);
        let text = match quote {
            Some(quote) => quoted(&self.text[start + 1..], quote),
            None => plain(&self.text[start..]),
        };
        self.pos = start + text.len() + if quote.is_some() { 2 } else { 0 };
        Some((key, Written { text, quote }))
    }
}

impl<'a> Iterator for StrictAttrsIter<'a> {
    type Item = (&'a str, AttrValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let tag = self.attrs.tag();
        if let Some(argument) = self.argument.take() {
            let name = tag.argument_name()?;
            return Some((name, argument.value_of(&tag, find_attribute(&tag, name)?)));
        }
        loop {
            let (key, written) = self.read()?;
            if let Some(position) = find_attribute(&tag, key) {
                return Some((tag.attribute(position).name(), written.value_of(&tag, position)));
            }
            match tag.selection() {
                Some(Select::Attribute(name)) if name.eq_ignore_ascii_case(key) => {
                    return Some((name, written.value()));
                }
                _ if tag.has_body() && key.eq_ignore_ascii_case("until") => {}
                _ => return Some((key, written.value())),
            }
        }
    }
}

/// The attributes of a tag, copied from its text and its protocol.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedAttrs {
    attrs: Vec<ResolvedAttr>,
    defaults: Vec<(String, String)>,
    argument: Option<Resolved>,
    body: Body,
    sections: Vec<String>,
}

#[derive(Clone, Debug)]
struct ResolvedAttr {
    name: String,
    value: Resolved,
}

/// A value: where it is written, in bytes from the start of the tag, and its canonical form.
#[derive(Clone, Debug)]
struct Resolved {
    written: Range<usize>,
    text: String,
}

impl Resolved {
    fn new(value: &AttrValue<'_>, tag_text: &str) -> Self {
        let written = value.as_written();
        let start = written.as_ptr() as usize - tag_text.as_ptr() as usize;
        Resolved { written: start..start + written.len(), text: value.text().into_owned() }
    }

    fn value<'a>(&'a self, tag_text: &'a str) -> AttrValue<'a> {
        AttrValue::canonical(&tag_text[self.written.clone()], &self.text, None)
    }
}

impl ResolvedAttrs {
    pub(crate) fn new(attrs: &StrictAttrs<'_>, text: &str) -> Self {
        let tag = attrs.tag();
        let resolved = attrs
            .iter(text)
            .map(|(name, value)| ResolvedAttr { name: name.into(), value: Resolved::new(&value, text) });
        ResolvedAttrs {
            attrs: resolved.collect(),
            defaults: attrs.defaults().map(|(name, default)| (name.into(), default.into())).collect(),
            argument: attrs.argument(text).map(|value| Resolved::new(&value, text)),
            body: tag.body_kind(),
            sections: tag.section_specs().map(|section| section.name().into()).collect(),
        }
    }

    pub(crate) fn argument<'a>(&'a self, text: &'a str) -> Option<AttrValue<'a>> {
        self.argument.as_ref().map(|argument| argument.value(text))
    }

    pub(crate) fn body_kind(&self) -> Body {
        self.body
    }

    pub(crate) fn section_names(&self) -> &[String] {
        &self.sections
    }

    /// The declared default of the attribute `key`, in canonical form.
    pub(super) fn default_of(&self, key: &str) -> Option<AttrValue<'_>> {
        let default = self.defaults.iter().find(|(name, _)| name == key);
        default.map(|(_, default)| AttrValue::without_escapes(default))
    }

    pub(super) fn iter<'a>(&'a self, text: &'a str) -> ResolvedAttrsIter<'a> {
        ResolvedAttrsIter { attrs: self.attrs.iter(), text }
    }
}

/// An iterator over copied attributes.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedAttrsIter<'a> {
    attrs: core::slice::Iter<'a, ResolvedAttr>,
    text: &'a str,
}

impl<'a> Iterator for ResolvedAttrsIter<'a> {
    type Item = (&'a str, AttrValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.attrs.next().map(|attr| (&*attr.name, attr.value.value(self.text)))
    }
}

/// The position of the attribute that `key` is a name or an alias of, in any ASCII case.
fn find_attribute(tag: &TagSpec<'_>, key: &str) -> Option<usize> {
    tag.attribute_specs().position(|spec| {
        spec.name().eq_ignore_ascii_case(key) || spec.alias_names().any(|alias| alias.eq_ignore_ascii_case(key))
    })
}

/// Whether a run of backslashes stands before a quote, or at the end, of a value in quotes.
pub(crate) fn has_escapes(raw: &str, quote: u8) -> bool {
    let bytes = raw.as_bytes();
    memchr::memchr_iter(b'\\', bytes).any(|at| bytes.get(at + 1).is_none_or(|&next| next == quote))
}

/// Calls `push` with the parts of a value in quotes, without its escapes.
pub(crate) fn unescape(raw: &str, quote: u8, mut push: impl FnMut(&str)) {
    let bytes = raw.as_bytes();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let start = at + found;
        let run = bytes[start..].iter().take_while(|&&byte| byte == b'\\').count();
        at = start + run;
        if bytes.get(at).is_none_or(|&next| next == quote) {
            push(&raw[from..start + run / 2]);
            from = at;
        }
    }
    push(&raw[from..]);
}

/// A value in quotes, without its escapes.
pub(super) fn unescaped(raw: &str, quote: Quote) -> String {
    let mut text = String::with_capacity(raw.len());
    unescape(raw, quote.byte(), |part| text.push_str(part));
    text
}

/// A value without its quotes as it is meant: without its escapes, if it stands in quotes and has any.
pub(crate) fn value_text(raw: &str, quote: Option<Quote>) -> Cow<'_, str> {
    match quote.filter(|quote| has_escapes(raw, quote.byte())) {
        None => Cow::Borrowed(raw),
        Some(quote) => Cow::Owned(unescaped(raw, quote)),
    }
}

/// The text up to the quote that closes it.
fn quoted(text: &str, quote: Quote) -> &str {
    let bytes = text.as_bytes();
    let closes = |&at: &usize| bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 0;
    let end = memchr::memchr_iter(quote.byte(), bytes).find(closes);
    &text[..end.unwrap_or(text.len())]
}

/// The plain value that `text` begins with.
fn plain(text: &str) -> &str {
    &text[..text.bytes().take_while(|&byte| is_plain_byte(byte)).count()]
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&byte| is_space(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_before_the_quote_are_halved_and_others_are_literal() {
        let cases = [
            (r"a", r"a"),
            (r"C:\new\*.txt", r"C:\new\*.txt"),
            (r"\\srv\x", r"\\srv\x"),
            (r#"say \"hi\""#, r#"say "hi""#),
            (r#"a\\\"b"#, r#"a\"b"#),
            (r"C:\\", r"C:\"),
            (r"\\\\", r"\\"),
            (r"it\'s", r"it\'s"),
        ];
        for (raw, meant) in cases {
            let text = value_text(raw, Some(Quote::Double));
            assert_eq!(text, meant, "{raw}");
            assert_eq!(matches!(text, Cow::Borrowed(_)), raw == meant, "{raw} is copied only if it has escapes");
            assert_eq!(value_text(raw, None), raw, "what is not in quotes has no escapes");
        }
    }
}
