//! The attributes of a tag: `key="value"` or `key='value'`, read from the text behind its name.
//!
//! Read from left to right, the leftmost match at each place, as the seed's pattern
//! `([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)')` finds them. Text between attributes is skipped; what follows the
//! last one is the leftover, of which the scan makes a diagnostic.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::near;
use crate::space;

/// The attributes of a tag, in the order of their first mention. A repeated key has the value of its last.
///
/// Keys keep their case, and values are as they are written: there are no escapes. They are read from the tag's text on
/// demand: [`Attrs::get`] and a full iteration are linear in its length (*n* log *n* where a key may be repeated among more
/// than a dozen).
#[derive(Clone, Copy)]
pub struct Attrs<'a> {
    text: &'a str,
    known: Known,
}

impl<'a> Attrs<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str, known: Known) -> Self {
        Attrs { text, known }
    }

    /// The value of `key`, as written: the last one where the key is repeated.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let is_wanted = |(found, _): &(&str, &str)| *found == key;
        let wanted = match self.known {
            Known::Places { .. } | Known::NoRepeats => self.iter().find(is_wanted),
            Known::RepeatsAmongFew | Known::Many => Written::new(self.text).filter(is_wanted).last(),
        };
        wanted.map(|(_, value)| value)
    }

    /// Keys and values, each key once.
    #[inline]
    pub fn iter(&self) -> AttrsIter<'a> {
        let written = Written::new(self.text);
        AttrsIter(match self.known {
            Known::Places { count, places } => Inner::Known { text: self.text, next: 0, count, places },
            Known::NoRepeats => Inner::Written(written),
            Known::RepeatsAmongFew => Inner::AmongFew(written),
            Known::Many => Inner::Resolved(resolve(written).into_iter()),
        })
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there is no attribute.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl<'a> IntoIterator for Attrs<'a> {
    type Item = (&'a str, &'a str);
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

/// Keys and values of a tag. See [`Attrs::iter`].
#[derive(Clone, Debug)]
pub struct AttrsIter<'a>(Inner<'a>);

#[derive(Clone, Debug)]
enum Inner<'a> {
    Known {
        text: &'a str,
        next: u8,
        count: u8,
        places: [Place; KEPT],
    },
    /// No key is repeated.
    Written(Written<'a>),
    /// Looks at all the others for each: a dozen times at the most, and without memory.
    AmongFew(Written<'a>),
    Resolved(alloc::vec::IntoIter<(&'a str, &'a str)>),
}

impl<'a> Iterator for AttrsIter<'a> {
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Inner::Known { text, next, count, places } => {
                let place = places.get(usize::from(*next)).filter(|_| next < count)?;
                *next += 1;
                Some(place.resolve(text))
            }
            Inner::Written(written) => written.next(),
            Inner::AmongFew(written) => next_among_few(written),
            Inner::Resolved(pairs) => pairs.next(),
        }
    }
}

fn next_among_few<'a>(written: &mut Written<'a>) -> Option<(&'a str, &'a str)> {
    loop {
        let before = written.end;
        let (key, value) = written.next()?;
        if Written::new(&written.text[..before]).any(|(other, _)| other == key) {
            continue;
        }
        let last = written.clone().filter(|(other, _)| *other == key).last();
        return Some(last.unwrap_or((key, value)));
    }
}

/// What is known of the attributes from the first reading, which there is anyway to find the leftover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Where they are: up to two, none repeated, as with nearly all tags. So these are not read twice.
    Places { count: u8, places: [Place; KEPT] },
    /// No key is repeated.
    NoRepeats,
    /// A key is, among at most [`FEW`] attributes.
    RepeatsAmongFew,
    /// There are more than that, and a key may be repeated.
    Many,
}

impl Known {
    pub(crate) const NOTHING: Known = Known::Places { count: 0, places: [Place::NONE; KEPT] };
}

/// Where an attribute is, in bytes from the start of the text. Small, since a tag is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    key: u16,
    key_end: u16,
    value: u16,
    value_end: u16,
}

impl Place {
    const NONE: Place = Place { key: 0, key_end: 0, value: 0, value_end: 0 };

    /// None where it is too far away.
    #[inline]
    fn new(key: &Range<usize>, value: &Range<usize>) -> Option<Self> {
        let value_end = u16::try_from(value.end).ok()?;
        // All the others are before that.
        let small = |offset: usize| offset as u16;
        Some(Place { key: small(key.start), key_end: small(key.end), value: small(value.start), value_end })
    }

    #[inline]
    fn key(self) -> Range<usize> {
        self.key.into()..self.key_end.into()
    }

    #[inline]
    fn resolve(self, text: &str) -> (&str, &str) {
        (&text[self.key()], &text[self.value.into()..self.value_end.into()])
    }
}

/// What the scan needs to know of the text behind a name.
pub(crate) struct Survey {
    /// Where the last attribute ends, and the leftover begins.
    pub(crate) end: usize,
    pub(crate) known: Known,
}

/// Reads all attributes, once or twice. Linear in `text`, and allocates nothing.
#[inline]
pub(crate) fn survey(text: &str) -> Survey {
    let mut written = Written::new(text);
    let mut places = [Place::NONE; KEPT];
    let mut count = 0;
    while let Some((key, value)) = written.next_ranges() {
        let is_repeated = |place: &Place| text.as_bytes()[place.key()] == text.as_bytes()[key.clone()];
        match (places.get_mut(count), Place::new(&key, &value)) {
            (Some(kept), Some(place)) => *kept = place,
            _ => return survey_many(text),
        }
        if places[..count].iter().any(is_repeated) {
            return survey_many(text);
        }
        count += 1;
    }
    Survey { end: written.end, known: Known::Places { count: count as u8, places } }
}

/// The same where there are more than are kept, or one is far away or repeated.
#[cold]
fn survey_many(text: &str) -> Survey {
    let mut written = Written::new(text);
    let mut keys = [""; FEW];
    let mut are_repeated = false;
    let mut count = 0;
    for (key, _) in written.by_ref() {
        if count < FEW {
            are_repeated = are_repeated || keys[..count].contains(&key);
            keys[count] = key;
        }
        count += 1;
    }
    let known = match count {
        _ if count > FEW => Known::Many,
        _ if are_repeated => Known::RepeatsAmongFew,
        _ => Known::NoRepeats,
    };
    Survey { end: written.end, known }
}

/// Up to so many attributes are compared each with each.
const FEW: usize = 12;
/// How many places a tag keeps: as many as fit into its 96 bytes.
const KEPT: usize = 2;

/// The attributes as they are written, repeated keys and all.
#[derive(Clone, Debug)]
struct Written<'a> {
    text: &'a str,
    /// Where the last attribute that was given ends.
    end: usize,
}

impl<'a> Written<'a> {
    #[inline]
    fn new(text: &'a str) -> Self {
        Written { text, end: 0 }
    }

    /// Each byte is looked at once, but for the rest of a text behind a quote that never closes, of which each kind can only
    /// be met once.
    #[inline(always)]
    fn next_ranges(&mut self) -> Option<(Range<usize>, Range<usize>)> {
        let bytes = self.text.as_bytes();
        let mut at = self.end;
        loop {
            let rest = bytes.get(at..)?;
            let before = rest.iter().position(|&byte| space::starts_word(byte));
            steps!(before.unwrap_or(rest.len()));
            let before = before?;
            let len = rest[before..].iter().position(|&byte| !space::is_word(byte));
            steps!(len.unwrap_or(rest.len() - before));
            let len = len?;
            let key = at + before..at + before + len;
            at = key.end;
            // Where this is no attribute, no shorter key is one either: go on where it ceased to fit.
            at = space::skip_space(bytes, at);
            if bytes.get(at) != Some(&b'=') {
                continue;
            }
            at = space::skip_space(bytes, at + 1);
            let quote = match bytes.get(at) {
                Some(&quote @ (b'"' | b'\'')) => quote,
                _ => continue,
            };
            at += 1;
            let Some(len) = near::find(quote, &bytes[at..]) else {
                continue;
            };
            self.end = at + len + 1;
            return Some((key, at..at + len));
        }
    }
}

impl<'a> Iterator for Written<'a> {
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let (key, value) = self.next_ranges()?;
        Some((&self.text[key], &self.text[value]))
    }
}

/// Each key in the place of its first mention with the value of its last.
fn resolve(written: Written<'_>) -> Vec<(&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = written.collect();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        steps!(1 + pairs[a].0.len().min(pairs[b].0.len()));
        pairs[a].0.cmp(pairs[b].0).then(a.cmp(&b))
    });
    let mut repeated = alloc::vec![false; pairs.len()];
    let mut first = order[0];
    for &i in &order[1..] {
        if pairs[i].0 == pairs[first].0 {
            pairs[first].1 = pairs[i].1;
            repeated[i] = true;
        } else {
            first = i;
        }
    }
    let mut i = 0;
    pairs.retain(|_| {
        i += 1;
        !repeated[i - 1]
    });
    pairs
}
