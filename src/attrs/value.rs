//! The value of an attribute.

use alloc::borrow::Cow;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::strict;

/// The value of an attribute: as the model wrote it between the quotes, and its text with escapes resolved.
///
/// Compares, hashes and prints as the resolved text. The seed's dialect has no escapes, so that the two are the same there.
#[derive(Clone, Copy, Default)]
pub struct AttrValue<'a> {
    written: &'a str,
    /// In its canonical form.
    text: &'a str,
    /// The quote around the value, if `text` has escapes.
    escaped_in: Option<Quote>,
}

/// The quote around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Single,
    Double,
}

impl Quote {
    pub(crate) const fn of(byte: u8) -> Option<Self> {
        match byte {
            b'\'' => Some(Quote::Single),
            b'"' => Some(Quote::Double),
            _ => None,
        }
    }

    pub(crate) const fn byte(self) -> u8 {
        match self {
            Quote::Single => b'\'',
            Quote::Double => b'"',
        }
    }
}

impl<'a> AttrValue<'a> {
    #[inline]
    pub(crate) fn without_escapes(written: &'a str) -> Self {
        AttrValue { written, text: written, escaped_in: None }
    }

    /// A value with its canonical form, in which escapes are not resolved yet if `escaped_in` says so.
    pub(super) fn canonical(written: &'a str, text: &'a str, escaped_in: Option<Quote>) -> Self {
        AttrValue { written, text, escaped_in }
    }

    /// The characters between the quotes, with escapes as they were written.
    #[inline]
    pub fn as_written(&self) -> &'a str {
        self.written
    }

    /// The text with escapes resolved, in the canonical form of its attribute's type: an enum's value as declared, a boolean in lower
    /// case, and without white space around anything but a string. Allocates only if there are escapes.
    #[inline]
    pub fn text(&self) -> Cow<'a, str> {
        match self.escaped_in {
            None => Cow::Borrowed(self.text),
            Some(quote) => Cow::Owned(strict::unescaped(self.text, quote)),
        }
    }
}

impl PartialEq for AttrValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for AttrValue<'_> {}

impl fmt::Display for AttrValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl fmt::Debug for AttrValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text(), f)
    }
}

impl PartialEq<str> for AttrValue<'_> {
    fn eq(&self, other: &str) -> bool {
        self.text() == other
    }
}

impl PartialEq<&str> for AttrValue<'_> {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Hash for AttrValue<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl<'a> From<AttrValue<'a>> for Cow<'a, str> {
    fn from(value: AttrValue<'a>) -> Self {
        value.text()
    }
}

/// A value that is written as `text`, without escapes.
impl<'a> From<&'a str> for AttrValue<'a> {
    fn from(text: &'a str) -> Self {
        AttrValue::without_escapes(text)
    }
}
