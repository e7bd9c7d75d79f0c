//! Attributes: any text after a name, compared with the twin; all ways to read them agree, in linear work.

use tagwire::{Event, Parser, Pending, Tag};

use super::bounds;
use super::input::{Input, Workforce, floor};
use super::seeds::{self, Seed};
use crate::library::pairs;
use crate::support::twin::{Pairs, TwinEvent, is_space};

/// The twin is quadratic in the attributes.
const LONGEST: usize = 6000;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let choices = input.byte();
    // Offsets of attributes are short integers: some inputs reach the largest.
    let far = if choices & 0x70 != 0x70 { 0 } else { usize::from(u16::MAX) - 4 * usize::from(input.byte()) };
    let inner = String::from_utf8_lossy(input.rest()).replace(['[', ']'], "");
    let inner = &inner[..floor(&inner, LONGEST)];
    let name = if choices & 1 == 0 { "RUN" } else { "WRITE_FILE" };
    let space = if choices & 2 == 0 { " " } else { "" };
    let end = if choices & 4 == 0 { "" } else { "/" };
    // From thirteen on, attributes are sorted.
    let many = if choices & 8 == 0 { "" } else { MANY };
    let long = if far == 0 { String::new() } else { format!(" z='{}'", "x".repeat(far)) };
    let token = format!("[[{name}{space}{many}{long}{inner}{end}]]");
    let text = format!("{token}body[[/{name}]]");
    let (twin, policy) = Workforce::shared().pair(("developer", "work"), None);
    let expected = twin.events(&text);
    super::twin::assert_whole(&policy, &text, &expected);
    bounds::assert_whole(&policy, &text, 1);
    let attrs = expected.iter().find_map(|event| match event {
        TwinEvent::Tag { attrs, .. } => Some(attrs),
        _ => None,
    });
    let Some(attrs) = attrs else {
        return;
    };
    let reply = policy.parse(&text);
    let tag = reply.tags()[0];
    assert_read(tag, attrs);
    assert_eq!(tag.into_owned().as_tag(), tag);
    assert_linear(tag);
    // The attributes of an open tag are final.
    let mut parser = Parser::new(policy.clone());
    parser.feed(&token).for_each(drop);
    if let Some(Pending::Open(open)) = parser.pending() {
        assert_eq!(open.attrs(), tag.attrs());
        assert!(attrs.iter().all(|(key, value)| open.attr(key) == Some(value.as_str().into())));
    } else {
        assert!(name == "RUN" || inner.trim_end_matches(is_space).ends_with('/') || end == "/", "{text:?}");
    }
    // The token in single characters, or in larger chunks if it is very long.
    let length = if far == 0 { 1 } else { 997 };
    let mut parser = Parser::new(policy.clone());
    let mut rest = &*text;
    while !rest.is_empty() {
        let end = (length..).find(|&at| rest.is_char_boundary(at) || at >= rest.len()).unwrap_or(rest.len());
        let (chunk, behind) = rest.split_at(end.min(rest.len()));
        for event in parser.feed(chunk) {
            if let Event::Tag(tag) = event {
                assert_eq!(pairs(tag), *attrs);
            }
        }
        rest = behind;
    }
}

/// The vectors on attributes.
pub fn seeds() -> Vec<Seed> {
    seeds::of_chosen(
        |vector| vector.tags.iter().any(|tag| tag.raw.contains('=')) || !vector.errors.is_empty(),
        3,
        |vector, rng| {
            let text = &*vector.text;
            let inner = text.split_once("[[").map_or(text, |(_, behind)| behind);
            let inner = inner.split_once("]]").map_or(inner, |(before, _)| before);
            let inner = inner.trim_start_matches(|c: char| c.is_ascii_uppercase() || c == '_');
            let mut data = vec![rng.below(16) as u8];
            if rng.percent(8) {
                data[0] += 0x70;
                data.push(rng.below(30) as u8);
            }
            data.extend_from_slice(inner.as_bytes());
            data
        },
    )
}

const MANY: &str = " b=\"\" a=\"\" c1='' c2='' c3='' c4='' c5='' c6='' c7='' c8='' c9='' A='' ";

#[track_caller]
fn assert_read(tag: Tag<'_>, expected: &Pairs) {
    let attrs = tag.attrs();
    assert_eq!(pairs(tag), *expected);
    assert_eq!(attrs.len(), expected.len());
    assert_eq!(attrs.is_empty(), expected.is_empty());
    for (key, value) in expected {
        assert_eq!(tag.attr(key), Some(value.as_str().into()), "{key} of {tag}");
    }
    assert_eq!(tag.attr("no such key"), None);
    assert_eq!(tag.attr(""), None);
}

#[track_caller]
fn assert_linear(tag: Tag<'_>) {
    let bytes = tag.raw().len() as u64;
    let count = tag.attrs().len() as u64;
    let get = bounds::cost(|| assert!(tag.attr("no such key").is_none()));
    assert!(get.steps <= 16 + 5 * bytes && get.peak == 0, "{get:?} for {tag}");
    let all = bounds::cost(|| tag.attrs().iter().for_each(drop));
    // With a repeated key, up to a dozen are compared pairwise; more are sorted.
    let sorting = 2 * bytes * u64::from((count + 1).ilog2());
    let looking = if count <= 12 { 3 * 13 * bytes } else { 0 };
    assert!(all.steps <= 16 + 5 * bytes + sorting + looking, "{all:?} for {tag}");
    assert!(all.peak <= 2048 + 32 * bytes, "{all:?} for {tag}");
}
