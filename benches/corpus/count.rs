//! Counts of a reply's content, and the two ways to read a reply. Every attribute of every tag is read, so that lazy reading is
//! measured too.

use bumpalo::Bump;
use tagwire::{Event, Parser, Policy, Tag};

/// The counts of a reply's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub tags: usize,
    /// Bytes of keys and values.
    pub attr_bytes: usize,
    pub body_bytes: usize,
    pub prose_bytes: usize,
    pub diagnostics: usize,
}

impl Count {
    fn tag(&mut self, tag: &Tag<'_>) {
        self.tags += 1;
        self.attr_bytes += tag.attrs().iter().map(|(key, value)| key.len() + value.as_written().len()).sum::<usize>();
        self.body_bytes += tag.body().len();
    }

    pub fn add(&mut self, other: Count) {
        self.tags += other.tags;
        self.attr_bytes += other.attr_bytes;
        self.body_bytes += other.body_bytes;
        self.prose_bytes += other.prose_bytes;
        self.diagnostics += other.diagnostics;
    }
}

/// Reads a whole reply into an arena.
pub fn batch(policy: &Policy<'_>, text: &str, arena: &Bump) -> Count {
    let reply = policy.parse_in(text, arena);
    let mut count = Count { diagnostics: reply.diagnostics().len(), ..Count::default() };
    reply.tags().iter().for_each(|tag| count.tag(tag));
    count.prose_bytes = reply.prose_parts().map(str::len).sum();
    count
}

/// Reads a reply chunk by chunk.
pub fn stream<'t>(parser: &mut Parser<'_>, chunks: impl Iterator<Item = &'t str>) -> Count {
    let mut count = Count::default();
    let mut take = |event: Event<'_>| match event {
        Event::Prose { text, .. } => count.prose_bytes += text.len(),
        Event::Tag(tag) => count.tag(&tag),
        Event::Diagnostic(_) => count.diagnostics += 1,
        _ => {}
    };
    parser.reset();
    for chunk in chunks {
        for event in parser.feed(chunk) {
            take(event);
        }
    }
    parser.finish().for_each(&mut take);
    count
}

/// The cuts of a text. Only lengths are kept, so that a chunk costs almost nothing.
pub struct Cuts(Vec<u16>);

impl Cuts {
    /// Pieces of `size` bytes, or fewer if that would cut a character.
    pub fn every(size: usize, text: &str) -> Self {
        Self::drawn(text, || size)
    }

    /// Pieces of 1 to 16 bytes.
    pub fn random(text: &str) -> Self {
        let mut rng = super::Rng::new(16);
        Self::drawn(text, || rng.between(1, 16))
    }

    fn drawn(text: &str, mut size: impl FnMut() -> usize) -> Self {
        let mut lengths = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let size = size();
            let fits = |&end: &usize| text.is_char_boundary(end);
            let below = (at + 1..=(at + size).min(text.len())).rfind(fits);
            let end = below.or_else(|| (at + 1..=text.len()).find(fits)).expect("the end is a boundary");
            lengths.push(u16::try_from(end - at).expect("a short chunk"));
            at = end;
        }
        Self(lengths)
    }

    /// The number of chunks.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The chunks of the text that this was made for.
    pub fn of<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> + use<'_, 't> {
        let mut rest = text;
        self.0.iter().map(move |&length| {
            let (chunk, behind) = rest.split_at(length.into());
            rest = behind;
            chunk
        })
    }
}
