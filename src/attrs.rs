//! The attributes of a tag: `key="value"` or `key='value'`, read from the text behind its name.
//!
//! Read from left to right, the leftmost match at each place, as the seed's pattern
//! `([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)')` finds them. Text between attributes is skipped; what follows the
//! last one is the leftover, of which the scan makes a diagnostic.

use alloc::vec::Vec;
use core::fmt;

use crate::near;
use crate::space;

/// The attributes of a tag, in the order of their first mention. A repeated key has the value of its last.
///
/// Keys keep their case, and values are as they are written: there are no escapes. They are read from the tag's text on
/// demand: [`Attrs::get`] and a full iteration are linear in its length (*n* log *n* where a key may be repeated among more than
/// a dozen).
#[derive(Clone, Copy)]
pub struct Attrs<'a> {
    text: &'a str,
    repeats: Repeats,
}

/// Whether a key is repeated among the attributes, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// None is.
    #[default]
    No,
    /// One is, among at most [`FEW`] attributes.
    AmongFew,
    /// One may be, among more than that.
    AmongMany,
}

impl<'a> Attrs<'a> {
    pub(crate) fn new(text: &'a str, repeats: Repeats) -> Self {
        Attrs { text, repeats }
    }

    /// The value of `key`, as written: the last one where the key is repeated.
    pub fn get(&self, key: &str) -> Option<&'a str> {
        let mut value = None;
        let mut written = Written::new(self.text);
        while let Some((found, its)) = written.next() {
            if found == key {
                value = Some(its);
                if self.repeats == Repeats::No {
                    break;
                }
            }
        }
        value
    }

    /// Keys and values, each key once.
    pub fn iter(&self) -> AttrsIter<'a> {
        let written = Written::new(self.text);
        AttrsIter(match self.repeats {
            Repeats::No => Inner::Written(written),
            Repeats::AmongFew => Inner::AmongFew(written),
            Repeats::AmongMany => Inner::Resolved(resolve(written).into_iter()),
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
        let mut earlier = Written::new(&written.text[..before]);
        if core::iter::from_fn(|| earlier.next()).any(|(other, _)| other == key) {
            continue;
        }
        let mut later = written.clone();
        let last = core::iter::from_fn(|| later.next()).filter(|(other, _)| *other == key).last();
        return Some(last.unwrap_or((key, value)));
    }
}

/// What the scan needs to know of the text behind a name.
pub(crate) struct Survey {
    /// Where the last attribute ends, and the leftover begins.
    pub(crate) end: usize,
    pub(crate) repeats: Repeats,
}

/// Reads all attributes once. Linear in `text`, and allocates nothing.
pub(crate) fn survey(text: &str) -> Survey {
    let mut written = Written::new(text);
    let mut keys: [&str; FEW] = [""; FEW];
    let mut count = 0;
    let mut repeats = Repeats::No;
    while let Some((key, _)) = written.next() {
        if count == FEW {
            repeats = Repeats::AmongMany;
            continue;
        }
        if keys[..count].contains(&key) {
            repeats = Repeats::AmongFew;
        }
        keys[count] = key;
        count += 1;
    }
    Survey { end: written.end, repeats }
}

/// Up to so many attributes are compared each with each.
const FEW: usize = 12;

/// The attributes as they are written, repeated keys and all.
#[derive(Clone, Debug)]
struct Written<'a> {
    text: &'a str,
    /// Where the last attribute that was given ends.
    end: usize,
}

impl<'a> Written<'a> {
    fn new(text: &'a str) -> Self {
        Written { text, end: 0 }
    }

    /// Each byte is looked at once, but for the rest of a text behind a quote that never closes, of which each kind can only
    /// be met once.
    #[inline]
    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let bytes = self.text.as_bytes();
        let mut at = self.end;
        loop {
            while !space::starts_word(*bytes.get(at)?) {
                at += 1;
                steps!(1);
            }
            let key = at;
            while at < bytes.len() && space::is_word(bytes[at]) {
                at += 1;
                steps!(1);
            }
            let key_end = at;
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
            return Some((&self.text[key..key_end], &self.text[at..at + len]));
        }
    }
}

/// Each key in the place of its first mention with the value of its last.
fn resolve<'a>(mut written: Written<'a>) -> Vec<(&'a str, &'a str)> {
    let mut pairs: Vec<(&str, &str)> = core::iter::from_fn(|| written.next()).collect();
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
