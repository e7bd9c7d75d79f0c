//! A tag of a reply.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::attrs::strict::ResolvedAttrs;
use crate::attrs::{AttrIndex, AttrValue, Attrs};
use crate::body;
use crate::protocol::Body;
use crate::span::Span;
use crate::whitespace::trim_cow;

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
    attrs: AttrIndex<'a>,
}

impl<'a> Tag<'a> {
    /// Creates a tag that begins at `start`. `body` counts from the start of the reply.
    #[inline]
    pub(crate) fn new(name: &'a str, raw: &'a str, start: usize, body: Span, attrs: AttrIndex<'a>) -> Self {
        Tag { name, raw, start, body: Span::new(body.start - start, body.end - start), attrs }
    }

    /// The name as the protocol declares it; of a variant, its own name, such as `ACTION:append`.
    #[inline]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The attributes.
    #[inline]
    pub fn attrs(&self) -> Attrs<'a> {
        Attrs::new(self.raw, self.attrs)
    }

    /// The value of one attribute; the last one if the key is repeated. In the strict dialect, an absent attribute has its declared default.
    pub fn attr(&self, key: &str) -> Option<AttrValue<'a>> {
        self.attrs().get(key)
    }

    /// The value of one attribute in its canonical form, without white space at both ends; empty if the attribute is absent. Escapes are
    /// not resolved.
    pub fn attr_trimmed(&self, key: &str) -> Cow<'a, str> {
        self.attr(key).map(|value| trim_cow(value.text())).unwrap_or_default()
    }

    /// The argument after the word, as it is written: `a.py` of `[[READ_FILE: a.py]]`. Only in the strict dialect.
    pub fn argument(&self) -> Option<AttrValue<'a>> {
        match self.attrs {
            AttrIndex::Ranges(_) | AttrIndex::Text { .. } => None,
            AttrIndex::Strict(attrs) => attrs.argument(self.raw),
            AttrIndex::Resolved(attrs) => attrs.argument(self.raw),
        }
    }

    /// The body: everything between the token and the close, as written. Empty if there is none.
    #[inline]
    pub fn body(&self) -> &'a str {
        &self.raw[self.body.range()]
    }

    /// The body without one line break at its start, which most bodies have after their token.
    pub fn content(&self) -> &'a str {
        body::without_line_break(self.body())
    }

    /// The edits of a tag whose protocol declares its body as edits: for each the old and the new text, with their line breaks. `None` for
    /// any other tag. Linear in the length of the body; allocates only for text with escaped markers.
    pub fn edits(&self) -> Option<impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> + use<'a>> {
        (self.body_kind()? == Body::Edits).then(|| body::edits(self.body()))
    }

    /// The sections of a tag whose protocol declares its body as sections: for each its declared name and its text, without one line
    /// break at the start. `None` for any other tag. Linear in the length of the body.
    pub fn sections(&self) -> Option<impl Iterator<Item = (&'a str, &'a str)> + use<'a>> {
        let names: body::SectionNames<'a> = match self.attrs {
            AttrIndex::Ranges(_) | AttrIndex::Text { .. } => return None,
            AttrIndex::Strict(attrs) => body::SectionNames::Declared(attrs.tag()),
            AttrIndex::Resolved(attrs) => body::SectionNames::Copied(attrs.section_names()),
        };
        (self.body_kind()? == Body::Sections).then(|| body::sections(self.body(), names))
    }

    /// The kind of the body, where the dialect knows kinds.
    pub(crate) fn body_kind(&self) -> Option<Body> {
        match self.attrs {
            AttrIndex::Ranges(_) | AttrIndex::Text { .. } => None,
            AttrIndex::Strict(attrs) => Some(attrs.tag().body_kind()),
            AttrIndex::Resolved(attrs) => Some(attrs.body_kind()),
        }
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
        let attrs = match attrs {
            AttrIndex::Ranges(ranges) => OwnedAttrs::Seed(AttrIndex::Ranges(ranges)),
            AttrIndex::Text { span, repeats } => OwnedAttrs::Seed(AttrIndex::Text { span, repeats }),
            AttrIndex::Strict(attrs) => OwnedAttrs::Strict(Box::new(ResolvedAttrs::new(&attrs, raw))),
            AttrIndex::Resolved(attrs) => OwnedAttrs::Strict(Box::new(attrs.clone())),
        };
        OwnedTag { name: name.into(), raw: raw.into(), start, body, attrs }
    }
}

impl PartialEq for Tag<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.span(), self.body) == (other.name, other.span(), other.body)
            && self.raw == other.raw
            && self.attrs() == other.attrs()
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
    attrs: OwnedAttrs,
}

/// The attributes of a copied tag.
#[derive(Clone)]
enum OwnedAttrs {
    /// An index into the text.
    Seed(AttrIndex<'static>),
    Strict(Box<ResolvedAttrs>),
}

impl OwnedTag {
    /// Borrows the tag.
    pub fn as_tag(&self) -> Tag<'_> {
        let attrs = match &self.attrs {
            OwnedAttrs::Seed(index) => *index,
            OwnedAttrs::Strict(attrs) => AttrIndex::Resolved(attrs),
        };
        Tag { name: &self.name, raw: &self.raw, start: self.start, body: self.body, attrs }
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
