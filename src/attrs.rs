//! The attributes of a tag: `key="value"` or `key='value'`, read from the text behind its name.
//!
//! Read from left to right, the leftmost match at each place, as the seed's pattern
//! `([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)')` finds them. Text between attributes is skipped; what follows the
//! last one is the leftover, of which the scan makes a diagnostic.

use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::event::Span;
use crate::near;
use crate::space;

/// The attributes of a tag, in the order of their first mention. A repeated key has the value of its last.
///
/// Keys keep their case, and values are as they are written: there are no escapes. They are read from the tag's text on
/// demand: [`Attrs::get`] and a full iteration are linear in its length (*n* log *n* where a key may be repeated among more
/// than a dozen).
#[derive(Clone, Copy)]
pub struct Attrs<'a> {
    /// The tag's, or more of it than its attributes, from the start of its token.
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
            Known::Places(_) | Known::Text { keys: Keys::Differ, .. } => self.iter().find(is_wanted),
            Known::Text { span, .. } => Written::new(self.text, span).filter(is_wanted).last(),
        };
        wanted.map(|(_, value)| value)
    }

    /// Keys and values, each key once.
    #[inline]
    pub fn iter(&self) -> AttrsIter<'a> {
        AttrsIter(match self.known {
            Known::Places(places) => Inner::Places { text: self.text, next: 0, places },
            Known::Text { span, keys } => {
                let written = Written::new(self.text, span);
                match keys {
                    Keys::Differ => Inner::Written(written),
                    Keys::RepeatAmongFew => Inner::AmongFew(written),
                    Keys::Many => Inner::Resolved(resolve(written).into_iter()),
                }
            }
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
    Places {
        text: &'a str,
        next: usize,
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
            Inner::Places { text, next, places } => {
                let place = places.get(*next).filter(|&&place| place != Place::NONE)?;
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
        let before = written.given();
        let (key, value) = written.next()?;
        if before.into_iter().any(|(other, _)| other == key) {
            continue;
        }
        let last = written.clone().filter(|(other, _)| *other == key).last();
        return Some(last.unwrap_or((key, value)));
    }
}

/// What is known of the attributes from the first reading, which there is anyway to find the leftover. All places are in bytes
/// from the start of the tag.
// Its parts are whole words, so that it is copied by words: what is written in smaller pieces has to wait to be read in larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Known {
    /// Where they are: a few, none repeated, as with nearly all tags. So these are not read twice. Behind the last there is
    /// [`Place::NONE`].
    Places([Place; KEPT]),
    /// Where the text is in which they are.
    Text { span: Span, keys: Keys },
}

/// What is known of many keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Keys {
    /// None is repeated.
    Differ,
    /// One is, among at most [`FEW`].
    RepeatAmongFew,
    /// There are more than that, and one may be repeated.
    Many,
}

impl Known {
    pub(crate) const NOTHING: Known = Known::Places([Place::NONE; KEPT]);
}

/// Where an attribute is. Small, since a tag is to be, and one word, so that it is copied as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(8))]
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

/// Reads all attributes that `token` has at `span`, once or twice, into `known`. Where the last one ends, and the leftover
/// begins. Linear, and allocates nothing.
#[inline]
pub(crate) fn survey(token: &str, span: Span, known: &mut Known) -> usize {
    let bytes = &token.as_bytes()[..span.end];
    let mut end = span.start;
    let mut places = [Place::NONE; KEPT];
    let mut count = 0;
    while let Some((key, value)) = next_ranges(bytes, end) {
        end = value.end + 1;
        let is_repeated = |place: &Place| bytes[place.key()] == bytes[key.clone()];
        match (places.get_mut(count), Place::new(&key, &value)) {
            (Some(kept), Some(place)) => *kept = place,
            _ => return survey_many(token, span, known),
        }
        if places[..count].iter().any(is_repeated) {
            return survey_many(token, span, known);
        }
        count += 1;
    }
    *known = Known::Places(places);
    end
}

/// The same where there are more than are kept, or one is far away or repeated.
#[cold]
fn survey_many(token: &str, span: Span, known: &mut Known) -> usize {
    let mut written = Written::new(token, span);
    let mut seen = [""; FEW];
    let mut are_repeated = false;
    let mut count = 0;
    for (key, _) in written.by_ref() {
        if count < FEW {
            are_repeated = are_repeated || seen[..count].contains(&key);
            seen[count] = key;
        }
        count += 1;
    }
    let keys = match count {
        _ if count > FEW => Keys::Many,
        _ if are_repeated => Keys::RepeatAmongFew,
        _ => Keys::Differ,
    };
    *known = Known::Text { span: Span::new(span.start, written.end), keys };
    written.end
}

/// Up to so many attributes are compared each with each.
const FEW: usize = 12;
/// How many places a tag keeps: as many as fit into its 96 bytes.
const KEPT: usize = 4;

/// The attributes as they are written, repeated keys and all.
#[derive(Clone, Debug)]
struct Written<'a> {
    /// From the start of the tag to where its attributes end.
    text: &'a str,
    /// Where they begin.
    start: usize,
    /// Where the last that was given ends.
    end: usize,
}

impl<'a> Written<'a> {
    fn new(text: &'a str, span: Span) -> Self {
        Written { text: &text[..span.end], start: span.start, end: span.start }
    }

    /// Those that were given.
    fn given(&self) -> Self {
        Written::new(self.text, Span::new(self.start, self.end))
    }
}

impl<'a> Iterator for Written<'a> {
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let (key, value) = next_ranges(self.text.as_bytes(), self.end)?;
        self.end = value.end + 1;
        Some((&self.text[key], &self.text[value]))
    }
}

/// Where the next attribute at or behind `at` has its key and its value.
///
/// Each byte is looked at once, but for the rest of a text behind a quote that never closes, of which each kind can only be met
/// once.
#[inline(always)]
fn next_ranges(text: &[u8], mut at: usize) -> Option<(Range<usize>, Range<usize>)> {
    loop {
        // Most have one blank before them.
        while !space::starts_word(*text.get(at)?) {
            steps!(1);
            at += 1;
        }
        let key = at..at + space::word_len(&text[at..]);
        at = key.end;
        // Where this is no attribute, no shorter key is one either: go on where it ceased to fit.
        if let Some(quote) = pass_quote(text, &mut at)
            && let Some(len) = near::find(quote, &text[at..])
        {
            return Some((key, at..at + len));
        }
    }
}

/// Passes the `=` and the quote, and tells which it is.
#[inline(always)]
fn pass_quote(text: &[u8], at: &mut usize) -> Option<u8> {
    // As nearly all are written.
    if text[*at..].starts_with(b"=\"") {
        *at += 2;
        return Some(b'"');
    }
    *at = space::skip_space(text, *at);
    if text.get(*at) != Some(&b'=') {
        return None;
    }
    *at = space::skip_space(text, *at + 1);
    let &quote @ (b'"' | b'\'') = text.get(*at)? else {
        return None;
    };
    *at += 1;
    Some(quote)
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
