//! The value syntax of the seed's dialect: `key="value"` or `key='value'`, without escapes.
//!
//! Attributes are read from left to right, the leftmost match at each position, as the seed's pattern
//! `([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)')` finds them. Text between attributes is skipped; what follows the last one is
//! left over, and reported by the machine.

use alloc::vec::Vec;
use core::ops::Range;

use super::index::{AttrIndex, AttrRange, INDEXED, Repeats};
use crate::bytes;
use crate::ident::{ident_len, starts_ident};
use crate::span::Span;
use crate::whitespace::skip_space;

/// Indexes the attributes of `token` within `span`. Returns the end of the last one. Linear, and allocates nothing.
#[inline]
pub(crate) fn index_attrs(token: &str, span: Span, index: &mut AttrIndex<'_>) -> usize {
    let text = &token.as_bytes()[..span.end];
    let mut end = span.start;
    let mut ranges = [AttrRange::NONE; INDEXED];
    let mut count = 0;
    while let Some((key, value)) = next_attr(text, end) {
        end = value.end + 1;
        let is_repeated = |range: &AttrRange| text[range.key()] == text[key.clone()];
        match (ranges.get_mut(count), AttrRange::new(&key, &value)) {
            (Some(slot), Some(range)) => *slot = range,
            _ => return index_many(token, span, index),
        }
        if ranges[..count].iter().any(is_repeated) {
            return index_many(token, span, index);
        }
        count += 1;
    }
    *index = AttrIndex::Ranges(ranges);
    end
}

/// Indexes attributes that are too many or too far away for ranges, or repeated.
#[cold]
fn index_many(token: &str, span: Span, index: &mut AttrIndex<'_>) -> usize {
    let mut attrs = RawAttrs::new(token, span);
    let mut seen = [""; FEW];
    let mut is_repeated = false;
    let mut count = 0;
    for (key, _) in attrs.by_ref() {
        if count < FEW {
            is_repeated = is_repeated || seen[..count].contains(&key);
            seen[count] = key;
        }
        count += 1;
    }
    let repeats = match count {
        _ if count > FEW => Repeats::AmongMany,
        _ if is_repeated => Repeats::AmongFew,
        _ => Repeats::None,
    };
    *index = AttrIndex::Text { span: Span::new(span.start, attrs.end), repeats };
    attrs.end
}

/// An iterator over the attributes as they are written, with repeated keys.
#[derive(Clone, Debug)]
pub(super) struct RawAttrs<'a> {
    /// From the start of the tag to the end of its attributes.
    text: &'a str,
    start: usize,
    /// The end of the last attribute read.
    end: usize,
}

impl<'a> RawAttrs<'a> {
    pub(super) fn new(text: &'a str, span: Span) -> Self {
        RawAttrs { text: &text[..span.end], start: span.start, end: span.start }
    }

    /// The attributes that were read.
    pub(super) fn read_so_far(&self) -> Self {
        RawAttrs::new(self.text, Span::new(self.start, self.end))
    }
}

impl<'a> Iterator for RawAttrs<'a> {
    type Item = (&'a str, &'a str);

    #[inline]
    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let (key, value) = next_attr(self.text.as_bytes(), self.end)?;
        self.end = value.end + 1;
        Some((&self.text[key], &self.text[value]))
    }
}

/// Keeps each key at its first occurrence, with the value of its last.
pub(super) fn resolve_repeats(attrs: RawAttrs<'_>) -> Vec<(&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = attrs.collect();
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        count_work!(1 + pairs[a].0.len().min(pairs[b].0.len()));
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

/// Returns the ranges of key and value of the next attribute at or after `pos`.
///
/// Examines each byte once, except for the text after a quote that never closes; each kind of quote can only do that once.
#[inline(always)]
fn next_attr(text: &[u8], mut pos: usize) -> Option<(Range<usize>, Range<usize>)> {
    loop {
        // Most have one blank before them.
        while !starts_ident(*text.get(pos)?) {
            count_work!(1);
            pos += 1;
        }
        let key = pos..pos + ident_len(&text[pos..]);
        pos = key.end;
        // If this is not an attribute, no shorter key is one either: go on where it ceased to match.
        if let Some(quote) = skip_to_value(text, &mut pos)
            && let Some(len) = bytes::find(quote, &text[pos..])
        {
            return Some((key, pos..pos + len));
        }
    }
}

/// Skips the `=` and the opening quote, and returns the quote.
#[inline(always)]
fn skip_to_value(text: &[u8], pos: &mut usize) -> Option<u8> {
    // Nearly all are written so.
    if text[*pos..].starts_with(b"=\"") {
        *pos += 2;
        return Some(b'"');
    }
    *pos = skip_space(text, *pos);
    if text.get(*pos) != Some(&b'=') {
        return None;
    }
    *pos = skip_space(text, *pos + 1);
    let &quote @ (b'"' | b'\'') = text.get(*pos)? else {
        return None;
    };
    *pos += 1;
    Some(quote)
}

/// Up to this number of attributes, each is compared with each.
const FEW: usize = 12;
