//! A tag of a reply.

use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::attrs::{AttrIndex, AttrValue, Attrs};
use crate::span::Span;
use crate::whitespace::trim;

/// A tag: a token with its body, both as they were written.
///
/// Two tags are equal if the same text stands at the same offset of their replies and was read in the same way.
#[derive(Clone, Copy)]
pub struct Tag<'a> {
    name: &'a str,
    raw: &'a str,
    start: usize,
    /// In bytes from the start of the tag.
    body: Span,
    attrs: AttrIndex,
}

impl<'a> Tag<'a> {
    /// Creates a tag that begins at `start`. `body` counts from the start of the reply.
    #[inline]
    pub(crate) fn new(name: &'a str, raw: &'a str, start: usize, body: Span, attrs: AttrIndex) -> Self {
        Tag { name, raw, start, body: Span::new(body.start - start, body.end - start), attrs }
    }

    /// The name as the protocol declares it.
    #[inline]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The attributes.
    #[inline]
    pub fn attrs(&self) -> Attrs<'a> {
        Attrs::new(self.raw, self.attrs)
    }

    /// The value of one attribute; the last one if the key is repeated.
    pub fn attr(&self, key: &str) -> Option<AttrValue<'a>> {
        self.attrs().get(key)
    }

    /// The value of one attribute without white space at both ends; empty if the attribute is absent.
    pub fn attr_trimmed(&self, key: &str) -> &'a str {
        self.attr(key).map(|value| trim(value.as_written())).unwrap_or_default()
    }

    /// The body: everything between the token and the close, as written. Empty if there is none.
    #[inline]
    pub fn body(&self) -> &'a str {
        &self.raw[self.body.range()]
    }

    /// The whole tag, from the start of the token to the end of the close.
    #[inline]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// The span of the tag in the reply.
    #[inline]
    pub fn span(&self) -> Span {
        Span::new(self.start, self.start + self.raw.len())
    }

    /// Copies the text, so that the tag outlives the reply.
    pub fn into_owned(self) -> OwnedTag {
        let Tag { name, raw, start, body, attrs } = self;
        OwnedTag { name: name.into(), raw: raw.into(), start, body, attrs }
    }
}

impl PartialEq for Tag<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.span(), self.body) == (other.name, other.span(), other.body)
            && self.attrs == other.attrs
            && self.raw == other.raw
    }
}

impl Eq for Tag<'_> {}

impl Hash for Tag<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.span(), self.raw).hash(state);
    }
}

impl fmt::Debug for Tag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tag")
            .field("name", &self.name())
            .field("attrs", &self.attrs())
            .field("body", &self.body())
            .field("span", &self.span())
            .finish()
    }
}

/// Prints the tag as it was written.
impl fmt::Display for Tag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw)
    }
}

/// A [`Tag`] with a copy of its text. Read it with [`OwnedTag::as_tag`].
#[derive(Clone)]
pub struct OwnedTag {
    name: String,
    raw: String,
    start: usize,
    body: Span,
    attrs: AttrIndex,
}

impl OwnedTag {
    /// Borrows the tag.
    pub fn as_tag(&self) -> Tag<'_> {
        Tag { name: &self.name, raw: &self.raw, start: self.start, body: self.body, attrs: self.attrs }
    }
}

impl PartialEq for OwnedTag {
    fn eq(&self, other: &Self) -> bool {
        self.as_tag() == other.as_tag()
    }
}

impl Eq for OwnedTag {}

impl Hash for OwnedTag {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_tag().hash(state);
    }
}

impl fmt::Debug for OwnedTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_tag().fmt(f)
    }
}

impl fmt::Display for OwnedTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_tag().fmt(f)
    }
}
