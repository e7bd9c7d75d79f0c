//! The attributes of a tag.
//!
//! `seed.rs` is the value syntax of the seed's dialect, `strict.rs` that of the strict one. Reading a token of the seed's fills an
//! [`AttrIndex`], so that the few attributes of a typical tag are not searched for again.

mod index;
pub(crate) mod seed;
pub(crate) mod strict;
mod value;

use core::fmt;

use self::index::{AttrRange, INDEXED, Repeats};
use self::seed::RawAttrs;
use self::strict::{ResolvedAttrsIter, StrictAttrsIter};

pub(crate) use self::index::AttrIndex;
pub use self::value::AttrValue;
pub(crate) use self::value::Quote;

/// The attributes of a tag.
///
/// In the seed's dialect they come in the order in which their keys first appear, keys keep their case, and a repeated key has the value
/// of its last occurrence. In the strict dialect they have their declared names and canonical values, in the order written; the value of
/// an argument comes first. Attributes are read from the text of the tag on demand: [`Attrs::get`] and a full iteration are linear in its
/// length (*n* log *n* if there are more than a dozen attributes and a key may be repeated).
#[derive(Clone, Copy)]
pub struct Attrs<'a> {
    /// Text from the start of the token, to the end of its attributes or further.
    text: &'a str,
    index: AttrIndex<'a>,
}

impl<'a> Attrs<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str, index: AttrIndex<'a>) -> Self {
        Attrs { text, index }
    }

    /// Returns the value of `key`; the last one if the key is repeated. In the strict dialect, an absent attribute has its declared default.
    pub fn get(&self, key: &str) -> Option<AttrValue<'a>> {
        if let AttrIndex::Text { span, repeats: Repeats::AmongFew | Repeats::AmongMany } = self.index {
            let last = RawAttrs::new(self.text, span).filter(|(found, _)| *found == key).last();
            return last.map(|(_, value)| AttrValue::without_escapes(value));
        }
        let written = self.iter().find(|(found, _)| *found == key).map(|(_, value)| value);
        written.or_else(|| match self.index {
            AttrIndex::Strict(attrs) => attrs.default_of(key),
            AttrIndex::Resolved(attrs) => attrs.default_of(key),
            AttrIndex::Ranges(_) | AttrIndex::Text { .. } => None,
        })
    }

    /// Returns an iterator over keys and values, each key once.
    #[inline]
    pub fn iter(&self) -> AttrsIter<'a> {
        AttrsIter(match self.index {
            AttrIndex::Ranges(ranges) => Pairs::Indexed { text: self.text, next: 0, ranges },
            AttrIndex::Text { span, repeats } => {
                let attrs = RawAttrs::new(self.text, span);
                match repeats {
                    Repeats::None => Pairs::Distinct(attrs),
                    Repeats::AmongFew => Pairs::AmongFew(attrs),
                    Repeats::AmongMany => Pairs::Distilled(seed::resolve_repeats(attrs).into_iter()),
                }
            }
            AttrIndex::Strict(attrs) => Pairs::Strict(attrs.iter(self.text)),
            AttrIndex::Resolved(attrs) => Pairs::Resolved(attrs.iter(self.text)),
        })
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether the tag has no attribute.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl<'a> IntoIterator for Attrs<'a> {
    type Item = (&'a str, AttrValue<'a>);
    type IntoIter = AttrsIter<'a>;

    fn into_iter(self) -> AttrsIter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Attrs<'a> {
    type Item = (&'a str, AttrValue<'a>);
    type IntoIter = AttrsIter<'a>;

    fn into_iter(self) -> AttrsIter<'a> {
        self.iter()
    }
}

impl PartialEq for Attrs<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Attrs<'_> {}

impl fmt::Debug for Attrs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// An iterator over the keys and values of a tag. See [`Attrs::iter`].
#[derive(Clone, Debug)]
pub struct AttrsIter<'a>(Pairs<'a>);

impl<'a> Iterator for AttrsIter<'a> {
    type Item = (&'a str, AttrValue<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = match &mut self.0 {
            Pairs::Indexed { text, next, ranges } => {
                let range = ranges.get(*next).filter(|&&range| range != AttrRange::NONE)?;
                *next += 1;
                range.resolve(text)
            }
            Pairs::Distinct(attrs) => attrs.next()?,
            Pairs::AmongFew(attrs) => next_among_few(attrs)?,
            Pairs::Distilled(pairs) => pairs.next()?,
            Pairs::Strict(attrs) => return attrs.next(),
            Pairs::Resolved(attrs) => return attrs.next(),
        };
        Some((key, AttrValue::without_escapes(value)))
    }
}

impl core::iter::FusedIterator for AttrsIter<'_> {}

/// Keys and values, each key once.
#[derive(Clone, Debug)]
enum Pairs<'a> {
    Indexed {
        text: &'a str,
        next: usize,
        ranges: [AttrRange; INDEXED],
    },
    /// No key is repeated.
    Distinct(RawAttrs<'a>),
    /// Compares each key with all others: a dozen at most, and no memory.
    AmongFew(RawAttrs<'a>),
    Distilled(alloc::vec::IntoIter<(&'a str, &'a str)>),
    Strict(StrictAttrsIter<'a>),
    Resolved(ResolvedAttrsIter<'a>),
}

fn next_among_few<'a>(attrs: &mut RawAttrs<'a>) -> Option<(&'a str, &'a str)> {
    loop {
        let before = attrs.read_so_far();
        let (key, value) = attrs.next()?;
        if before.into_iter().any(|(other, _)| other == key) {
            continue;
        }
        let last = attrs.clone().filter(|(other, _)| *other == key).last();
        return Some(last.unwrap_or((key, value)));
    }
}
