//! The value of an attribute.

use alloc::borrow::Cow;
use core::fmt;
use core::hash::{Hash, Hasher};

/// The value of an attribute: as the model wrote it between the quotes, and its text with escapes resolved.
///
/// Compares, hashes and prints as the resolved text. The seed's dialect has no escapes, so that the two are the same there.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct AttrValue<'a> {
    written: &'a str,
}

impl<'a> AttrValue<'a> {
    #[inline]
    pub(crate) fn without_escapes(written: &'a str) -> Self {
        AttrValue { written }
    }

    /// The characters between the quotes, with escapes as they were written.
    #[inline]
    pub fn as_written(&self) -> &'a str {
        self.written
    }

    /// The text with escapes resolved. Allocates only if there are any.
    #[inline]
    pub fn text(&self) -> Cow<'a, str> {
        Cow::Borrowed(self.written)
    }
}

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
